#include "engine/broker/broker.hpp"

#include "engine/broker/client_processor.hpp"
#include "engine/broker/deleted_topics.hpp"
#include "engine/broker/end_transaction_processor.hpp"
#include "engine/broker/fast_failure.hpp"
#include "engine/broker/metrics_endpoint.hpp"
#include "engine/broker/offset_processor.hpp"
#include "engine/broker/pull_processor.hpp"
#include "engine/broker/query_processor.hpp"
#include "engine/broker/registration.hpp"
#include "engine/broker/runtime_info.hpp"
#include "engine/broker/schedule_service.hpp"
#include "engine/broker/scheduled_jobs.hpp"
#include "engine/broker/send_back_processor.hpp"
#include "engine/broker/send_processor.hpp"
#include "engine/broker/slave_metadata.hpp"
#include "engine/broker/topic_processor.hpp"
#include "engine/broker/transaction_check.hpp"
#include "engine/replication/ha_slave.hpp"
#include "engine/runtime/join.hpp"
#include "engine/wire/frame_server.hpp"

namespace drydock {

namespace {

constexpr std::int32_t kSlaveMemoryRatioLess = 10;  // Percent.
constexpr Duration kFirstOffsetFlush = Duration::s(10);
constexpr Duration kWaitInTransactionQueue = Duration::s(3);  // waitTimeMillsInTransactionQueue

class Broker : private FrameServer::Handler, private HeldPulls::Waker, private ArrivalListener {
 public:
  Broker(Context& context, BrokerConfiguration configuration, BrokerWatch watch)
      : context_(context),
        configuration_(std::move(configuration)),
        store_(context, store_configuration(), store_host(), std::move(watch.stats)),
        metrics_port_(watch.metrics_port),
        fast_port_(watch.fast_port),
        master_(make_master()),
        slave_(make_slave()),
        worker_(context.workers.add("BrokerControllerScheduledThread1")),
        jobs_(configuration_.store.behaviour),
        topics_(topic_options(), context.clock.wall_now().count_ms()),
        topics_file_(context, configuration_.store, "topics.json", topics_),
        offsets_file_(context, configuration_.store, "consumerOffset.json", offsets_),
        groups_(configuration_.auto_create_subscription_group),
        groups_file_(context, configuration_.store, "subscriptionGroup.json", groups_),
        delay_file_(context, configuration_.store, "delayOffset.json", delay_offsets_),
        deleted_file_(context, configuration_.store, "deletedTopics.json", deleted_topics_),
        metadata_(make_metadata()),
        clients_(context, configuration_, topics_of_broker(), groups_, groups_file_),
        traffic_(context.clock.wall_now().count_ms()),
        sends_(context, configuration_, store_, topics_of_broker(), groups_of_broker(),
               master_.get(), traffic_),
        send_backs_(context, configuration_, store_, topics_of_broker(), groups_of_broker(),
                    sends_.workers(), master_.get()),
        schedule_(context, configuration_, store_, master_.get(), delay_offsets_),
        ops_(context, store_),
        transaction_ends_(context, configuration_, store_, master_.get(), ops_),
        transaction_check_(context, configuration_, store_, {offsets_, offsets_changed_},
                           topics_of_broker(), clients_),
        pulls_(context, configuration_, store_, {topics_, groups_}, {offsets_, offsets_changed_},
               clients_.consumers(), *this, traffic_),
        offset_requests_(context, store_, topics_, {offsets_, offsets_changed_},
                         context.workers.add("ConsumerManageThread_1")),
        queries_(context, store_),
        topic_requests_(context,
                        {configuration_,
                         store_,
                         topics_of_broker(),
                         {offsets_, offsets_changed_},
                         clients_.consumers(),
                         deleted_topics_,
                         deleted_file_},
                        queries_.admin_worker()),
        metrics_(context, parts()),
        runtime_info_(context, parts()),
        server_(context, *this),
        registration_(context, configuration_, store_host(), topics_of_broker(),
                      {slave_.get(), metadata_.get()}, jobs_),
        follower_(context.scope),
        services_(context.scope) {
    store_.tell_of_arrivals(*this);
  }

  // Errors: what kept it from serving; the log has a line about it.
  Task<Result<void>> start() {
    if (slave_ != nullptr && configuration_.broker_id <= 0) {
      co_return failed("a slave's brokerId must be larger than 0", ErrorCode::invalid_argument);
    }
    Result<void> topics = co_await topics_file_.load(worker_);
    if (!topics) co_return failed("the topics can't be loaded", topics.error());
    Result<void> offsets = co_await offsets_file_.load(worker_);
    if (!offsets) co_return failed("the consumer offsets can't be loaded", offsets.error());
    Result<void> groups = co_await groups_file_.load(worker_);
    if (!groups) co_return failed("the groups can't be loaded", groups.error());
    Result<void> delays = co_await delay_file_.load(worker_);
    if (!delays) co_return failed("the delay offsets can't be loaded", delays.error());
    Result<void> loaded = co_await store_.load();
    if (!loaded) co_return failed("the store can't be loaded", loaded.error());
    Result<void> deleted = co_await go_on_numbering();
    if (!deleted) co_return failed("the deleted topics can't be loaded", deleted.error());
    Result<void> started = co_await store_.start();
    if (!started) co_return failed("the store can't be started", started.error());
    Result<void> lowered = co_await lower_offsets();
    if (!lowered) co_return failed("the lowered consumer offsets can't be saved", lowered.error());
    if (master_ != nullptr) {
      Result<void> shipping = master_->start();
      if (!shipping) co_return failed("can't listen for slaves", shipping.error());
    }
    if (slave_ != nullptr) follower_.spawn(slave_->run());
    Result<void> listening = server_.listen(configuration_.listen_port);
    if (!listening) co_return failed("can't listen", listening.error());
    if (fast_port_ != 0) listen_for_fast_channel();
    if (metrics_port_ != 0) {
      Result<void> watched = metrics_.listen(metrics_port_);
      if (!watched) co_return failed("can't listen for Prometheus", watched.error());
    }
    registration_.start();
    services_.spawn(pulls_.held().run());
    services_.spawn(pulls_.cold().run());
    services_.spawn(clients_.run());
    services_.spawn(keep_saving(offsets_file_, offsets_changed_,
                                configuration_.flush_consumer_offset_interval, &jobs_));
    if (slave_ == nullptr) serve_as_master();
    if (metadata_ != nullptr) services_.spawn(metadata_->run());
    fail_fast();
    serving_ = true;
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
    co_await metrics_.stop();
    co_await server_.stop();
    co_await schedule_.stop();
    services_.cancel();
    co_await services_.join();
    if (metadata_ != nullptr) co_await metadata_->close();
    if (serving_) {  // Else another broker may have the store.
      co_await groups_file_.save(worker_);
      co_await delay_file_.save(worker_);
      co_await topics_file_.save(worker_);
      co_await offsets_file_.save(worker_);
    }
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
    // RocketMQ trusts the memory of a slave less.
    if (store.replica) store.access_message_in_memory_max_ratio -= kSlaveMemoryRatioLess;
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

  std::unique_ptr<SlaveMetadata> make_metadata() {
    if (configuration_.ha.role != BrokerRole::slave) return nullptr;
    const SlaveMetadata::Tables tables{topics_,        topics_file_, offsets_, offsets_file_,
                                       delay_offsets_, delay_file_,  groups_,  groups_file_};
    return std::make_unique<SlaveMetadata>(context_, store_host(), configuration_.store.bugs,
                                           tables, worker_, jobs_);
  }

  // What operators ask about.
  BrokerParts parts() {
    return {configuration_,
            store_,
            traffic_,
            delay_offsets_,
            sends_.workers(),
            pulls_.workers(),
            transaction_ends_.workers()};
  }

  TopicsOfBroker topics_of_broker() { return {topics_, topics_made_, topics_file_}; }

  GroupsOfBroker groups_of_broker() { return {groups_, groups_file_, clients_.locks()}; }

  // What moves messages on by itself; on a slave its master does.
  void serve_as_master() {
    schedule_.start();
    services_.spawn(keep_saving(delay_file_, schedule_.changed(),
                                configuration_.flush_delay_offset_interval, nullptr));
    services_.spawn(ops_.run());
    services_.spawn(transaction_check_.run());
  }

  // Whoever can't have the port is served at the other one.
  void listen_for_fast_channel() {
    const Result<void> listening = server_.listen(fast_port_);
    if (listening) return;
    std::string line = "can't listen for the fast channel on port " + std::to_string(fast_port_);
    line += ": ";
    line += name_of(listening.error().code());
    context_.observer.log(LogLevel::warning, std::move(line));
  }

  // Saves a file whose content changes all the time: first after 10 s. RocketMQ writes it then
  // whether it has changed or not. `changed` is set with every change; `jobs`: of which thread it
  // is a job, null for one of its own.
  Task<void> keep_saving(ConfigFile& file, Event& changed, Duration period, ScheduledJobs* jobs) {
    PollGrid grid(context_.clock, context_.clock.now() + kFirstOffsetFlush - period, period);
    const auto behind = [&file] { return file.behind(); };
    for (;;) {
      Result<void> due = co_await grid.until(changed, behind);
      if (!due) co_return;
      Mutex::Permit turn;
      if (jobs != nullptr) {
        Result<Mutex::Permit> ours = co_await jobs->turn();
        if (!ours) co_return;
        turn = std::move(*ours);
      }
      co_await file.save(worker_);
    }
  }

  void fail_fast() {
    if (!configuration_.broker_fast_failure_enable) return;
    const FastFailure sends{configuration_.wait_time_in_send_queue, &store_};
    services_.spawn(drydock::fail_fast(context_, sends_.workers(), sends));
    const FastFailure pulls{configuration_.wait_time_in_pull_queue};
    services_.spawn(drydock::fail_fast(context_, pulls_.workers(), pulls));
    const FastFailure ends{kWaitInTransactionQueue};
    services_.spawn(drydock::fail_fast(context_, transaction_ends_.workers(), ends));
  }

  // Topics that were deleted and are made again.
  Task<Result<void>> go_on_numbering() {
    const Behaviour& behaviour = configuration_.store.behaviour;
    if (behaviour.faithful(BehaviourSwitch::topic_numbers_start_again)) co_return Result<void>();
    Result<void> deleted = co_await deleted_file_.load(worker_);
    if (!deleted) co_return deleted;
    const std::vector<DeletedTopics::Queue> queues = deleted_topics_.all();
    for (const DeletedTopics::Queue& queue : queues) {
      store_.begin_queue_at(queue.topic, queue.queue_id, queue.next);
    }
    co_return Result<void>();
  }

  // Saved at once: the queues grow, and what is lowered must not come back. Error: it might.
  Task<Result<void>> lower_offsets() {
    const Behaviour& behaviour = configuration_.store.behaviour;
    const bool follows = slave_ != nullptr;  // Its queues may be behind those of its master.
    if (follows || behaviour.faithful(BehaviourSwitch::offsets_may_exceed_queue)) {
      co_return Result<void>();
    }
    offsets_.lower([this](std::string_view topic, std::int32_t queue_id) {
      return store_.range(topic, queue_id).max.value();
    });
    co_await offsets_file_.save(worker_);  // Nobody else changes them yet.
    if (offsets_file_.behind()) co_return ErrorCode::io_error;
    co_return Result<void>();
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
    if (SendProcessor::answers(request)) {
      server_.requests().spawn(sends_.process(connection, std::move(request), std::move(slot)));
    } else if (request.is(RequestCode::consumer_send_msg_back)) {
      server_.requests().spawn(
          send_backs_.process(connection, std::move(request), std::move(slot)));
    } else if (request.is(RequestCode::end_transaction)) {
      server_.requests().spawn(
          transaction_ends_.process(connection, std::move(request), std::move(slot)));
    } else if (is_pull(request) && !request.is_one_way()) {
      server_.requests().spawn(pulls_.process(connection, std::move(request), std::move(slot)));
    } else if (QueryProcessor::answers(request) && !request.is_one_way()) {
      server_.requests().spawn(queries_.process(connection, std::move(request), std::move(slot)));
    } else if (TopicProcessor::answers(request) && !request.is_one_way()) {
      server_.requests().spawn(
          topic_requests_.process(connection, std::move(request), std::move(slot)));
    } else if (RuntimeInfo::answers(request) && !request.is_one_way()) {
      server_.requests().spawn(
          runtime_info_.process(connection, std::move(request), std::move(slot)));
    } else if (request.is(RequestCode::query_consumer_offset) && !request.is_one_way()) {
      server_.requests().spawn(
          offset_requests_.query(connection, std::move(request), std::move(slot)));
    } else if (request.is(RequestCode::heart_beat)) {
      server_.requests().spawn(clients_.heartbeat(connection, std::move(request), std::move(slot)));
    } else {
      SharedBytes answered = answer(*connection, request);
      if (!request.is_one_way()) connection->respond(std::move(answered));
    }
  }
  void message_arrived(std::string_view topic, std::int32_t queue_id, QueueOffset next,
                       std::int64_t tags_code) override {
    pulls_.held().message_arrived(topic, queue_id, next, tags_code);
    if (topic == kScheduleTopic) schedule_.message_arrived(queue_id);
    if (topic == kHalfTopic) transaction_check_.message_arrived();
  }
  static bool is_pull(const RemotingCommand& request) {
    return request.is(RequestCode::pull_message) || request.is(RequestCode::lite_pull_message);
  }
  void connection_ended(ServerConnection& connection) override {
    pulls_.held().connection_ended(connection);
    pulls_.cold().connection_ended(connection);
    clients_.connection_ended(connection);
  }
  SharedBytes answer(const ServerConnection& connection, const RemotingCommand& request) {
    if (OffsetProcessor::answers(request)) return offset_requests_.answer(request);
    if (ClientProcessor::answers(request)) return clients_.answer(connection, request);
    if (request.is(RequestCode::get_all_topic_config)) {
      const std::string table = encode_topic_table(topics_.all());
      return encode_command(response_head(request.head, ResponseCode::success), NoFields(), {},
                            as_byte_span(table));
    }
    if (request.is(RequestCode::get_all_consumer_offset)) return whole(request, offsets_);
    if (request.is(RequestCode::get_all_delay_offset)) return whole(request, delay_offsets_);
    if (request.is(RequestCode::get_all_subscription_groups)) return whole(request, groups_);
    return encode_answer(request.head, ResponseCode::request_code_not_supported,
                         "this version does not know the request");
  }
  static SharedBytes whole(const RemotingCommand& request, const ConfigContent& content) {
    const std::string text = content.write();
    return encode_command(response_head(request.head, ResponseCode::success), NoFields(), {},
                          as_byte_span(text));
  }
  // A pull that was held: it has no place among the requests in progress, whose number is bounded
  // by that of the pulls that are held.
  void go_on(HeldPull pull) override { server_.requests().spawn(pulls_.go_on(std::move(pull))); }

  Context& context_;
  BrokerConfiguration configuration_;
  MessageStore store_;
  std::uint16_t metrics_port_;
  std::uint16_t fast_port_;
  std::unique_ptr<HaMaster> master_;  // Null on a slave.
  std::unique_ptr<HaSlave> slave_;    // Null on a master.
  Worker& worker_;                    // Reads and writes the files below config/.
  ScheduledJobs jobs_;
  Topics topics_;
  Event topics_made_;
  ConfigFile topics_file_;
  ConsumerOffsets offsets_;
  Event offsets_changed_;
  ConfigFile offsets_file_;
  SubscriptionGroups groups_;
  ConfigFile groups_file_;
  DelayOffsets delay_offsets_;
  ConfigFile delay_file_;
  DeletedTopics deleted_topics_;
  ConfigFile deleted_file_;
  std::unique_ptr<SlaveMetadata> metadata_;  // Null on a master.
  ClientProcessor clients_;
  Traffic traffic_;
  SendProcessor sends_;
  SendBackProcessor send_backs_;
  ScheduleService schedule_;
  OpBatch ops_;
  EndTransactionProcessor transaction_ends_;
  TransactionCheck transaction_check_;
  PullProcessor pulls_;
  OffsetProcessor offset_requests_;
  QueryProcessor queries_;
  TopicProcessor topic_requests_;
  MetricsEndpoint metrics_;
  RuntimeInfo runtime_info_;
  FrameServer server_;
  Registration registration_;
  TaskScope follower_;
  TaskScope services_;
  bool serving_ = false;
};

}  // namespace

Task<void> run_broker(Context& context, BrokerConfiguration configuration) {
  BrokerWatch unwatched;
  return run_broker(context, std::move(configuration), std::move(unwatched));
}

Task<void> run_broker(Context& context, BrokerConfiguration configuration, BrokerWatch watch) {
  Broker broker(context, std::move(configuration), std::move(watch));
  Result<void> started = co_await broker.start();
  if (started) {
    Result<void> asked = co_await context.terminate.wait();
    if (!asked) co_return;  // Cancelled: whoever did that wants no orderly stop.
  }
  co_await broker.stop();
}

}  // namespace drydock
