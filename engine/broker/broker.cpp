#include "engine/broker/broker.hpp"

#include "engine/broker/registration.hpp"
#include "engine/broker/send_processor.hpp"
#include "engine/replication/ha_slave.hpp"
#include "engine/runtime/join.hpp"
#include "engine/wire/frame_server.hpp"
#include "engine/wire/heartbeat.hpp"

namespace drydock {

namespace {

class Broker : private FrameServer::Handler {
 public:
  Broker(Context& context, BrokerConfiguration configuration)
      : context_(context),
        configuration_(std::move(configuration)),
        store_(context, store_configuration(), store_host()),
        master_(make_master()),
        slave_(make_slave()),
        topics_(topic_options(), context.clock.wall_now().count_ms()),
        sends_(context, configuration_, store_, {topics_, topics_made_}, master_.get()),
        server_(context, *this),
        registration_(context, configuration_, store_host(), {topics_, topics_made_}, slave_.get()),
        follower_(context.scope) {}

  // Errors: what kept it from serving; the log has a line about it.
  Task<Result<void>> start() {
    if (slave_ != nullptr && configuration_.broker_id <= 0) {
      co_return failed("a slave's brokerId must be larger than 0", ErrorCode::invalid_argument);
    }
    Result<void> loaded = co_await store_.load();
    if (!loaded) co_return failed("the store can't be loaded", loaded.error());
    Result<void> started = co_await store_.start();
    if (!started) co_return failed("the store can't be started", started.error());
    if (master_ != nullptr) {
      Result<void> shipping = master_->start();
      if (!shipping) co_return failed("can't listen for slaves", shipping.error());
    }
    if (slave_ != nullptr) follower_.spawn(slave_->run());
    Result<void> listening = server_.listen(configuration_.listen_port);
    if (!listening) co_return failed("can't listen", listening.error());
    registration_.start();
    context_.observer.event(EventName::serving_started, context_.scope.process().id().value());
    co_return Result<void>();
  }

  // Orderly, also if the start failed half-way. Clients are no longer sent here before they are no
  // longer served.
  Task<void> stop() {
    co_await registration_.stop();
    follower_.cancel();
    co_await follower_.join();
    if (master_ != nullptr) co_await master_->stop();
    co_await server_.stop();
    co_await store_.shutdown();
  }

 private:
  Endpoint store_host() const {
    const std::uint32_t configured = configuration_.broker_ip1;
    const std::uint32_t address = configured != 0 ? configured : context_.network.address();
    return {address, configuration_.listen_port};
  }

  StoreConfiguration store_configuration() const {
    StoreConfiguration store = configuration_.store;
    store.replica = configuration_.ha.role == BrokerRole::slave;
    return store;
  }
  std::unique_ptr<HaMaster> make_master() {
    if (configuration_.ha.role == BrokerRole::slave) return nullptr;
    HaConfiguration ha = configuration_.ha;
    ha.listen_port = configuration_.ha_port();
    return std::make_unique<HaMaster>(context_, ha, store_);
  }
  std::unique_ptr<HaSlave> make_slave() {
    if (configuration_.ha.role != BrokerRole::slave) return nullptr;
    return std::make_unique<HaSlave>(context_, configuration_.ha, store_);
  }

  Error failed(std::string line, Error error) {
    line += ": ";
    line += name_of(error.code());
    context_.observer.log(LogLevel::error, std::move(line));
    return error;
  }

  Topics::Options topic_options() const {
    return {.auto_create = configuration_.auto_create_topic_enable,
            .queue_count = configuration_.default_topic_queue_nums,
            .cluster_name = configuration_.broker_cluster_name,
            .broker_name = configuration_.broker_name};
  }

  void handle(std::shared_ptr<ServerConnection> connection, RemotingCommand request,
              Semaphore::Permit slot) override {
    if (request.is(RequestCode::send_message_v2)) {
      server_.requests().spawn(sends_.process(connection, std::move(request), std::move(slot)));
    } else if (!request.is_one_way()) {
      connection->respond(answer(request));
    }
  }
  static SharedBytes answer(const RemotingCommand& request) {
    if (!request.is(RequestCode::heart_beat)) {
      return encode_answer(request.head, ResponseCode::request_code_not_supported,
                           "this version only knows SEND_MESSAGE_V2 and HEART_BEAT");
    }
    const bool readable = is_heartbeat(request.body.span());
    return encode_answer(request.head,
                         readable ? ResponseCode::success : ResponseCode::system_error);
  }

  Context& context_;
  BrokerConfiguration configuration_;
  MessageStore store_;
  std::unique_ptr<HaMaster> master_;  // Null on a slave.
  std::unique_ptr<HaSlave> slave_;    // Null on a master.
  Topics topics_;
  Event topics_made_;
  SendProcessor sends_;
  FrameServer server_;
  Registration registration_;
  TaskScope follower_;
};

}  // namespace

Task<void> run_broker(Context& context, BrokerConfiguration configuration) {
  Broker broker(context, std::move(configuration));
  Result<void> started = co_await broker.start();
  if (started) {
    Result<void> asked = co_await context.terminate.wait();
    if (!asked) co_return;  // Cancelled: whoever did that wants no orderly stop.
  }
  co_await broker.stop();
}

}  // namespace drydock
