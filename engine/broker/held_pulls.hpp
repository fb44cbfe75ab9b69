// Pulls that found nothing and wait for a message: long polling (storage reference, 3.7),
// RocketMQ's PullRequestHoldService.
//
// A held pull is looked at when a message arrives in its queue, and every 5 s (every
// shortPollingTimeMills without long polling, and then only so). It goes on, once, if its queue has
// grown beyond its offset and the message has a tag that is wanted, or if its time is up. So a pull
// whose time is up is answered at the next look. While nothing is held no timer is armed.
//
// A pull whose connection ends is dropped, which nobody sees; RocketMQ keeps it until it is due.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/broker/configuration.hpp"
#include "engine/broker/pull_answer.hpp"
#include "engine/runtime/poll_grid.hpp"
#include "engine/store/message_store.hpp"
#include "engine/wire/remoting_command.hpp"
#include "engine/wire/server_connection.hpp"

namespace drydock {

// A pull as it is kept: what its request says, in bytes of its own.
struct PullRequest {
  CommandHead head;
  std::string group;
  std::string topic;
  std::int32_t queue_id = 0;
  QueueOffset offset;
  std::int32_t count_max = 1;
  std::vector<std::int32_t> tag_codes;  // In order; empty: every message.
  PullGroup of_group;                   // Told where slaves may be read.
};

struct HeldPull {
  std::shared_ptr<ServerConnection> connection;
  PullRequest request;
  MonotonicTime until;
};

class HeldPulls : public ArrivalListener {
 public:
  class Waker {
   public:
    virtual ~Waker() = default;
    // Answers the pull now, with or without a message. Must not wait.
    virtual void go_on(HeldPull pull) = 0;
  };

  // All of them outlive it.
  HeldPulls(Context& context, const BrokerConfiguration& configuration, const MessageStore& store,
            Waker& waker)
      : context_(context), configuration_(configuration), store_(store), waker_(waker) {}

  // Keeps a pull that found nothing; its queue may have grown meanwhile, and its client may have
  // gone. With too many held, or too many of its connection, it goes on at once.
  void hold(HeldPull pull);

  void message_arrived(std::string_view topic, std::int32_t queue_id, QueueOffset next,
                       std::int64_t tags_code) override;
  // Drops the pulls of a connection that has ended.
  void connection_ended(const ServerConnection& connection);
  // The looks at fixed intervals, until cancelled.
  Task<void> run();

  std::size_t count() const { return count_; }

 private:
  static constexpr std::size_t kHeldMax = 65'536;
  // A client asks for one queue at a time in one pull each, for all its groups.
  static constexpr std::size_t kHeldOfOneMax = 4'096;

  struct Queue {
    std::string topic;
    std::int32_t queue_id = 0;
  };
  struct QueueView {
    std::string_view topic;
    std::int32_t queue_id = 0;
  };
  struct InOrder {
    using is_transparent = void;
    bool operator()(const auto& a, const auto& b) const {
      if (a.queue_id != b.queue_id) return a.queue_id < b.queue_id;
      return std::string_view(a.topic) < std::string_view(b.topic);
    }
  };
  using Pulls = std::vector<HeldPull>;
  using Table = std::map<Queue, Pulls, InOrder>;

  // What arrived, or nothing but the time.
  struct Look {
    QueueOffset max;
    const std::int64_t* tags_code = nullptr;  // Of the message that arrived.
  };
  // Lets those of a queue go on that are due. Gives the next entry of the table.
  Table::iterator look(Table::iterator entry, const Look& at);
  bool due(const HeldPull& pull, const Look& at) const;
  void look_at_all();
  Duration interval() const;
  // Counts a pull out that is no longer held.
  void count_out(const HeldPull& pull);

  Context& context_;
  const BrokerConfiguration& configuration_;
  const MessageStore& store_;
  Waker& waker_;
  Table table_;
  std::size_t count_ = 0;
  std::map<std::uint64_t, std::size_t> of_connection_;  // How many are held, by its id.
  Event held_;
};

}  // namespace drydock
