#include "engine/nameserver/name_server.hpp"

#include "engine/runtime/join.hpp"
#include "engine/runtime/poll_grid.hpp"
#include "engine/wire/compression.hpp"
#include "engine/wire/frame_server.hpp"

namespace drydock {

namespace {

class NameServer : private FrameServer::Handler {
 public:
  NameServer(Context& context, NameServerConfiguration configuration)
      : context_(context),
        configuration_(configuration),
        table_(configuration.routes),
        server_(context, *this),
        scanner_(context.scope) {}

  Result<void> start() {
    Result<void> listening = server_.listen(configuration_.listen_port);
    if (!listening) return listening;
    scanner_.spawn(scan());
    context_.observer.event(EventName::serving_started, context_.scope.process().id().value());
    return {};
  }

  Task<void> stop() {
    scanner_.cancel();
    co_await scanner_.join();
    co_await server_.stop();
  }

 private:
  void handle(std::shared_ptr<ServerConnection> connection, RemotingCommand request,
              Semaphore::Permit) override {
    SharedBytes answered = answer(request, connection->id());
    if (!request.is_one_way()) connection->respond(std::move(answered));
  }

  void connection_ended(ServerConnection& connection) override {
    note_removed(table_.connection_ended(connection.id()));
  }

  SharedBytes answer(const RemotingCommand& request, std::uint64_t connection) {
    switch (static_cast<RequestCode>(request.head.code)) {
      case RequestCode::register_broker: return register_broker(request, connection);
      case RequestCode::unregister_broker: return unregister_broker(request);
      case RequestCode::broker_heartbeat: return broker_heartbeat(request);
      case RequestCode::get_route_info_by_topic: return route_info(request);
      case RequestCode::get_broker_cluster_info:
        return encode_command(response_head(request.head, ResponseCode::success), NoFields(), {},
                              encode_cluster_info(table_.cluster_info()).span());
      default:
        return encode_answer(request.head, ResponseCode::request_code_not_supported,
                             "this version does not know the request");
    }
  }

  static SharedBytes refuse_header(const RemotingCommand& request) {
    return encode_answer(request.head, ResponseCode::system_error,
                         "a field of the header is missing or of no use");
  }

  SharedBytes register_broker(const RemotingCommand& request, std::uint64_t connection) {
    BrokerRegistration registration{.connection = connection};
    RegisterBrokerHeader& header = registration.header;
    if (!decode_register_broker_header(request.ext_fields.span(), header).ok()) {
      return refuse_header(request);
    }
    const auto body = request.body.span();
    if (header.body_crc != 0 && header.body_crc != body_crc(body)) {
      return encode_answer(request.head, ResponseCode::system_error, "crc32 not match");
    }
    if (!body.empty()) {
      const BodyForm form = header.compressed ? BodyForm::compressed : BodyForm::json;
      auto decoded = decode_register_broker_body(body, form);
      if (!decoded) {
        return encode_answer(request.head, ResponseCode::system_error, "the topics can't be read");
      }
      registration.body = std::move(*decoded);
    }
    const RegisterOutcome outcome = table_.register_broker(registration, context_.clock.now());
    if (outcome.kind == RegisterOutcome::Kind::unknown) {
      return encode_answer(request.head, ResponseCode::system_error, "register broker failed");
    }
    if (outcome.kind == RegisterOutcome::Kind::full) {
      return encode_answer(request.head, ResponseCode::system_error,
                           "this name server has no room for more brokers or topics");
    }
    if (outcome.added) {
      context_.observer.event(EventName::route_broker_added, header.broker.broker_id);
    }
    expect_expiry();
    return encode_command(response_head(request.head, ResponseCode::success), outcome.response, {},
                          {});
  }

  SharedBytes unregister_broker(const RemotingCommand& request) {
    BrokerIdentity broker;
    if (!decode_broker_identity(request.ext_fields.span(), broker).ok()) {
      return refuse_header(request);
    }
    note_removed(table_.unregister(broker));
    return encode_answer(request.head, ResponseCode::success);
  }

  SharedBytes broker_heartbeat(const RemotingCommand& request) {
    BrokerIdentity broker;
    if (!decode_broker_identity(request.ext_fields.span(), broker).ok()) {
      return refuse_header(request);
    }
    table_.heartbeat(broker, context_.clock.now());
    return encode_answer(request.head, ResponseCode::success);
  }

  SharedBytes route_info(const RemotingCommand& request) {
    GetRouteInfoHeader header;
    if (!decode_get_route_info_header(request.ext_fields.span(), header).ok()) {
      return refuse_header(request);
    }
    const std::optional<TopicRoute> route = table_.route_of(header.topic);
    if (!route) {
      return encode_answer(request.head, ResponseCode::topic_not_exist,
                           "No topic route info in name server for the topic: " +
                               std::string(repeatable(header.topic)));
    }
    const bool standard = header.accept_standard_json_only || request.head.version >= kVersion494;
    const SharedBytes body =
        encode_topic_route(*route, standard ? JsonKeys::all_quoted : JsonKeys::integers_bare);
    return encode_command(response_head(request.head, ResponseCode::success), NoFields(), {},
                          body.span());
  }

  void note_removed(int count) {
    if (count > 0) context_.observer.event(EventName::route_broker_removed, count);
  }

  // Wakes the scanner if somebody may expire before it would look.
  void expect_expiry() {
    const std::optional<MonotonicTime> expiry = table_.next_expiry();
    if (expiry && *expiry < looking_at_) earlier_.set();
  }

  // Acts as RocketMQ's scan, which looks every 5 s, at the points of the same grid; but only at
  // those at which somebody may be expired.
  Task<void> scan() {
    const PollGrid grid(context_.clock, context_.clock.now(),
                        configuration_.scan_not_active_broker_interval);
    for (;;) {
      const std::optional<MonotonicTime> expiry = table_.next_expiry();
      looking_at_ = expiry ? grid.next_after(*expiry) : kNever;
      earlier_.reset();
      Result<void> woken = co_await earlier_.wait(looking_at_);
      if (woken) continue;
      if (woken.error().code() == ErrorCode::cancelled) co_return;
      note_removed(table_.expire(context_.clock.now()));
    }
  }

  Context& context_;
  NameServerConfiguration configuration_;
  RouteTable table_;
  MonotonicTime looking_at_ = kNever;
  Event earlier_;
  FrameServer server_;
  TaskScope scanner_;
};

}  // namespace

Task<void> run_name_server(Context& context, NameServerConfiguration configuration) {
  NameServer server(context, configuration);
  Result<void> started = server.start();
  if (!started) {
    context.observer.log(LogLevel::error,
                         "can't listen: " + std::string(name_of(started.error().code())));
    co_return;
  }
  Result<void> asked = co_await context.terminate.wait();
  if (!asked) co_return;
  co_await server.stop();
}

}  // namespace drydock
