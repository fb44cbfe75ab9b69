// What a stream promises under any schedule of faults, against a model that fits in a screen.
//
// Two processes on two hosts are connected and then do at random: write, read, finish, close,
// reset, stop, die; links are cut both ways or one way, healed, made lossy; hosts lose power and
// return; time passes. The model knows only what was handed to write and what came out of read:
//
//   1. What is read is a prefix of what the peer wrote, byte for byte.
//   2. A read that waits while its direction is cut gets nothing until the cut is healed.
//   3. end_of_stream comes only if the peer has finished, closed or was killed (not if its host
//   went
//      dark), and not before the last byte of its last completed write.
//   4. connection_reset comes only if the peer has closed, was killed or went dark, or one of them
//      reset the connection or gave up.
//   5. timed_out comes only after about 15 minutes of cuts, darkness or loss.
//   6. Completed writes exceed what was read by no more than send buffer and receive window.
//   7. Every read and write returns once.
//   8. If both live, then after healing everything that was written arrives, and then the end. If
//   one
//      is gone and the other still sends, it learns of it.
//   9. When both are gone, nothing is left of the connection.
//  10. The same run has the same fingerprint.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "tests/support/net_world.hpp"

namespace drydock::test {
namespace {

enum class Deed : std::uint8_t {
  write,
  hasty_write,
  read,
  finish,
  close,
  reset,
  stop,
  go_on,
  kill,
  lose_power,
  restore_power,
  cut_both,
  cut_to,
  cut_from,
  heal,
  lossy,
  lossless,
  wait,
  count_,
};
constexpr const char* kDeedNames[] = {
    "write",  "hasty_write", "read", "finish",     "close",         "reset",
    "stop",   "go_on",       "kill", "lose_power", "restore_power", "cut_both",
    "cut_to", "cut_from",    "heal", "lossy",      "lossless",      "wait"};
static_assert(std::size(kDeedNames) == static_cast<std::size_t>(Deed::count_));

struct Command {
  Deed deed = Deed::wait;
  int side = 0;
  int amount = 0;  // Bytes, or an index into kWaits.
};
constexpr Duration kWaits[] = {Duration::us(300), Duration::ms(1),   Duration::ms(7),
                               Duration::ms(150), Duration::ms(700), Duration::s(5),
                               Duration::s(130),  Duration::s(1'000)};

struct Setting {
  std::uint64_t seed = 0;
  int buffer_bytes = 0;
  int window_bytes = 0;
  bool jitter = false;
  bool slow = false;
  bool perturb = false;
};

std::ostream& operator<<(std::ostream& out, const Command& command) {
  return out << kDeedNames[static_cast<std::size_t>(command.deed)] << '(' << command.side << ", "
             << command.amount << ')';
}
std::ostream& operator<<(std::ostream& out, const Setting& setting) {
  return out << "seed " << setting.seed << ", send buffer " << setting.buffer_bytes << ", window "
             << setting.window_bytes << (setting.jitter ? ", jitter" : "")
             << (setting.slow ? ", slow" : "") << (setting.perturb ? ", perturbed" : "");
}

// The byte at a position of either direction: no run of them repeats within a test.
std::byte byte_at(std::size_t position, int side) {
  const std::uint64_t mixed = (position * 2 + static_cast<std::size_t>(side)) * 0x9e3779b97f4a7c15;
  return static_cast<std::byte>(mixed >> 56);
}

// One side of the connection: its process, and the model of what it sent and got.
struct Side {
  Actor* actor = nullptr;
  bool killed = false;
  bool dark = false;  // Its host lost power while it lived.
  bool stopped = false;
  bool closed = false;
  bool finished = false;
  bool wrote_short = false;     // A write failed: no more writes.
  std::size_t attempted = 0;    // Bytes handed to write.
  std::size_t completed = 0;    // Bytes of writes that returned ok.
  std::size_t received = 0;     // Bytes that came out of read.
  std::size_t write_bytes = 0;  // Of the write that is under way.
  bool hasty = false;           // It has a deadline.
  bool read_is_idle = false;    // Law 2: it waits, and nothing was there when the cut began.
  std::optional<ErrorCode> end;
  Pending<void> write;
  Pending<ByteChain> read;

  bool alive() const { return !killed && !dark; }
  bool usable() const { return alive() && !closed; }
};

class Run {
 public:
  explicit Run(const Setting& setting)
      : setting_(setting), world_(options_of(setting), kernel_options_of(setting)) {
    sides_[0].actor = &world_.client;
    sides_[1].actor = &world_.server;
  }

  void play(const std::vector<Command>& commands) {
    for (const Command& command : commands) {
      obey(command);
      settle();
    }
    make_whole();
    if (sides_[0].usable() && sides_[1].usable() && !somebody_reset_) {
      check_that_all_arrives();
    } else {
      for (int s : {0, 1}) check_that_the_survivor_learns(s);
    }
    check_that_nothing_is_left();
  }
  sim::Digest fingerprint() const { return world_.kernel.fingerprint().digest(); }

 private:
  static sim::LinkProfile link_of(const Setting& setting, std::uint32_t loss_ppm) {
    sim::LinkProfile profile = flat_link(Duration::ms(1));
    if (setting.jitter)
      profile.latency = {{0, 100'000}, {900'000, 3'000'000}, {1'000'000, 90'000'000}};
    if (setting.slow) profile.bandwidth_bytes_per_s = 100'000;
    profile.loss_ppm = loss_ppm;
    return profile;
  }
  static sim::NetworkOptions options_of(const Setting& setting) {
    sim::NetworkOptions options = flat_network();
    options.link = link_of(setting, 0);
    options.send_buffer_bytes = setting.buffer_bytes;
    options.receive_window_bytes = setting.window_bytes;
    return options;
  }
  static sim::KernelOptions kernel_options_of(const Setting& setting) {
    return {.seed = setting.seed, .perturb_schedule = setting.perturb};
  }

  void obey(const Command& command) {
    const int s = command.side;
    Side& side = sides_[s];
    switch (command.deed) {
      case Deed::write: return write(s, command.amount, kNever);
      case Deed::hasty_write: return write(s, command.amount, side.actor->in(Duration::ms(50)));
      case Deed::read: return read(s, command.amount);
      case Deed::finish: return finish(s);
      case Deed::close: return close(s);
      case Deed::reset: return reset(s);
      case Deed::stop: side.stopped = true; return side.actor->process().stop();
      case Deed::go_on: side.stopped = false; return side.actor->process().proceed();
      case Deed::kill:
        side.killed = side.killed || side.alive();
        return side.actor->process().kill();
      case Deed::lose_power:
        some_host_was_dark_ = true;
        side.dark = side.dark || side.alive();
        return side.actor->host().lose_power();
      case Deed::restore_power: return side.actor->host().restore_power();
      case Deed::cut_both: return cut(s, sim::Direction::both);
      case Deed::cut_to: return cut(1 - s, sim::Direction::one_way);
      case Deed::cut_from: return cut(s, sim::Direction::one_way);
      case Deed::heal: return heal();
      case Deed::lossy: return set_loss(300'000);
      case Deed::lossless: return set_loss(0);
      case Deed::wait: return wait(kWaits[command.amount % std::size(kWaits)]);
      case Deed::count_: return;
    }
  }

  void write(int s, int bytes, Deadline deadline) {
    Side& side = sides_[s];
    if (!side.usable() || side.write || side.finished || side.wrote_short) return;
    const auto count = static_cast<std::size_t>(bytes);
    SharedBytes message = SharedBytes::allocate(count);
    for (std::size_t i = 0; i < count; ++i) {
      message.writable()[i] = byte_at(side.attempted + i, s);
    }
    side.attempted += count;
    side.write_bytes = count;
    side.hasty = deadline != kNever;
    side.write = side.actor->write(message, 0, deadline);
  }
  void read(int s, int max_bytes) {
    Side& side = sides_[s];
    if (!side.usable() || side.read || side.end) return;
    side.read = side.actor->read(0, static_cast<std::size_t>(max_bytes));
  }
  void finish(int s) {
    Side& side = sides_[s];
    if (!side.usable() || side.write) return;
    side.actor->stream().finish_writing();
    side.finished = true;
  }
  void close(int s) {
    Side& side = sides_[s];
    if (!side.usable() || side.write || side.read) return;
    side.actor->close();
    side.closed = true;
  }
  void reset(int s) {
    if (!sides_[s].usable()) return;
    somebody_reset_ = true;
    sides_[s].actor->stream().reset();
  }
  void cut(int from, sim::Direction direction) {
    const auto a = static_cast<std::size_t>(from);
    world_.cut(a, 1 - a, direction);
    cut_from_[from] = true;
    if (direction == sim::Direction::both) cut_from_[1 - from] = true;
  }
  void heal() {
    world_.network.heal_all();
    for (Side& side : sides_) side.read_is_idle = false;
    cut_from_[0] = cut_from_[1] = false;
  }
  void set_loss(std::uint32_t ppm) {
    lossy_ = ppm > 0;
    world_.set_links(link_of(setting_, ppm));
  }
  void wait(Duration length) {
    const bool trouble = cut_from_[0] || cut_from_[1] || some_host_was_dark_ || lossy_;
    if (trouble) trouble_ += length;
    world_.run_for(length);
  }

  // Lets the present moment end, then compares with the model.
  void settle() {
    world_.run_for(Duration());
    for (int s : {0, 1}) {
      collect_write(s);
      collect_read(s);
    }
    for (int s : {0, 1}) {
      Side& side = sides_[s];
      const bool could_see = side.usable() && !side.stopped;
      if (could_see && side.read && cut_from_[1 - s]) side.read_is_idle = true;
      const auto stored = static_cast<std::size_t>(setting_.buffer_bytes + setting_.window_bytes);
      RC_ASSERT(side.completed <= sides_[1 - s].received + stored);  // Law 6.
    }
  }

  void collect_write(int s) {
    Side& side = sides_[s];
    if (!side.write || !side.write->done()) return;
    RC_ASSERT(side.write->times == 1);
    if (side.write->ok()) {
      side.completed += side.write_bytes;
    } else {
      side.wrote_short = true;
      const bool deadline = side.hasty && side.write->error() == ErrorCode::timed_out;
      if (!deadline) check_error(s, *side.write->error());
    }
    side.write.reset();
  }

  void collect_read(int s) {
    Side& side = sides_[s];
    if (!side.read || !side.read->done()) return;
    RC_ASSERT(side.read->times == 1);  // Law 7.
    if (side.read->ok()) {
      RC_ASSERT(!side.read_is_idle);  // Law 2.
      take(s, **side.read->result);
    } else {
      side.end = side.read->error();
      const bool own = side.end == ErrorCode::timed_out || somebody_reset_;
      if (side.read_is_idle) RC_ASSERT(own);  // Law 2.
      check_error(s, *side.end);
    }
    side.read_is_idle = false;
    side.read.reset();
  }

  // Law 1.
  void take(int s, const ByteChain& chain) {
    Side& side = sides_[s];
    RC_ASSERT(!chain.empty());
    for (const SharedBytes& piece : chain.pieces()) {
      for (const std::byte byte : piece.span()) {
        RC_ASSERT(byte == byte_at(side.received, 1 - s));
        ++side.received;
      }
    }
    RC_ASSERT(side.received <= sides_[1 - s].attempted);
  }

  void check_error(int s, ErrorCode error) {
    const Side& side = sides_[s];
    const Side& peer = sides_[1 - s];
    switch (error) {
      case ErrorCode::end_of_stream:  // Law 3.
        RC_ASSERT(peer.finished || peer.closed || peer.killed);
        RC_ASSERT(side.received >= peer.completed);
        return;
      case ErrorCode::connection_reset:  // Law 4.
        RC_ASSERT(!peer.usable() || somebody_reset_ || trouble_ >= kGivesUp);
        return;
      case ErrorCode::timed_out:  // Law 5.
        RC_ASSERT(trouble_ >= kGivesUp);
        return;
      default: RC_FAIL("unexpected error");
    }
  }

  // What a drill does before it judges.
  void make_whole() {
    heal();
    set_loss(0);
    for (int s : {0, 1}) {
      obey({Deed::restore_power, s, 0});
      obey({Deed::go_on, s, 0});
    }
    settle();
  }

  // Law 8, the second part. A side that can't write may stay half open for ever.
  void check_that_the_survivor_learns(int s) {
    Side& side = sides_[s];
    if (!side.usable()) return;
    for (std::size_t round = 0; round < side.attempted + sides_[1 - s].attempted + 10; ++round) {
      if (side.end || side.finished || side.wrote_short) return;
      write(s, 1, kNever);
      read(s, 1'000'000);
      wait(Duration::s(130));
      settle();
    }
    RC_ASSERT(side.end || side.finished || side.wrote_short);
  }

  // Law 8, the first part.
  void check_that_all_arrives() {
    // A round brings at least a byte, unless a retransmission has to be waited for.
    const std::size_t rounds = 3 * (sides_[0].attempted + sides_[1].attempted) + 1'000;
    for (std::size_t round = 0; round < rounds && !(sides_[0].end && sides_[1].end); ++round) {
      for (int s : {0, 1}) {
        finish(s);
        read(s, 1'000'000);
      }
      const std::size_t before = sides_[0].received + sides_[1].received;
      wait(Duration::ms(50));
      settle();
      if (sides_[0].received + sides_[1].received == before) wait(Duration::s(130));
      settle();
    }
    for (int s : {0, 1}) {
      const Side& side = sides_[s];
      const Side& peer = sides_[1 - s];
      // One side gave up: the other may be half open, or be told so when it sends.
      if (trouble_ >= kGivesUp && side.end != ErrorCode::end_of_stream) continue;
      RC_ASSERT(side.end == ErrorCode::end_of_stream);
      RC_ASSERT(side.received == peer.attempted || peer.wrote_short);
      RC_ASSERT(side.received >= peer.completed);
    }
  }

  // Law 9.
  void check_that_nothing_is_left() {
    for (int s : {0, 1}) obey({Deed::kill, s, 0});
    world_.run_for(Duration::s(10));
    for (const Side& side : sides_) RC_ASSERT(!side.actor->process().alive());
    RC_ASSERT(world_.network.connections() == 0u);
    RC_ASSERT(world_.network.segments_in_use() == 0u);
  }

  static constexpr Duration kGivesUp = Duration::s(900);

  Setting setting_;
  PairWorld world_;
  Side sides_[2];
  bool cut_from_[2] = {false, false};  // What this side sends does not arrive.
  bool some_host_was_dark_ = false;
  bool lossy_ = false;
  bool somebody_reset_ = false;
  Duration trouble_;  // Time spent with a cut, a dark host or loss.
};

rc::Gen<Command> any_command() {
  const auto with = [](std::vector<Deed> deeds, int low, int high) {
    return rc::gen::build<Command>(
        rc::gen::set(&Command::deed, rc::gen::elementOf(std::move(deeds))),
        rc::gen::set(&Command::side, rc::gen::inRange(0, 2)),
        rc::gen::set(&Command::amount, rc::gen::inRange(low, high)));
  };
  const std::vector<Deed> io = {Deed::write, Deed::read, Deed::read};
  const std::vector<Deed> links = {Deed::cut_both, Deed::cut_to, Deed::cut_from, Deed::heal,
                                   Deed::heal,     Deed::heal,   Deed::lossy,    Deed::lossless};
  const std::vector<Deed> pauses = {Deed::stop, Deed::go_on, Deed::go_on, Deed::hasty_write};
  const std::vector<Deed> ends = {Deed::finish, Deed::close,      Deed::reset,
                                  Deed::kill,   Deed::lose_power, Deed::restore_power};
  return rc::gen::weightedOneOf<Command>({{10, with(io, 1, 3'000)},
                                          {8, with({Deed::wait}, 0, 6)},
                                          {1, with({Deed::wait}, 6, 8)},
                                          {4, with(links, 0, 1)},
                                          {1, with(pauses, 1, 3'000)},
                                          {1, with(ends, 0, 1)}});
}

rc::Gen<Setting> any_setting() {
  return rc::gen::build<Setting>(
      rc::gen::set(&Setting::seed, rc::gen::inRange<std::uint64_t>(0, 1'000)),
      rc::gen::set(&Setting::buffer_bytes, rc::gen::inRange(1, 6'000)),
      rc::gen::set(&Setting::window_bytes, rc::gen::inRange(1, 6'000)),
      rc::gen::set(&Setting::jitter), rc::gen::set(&Setting::slow),
      rc::gen::set(&Setting::perturb));
}

RC_GTEST_PROP(StreamLaw, WhatIsReadIsAPrefixOfWhatWasWrittenUnderAnyFaults, ()) {
  const Setting setting = *any_setting().as("setting");
  const auto commands = *rc::gen::container<std::vector<Command>>(any_command()).as("commands");
  Run run(setting);
  run.play(commands);
}

RC_GTEST_PROP(StreamLaw, TheSameRunHasTheSameFingerprint, ()) {
  const Setting setting = *any_setting().as("setting");
  const auto commands = *rc::gen::container<std::vector<Command>>(any_command()).as("commands");
  Run first(setting);
  Run second(setting);
  first.play(commands);
  second.play(commands);
  RC_ASSERT(first.fingerprint() == second.fingerprint());
}

}  // namespace
}  // namespace drydock::test
