// Two runs of the same inputs, side by side, compared event by event.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/kernel/kernel.hpp"

namespace drydock::sim {

// One simulation that can be advanced: what `--verify` needs of it.
class Verifiable {
 public:
  virtual ~Verifiable() = default;
  virtual Kernel& kernel() = 0;
  // Runs one more event; false when the run is over.
  virtual bool advance() = 0;
};

// The first place at which two runs differ.
struct Divergence {
  // Number of the event, from 0 and as Kernel::events counts them: both runs had finished that many
  // alike. What differs is the event itself, or something that it recorded.
  std::uint64_t index = 0;
  std::optional<EventRecord> first;  // What the first run did there; none: it had ended.
  std::optional<EventRecord> second;
  std::vector<EventRecord> before;  // The last events that were equal, oldest first; at most 8.
  std::string describe() const;
};

// Text of one record, as divergences and traces print it.
std::string describe(const EventRecord& record);

// Makes the run twice and drives both in turn, a ring of events at a time, so that the memory
// needed does not grow with the length of the run. Both live in this process at the same time:
// state that leaks from one into the other shows too. None if they are equal to the end.
std::optional<Divergence> verify(const std::function<std::unique_ptr<Verifiable>()>& make);

}  // namespace drydock::sim
