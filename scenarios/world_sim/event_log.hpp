// What the brokers told of their stores, with the time at which they told it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/runtime/context.hpp"
#include "reports/record/run_result.hpp"
#include "sim/kernel/kernel.hpp"

namespace drydock::scenarios {

class EventLog {
 public:
  explicit EventLog(const sim::Kernel& kernel) : kernel_(kernel) {}

  // Instead of a broker: the process is another one.
  static constexpr std::size_t kNoBroker = static_cast<std::size_t>(-1);
  // The same context, but events pass by this log, as those of the given broker. It lives as long
  // as the log.
  Context& traced(Context& context, std::size_t broker);

  // Where the broker's log stood when the fault came, and what the first recovery after it
  // accepted. `fault_ns` < 0: there was no fault.
  reports::StoreFacts store_facts(std::size_t broker, std::int64_t fault_ns) const;
  // The end of its log as the last recovery or append left it; 0 if there was none.
  std::int64_t end_of_log(std::size_t broker) const;
  // How often any broker has told it so far.
  std::uint64_t count(EventName name) const { return counts_[static_cast<std::size_t>(name)]; }
  // Whether this life of a process has told that it serves.
  bool serving(ProcessId process) const;
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

  const sim::Kernel& kernel_;
  std::vector<Entry> entries_;
  std::array<std::uint64_t, static_cast<std::size_t>(EventName::count_)> counts_{};
  std::vector<std::int64_t> ends_;        // Of logs, by broker.
  std::vector<std::int64_t> serving_;     // Process ids.
  std::vector<std::int64_t> registered_;  // Process ids.
  std::vector<std::unique_ptr<Traced>> traced_;
};

}  // namespace drydock::scenarios
