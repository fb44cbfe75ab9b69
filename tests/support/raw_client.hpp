// A client that speaks bytes.
#pragma once

#include <algorithm>

#include "engine/wire/remoting_frame.hpp"
#include "tests/support/broker_world.hpp"

namespace drydock::test {

// Connected to a broker.
class RawClient {
 public:
  explicit RawClient(BrokerWorld& world, Endpoint broker = BrokerWorld::broker_endpoint())
      : world_(world), actor_(world.actor(0)) {
    const Pending<std::size_t> connected = actor_.connect(broker);
    world.run_for(Duration::s(1));
    ENSURE(connected->ok());
  }
  // The responses that arrive within a second.
  std::vector<RemotingCommand> ask(SharedBytes bytes) {
    send(std::move(bytes));
    return responses_within(Duration::s(1));
  }
  void send(SharedBytes bytes) { actor_.write(std::move(bytes)); }
  std::vector<RemotingCommand> responses_within(Duration length) {
    constexpr Duration kStep = Duration::ms(1);
    std::vector<RemotingCommand> responses;
    const Duration end = world_.now() + length;
    while (!ended_ && world_.now() < end) {
      if (read_ == nullptr) read_ = actor_.read();
      world_.run_for(std::min(kStep, end - world_.now()));
      if (read_->done()) take(responses);
    }
    if (ended_) world_.run_to(end);
    return responses;
  }
  std::int32_t code_of(SharedBytes bytes) {
    const auto responses = ask(std::move(bytes));
    return responses.empty() ? -1 : responses[0].head.code;
  }
  std::optional<ErrorCode> ended() const { return ended_; }
  Actor& actor() { return actor_; }

 private:
  void take(std::vector<RemotingCommand>& responses) {
    const Pending<ByteChain> read = std::exchange(read_, nullptr);
    if (!read->ok()) {
      ended_ = read->error();
      return;
    }
    decoder_.feed(**read->result);
    RemotingCommand response;
    while (decoder_.next(response) == FrameDecoder::Step::command) responses.push_back(response);
  }

  BrokerWorld& world_;
  Actor& actor_;
  Pending<ByteChain> read_;
  FrameDecoder decoder_;
  std::optional<ErrorCode> ended_;
};

// Asks for one answer after the other.
class Asking {
 public:
  explicit Asking(BrokerWorld& world) : client_(world) {}
  RemotingCommand operator()(SharedBytes bytes) {
    const std::vector<RemotingCommand> answers = client_.ask(std::move(bytes));
    ENSURE(answers.size() == 1);
    return answers[0];
  }

 private:
  RawClient client_;
};

}  // namespace drydock::test
