// bench-store: the contestants `store` (a broker's store on a simulated host, without network) and
// `copy-and-sum` (what no store can do without: each body copied once, and its check sum).
//
// Workload async-puts: messages of 1 KiB with one key each, 100,000 a second, round robin into 8
// queues of a store with ASYNC_FLUSH on the first disk. A message counts once it is in the log, in
// its queue and in the index. Virtual time goes on while syncs and writeback are under way.
#include <cstring>
#include <memory>
#include <string>

#include "engine/wire/compression.hpp"
#include "sim/fs/host_files.hpp"
#include "tests/bench/workloads/harness.hpp"
#include "tests/support/store_world.hpp"

namespace drydock::bench {
namespace {

constexpr std::int64_t kBodyBytes = 1024;
constexpr std::int32_t kQueues = 8;
constexpr std::uint64_t kPerMs = 100;
constexpr std::int64_t kGib = std::int64_t{1} << 30;

// A mebibyte of bodies, that differ.
SharedBytes make_bodies() {
  constexpr std::int64_t kBytes = 1 << 20;
  SharedBytes bodies = SharedBytes::allocate(kBytes);
  std::uint64_t state = 1;
  for (std::byte& byte : bodies.writable()) {
    state = state * 6'364'136'223'846'793'005u + 1'442'695'040'888'963'407u;
    byte = static_cast<std::byte>(state >> 56);
  }
  return bodies;
}

SharedBytes body_of(const SharedBytes& bodies, std::uint64_t i) {
  const std::uint64_t count = bodies.size() / kBodyBytes;
  return bodies.slice(i % count * kBodyBytes, kBodyBytes);
}

class BenchWorld : public test::StoreWorld {
 public:
  BenchWorld()
      : StoreWorld(StoreConfiguration()),
        disk(kernel, DiskId(0), {.name = "d0", .capacity_bytes = 64 * kGib}),
        disk_files(kernel, host(), disk, {}) {}

  sim::SimDisk disk;
  sim::HostFiles disk_files;
};

// Puts the messages and ends when all of them are dispatched.
class Sender {
 public:
  Sender(BenchWorld& world, std::uint64_t count) : world_(world), count_(count) {
    sim::SimProcess& process = world.host().spawn("store");
    process.attach(std::make_unique<test::NoNetwork>(), world.disk_files.attach(process));
    process.start([this](Context& context) { return run(context); });
  }

  bool started() const { return started_; }
  bool done() const { return done_; }
  std::uint64_t put_ok = 0;
  std::uint64_t in_queues = 0;

 private:
  Task<void> run(Context& context) {
    MessageStore store(context, world_.configuration, Endpoint{0x0a000001, 10'911});
    Worker& worker = context.workers.add("SendMessageThread_1");
    Result<void> loaded = co_await store.load();
    ENSURE(loaded.has_value());
    Result<void> begun = co_await store.start();
    ENSURE(begun.has_value());
    started_ = true;
    const SharedBytes bodies = make_bodies();
    const SharedBytes topic = SharedBytes::copy_of("orders");
    for (std::uint64_t i = 0; i < count_; ++i) {
      IncomingMessage message;
      message.topic = topic;
      message.body = body_of(bodies, i);
      message.properties = SharedBytes::copy_of("KEYS\x01" + std::to_string(i) + "\x02");
      message.queue_id = static_cast<std::int32_t>(i % kQueues);
      message.born_host = {0x0a000001, 1};
      PutResult put = co_await store.put_message(worker, std::move(message));
      put_ok += put.status == PutStatus::put_ok ? 1 : 0;
      if (i % kPerMs != kPerMs - 1) continue;
      Result<void> slept = co_await sleep_for(context.clock, Duration::ms(1));
      ENSURE(slept.has_value());
    }
    while (store.dispatch_behind() > 0) {
      Result<void> slept = co_await sleep_for(context.clock, Duration::ms(1));
      ENSURE(slept.has_value());
    }
    for (std::int32_t queue = 0; queue < kQueues; ++queue) {
      in_queues += static_cast<std::uint64_t>(store.range("orders", queue).max.value());
    }
    done_ = true;
    Result<void> told = co_await context.terminate.wait();
    ENSURE(told.has_value());
  }

  BenchWorld& world_;
  std::uint64_t count_;
  bool started_ = false;
  bool done_ = false;
};

void async_puts(std::uint64_t count, Record& record) {
  constexpr std::int64_t kLimitNs = Duration::s(3'600).count_ns();
  Stopwatch watch;
  BenchWorld world;
  Sender sender(world, count);
  ENSURE(world.kernel.run_while_not([&sender] { return sender.started(); }, kLimitNs));
  watch.started();
  ENSURE(world.kernel.run_while_not([&sender] { return sender.done(); }, kLimitNs));
  watch.finish(record);
  ENSURE(sender.put_ok == sender.in_queues);
  record.messages = sender.in_queues;
  record.virtual_s = static_cast<double>(world.kernel.now()) * 1e-9;
  record.events = world.kernel.events();
  record.fingerprint = world.kernel.fingerprint().digest().hex();
}

// Into memory that was touched before.
void copy_and_sum(std::uint64_t count, Record& record) {
  constexpr std::int64_t kBuffer = 64 << 20;
  Stopwatch watch;
  const SharedBytes bodies = make_bodies();
  SharedBytes copy = SharedBytes::allocate(kBuffer);
  std::memset(copy.writable().data(), 1, kBuffer);
  watch.started();
  std::int64_t at = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const SharedBytes body = body_of(bodies, i);
    record.checksum += body_crc(body.span());
    std::memcpy(copy.writable().data() + at, body.data(), body.size());
    at = (at + kBodyBytes) % kBuffer;
    ++record.messages;
  }
  asm volatile("" : : "r"(copy.data()) : "memory");  // Is not to be left out.
  watch.finish(record);
}

}  // namespace
}  // namespace drydock::bench

int main(int argc, char** argv) {
  using namespace drydock::bench;
  const Options options = parse_options(argc, argv);
  const bool ours = options.contestant == "store";
  if (options.workload != "async-puts" || (!ours && options.contestant != "copy-and-sum")) {
    return unknown_workload("bench-store", options);
  }
  Record record;
  if (ours) {
    async_puts(options.messages, record);
  } else {
    copy_and_sum(options.messages, record);
    record.checksum = 0;
  }
  record.version = "g++ " __VERSION__;
  print_record(options, record);
  return 0;
}
