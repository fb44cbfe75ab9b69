// drydock consume: reads a topic's messages from brokers and prints a line for each.
#include <cstdio>
#include <memory>
#include <string>

#include "engine/client/pull_consumer.hpp"
#include "engine/client/queue_sweep.hpp"
#include "scenarios/drill/drill.hpp"
#include "scenarios/drill/units.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/linux_program.hpp"
#include "tools/cli/served_port.hpp"
#include "tools/cli/terminal.hpp"

namespace drydock::cli {
namespace {

using scenarios::InputError;

constexpr const char* kNobody = "drydock-consume";  // The group of who gives none.
constexpr std::size_t kNameMax = 255;
constexpr std::size_t kPollMax = 32;
constexpr Duration kPause = Duration::ms(100);

// What is to be read, checked.
struct Order {
  std::vector<Endpoint> servers;
  bool name_servers = false;  // Else one broker.
  std::string topic;
  std::string group = kNobody;
  bool store_offsets = false;
  ConsumeFrom from = ConsumeFrom::min;
  std::optional<std::uint64_t> count;
  bool follow = false;
  Duration timeout;
  bool wait_for_ever = false;  // For the next message.
  bool body = false;
};

void read_servers(const ConsumeOptions& options, Order& order) {
  if (options.broker.has_value() == options.namesrv.has_value()) {
    throw InputError("give either --namesrv ADDR:PORT or --broker ADDR:PORT");
  }
  order.name_servers = options.namesrv.has_value();
  if (order.name_servers) {
    order.servers = servers_of("--namesrv", *options.namesrv, "127.0.0.1:9876");
  } else {
    order.servers = {server_of("--broker", *options.broker, "127.0.0.1:10911")};
  }
}

void read_from(const ConsumeOptions& options, Order& order) {
  order.from = options.group ? ConsumeFrom::stored : ConsumeFrom::min;
  if (options.from) {
    const std::string& from = *options.from;
    if (from != "min" && from != "max" && from != "stored") {
      throw InputError("--from: '" + printable(from) + "' is none of min, max, stored");
    }
    order.from = from == "min"   ? ConsumeFrom::min
                 : from == "max" ? ConsumeFrom::max
                                 : ConsumeFrom::stored;
  }
  if (order.from == ConsumeFrom::stored && !options.group) {
    throw InputError("--from stored: needs the --group whose offsets are meant");
  }
  if (order.from == ConsumeFrom::max && !options.count && !options.follow) {
    throw InputError("--from max: needs --follow or --count, to wait for what comes");
  }
}

Order order_of(const ConsumeOptions& options) {
  Order order;
  read_servers(options, order);
  read_from(options, order);
  if (options.topic.empty() || options.topic.size() > 127) {
    throw InputError("--topic: must have 1 to 127 characters");
  }
  order.topic = options.topic;
  if (options.group) {
    if (options.group->empty() || options.group->size() > kNameMax) {
      throw InputError("--group: must have 1 to 255 characters");
    }
    order.group = *options.group;
    order.store_offsets = true;
  }
  if (options.count && *options.count < 1) throw InputError("--count: must be 1 or more");
  order.count = options.count;
  order.follow = options.follow;
  order.wait_for_ever = options.follow && !options.timeout;
  const auto timeout = scenarios::parse_duration(options.timeout.value_or("3 s"));
  if (!timeout || *timeout < Duration::ms(1) || *timeout > scenarios::kDurationMax) {
    throw InputError("--timeout: must be at least 1 ms, " + std::string(scenarios::kDurationForm));
  }
  order.timeout = *timeout;
  order.body = options.body;
  return order;
}

class Consuming {
 public:
  explicit Consuming(Order order) : order_(std::move(order)) {}

  Task<void> run(Context& context) {
    Result<void> reached = co_await reach_one_of(context, order_.servers, order_.timeout);
    if (!reached) {
      refused_ = name_of(reached.error().code());
      co_return;
    }
    if (order_.count || order_.follow) {
      co_await follow(context);
    } else {
      co_await sweep(context);
    }
  }

  std::uint64_t printed() const { return printed_; }
  // Why there was no connection at all; "" if there was one.
  const std::string& refused() const { return refused_; }
  // Why the topic's queues could not be learned.
  std::optional<ErrorCode> no_queues() const { return no_queues_; }
  // What kept it from reading on; "" if nothing did.
  const std::string& trouble() const { return trouble_; }
  bool enough() const {
    const bool all = !order_.count || printed_ == *order_.count;
    return all && trouble_.empty() && damaged_ == 0;
  }

 private:
  // Every queue once, to where it ends now.
  Task<void> sweep(Context& context) {
    BrokerConnections brokers(context, RequestConnectionOptions());
    QueueClient client(brokers, order_.group);
    std::unique_ptr<QueueSource> source = make_source(context, brokers);
    SweepOptions options{.topic = order_.topic, .from = order_.from, .patience = order_.timeout};
    const MessageVisitor visit = [this, &context](const ReceivedMessage& message) {
      print(message);
      return !context.terminate.is_set();
    };
    const Deadline patience = context.clock.now() + order_.timeout;
    for (;;) {
      Result<MessageQueues> queues = co_await source->queues_of(order_.topic, patience);
      if (queues) break;
      note_no_queues(queues.error().code(), context.clock.now() >= patience);
      if (no_queues_ || context.terminate.is_set()) break;
      Result<void> slept = co_await sleep_for(context.clock, kPause);
      if (!slept) break;
    }
    if (!no_queues_) co_await read_all(context, *source, client, std::move(options), visit);
    co_await source->close();
    co_await brokers.close();
  }

  Task<void> read_all(Context& context, QueueSource& source, QueueClient& client,
                      SweepOptions options, const MessageVisitor& visit) {
    Result<SweptQueues> swept =
        co_await read_every_queue(context, source, client, std::move(options), visit);
    if (!swept) {
      trouble_ = "a queue could not be read to its end: ";
      trouble_ += name_of(swept.error().code());
      co_return;
    }
    for (const SweptQueue& queue : *swept) damaged_ += queue.damaged;
    if (!order_.store_offsets) co_return;
    for (const SweptQueue& queue : *swept) {
      const std::optional<Endpoint> broker = source.broker_of(queue.queue, 0);
      if (!broker) continue;
      const QueueAt at{*broker, order_.topic, queue.queue.queue_id};
      const Deadline soon = context.clock.now() + order_.timeout;
      Result<void> stored = co_await client.store_offset(at, queue.next, soon);
      if (!stored) trouble_ = "an offset could not be stored";
    }
  }

  std::unique_ptr<QueueSource> make_source(Context& context, BrokerConnections& brokers) const {
    if (!order_.name_servers) {
      return std::make_unique<QueueSource>(brokers, order_.servers[0]);
    }
    RouteOptions options{.name_servers = order_.servers,
                         .groups = {.consumer_group = order_.group}};
    return std::make_unique<QueueSource>(context, brokers, std::move(options));
  }

  // Messages as they come.
  Task<void> follow(Context& context) {
    std::unique_ptr<PullConsumer> consumer = make_consumer(context);
    TaskScope reading(context.scope);
    TaskScope watching(context.scope);
    reading.spawn(read_on(context, *consumer));
    watching.spawn(stop_at_signal(context, reading));
    co_await reading.join();
    watching.cancel();
    co_await watching.join();
    damaged_ = consumer->damaged();
    co_await consumer->close();
  }

  std::unique_ptr<PullConsumer> make_consumer(Context& context) const {
    PullConsumerOptions options;
    options.consumer_group = order_.group;
    options.from = order_.from;
    options.store_offsets = order_.store_offsets;
    if (!order_.name_servers) {
      return std::make_unique<PullConsumer>(context, order_.servers[0], order_.topic, options);
    }
    return std::make_unique<PullConsumer>(context, NameServers{order_.servers}, order_.topic,
                                          options);
  }

  static Task<void> stop_at_signal(Context& context, TaskScope& reading) {
    Result<void> told = co_await context.terminate.wait();
    if (told) reading.cancel();
  }

  Task<void> read_on(Context& context, PullConsumer& consumer) {
    const Deadline patience = context.clock.now() + order_.timeout;
    for (;;) {
      Result<void> started = co_await consumer.start(patience);
      if (started) break;
      note_no_queues(started.error().code(), context.clock.now() >= patience);
      if (no_queues_) co_return;
      Result<void> slept = co_await sleep_for(context.clock, kPause);
      if (!slept) co_return;
    }
    while (!order_.count || printed_ < *order_.count) {
      const std::uint64_t left = order_.count ? *order_.count - printed_ : kPollMax;
      const Deadline deadline =
          order_.wait_for_ever ? kNever : Deadline(context.clock.now() + order_.timeout);
      Result<std::vector<ReceivedMessage>> messages =
          co_await consumer.poll(deadline, std::min<std::uint64_t>(left, kPollMax));
      if (!messages) co_return;
      for (const ReceivedMessage& message : *messages) print(message);
      consumer.note_consumed();
    }
  }

  // Waiting helps against every error but that a topic may not be read. A time-out says less than
  // what was answered before it.
  void note_no_queues(ErrorCode why, bool patience_over) {
    if (why != ErrorCode::timed_out) refused_with_ = why;
    if (patience_over || why == ErrorCode::permission_denied) no_queues_ = refused_with_;
  }

  void print(const ReceivedMessage& message) {
    std::string line = word(message.property(property::kKeys)) + " ";
    if (!message.queue.broker_name.empty()) line += word(message.queue.broker_name) + "/";
    line += std::to_string(message.queue.queue_id);
    line += " " + std::to_string(message.queue_offset.value());
    line += " " + std::to_string(message.physical_offset.value());
    line += " " + std::to_string(message.record.size());
    if (order_.body) line += " " + quoted(as_text(message.body.span()));
    if (printed_++ == 0) {
      std::printf("# key queue queue-offset store-offset size%s\n", order_.body ? " body" : "");
    }
    std::printf("%s\n", line.c_str());
  }

  Order order_;
  std::uint64_t printed_ = 0;
  std::uint64_t damaged_ = 0;  // Records that were passed over; the log has a line for each.
  std::string refused_;
  std::string trouble_;
  ErrorCode refused_with_ = ErrorCode::timed_out;  // The latest answer about the queues.
  std::optional<ErrorCode> no_queues_;
};

// What follows the topic's name.
std::string no_queues_text(ErrorCode why) {
  switch (why) {
    case ErrorCode::not_found:
      return " is known to nobody there; a topic exists from the first send to it on";
    case ErrorCode::permission_denied: return " may not be read there: its perm has no 4";
    default: return ": its queues could not be learned (" + std::string(name_of(why)) + ")";
  }
}

}  // namespace

int consume(const ConsumeOptions& options) {
  const Order order = order_of(options);
  Consuming consuming(order);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);

  on_linux::LinuxOptions world_options;
  world_options.log_sink = [](std::string_view, LogLevel level, const std::string& line) {
    if (level != LogLevel::warning && level != LogLevel::error) return;
    std::fprintf(stderr, "drydock: %s\n", printable(line).c_str());
  };
  on_linux::LinuxWorld world(world_options);
  on_linux::LinuxProcess& client = world.spawn("consume");
  client.start([&consuming](Context& context) { return consuming.run(context); });
  const int signal = run_to_end(world, client);

  if (!consuming.refused().empty()) {
    const std::string where =
        order.name_servers ? "--namesrv: " + *options.namesrv : "--broker: " + *options.broker;
    throw InputError(where + " takes no connection (" + consuming.refused() + "): is a " +
                     (order.name_servers ? "name server" : "broker") + " served there?");
  }
  if (consuming.no_queues() && signal == 0) {
    throw InputError("--topic: " + printable(order.topic) + no_queues_text(*consuming.no_queues()));
  }
  std::printf("consumed %llu\n", static_cast<unsigned long long>(consuming.printed()));
  if (signal != 0) return kInterrupted;
  if (!consuming.trouble().empty()) {
    std::fprintf(stderr, "drydock: %s\n", consuming.trouble().c_str());
  }
  return consuming.enough() ? 0 : kDamageFound;
}

}  // namespace drydock::cli
