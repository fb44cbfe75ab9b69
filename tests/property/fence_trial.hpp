// A disk that three hosts share under a Write Exclusive reservation (type 1): random orders to
// device and hosts, and after every event of the kernel a look at every block. Whatever changed
// must have been changed by somebody who may. tests/property/fence_laws.cpp draws the steps.
//
// Who may change the media, as a deliberately simple model. It asks the device who holds the
// reservation, and keeps:
//
//   the holder     may, and everybody while nothing is held
//   a remnant      a host that was entitled before the reservation passed: what it had sent may
//                  still land, until the preempt-and-abort that took the reservation away from it
//                  has succeeded. What an acquire leaves (it fences nobody) is a remnant until the
//                  device loses its power.
//
// A preempt that its host gave up goes on at the device, and what a second one then answers says
// nothing about the first: the host's preempts close nothing any more (until the device loses its
// power).
#pragma once

#include <array>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/support/disk_world.hpp"

namespace drydock::test {

enum class FenceAct : std::uint8_t {
  add,      // The host registers.
  acquire,  // It acquires.
  preempt,  // It takes the reservation from whoever holds it; sometimes it names `other`.
  write,
  flush,
  hang,
  end_hang,
  slow,
  fail,
  cut,
  mend,
  device_power,
  host_power,
  panic,
  wait,
  count_
};
inline constexpr const char* kFenceActs[] = {"add",  "acquire",      "preempt",    "write", "flush",
                                             "hang", "end hang",     "slow",       "fail",  "cut",
                                             "mend", "device power", "host power", "panic", "wait"};

struct FenceStep {
  FenceAct act = FenceAct::wait;
  int host = 0;
  int other = 0;
  int block = 0;
  int length = 1;   // Blocks.
  int variant = 0;  // Of faults: which commands, and what aborts and resets come to.
  int events = 0;   // Run after it.
};

struct FenceOptions {
  sim::ReservationOptions reservations = sim::spec_reservations();
  sim::DiskProfile profile = flat_profile();
  PersistThroughPowerLoss persist = PersistThroughPowerLoss::keep;
  // How the reservation is taken away. Believed to fence, whatever it is.
  sim::AcquireAction preempt = sim::AcquireAction::preempt_and_abort;
  std::uint64_t seed = 1;
};

class FenceTrial {
 public:
  static constexpr int kHosts = 3;
  static constexpr int kBlocks = 6;

  explicit FenceTrial(const FenceOptions& options)
      : options_(options),
        kernel_({.seed = options.seed}),
        disk_(kernel_, DiskId(1), disk_options(options)) {
    for (int i = 0; i < kHosts; ++i) {
      const auto number = static_cast<std::uint32_t>(i + 1);
      hosts_.push_back(std::make_unique<sim::Host>(
          kernel_, HostId(number), sim::HostOptions{.name = "h" + std::to_string(number)}));
      paths_.push_back(std::make_unique<sim::DiskPath>(disk_, *hosts_.back()));
      add(i);
    }
    acquire(0);
    run(1000);
    ENSURE(disk_.reservations()->holder().has_value());
  }

  // Empty, or what broke the law.
  std::string take(const FenceStep& step) {
    act(step);
    run(step.events);
    return trouble_;
  }
  std::string finally() {
    for (const sim::DiskFaultId fault : faults_) disk_.end(fault);
    run(1'000'000);
    return trouble_;
  }
  // Blocks that changed; by a host that held nothing any more; times that the reservation passed.
  int changes() const { return changes_; }
  int remnants_landed() const { return remnants_landed_; }
  int passes() const { return passes_; }

 private:
  static constexpr std::int64_t kUnit = 512;
  static constexpr int kUnits = static_cast<int>(sim::kPageBytes / kUnit);
  using Stamps = std::array<std::uint64_t, kUnits>;

  struct Pending {  // A preempt that has not answered.
    int victim = 0;
    int pass = -1;  // The pass of the reservation that it made; -1: none yet.
  };
  struct Scanned {
    Stamps stamps{};
    sim::BlockOrigin origin;
    std::vector<std::uint64_t> sent;  // Writes of it.
    // Of these, by authors who might have landed them: several may have in one event.
    std::set<std::uint64_t> ever;
  };

  static sim::DiskOptions disk_options(const FenceOptions& options) {
    return {
        .name = "d0",
        .capacity_bytes = kBlocks * sim::kPageBytes,
        .profile = options.profile,
        .placement = sim::DiskPlacement::remote,
        .reservations = options.reservations,
        .queue = {.reset_time = Duration::us(400), .admin_timeout = Duration::ms(3), .links = 2}};
  }
  static std::size_t at(int index) { return static_cast<std::size_t>(index); }
  static ReservationKey key_of(int host) { return {static_cast<std::uint64_t>(host) + 0xa}; }

  class Command : public sim::DiskCommand {
   public:
    using DiskCommand::Flush;
    using DiskCommand::Reserve;
    using DiskCommand::Write;
    template <class What>
    Command(FenceTrial& trial, int host, bool preempts, What what)
        : DiskCommand(std::move(what)), trial_(trial), host_(host), preempts_(preempts) {}
    void completed(Result<void> outcome) override {
      if (preempts_) trial_.preempt_ended(host_, outcome.has_value());
    }

   private:
    FenceTrial& trial_;
    int host_;
    bool preempts_;
  };

  template <class What>
  void send(int host, What what, bool preempts = false) {
    paths_[at(host)]->submit(std::make_unique<Command>(*this, host, preempts, std::move(what)));
  }
  void add(int host) {
    send(host,
         Command::Reserve{sim::RegisterRequest{.next = key_of(host), .persist = options_.persist}});
  }
  void acquire(int host) {
    send(host, Command::Reserve{sim::AcquireRequest{.current = key_of(host),
                                                    .type = ReservationType::write_exclusive}});
  }
  void preempt(int host, int victim) {
    if (pending_.contains(host) || host == victim) return;
    add(host);  // It may have been preempted itself; if not, that changes nothing.
    pending_[host] = {.victim = victim};
    send(host,
         Command::Reserve{sim::AcquireRequest{.action = options_.preempt,
                                              .current = key_of(host),
                                              .victim = key_of(victim),
                                              .type = ReservationType::write_exclusive}},
         true);
  }
  void write(const FenceStep& step) {
    const int length = std::min(step.length, kBlocks - step.block);
    const std::uint64_t stamp = authors_.size() + 1;
    authors_.push_back(step.host);
    for (int block = step.block; block < step.block + length; ++block) {
      blocks_[at(block)].sent.push_back(stamp);
    }
    if (!holder_) wrote_freely_.insert(step.host);
    SharedBytes bytes = SharedBytes::allocate(at(length) * sim::kPageBytes);
    for (std::size_t unit = 0; unit < bytes.size(); unit += kUnit) {
      std::memset(bytes.writable().data() + unit, 0, kUnit);
      std::memcpy(bytes.writable().data() + unit, &stamp, sizeof stamp);
    }
    send(step.host, Command::Write{.offset = step.block * sim::kPageBytes,
                                   .bytes = ByteChain(std::move(bytes))});
  }

  void begin_hang(const FenceStep& step) {
    using Kind = sim::DiskCommand::Kind;
    sim::CommandSet commands;
    if (step.variant % 3 == 0) commands.kind = Kind::write;
    if (step.variant % 3 == 1) commands.ranges = {{.from = 0, .to = 2 * sim::kPageBytes}};
    sim::Hang hang;
    if (step.variant / 3 % 2 == 1) hang.abort = sim::Hang::Abort::obeyed;
    hang.reset = sim::Hang::Reset(step.variant / 6 % 3);
    faults_.push_back(disk_.begin({.commands = commands, .effect = hang}));
  }

  void act(const FenceStep& step) {
    sim::BlockQueue& queue = paths_[at(step.host)]->queue();
    switch (step.act) {
      case FenceAct::add: return add(step.host);
      case FenceAct::acquire: return acquire(step.host);
      case FenceAct::preempt:
        return preempt(step.host, step.variant % 4 == 0 ? step.other : holder_.value_or(0));
      case FenceAct::write: return write(step);
      case FenceAct::flush: return send(step.host, Command::Flush());
      case FenceAct::hang: return begin_hang(step);
      case FenceAct::end_hang:
        for (const sim::DiskFaultId fault : faults_) disk_.end(fault);
        return faults_.clear();
      case FenceAct::slow: return disk_.set_slowness(step.variant % 2 == 0 ? 1000 : 8000);
      case FenceAct::fail: return disk_.fail_next(sim::DiskCommand::Kind::write, 1);
      case FenceAct::cut:
        queue.cut(queue.link(), {.noticed_after = Duration::us(300),
                                 .late_by = Duration::us(200) * (step.variant % 3)});
        return;
      case FenceAct::mend: return queue.mend(step.variant % 2);
      case FenceAct::device_power: return cut_device_power();
      case FenceAct::host_power: return lose_host(step.host, &sim::Host::lose_power);
      case FenceAct::panic: return lose_host(step.host, &sim::Host::panic);
      case FenceAct::wait: return run(40);
      case FenceAct::count_: return;
    }
  }
  void lose_host(int host, void (sim::Host::*how)()) {
    (hosts_[at(host)].get()->*how)();
    run(1);
    hosts_[at(host)]->restore_power();
    run(1);
    if (pending_.erase(host) > 0) gave_up_.insert(host);
  }
  void cut_device_power() {
    disk_.lose_power();
    observe(true);
    // Nothing of what was sent before lands from now on.
    remnants_.clear();
    gave_up_.clear();
    wrote_freely_.clear();
    run(40);  // Their ends are told.
    disk_.restore_power();
  }

  void run(int events) {
    const std::int64_t limit = kernel_.now() + Duration::ms(20).count_ns();
    for (int i = 0; i < events && trouble_.empty() && kernel_.step(limit); ++i) observe(false);
  }

  void preempt_ended(int host, bool succeeded) {
    const auto entry = pending_.find(host);
    if (entry == pending_.end()) return;
    const Pending ended = entry->second;
    pending_.erase(entry);
    if (!succeeded) {
      gave_up_.insert(host);
    } else if (!gave_up_.contains(host)) {
      closed_.push_back(ended);
    }
  }

  // --- The model.

  std::optional<int> device_holder() const {
    const std::optional<sim::ReservationHost> holder = disk_.reservations()->holder();
    if (!holder) return std::nullopt;
    return holder->identifier[15] - 1;
  }

  // After each event: who may, then what changed.
  void observe(bool power_lost) {
    const std::optional<int> holder = device_holder();
    if (holder && holder != holder_) passed_to(*holder);
    holder_ = holder;
    scan(power_lost);
    // Only now: a preempt that takes effect and succeeds in one event has nobody to wait for.
    for (const Pending& ended : closed_) {
      if (ended.pass < 0) continue;
      const auto remnant = remnants_.find(ended.victim);
      if (remnant != remnants_.end() && remnant->second <= ended.pass) remnants_.erase(remnant);
    }
    closed_.clear();
    const std::uint32_t generation = disk_.generation();
    if (generation != owners_) complain("the generation is " + std::to_string(generation));
  }
  void passed_to(int holder) {
    ++passes_;
    if (last_owner_ != holder) ++owners_;
    last_owner_ = holder;
    if (holder_) {
      remnants_[*holder_] = passes_;
      const auto pending = pending_.find(holder);
      if (pending != pending_.end() && pending->second.victim == *holder_) {
        pending->second.pass = passes_;
      }
      for (Pending& ended : closed_) {  // It took effect and succeeded in the same event.
        if (ended.victim == *holder_ && ended.pass < 0) ended.pass = passes_;
      }
    } else {
      for (const int host : wrote_freely_) {
        if (host != holder) remnants_[host] = kForEver;
      }
    }
  }
  bool may(int host) const { return !holder_ || *holder_ == host || remnants_.contains(host); }

  void scan(bool power_lost) {
    for (int block = 0; block < kBlocks; ++block) {
      Scanned& last = blocks_[at(block)];
      if (!power_lost) note_landings(last);
      const Stamps stamps = stamps_of(block);
      const sim::BlockOrigin origin = disk_.store().origin(block);
      if (stamps == last.stamps && origin == last.origin) continue;
      ++changes_;
      for (std::size_t unit = 0; unit < stamps.size(); ++unit) {
        if (stamps[unit] != last.stamps[unit]) check(last, stamps[unit], power_lost);
      }
      if (!power_lost) check_origin(origin);
      last.stamps = stamps;
      last.origin = origin;
    }
  }
  void note_landings(Scanned& block) {
    std::erase_if(block.sent, [this, &block](std::uint64_t stamp) {
      const bool can_land = may(authors_[stamp - 1]);
      if (can_land) block.ever.insert(stamp);
      return can_land;
    });
  }
  void check(const Scanned& block, std::uint64_t stamp, bool power_lost) {
    // A volatile cache may fall back to what the block once held.
    if (power_lost && (stamp == 0 || block.ever.contains(stamp))) return;
    if (stamp == 0 || stamp > authors_.size()) return complain("nobody wrote that");
    const int author = authors_[stamp - 1];
    if (!may(author)) return complain("a write of host " + std::to_string(author) + " landed");
    if (holder_ && *holder_ != author) ++remnants_landed_;
  }
  void check_origin(const sim::BlockOrigin& origin) {
    const int author = static_cast<int>(origin.author_host) - 1;
    if (!may(author)) complain("host " + std::to_string(author) + " is the author of a block");
    if (origin.generation != owners_) {
      complain("generation " + std::to_string(origin.generation) + " of a block");
    }
  }
  Stamps stamps_of(int block) const {
    const SharedBytes bytes =
        disk_.store().read(block * sim::kPageBytes, sim::kPageBytes).flatten();
    Stamps stamps{};
    for (std::size_t unit = 0; unit < stamps.size(); ++unit) {
      std::memcpy(&stamps[unit], bytes.data() + unit * kUnit, sizeof stamps[unit]);
    }
    return stamps;
  }
  void complain(const std::string& what) {
    trouble_ += what + " while " + (holder_ ? "host " + std::to_string(*holder_) : "nobody") +
                " held the disk, at " + std::to_string(kernel_.now() / 1000) + " us; ";
  }

  static constexpr int kForEver = 1 << 30;

  FenceOptions options_;
  sim::Kernel kernel_;
  sim::SimDisk disk_;
  std::vector<std::unique_ptr<sim::Host>> hosts_;
  std::vector<std::unique_ptr<sim::DiskPath>> paths_;
  std::vector<sim::DiskFaultId> faults_;  // Hangs.

  std::vector<int> authors_;  // Of each write, by its stamp, from 1.
  std::map<int, Pending> pending_;
  std::vector<Pending> closed_;  // Preempts that have succeeded in this event.
  std::set<int> gave_up_;        // Hosts.
  std::set<int> wrote_freely_;   // Hosts that wrote while nothing was held.
  std::map<int, int> remnants_;  // Host to the pass of the reservation that made it one.
  std::optional<int> holder_;
  std::optional<int> last_owner_;
  std::uint32_t owners_ = 0;
  int passes_ = 0;
  std::array<Scanned, kBlocks> blocks_;
  int changes_ = 0;
  int remnants_landed_ = 0;
  std::string trouble_;
};

}  // namespace drydock::test
