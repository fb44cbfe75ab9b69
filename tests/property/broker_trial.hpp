// A whole broker on a simulated disk, a client that talks to it, and the model that both must agree
// with. tests/property/broker_laws.cpp draws the steps.
#pragma once

#include <functional>
#include <memory>

#include "engine/broker/broker.hpp"
#include "engine/wire/consumer_offset.hpp"
#include "engine/wire/message_batch.hpp"
#include "engine/wire/message_properties.hpp"
#include "engine/wire/pull_message.hpp"
#include "engine/wire/query_message.hpp"
#include "engine/wire/remoting_frame.hpp"
#include "engine/wire/send_back.hpp"
#include "engine/wire/send_message.hpp"
#include "sim/fs/host_files.hpp"
#include "tests/property/broker_model.hpp"
#include "tests/property/broker_steps.hpp"
#include "tests/support/net_world.hpp"

namespace drydock::test {

struct TrialOptions {
  FlushDiskType flush = FlushDiskType::sync_flush;
  Behaviour behaviour;
  SeededBugs bugs;
  std::uint64_t seed = 1;
  sim::DiskProfile disk = sim::sata_ssd();
  sim::NamesDurable names = sim::NamesDurable::with_any_commit;
  bool index_may_forget = false;  // Law 9 is not looked at.
  Torn torn = Torn::perhaps;
  Pool pool = Pool::off;
  bool append_prop_crc = false;
  bool verify_prop_crc = false;
};

// Small files, so that they end and follow each other.
inline BrokerConfiguration trial_broker(const TrialOptions& options) {
  BrokerConfiguration configuration;
  configuration.store.flush_disk_type = options.flush;
  configuration.store.behaviour = options.behaviour;
  configuration.store.bugs = options.bugs;
  configuration.store.enabled_append_prop_crc = options.append_prop_crc;
  configuration.store.force_verify_prop_crc = options.verify_prop_crc;
  configuration.store.mapped_file_size_commit_log = 16 * 1024;
  configuration.store.flush_interval_commit_log = Duration::ms(20);  // A file at a time.
  configuration.store.flush_commit_log_thorough_interval = Duration::s(1);
  configuration.store.mapped_file_size_consume_queue = 6'000;
  configuration.store.index = {.slots = 16, .entries = 20};
  // Enough buffers that no file does without: what goes into such a file stays unseen for a while.
  configuration.store.transient_store_pool_enable = options.pool == Pool::on;
  configuration.store.transient_store_pool_size = 64;
  return configuration;
}

// The broker is on host 1, the client on host 0.
class BrokerTrial {
 public:
  explicit BrokerTrial(const TrialOptions& options)
      : configuration_(trial_broker(options)),
        index_may_forget_(options.index_may_forget),
        model_(options.flush, options.torn, options.pool),
        world_(flat_network(Duration::us(50)), {.seed = options.seed}),
        disk_(world_.kernel, DiskId(0),
              {.name = "d0", .capacity_bytes = 64 << 20, .profile = options.disk}),
        files_(world_.kernel, world_.host(1), disk_, {.names = options.names}) {
    for (const std::size_t host : {0u, 1u}) world_.host(host).clock().set_wall_offset(kWallOffset);
    world_.host(1).set_log_sink(
        [this](const std::string&, LogLevel, const std::string& line) { last_line_ = line; });
    trouble_ = start();
  }

  // Empty: all laws hold so far.
  std::string take(const Step& step) {
    if (!trouble_.empty()) return trouble_;
    switch (step.act) {
      case Act::send: send(step, 0); break;
      case Act::burst:
        for (int i = 0; i < step.count; ++i) send(step, 0);
        break;
      case Act::batch: send_batch(step); break;
      case Act::send_delayed: send(step, step.level); break;
      case Act::pull: pull(step.queue); break;
      case Act::send_back: send_back(step); break;
      case Act::commit: commit(step.queue); break;
      case Act::wait: run_for(Duration::ms(step.wait_ms)); break;
      default: note(end(step));
    }
    run_for(Duration::us(step.pause_us));
    return trouble_;
  }

  // Whatever is on its way arrives, every delay passes, and all laws are looked at once more.
  std::string finally() {
    if (!trouble_.empty()) return trouble_;
    run_for(Duration::s(12));
    note(audit());
    if (trouble_.empty()) note(model_.all_delivered(read_log()));
    return trouble_;
  }

 private:
  static constexpr std::int64_t kWallOffset = 1'700'000'000'000'000'000;
  static constexpr Duration kPatience = Duration::s(60);
  using Handler = std::function<void(const RemotingCommand&)>;

  std::int64_t now_ns() const { return world_.now().count_ns(); }
  std::int64_t wall_ms() const { return (kWallOffset + now_ns()) / 1'000'000; }
  void note(std::string trouble) {
    if (trouble_.empty()) trouble_ = std::move(trouble);
  }

  // The broker.

  std::string start() {
    spawn();
    const std::uint64_t before = serving();
    const auto up = [&] { return serving() > before || !broker_->alive(); };
    world_.kernel.run_while_not(up, now_ns() + kPatience.count_ns());
    if (serving() == before) return "the broker does not start: " + last_line_;
    served_before_ns_ = std::exchange(served_from_ns_, now_ns());
    connect();
    return {};
  }
  void spawn() {
    sim::Host& host = world_.host(1);
    broker_ = &host.spawn("broker" + std::to_string(brokers_++));
    broker_->attach(world_.network.attach(host, *broker_), files_.attach(*broker_));
    const BrokerConfiguration copy = configuration_;
    broker_->start([copy](Context& context) { return run_broker(context, copy); });
  }
  std::uint64_t serving() {
    return world_.kernel.triggers().occurrences(EventName::serving_started);
  }

  std::string end(const Step& step) {
    if (step.act == Act::restart) {
      model_.died(Death::stop, now_ns());
      broker_->terminate();
      wait_for_end();
    } else {
      strike(step.act == Act::cut_power);
      if (step.again_us > 0) {
        spawn();
        run_for(Duration::us(step.again_us));
        strike(step.act == Act::cut_power);
      }
    }
    client_ = nullptr;
    handlers_.clear();
    std::string trouble = start();
    if (trouble.empty()) trouble = audit();
    if (trouble.empty()) trouble = look_at_offsets();
    model_.settled();
    return trouble;
  }
  // Whoever waits for the disk ends, and gives the lock file back, when the disk has answered.
  void wait_for_end() {
    const auto gone = [&] { return !broker_->alive(); };
    world_.kernel.run_while_not(gone, now_ns() + kPatience.count_ns());
  }
  void strike(bool power) {
    model_.died(power ? Death::power : Death::kill, now_ns());
    if (!power) {
      broker_->kill();
      wait_for_end();
      return;
    }
    world_.host(1).lose_power();
    run_for(Duration::s(1));
    world_.host(1).restore_power();
    run_for(Duration::s(1));
  }

  // The client.

  void connect() {
    client_ = &world_.actor(0);
    const Pending<std::size_t> connected =
        client_->connect(NetWorld::endpoint(1, configuration_.listen_port));
    const auto done = [&] { return connected->done(); };
    world_.kernel.run_while_not(done, now_ns() + kPatience.count_ns());
    ENSURE(connected->ok());
    decoder_ = FrameDecoder();
    read_ = client_->read();
  }
  // Takes what has arrived.
  void pump() {
    if (client_ == nullptr || !read_->done()) return;
    if (!read_->ok()) {
      client_ = nullptr;
      return;
    }
    decoder_.feed(**read_->result);
    RemotingCommand response;
    while (decoder_.next(response) == FrameDecoder::Step::command) {
      const auto handler = handlers_.find(response.head.opaque);
      if (handler == handlers_.end()) continue;
      const Handler handle = handler->second;
      handlers_.erase(handler);
      handle(response);
    }
    read_ = client_->read();
  }
  void run_for(Duration length) {
    const auto never = [this] {
      pump();
      return false;
    };
    const std::int64_t end = now_ns() + length.count_ns();
    world_.kernel.run_while_not(never, end);
    world_.kernel.run_until(end);
  }
  template <class Fields>
  void ask(RequestCode code, const Fields& fields, std::span<const std::byte> body,
           Handler handler) {
    if (client_ == nullptr) return;
    handlers_[++opaque_] = std::move(handler);
    client_->write(encode_command(request_head(code, opaque_), fields, {}, body));
  }
  // None: no answer came.
  template <class Fields>
  std::optional<RemotingCommand> answer_to(RequestCode code, const Fields& fields) {
    std::optional<RemotingCommand> answer;
    ask(code, fields, {}, [&](const RemotingCommand& response) { answer = response; });
    const std::int32_t opaque = opaque_;
    const auto done = [&] {
      pump();
      return answer.has_value() || client_ == nullptr;
    };
    world_.kernel.run_while_not(done, now_ns() + kPatience.count_ns());
    handlers_.erase(opaque);
    return answer;
  }

  // Steps.

  static std::string key_text(std::uint64_t key) { return "k" + std::to_string(key); }
  static std::string body_of(std::uint64_t key, int bytes) {
    std::string body = key_text(key) + ":";
    body.resize(body.size() + static_cast<std::size_t>(bytes), static_cast<char>('a' + key % 26));
    return body;
  }
  static std::string property_text(std::string_view name, std::string_view value) {
    return std::string(name) + kNameEnd + std::string(value) + kPropertyEnd;
  }

  BrokerModel::Message& next_message(const Step& step, int level) {
    BrokerModel::Message message;
    message.key = model_.next_key();
    message.queue = step.queue;
    message.bytes = step.bytes;
    message.level = level;
    message.asked_ns = now_ns();
    message.asked_ms = wall_ms();
    return model_.sent(message);
  }
  void answered(std::uint64_t key, std::int64_t physical, std::int64_t queue_offset) {
    BrokerModel::Message& message = *model_.find(key, false);
    message.answered_ns = now_ns();
    message.physical = physical;
    message.queue_offset = queue_offset;
  }

  void send(const Step& step, int level) {
    if (client_ == nullptr) return;
    const BrokerModel::Message& message = next_message(step, level);
    std::string properties = property_text(property::kKeys, key_text(message.key));
    if (level > 0) properties += property_text(property::kDelay, std::to_string(level));
    SendMessageHeader header;
    header.producer_group = "P";
    header.topic = kTopic;
    header.queue_id = step.queue;
    header.born_timestamp_ms = wall_ms();
    header.properties = properties;
    const std::string body = body_of(message.key, message.bytes);
    const std::uint64_t key = message.key;
    ask(RequestCode::send_message_v2, header, as_byte_span(body),
        [this, key](const RemotingCommand& response) {
          if (!response.is(ResponseCode::success)) return;
          const auto receipt = decode_send_message_response(response.ext_fields.span());
          ENSURE(receipt.has_value());
          answered(key, receipt->message_id.offset.value(), receipt->queue_offset.value());
        });
  }

  void send_batch(const Step& step) {
    if (client_ == nullptr) return;
    std::string body;
    std::vector<std::uint64_t> keys;
    for (int i = 0; i < step.count; ++i) {
      const BrokerModel::Message& message = next_message(step, 0);
      keys.push_back(message.key);
      const std::string properties = property_text(property::kKeys, key_text(message.key));
      const std::string one = body_of(message.key, message.bytes);
      append_to_batch(body, {.body = as_byte_span(one), .properties = as_byte_span(properties)});
    }
    SendMessageHeader header;
    header.producer_group = "P";
    header.topic = kTopic;
    header.queue_id = step.queue;
    header.born_timestamp_ms = wall_ms();
    header.batch = true;
    ask(RequestCode::send_batch_message, header, as_byte_span(body),
        [this, keys](const RemotingCommand& response) {
          if (response.is(ResponseCode::success)) batch_answered(keys, response);
        });
  }
  void batch_answered(const std::vector<std::uint64_t>& keys, const RemotingCommand& response) {
    std::string_view ids = field(response, "msgId");
    const auto first = parse_decimal<std::int64_t>(field(response, "queueOffset"));
    ENSURE(first.has_value());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const auto id = decode_offset_message_id(ids.substr(0, ids.find(',')));
      ENSURE(id.has_value());
      answered(keys[i], id->offset.value(), *first + static_cast<std::int64_t>(i));
      ids.remove_prefix(std::min(ids.size(), ids.find(',') + 1));
    }
  }
  static std::string_view field(const RemotingCommand& command, std::string_view name) {
    ExtFieldReader fields(command.ext_fields.span());
    std::string_view key;
    std::string_view value;
    while (fields.next(key, value)) {
      if (key == name) return value;
    }
    return {};
  }

  void pull(int queue) {
    const std::int64_t from = positions_[queue];
    PullMessageHeader header = pull_header(kTopic, queue, from);
    ask(RequestCode::pull_message, header, {},
        [this, queue, from](const RemotingCommand& response) {
          const auto fields = decode_pull_message_response(response.ext_fields.span());
          if (!fields || from != positions_[queue]) return;
          if (response.is(ResponseCode::pull_offset_moved))
            positions_[queue] = fields->next.value();
          if (!response.is(ResponseCode::success)) return;
          note(model_.handed_out(queue, from, records_in(response), now_ns()));
          positions_[queue] = fields->next.value();
        });
  }
  static PullMessageHeader pull_header(std::string_view topic, int queue, std::int64_t from) {
    PullMessageHeader header;
    header.consumer_group = kGroup;
    header.topic = topic;
    header.queue_id = queue;
    header.queue_offset = from;
    header.sys_flag = pull_flag::kSubscription;
    return header;
  }
  std::vector<Found> records_in(const RemotingCommand& response) {
    std::vector<Found> all;
    for_each_record(response.body.span(), [&](auto, const RecordView& view) {
      Found found;
      const std::string_view properties = as_text(view.properties);
      const std::string_view key = find_property(properties, property::kKeys);
      if (!key.empty()) found.key = parse_decimal<std::uint64_t>(key.substr(1)).value_or(0);
      found.back = !find_property(properties, property::kRetryTopic).empty();
      const BrokerModel::Message* const message = model_.find(found.key, found.back);
      found.whole = message != nullptr && as_text(view.body) == body_of(found.key, message->bytes);
      found.queue_offset = view.queue_offset;
      found.physical = view.physical_offset;
      found.store_ms = view.store_ms;
      all.push_back(found);
    });
    return all;
  }

  void send_back(const Step& step) {
    const auto& pulled = model_.pulled();
    if (client_ == nullptr || pulled.empty()) return;
    const Found record = pulled[static_cast<std::size_t>(step.count) % pulled.size()].record;
    if (record.back || model_.find(record.key, true) != nullptr) return;
    BrokerModel::Message message;
    message.key = record.key;
    message.back = true;
    message.bytes = model_.find(record.key, false)->bytes;
    message.level = step.level;
    message.asked_ns = now_ns();
    message.asked_ms = wall_ms();
    model_.sent(message);
    SendBackHeader header;
    header.offset = PhysicalOffset(record.physical);
    header.group = kGroup;
    header.delay_level = step.level;
    header.max_reconsume_times = 16;
    const std::uint64_t key = record.key;
    ask(RequestCode::consumer_send_msg_back, header, {},
        [this, key](const RemotingCommand& response) {
          if (response.is(ResponseCode::success)) model_.find(key, true)->answered_ns = now_ns();
        });
  }

  void commit(int queue) {
    if (client_ == nullptr) return;
    ConsumerOffsetHeader header = offset_header(queue);
    header.commit_offset = positions_[queue];
    const std::size_t number = model_.committed(queue, positions_[queue]);
    ask(RequestCode::update_consumer_offset, header, {},
        [this, queue, number](const RemotingCommand& response) {
          if (response.is(ResponseCode::success)) model_.commit_answered(queue, number, now_ns());
        });
  }
  static ConsumerOffsetHeader offset_header(int queue) {
    ConsumerOffsetHeader header;
    header.consumer_group = kGroup;
    header.queue = {kTopic, queue};
    return header;
  }

  // Looks.

  std::string audit() {
    const FoundLog log = read_log();
    std::string trouble = model_.audit(log);
    return trouble.empty() ? look_into_index() : trouble;
  }
  FoundLog read_log() {
    FoundLog log;
    for (int queue = 0; queue < kQueues; ++queue) read_queue({kTopic, queue}, log);
    for (int queue = 0; queue < 2; ++queue) read_queue({"SCHEDULE_TOPIC_XXXX", queue}, log);
    read_queue({kRetries, 0}, log);
    return log;
  }
  void read_queue(const Place& place, FoundLog& log) {
    std::vector<Found>& all = log[place];
    for (std::int64_t from = 0;;) {
      const auto response =
          answer_to(RequestCode::pull_message, pull_header(place.first, place.second, from));
      if (!response || !response->is(ResponseCode::success)) return;
      for (const Found& found : records_in(*response)) all.push_back(found);
      const auto fields = decode_pull_message_response(response->ext_fields.span());
      ENSURE(fields.has_value());
      if (fields->next.value() <= from) return;
      from = fields->next.value();
    }
  }
  std::string look_into_index() {
    for (const auto& [id, message] : model_.messages()) {
      if (message.level > 0 || message.back || !BrokerModel::stands(message)) continue;
      const std::string key = key_text(message.key);
      QueryMessageHeader header;
      header.topic = kTopic;
      header.key = key;
      header.count_max = 64;
      header.end_ms = INT64_MAX;
      const auto response = answer_to(RequestCode::query_message, header);
      bool found = false;
      if (response && response->is(ResponseCode::success)) {
        for (const Found& record : records_in(*response)) {
          if (!record.whole) return "the index names what was never sent";
          found = found || record.physical == *message.physical;
        }
      }
      if (!found && !index_may_forget_)
        return "the index does not know message " + std::to_string(message.key);
    }
    return {};
  }
  std::string look_at_offsets() {
    for (int queue = 0; queue < kQueues; ++queue) {
      ConsumerOffsetHeader header = offset_header(queue);
      header.set_zero_if_not_found = false;
      const auto response = answer_to(RequestCode::query_consumer_offset, header);
      const auto end = answer_to(RequestCode::get_max_offset, QueueHeader{kTopic, queue});
      if (!response || !end) return "the broker does not answer";
      std::optional<std::int64_t> offset;
      if (response->is(ResponseCode::success)) {
        offset = decode_offset_response(response->ext_fields.span())->value();
      }
      const std::int64_t last = decode_offset_response(end->ext_fields.span())->value();
      std::string trouble = model_.offset_after_death(queue, offset, last, served_before_ns_);
      if (!trouble.empty()) return trouble;
    }
    return {};
  }

  BrokerConfiguration configuration_;
  bool index_may_forget_;
  BrokerModel model_;
  NetWorld world_;
  sim::SimDisk disk_;
  sim::HostFiles files_;
  sim::SimProcess* broker_ = nullptr;
  int brokers_ = 0;
  std::int64_t served_from_ns_ = 0;  // The present broker, and the one before.
  std::int64_t served_before_ns_ = 0;
  Actor* client_ = nullptr;  // Null: there is no connection.
  Pending<ByteChain> read_;
  FrameDecoder decoder_;
  std::map<std::int32_t, Handler> handlers_;
  std::int32_t opaque_ = 0;
  std::array<std::int64_t, kQueues> positions_{};
  std::string last_line_;  // Of the broker's log.
  std::string trouble_;
};

}  // namespace drydock::test
