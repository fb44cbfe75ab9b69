// drydock send: sends messages to a broker and says what became of each.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <string>

#include "engine/client/producer.hpp"
#include "scenarios/drill/drill.hpp"
#include "scenarios/drill/units.hpp"
#include "scenarios/workload/bodies.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/linux_program.hpp"
#include "tools/cli/served_port.hpp"
#include "tools/cli/terminal.hpp"

namespace drydock::cli {
namespace {

using on_linux::LinuxWorld;
using scenarios::InputError;

constexpr std::int64_t kBodyBytesMax = 16 * 1024 * 1024;  // The largest frame: reference, 12.1.
constexpr std::uint64_t kSendsMax = 1'000'000'000;
constexpr std::uint32_t kInFlightMax = 65'535;  // RocketMQ's own bound of sends in flight.

// What is to be sent, checked.
struct Order {
  std::vector<Endpoint> to;
  bool name_servers = false;  // `to` are; else it is one broker.
  SharedBytes topic;
  std::int32_t queue = -1;  // -1: the broker chooses.
  std::uint64_t next_key = 0;
  std::uint64_t end_key = 0;
  std::size_t body_bytes = 0;
  std::uint32_t in_flight = 1;
  Duration timeout;
};

Order order_of(const SendOptions& options) {
  Order order;
  if (options.to.has_value() == options.namesrv.has_value()) {
    throw InputError("give either --namesrv ADDR:PORT or --to ADDR:PORT");
  }
  order.name_servers = options.namesrv.has_value();
  if (order.name_servers) {
    order.to = servers_of("--namesrv", *options.namesrv, "127.0.0.1:9876");
  } else {
    order.to = {server_of("--to", *options.to, "127.0.0.1:10911")};
  }
  if (options.topic.empty() || options.topic.size() > 127) {
    throw InputError("--topic: must have 1 to 127 characters");
  }
  order.topic = SharedBytes::copy_of(options.topic);
  if (options.queue) {
    if (*options.queue < 0) throw InputError("--queue: must be 0 or more");
    if (order.name_servers) throw InputError("--queue: with --namesrv the queues are used in turn");
    order.queue = *options.queue;
  }
  if (options.count < 1 || options.count > kSendsMax) {
    throw InputError("--count: must be 1 to " + std::to_string(kSendsMax));
  }
  order.next_key = options.first_key;
  if (__builtin_add_overflow(order.next_key, options.count, &order.end_key)) {
    throw InputError("--keys: the last key would leave 64 bits");
  }
  const auto body = scenarios::parse_size(options.body_size);
  if (!body || *body < 1 || *body > kBodyBytesMax) {
    throw InputError("--body-size: must be 1 B to 16 MiB, " + std::string(scenarios::kSizeForm));
  }
  order.body_bytes = static_cast<std::size_t>(*body);
  if (options.in_flight < 1 || options.in_flight > kInFlightMax) {
    throw InputError("--in-flight: must be 1 to " + std::to_string(kInFlightMax));
  }
  order.in_flight = options.in_flight;
  const auto timeout = scenarios::parse_duration(options.timeout);
  if (!timeout || *timeout < Duration::ms(1) || *timeout > scenarios::kDurationMax) {
    throw InputError("--timeout: must be at least 1 ms, " + std::string(scenarios::kDurationForm));
  }
  order.timeout = *timeout;
  return order;
}

// A line per acknowledged key, out of the process before the next one is written: a test reads it
// after the other side was killed.
class AckedFile {
 public:
  explicit AckedFile(const std::string& path)
      : path_(path), file_(std::fopen(path.c_str(), "wxe"), &std::fclose) {
    if (file_ == nullptr) throw InputError("--acked: " + path + ": " + std::strerror(errno));
  }
  void add(std::uint64_t key, const SendOutcome& outcome) {
    const int written = std::fprintf(
        file_.get(), "%llu %lld %lld\n", static_cast<unsigned long long>(key),
        static_cast<long long>(outcome.physical_offset.value_or(PhysicalOffset()).value()),
        static_cast<long long>(outcome.queue_offset.value_or(QueueOffset()).value()));
    if (written < 0 || std::fflush(file_.get()) != 0) {
      throw InputError("--acked: " + path_ + ": " + std::strerror(errno));
    }
  }

 private:
  std::string path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

class Tally {
 public:
  void note(std::uint64_t key, const SendOutcome& outcome, Duration took) {
    ++sent_;
    if (outcome.status == SendStatus::acked) {
      ++acked_;
      return;
    }
    ++others_[outcome.status][std::string(name_of(outcome.detail))];
    const std::int32_t code = outcome.attempts.empty() ? -1 : outcome.attempts.back().response_code;
    std::string line = "key " + std::to_string(key) + ": ";
    line += std::string(name_of(outcome.status)) + ": " + std::string(name_of(outcome.detail));
    if (code >= 0) line += " (response code " + std::to_string(code) + ")";
    line += ", attempts " + std::to_string(outcome.attempts.size());
    line += ", " + std::to_string(took.count_ms()) + " ms";
    std::printf("%s\n", line.c_str());
  }
  void print() const {
    std::printf("sent %llu: %llu acked%s%s\n", static_cast<unsigned long long>(sent_),
                static_cast<unsigned long long>(acked_), part(SendStatus::unknown).c_str(),
                part(SendStatus::failed).c_str());
  }
  bool all_acked() const { return acked_ == sent_; }

 private:
  std::string part(SendStatus status) const {
    std::uint64_t count = 0;
    std::string reasons;
    const auto found = others_.find(status);
    if (found != others_.end()) {
      for (const auto& [reason, times] : found->second) {
        count += times;
        reasons += (reasons.empty() ? "" : ", ") + reason + " " + std::to_string(times);
      }
    }
    std::string text = ", " + std::to_string(count) + " " + std::string(name_of(status));
    if (count > 0) text += " (" + reasons + ")";
    return text;
  }

  std::uint64_t sent_ = 0;
  std::uint64_t acked_ = 0;
  std::map<SendStatus, std::map<std::string, std::uint64_t>> others_;
};

class Sending {
 public:
  Sending(Order order, AckedFile* acked) : order_(std::move(order)), acked_(acked) {}

  // Asks for a connection first, so that a wrong address is one line and not one per message.
  Task<void> run(Context& context) {
    Result<void> reached = co_await reach_one_of(context, order_.to, order_.timeout);
    if (!reached) {
      refused_ = name_of(reached.error().code());
      co_return;
    }
    std::unique_ptr<Producer> producer = make_producer(context);
    TaskScope slots(context.scope);
    for (std::uint32_t i = 0; i < order_.in_flight; ++i) slots.spawn(run_slot(context, *producer));
    co_await slots.join();
    co_await producer->close();
  }

  const Tally& tally() const { return tally_; }
  // Why there was no connection at all; "" if there was one.
  const std::string& refused() const { return refused_; }

 private:
  std::unique_ptr<Producer> make_producer(Context& context) const {
    ProducerOptions options;
    options.send_timeout = order_.timeout;
    if (!order_.name_servers) return std::make_unique<Producer>(context, order_.to[0], options);
    return std::make_unique<Producer>(context, NameServers{order_.to}, options);
  }

  Task<void> run_slot(Context& context, Producer& producer) {
    while (!context.terminate.is_set() && order_.next_key < order_.end_key) {
      const std::uint64_t key = order_.next_key++;
      OutgoingMessage message;
      message.topic = order_.topic;
      message.queue_id = order_.queue;
      message.key = key;
      message.body = scenarios::body_of(key, order_.body_bytes);
      const MonotonicTime begun = context.clock.now();
      SendOutcome outcome = co_await producer.send(std::move(message));
      tally_.note(key, outcome, context.clock.now() - begun);
      if (outcome.status == SendStatus::acked && acked_ != nullptr) acked_->add(key, outcome);
    }
  }

  Order order_;
  AckedFile* acked_;
  Tally tally_;
  std::string refused_;
};

}  // namespace

int send(const SendOptions& options) {
  const Order order = order_of(options);
  std::unique_ptr<AckedFile> acked;
  if (options.acked) acked = std::make_unique<AckedFile>(*options.acked);
  Sending sending(order, acked.get());
  std::setvbuf(stdout, nullptr, _IOLBF, 0);

  on_linux::LinuxOptions world_options;
  world_options.log_sink = [](std::string_view, LogLevel level, const std::string& line) {
    if (level == LogLevel::error) std::fprintf(stderr, "drydock: %s\n", printable(line).c_str());
  };
  LinuxWorld world(world_options);
  on_linux::LinuxProcess& client = world.spawn("send");
  client.start([&sending](Context& context) { return sending.run(context); });
  const int signal = run_to_end(world, client);

  if (!sending.refused().empty()) {
    const std::string where =
        order.name_servers ? "--namesrv: " + *options.namesrv : "--to: " + *options.to;
    throw InputError(where + " takes no connection (" + sending.refused() + "): is a " +
                     (order.name_servers ? "name server" : "broker") + " served there?");
  }
  sending.tally().print();
  if (signal != 0) return kInterrupted;
  return sending.tally().all_acked() ? 0 : kDamageFound;
}

}  // namespace drydock::cli
