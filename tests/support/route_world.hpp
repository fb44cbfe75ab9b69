// A client on host 0, a broker on host 1, name servers on hosts 2 and 3, 1 ms apart.
#pragma once

#include "engine/nameserver/name_server.hpp"
#include "engine/wire/remoting_frame.hpp"
#include "engine/wire/topic_route.hpp"
#include "tests/support/broker_world.hpp"

namespace drydock::test {

class RouteWorld : public BrokerWorld {
 public:
  static constexpr std::uint16_t kNameServerPort = 9'876;

  RouteWorld() {
    host(3);  // A host without a name server refuses; one that isn't there is silent.
    configuration.name_servers = name_servers();
  }

  static Endpoint name_server(std::size_t index) { return endpoint(2 + index, kNameServerPort); }
  static std::vector<Endpoint> name_servers() { return {name_server(0), name_server(1)}; }

  sim::SimProcess& start_name_server(std::size_t index) {
    sim::Host& on = host(2 + index);
    sim::SimProcess& process = on.spawn("nameserver" + std::to_string(started_++));
    process.attach(network.attach(on, process), std::make_unique<NoFiles>());
    const NameServerConfiguration copy = name_server_configuration;
    process.start([copy](Context& context) { return run_name_server(context, copy); });
    run_for(Duration());
    return process;
  }

  NameServerConfiguration name_server_configuration;

 private:
  int started_ = 0;
};

// Somebody who asks a name server, one request at a time.
class RouteAsker {
 public:
  RouteAsker(RouteWorld& world, Endpoint name_server) : world_(world), actor_(world.actor(0)) {
    const Pending<std::size_t> connected = actor_.connect(name_server);
    world.run_for(Duration::ms(10));
    ENSURE(connected->ok());
  }

  // The response that arrives within 10 ms.
  std::optional<RemotingCommand> ask(SharedBytes request) {
    actor_.write(std::move(request));
    if (!read_ || read_->done()) read_ = actor_.read();
    world_.run_for(Duration::ms(10));
    RemotingCommand response;
    if (!read_->ok()) return std::nullopt;
    FrameDecoder decoder;
    decoder.feed(**read_->result);
    if (decoder.next(response) != FrameDecoder::Step::command) return std::nullopt;
    return response;
  }
  std::optional<RemotingCommand> ask_route(std::string_view topic) {
    GetRouteInfoHeader header;
    header.topic = topic;
    return ask(
        encode_command(request_head(RequestCode::get_route_info_by_topic, 1), header, {}, {}));
  }
  std::optional<TopicRoute> route(std::string_view topic) {
    const std::optional<RemotingCommand> response = ask_route(topic);
    if (!response || !response->is(ResponseCode::success)) return std::nullopt;
    return decode_topic_route(response->body.span());
  }
  Actor& actor() { return actor_; }

 private:
  RouteWorld& world_;
  Actor& actor_;
  Pending<ByteChain> read_;
};

}  // namespace drydock::test
