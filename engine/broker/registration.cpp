#include "engine/broker/registration.hpp"

#include <algorithm>

#include "engine/runtime/join.hpp"
#include "engine/wire/compression.hpp"
#include "engine/wire/endpoint_text.hpp"

namespace drydock {

namespace {

constexpr Duration kFirstRepeat = Duration::s(10);
constexpr Duration kPeriodMin = Duration::s(10);
constexpr Duration kPeriodMax = Duration::s(60);
constexpr Duration kUnregisterTimeout = Duration::s(3);
// A name server that is away is asked again when the next registration is due, not before.
constexpr RequestConnectionOptions kConnectionOptions{.connect_timeout = Duration::s(3)};

}  // namespace

Registration::Registration(Context& context, const BrokerConfiguration& configuration,
                           Endpoint address, TopicsOfBroker topics, Followers followers,
                           ScheduledJobs& jobs)
    : context_(context),
      configuration_(configuration),
      topics_(topics),
      followers_(followers),
      jobs_(jobs),
      address_(to_text(address)),
      tasks_(context.scope) {
  const std::uint32_t ha_host =
      configuration.broker_ip2 != 0 ? configuration.broker_ip2 : context.network.address();
  ha_address_ = to_text({ha_host, configuration.ha_port()});
  for (const Endpoint name_server : configuration.name_servers) {
    name_servers_.push_back(
        std::make_unique<RequestConnection>(context, name_server, kConnectionOptions));
  }
}

void Registration::start() {
  started_ = true;
  if (name_servers_.empty()) return;
  (void)topics_.table.take_new();  // All of them follow.
  (void)tell_everyone(topics_.table.all());
  tasks_.spawn(repeat());
  tasks_.spawn(follow_new_topics());
}

Task<void> Registration::stop() {
  tasks_.cancel();
  co_await tasks_.join();
  if (!started_) co_return;
  for (const auto& name_server : name_servers_) {
    const Deadline deadline = context_.clock.now() + kUnregisterTimeout;
    Result<RemotingCommand> answer = co_await name_server->ask(unregister_frame(), deadline);
    if (!answer) context_.observer.log(LogLevel::warning, "a name server was not told of the stop");
    co_await name_server->close();
  }
}

Task<void> Registration::repeat() {
  const Duration period =
      std::clamp(configuration_.register_name_server_period, kPeriodMin, kPeriodMax);
  // A late round does not move the later ones.
  for (MonotonicTime due = context_.clock.now() + kFirstRepeat;; due = due + period) {
    Result<void> slept = co_await sleep_until(due);
    if (!slept) co_return;
    Result<Mutex::Permit> turn = co_await jobs_.turn();
    if (!turn) co_return;
    (void)topics_.table.take_new();
    const std::shared_ptr<Round> round = tell_everyone(topics_.table.all());
    if (!jobs_.one_thread()) continue;
    Result<void> over = co_await round->over.wait();
    if (!over) co_return;
  }
}

Task<void> Registration::follow_new_topics() {
  for (;;) {
    topics_.made.reset();
    if (!topics_.table.has_new()) {
      Result<void> woken = co_await topics_.made.wait();
      if (!woken) co_return;
    }
    const std::vector<std::string> made = topics_.table.take_new();
    for (const std::string& topic : made) {
      const std::optional<RegisterBrokerBody> told = topics_.table.only(topic);
      if (told) (void)tell_everyone(*told);
    }
  }
}

std::shared_ptr<Registration::Round> Registration::tell_everyone(const RegisterBrokerBody& body) {
  const Deadline deadline = context_.clock.now() + configuration_.register_broker_timeout;
  auto round = std::make_shared<Round>();
  round->number = ++rounds_;
  round->open = name_servers_.size();
  for (std::size_t i = 0; i < name_servers_.size(); ++i) {
    // A frame of its own for each: the connection writes its number into it.
    Telling one{.round = round, .name_server = i};
    tasks_.spawn(tell_one(std::move(one), register_frame(body), deadline));
  }
  return round;
}

Task<void> Registration::tell_one(Telling which, SharedBytes frame, Deadline deadline) {
  RequestConnection& connection = *name_servers_[which.name_server];
  Result<RemotingCommand> answer = co_await connection.ask(std::move(frame), deadline);
  if (answer) {
    take_answer(which, *answer);
  } else if (answer.error().code() == ErrorCode::timed_out) {
    connection.disconnect();
  }
  if (--which.round->open == 0) which.round->over.set();
}

void Registration::take_answer(const Telling& which, const RemotingCommand& answer) {
  if (!answer.is(ResponseCode::success)) {
    context_.observer.log(LogLevel::warning, "a name server refused the registration: " +
                                                 std::string(as_text(answer.remark.span())));
    return;
  }
  const Endpoint where = configuration_.name_servers[which.name_server];
  context_.observer.event(EventName::broker_registered, context_.scope.process().id().value(),
                          where.address);
  if (which.round->number <= answered_round_) return;
  answered_round_ = which.round->number;
  if (followers_.log == nullptr) return;
  const RegisterBrokerResponse response = decode_register_broker_response(answer.ext_fields.span());
  followers_.metadata->set_master(parse_endpoint(response.master_addr));
  const std::optional<Endpoint> master = parse_endpoint(response.ha_server_addr);
  // No answer leaves the old one.
  if (master && !configuration_.ha.master_address) followers_.log->set_master(master);
}

BrokerIdentity Registration::identity() const {
  return {.broker_name = configuration_.broker_name,
          .broker_addr = address_,
          .cluster_name = configuration_.broker_cluster_name,
          .broker_id = configuration_.effective_broker_id()};
}

SharedBytes Registration::register_frame(const RegisterBrokerBody& body) const {
  const bool compressed = configuration_.compressed_register;
  const SharedBytes encoded =
      encode_register_broker_body(body, compressed ? BodyForm::compressed : BodyForm::json);
  const RegisterBrokerHeader header{.broker = identity(),
                                    .ha_server_addr = ha_address_,
                                    .enable_acting_master = false,
                                    .compressed = compressed,
                                    .body_crc = body_crc(encoded.span())};
  return encode_command(request_head(RequestCode::register_broker, 0), header, {}, encoded.span());
}

SharedBytes Registration::unregister_frame() const {
  return encode_command(request_head(RequestCode::unregister_broker, 0), identity(), {}, {});
}

}  // namespace drydock
