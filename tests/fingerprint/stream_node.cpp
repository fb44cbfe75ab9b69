// Nodes that talk through streams: requests of random size to random peers, answered with a sum of
// their bytes. The network loses segments, is cut one way and both ways, heals, and resets.
#include <cstring>

#include "engine/runtime/context.hpp"
#include "sim/net/network.hpp"
#include "tests/fingerprint/crowd.hpp"

namespace drydock::fingerprint {
namespace {

constexpr std::uint16_t kPort = 7000;
constexpr std::size_t kWord = sizeof(std::uint64_t);

SharedBytes word_of(std::uint64_t value) {
  SharedBytes bytes = SharedBytes::allocate(kWord);
  std::memcpy(bytes.writable().data(), &value, kWord);
  return bytes;
}

std::uint64_t sum_of(const ByteChain& chain) {
  std::uint64_t sum = 0;
  for (const SharedBytes& piece : chain.pieces()) {
    for (const std::byte byte : piece.span()) sum = sum * 31 + std::to_integer<std::uint64_t>(byte);
  }
  return sum;
}

class StreamCrowd final : public Crowd {
 public:
  explicit StreamCrowd(CrowdOptions options) : Crowd(options), network_(kernel(), with_losses()) {
    assemble();
  }
  ~StreamCrowd() override { disperse(); }

 private:
  static sim::NetworkOptions with_losses() {
    sim::NetworkOptions options;
    options.link.loss_ppm = 2'000;
    return options;
  }
  void equip(sim::Host& host) override { network_.add_host(host); }
  void attach(sim::Host& host, sim::SimProcess& process) override {
    process.attach(network_.attach(host, process), std::make_unique<test::NoFiles>());
  }

  HostId some_host(RandomStream& random) {
    return HostId(
        static_cast<std::uint32_t>(random.below(static_cast<std::uint64_t>(options().nodes))));
  }
  void more_trouble(RandomStream& random) override {
    const std::uint64_t kind = random.below(12);
    const HostId a = some_host(random);
    const HostId b = some_host(random);
    if (kind == 0) {  // Half of the world from the other half.
      std::vector<HostId> low, high;
      for (int i = 0; i < options().nodes; ++i) {
        (i % 2 == 0 ? low : high).push_back(HostId(static_cast<std::uint32_t>(i)));
      }
      cuts_.push_back(network_.cut(low, high, sim::Direction::both));
    }
    if (kind == 1) {
      const HostId from[] = {a};
      const HostId to[] = {b};
      const sim::TrafficFilter filter{.ports = {kPort}};
      cuts_.push_back(network_.cut(from, to, sim::Direction::one_way, filter));
    }
    if (kind < 6 && !cuts_.empty()) {
      network_.heal(cuts_.front());
      cuts_.erase(cuts_.begin());
    }
    if (kind == 6 && a != b) network_.reset_connections(a, b);
  }

  // Reads exactly `size` bytes.
  Task<Result<ByteChain>> read_all(Stream& stream, std::size_t size, Deadline deadline) {
    ByteChain all;
    while (all.size() < size) {
      Result<ByteChain> more = co_await stream.read(size - all.size(), deadline);
      if (!more) co_return more.error();
      all.append(std::move(*more));
    }
    co_return all;
  }

  Task<void> serve(Context& context, std::unique_ptr<Stream> stream) {
    for (;;) {
      const Deadline deadline = context.clock.now() + Duration::ms(400);
      Result<ByteChain> head = co_await read_all(*stream, kWord, deadline);
      if (!head) co_return;
      std::uint64_t length = 0;
      head->copy_to(0, std::as_writable_bytes(std::span(&length, 1)));
      Result<ByteChain> body = co_await read_all(*stream, length, deadline);
      if (!body) co_return;
      const std::uint64_t sum = sum_of(*body);
      context.observer.event(EventName::store_appended, static_cast<std::int64_t>(sum),
                             static_cast<std::int64_t>(length));
      Result<void> answered = co_await stream->write(word_of(sum), deadline);
      if (!answered) co_return;
    }
  }

  Task<void> listen(Context& context, TaskScope& scope) {
    Result<std::unique_ptr<Listener>> listener = context.network.listen(kPort);
    if (!listener) co_return;
    for (;;) {
      Result<std::unique_ptr<Stream>> accepted = co_await (*listener)->accept();
      if (!accepted) co_return;
      scope.spawn(serve(context, std::move(*accepted)));
    }
  }

  SharedBytes request(RandomStream& random) {
    const std::uint64_t length = 1 + random.below(8'000);
    SharedBytes bytes = SharedBytes::allocate(kWord + length);
    std::memcpy(bytes.writable().data(), &length, kWord);
    std::uint64_t value = random.next();
    for (std::byte& byte : bytes.writable().subspan(kWord)) {
      byte = static_cast<std::byte>(value >> 56);
      value = value * 6364136223846793005 + 1442695040888963407;
    }
    return bytes;
  }

  // One conversation; gives up at the first error.
  Task<Result<void>> talk(Context& context, Endpoint to, RandomStream& random) {
    const Deadline deadline = context.clock.now() + Duration::ms(60);
    const ConnectOptions connect{.deadline = deadline};
    Result<std::unique_ptr<Stream>> stream = co_await context.network.connect(to, connect);
    if (!stream) co_return stream.error();
    const std::uint64_t requests = 1 + random.below(4);
    for (std::uint64_t i = 0; i < requests; ++i) {
      const SharedBytes bytes = request(random);
      Result<void> sent = co_await (*stream)->write(bytes, deadline);
      if (!sent) co_return sent;
      Result<ByteChain> answer = co_await read_all(**stream, kWord, deadline);
      if (!answer) co_return answer.error();
      std::uint64_t sum = 0;
      answer->copy_to(0, std::as_writable_bytes(std::span(&sum, 1)));
      ENSURE(sum == sum_of(ByteChain(bytes.slice(kWord, bytes.size() - kWord))));
    }
    if (random.chance(1, 4)) (*stream)->finish_writing();
    if (random.chance(1, 8)) (*stream)->reset();
    co_return Result<void>();
  }

  Task<void> talk_to_all(Context& context) {
    RandomStream random = context.random.stream("talk");
    for (;;) {
      const Duration pause = Duration::us(random.between(500, 25'000));
      Result<void> slept = co_await sleep_for(context.clock, pause);
      if (!slept) co_return;
      const Endpoint to{0x0a000001 + some_host(random).value(), kPort};
      Result<void> talked = co_await talk(context, to, random);
      if (talked) continue;
      context.observer.event(EventName::store_flush_failed,
                             static_cast<std::int64_t>(talked.error().code()), to.address);
      if (talked.error().code() == ErrorCode::cancelled) co_return;
    }
  }

  Task<void> node(Context& context, int) override {
    TaskScope scope(context.scope);
    scope.spawn(listen(context, scope));
    scope.spawn(talk_to_all(context));
    scope.spawn(talk_to_all(context));
    Result<void> told = co_await context.terminate.wait();
    ENSURE(told.has_value());
    scope.cancel();
    co_await scope.join();
  }

  sim::SimNetwork network_;
  std::vector<sim::CutId> cuts_;
};

}  // namespace

std::unique_ptr<sim::Verifiable> make_stream_crowd(CrowdOptions options) {
  return std::make_unique<StreamCrowd>(options);
}

}  // namespace drydock::fingerprint
