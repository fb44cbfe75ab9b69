// What happened to the brokers and on the way back to service, with the time at which it did: what
// they told of their stores, and what their hosts and operators did.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/runtime/context.hpp"
#include "reports/loss/provenance.hpp"
#include "reports/record/run_result.hpp"
#include "reports/rto/stages.hpp"
#include "sim/kernel/kernel.hpp"

namespace drydock::scenarios {

// How much of what stores tell is kept.
enum class Provenance : std::uint8_t {
  latest,  // Between two faults or recoveries the latest append, commit and flush of each broker.
  full,    // All of it: where each copy of a message came from, and what it met.
};

class EventLog {
 public:
  // `latest_fault_ns`: when the latest fault so far took effect, -1 if none has.
  EventLog(const sim::Kernel& kernel, Provenance provenance,
           std::function<std::int64_t()> latest_fault_ns)
      : kernel_(kernel), provenance_(provenance), latest_fault_ns_(std::move(latest_fault_ns)) {}

  // Instead of a broker: the process is another one, such as a client.
  static constexpr std::size_t kNoBroker = static_cast<std::size_t>(-1);
  // The same context, but events pass by this log, as those of the given broker. It lives as long
  // as the log.
  Context& traced(Context& context, std::size_t broker);

  // Told by the world. To the broker: it was told to start again as the master; its host has power
  // again; the file system of its host is mounted.
  void promoted(std::size_t broker) { next_life(broker).promoted_ns = kernel_.now(); }
  void power_back(std::size_t broker);
  void mounted(std::size_t broker);

  // Where the broker's log stood when the fault came, and what the first recovery after it
  // accepted. `fault_ns` < 0: there was no fault.
  reports::StoreFacts store_facts(std::size_t broker, std::int64_t fault_ns) const;
  // The end of its log as the last recovery or append left it; 0 if there was none.
  std::int64_t end_of_log(std::size_t broker) const;
  // Where its log begins because it has deleted older files; 0 if it has not.
  std::int64_t expired_to(std::size_t broker) const;
  // With full provenance: all that the broker told of its log.
  std::vector<reports::StoreEvent> store_events(std::size_t broker) const;
  // For the stages of an outage.
  const reports::WayBack& way_back() const { return way_; }
  // Whether this life of a process has told that it serves.
  bool serving(ProcessId process) const;
  // The longest time in one life of the broker in which no name server took a registration of it;
  // of its latest life until `until_ns`.
  std::int64_t registration_gap_ns(std::size_t broker, std::int64_t until_ns) const;
  // Whether a name server has taken the registration of this life of a broker.
  bool registered(ProcessId process) const;

 private:
  struct Entry {
    EventName name;
    std::size_t broker;
    std::int64_t time_ns;
    std::int64_t a;
    std::int64_t b;
  };
  // What is known of a broker besides the lives that it has led.
  struct BrokerState {
    reports::BrokerLife next;  // What will have led to its next life.
    std::size_t lives = 0;     // How many it has begun.
    std::size_t life = 0;      // The latest of them, in `way_`.
    // In `entries_`: what a later entry of its kind may replace. None after a recovery.
    std::optional<std::size_t> last_append;
    std::optional<std::size_t> last_flush;
    std::optional<std::size_t> last_commit;
    std::int64_t expired_to = 0;
    std::int64_t registered_ns = 0;  // The latest time in this life, or that of its start.
    std::int64_t registration_gap_ns = 0;
    std::vector<std::int64_t> new_slaves;  // Connected, and silent so far: their addresses.
  };

  class Tap : public Observer {
   public:
    Tap(EventLog& log, std::size_t broker, Observer& behind)
        : log_(log), broker_(broker), behind_(behind) {}
    void event(EventName name, std::int64_t a, std::int64_t b) override;
    void log(LogLevel level, std::string line) override { behind_.log(level, std::move(line)); }

   private:
    EventLog& log_;
    std::size_t broker_;
    Observer& behind_;
  };
  struct Traced {
    Traced(EventLog& log, Context& context, std::size_t broker)
        : tap(log, broker, context.observer),
          context{context.scope, context.clock,    context.random,  context.network,
                  context.files, context.workers,  context.compute, context.chaos,
                  tap,           context.terminate} {}
    Tap tap;
    Context context;
  };

  void keep(const Entry& entry);
  void life_begins(std::size_t broker);
  BrokerState& state(std::size_t broker);
  reports::BrokerLife& next_life(std::size_t broker) { return state(broker).next; }
  // Null if it has none.
  reports::BrokerLife* latest_life(std::size_t broker);
  void slave_acknowledged(std::size_t broker, std::int64_t address);
  void registered_again(std::size_t broker);

  const sim::Kernel& kernel_;
  Provenance provenance_;
  std::function<std::int64_t()> latest_fault_ns_;
  std::vector<Entry> entries_;
  std::vector<std::int64_t> ends_;        // Of logs, by broker.
  std::vector<std::int64_t> serving_;     // Process ids.
  std::vector<std::int64_t> registered_;  // Process ids.
  std::vector<BrokerState> states_;       // By broker.
  reports::WayBack way_;
  std::vector<std::unique_ptr<Traced>> traced_;
};

}  // namespace drydock::scenarios
