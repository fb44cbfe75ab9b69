#include "engine/broker/broker.hpp"

#include "engine/broker/connection.hpp"
#include "engine/broker/send_processor.hpp"
#include "engine/replication/ha_slave.hpp"
#include "engine/runtime/join.hpp"

namespace drydock {

namespace {

// Requests in progress over all connections: beyond it nothing more is read. Each one may hold a
// message of 4 MiB, but those that wait for their flush are in the page cache already.
constexpr std::uint64_t kRequestsInProgressMax = 65'536;
constexpr Duration kAcceptRetryPause = Duration::ms(100);

class Broker {
 public:
  Broker(Context& context, BrokerConfiguration configuration)
      : context_(context),
        configuration_(std::move(configuration)),
        store_(context, store_configuration(), store_host()),
        master_(make_master()),
        slave_(make_slave()),
        sends_(context, configuration_, store_, master_.get()),
        requests_(context.scope),
        connections_(context.scope),
        acceptor_(context.scope),
        follower_(context.scope) {}

  // Errors: what kept it from serving; the log has a line about it.
  Task<Result<void>> start() {
    Result<void> loaded = co_await store_.load();
    if (!loaded) co_return failed("the store can't be loaded", loaded.error());
    Result<void> started = co_await store_.start();
    if (!started) co_return failed("the store can't be started", started.error());
    if (master_ != nullptr) {
      Result<void> shipping = master_->start();
      if (!shipping) co_return failed("can't listen for slaves", shipping.error());
    }
    if (slave_ != nullptr) follower_.spawn(slave_->run());
    Result<std::unique_ptr<Listener>> listener =
        context_.network.listen(configuration_.listen_port);
    if (!listener) co_return failed("can't listen", listener.error());
    acceptor_.spawn(accept_connections(std::move(*listener)));
    context_.observer.event(EventName::serving_started, context_.scope.process().id().value());
    co_return Result<void>();
  }

  // Orderly, also if the start failed half-way. What is in progress is not waited for: its clients
  // see the connection end.
  Task<void> stop() {
    acceptor_.cancel();
    co_await acceptor_.join();
    follower_.cancel();
    co_await follower_.join();
    if (master_ != nullptr) co_await master_->stop();
    connections_.cancel();
    co_await connections_.join();
    requests_.cancel();
    co_await requests_.join();
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

  Task<void> accept_connections(std::unique_ptr<Listener> listener) {
    for (;;) {
      Result<std::unique_ptr<Stream>> stream = co_await listener->accept();
      if (stream) {
        connections_.spawn(serve(std::make_shared<Connection>(context_, std::move(*stream))));
        continue;
      }
      if (stream.error().code() == ErrorCode::cancelled) co_return;
      Result<void> slept = co_await sleep_for(context_.clock, kAcceptRetryPause);
      if (!slept) co_return;
    }
  }

  Task<void> serve(std::shared_ptr<Connection> connection) {
    TaskScope writer(connections_);
    writer.spawn(connection->write_responses());
    FrameDecoder decoder;
    for (;;) {
      Result<ByteChain> bytes = co_await connection->read();
      if (!bytes) break;
      decoder.feed(std::move(*bytes));
      const bool go_on = co_await handle_commands(connection, decoder);
      if (!go_on) break;
    }
    writer.cancel();
    co_await writer.join();
    connection->close();
  }

  // Starts every command that is complete. False: the connection is of no more use.
  Task<bool> handle_commands(std::shared_ptr<Connection> connection, FrameDecoder& decoder) {
    for (;;) {
      RemotingCommand command;
      const FrameDecoder::Step step = decoder.next(command);
      if (step == FrameDecoder::Step::need_more) co_return true;
      if (step == FrameDecoder::Step::fault) {
        std::string line = "connection closed: ";
        line += name_of(decoder.fault());
        context_.observer.log(LogLevel::warning, std::move(line));
        co_return false;
      }
      if (command.is_response()) continue;  // We have asked nobody.
      if (!command.is(RequestCode::send_message_v2)) {
        refuse_unknown(*connection, command);
        continue;
      }
      Result<Semaphore::Permit> slot = co_await in_progress_.acquire();
      if (!slot) co_return false;
      requests_.spawn(sends_.process(connection, std::move(command), std::move(*slot)));
    }
  }

  static void refuse_unknown(Connection& connection, const RemotingCommand& command) {
    if (command.is_one_way()) return;
    connection.respond(encode_answer(command.head, ResponseCode::request_code_not_supported,
                                     "this version only knows SEND_MESSAGE_V2"));
  }

  Context& context_;
  BrokerConfiguration configuration_;
  MessageStore store_;
  std::unique_ptr<HaMaster> master_;  // Null on a slave.
  std::unique_ptr<HaSlave> slave_;    // Null on a master.
  SendProcessor sends_;
  Semaphore in_progress_{kRequestsInProgressMax};
  // In this order: a connection that goes away leaves its requests in progress.
  TaskScope requests_;
  TaskScope connections_;
  TaskScope acceptor_;
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
