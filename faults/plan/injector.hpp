// What a world offers to make a plan come true.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "faults/plan/fault.hpp"

namespace drydock::faults {

// What became of one fault of a plan.
struct FaultStatus {
  enum class State : std::uint8_t {
    armed,   // Its trigger has not come.
    missed,  // Its trigger came, but there was nothing to break: the run proves nothing.
    active,
    ended,
  };
  State state = State::armed;
  std::string target;          // The name that the selector meant when it fired.
  std::int64_t began_ns = -1;  // The run's time, ns since its start.
  std::int64_t ended_ns = -1;
};

// A fault that is not implemented in a world refuses to run; it is never skipped in silence.
class Injector {
 public:
  virtual ~Injector() = default;

  // Arms every fault, from now on. At most once. Returns why the plan cannot be carried out here
  // (nothing is armed then), or nothing.
  [[nodiscard]] virtual std::optional<std::string> arm(const Plan& plan) = 0;
  // Takes back what is still active, and disarms what has not fired.
  virtual void heal() = 0;
  // One per fault of the plan, in its order.
  virtual const std::vector<FaultStatus>& statuses() const = 0;
};

}  // namespace drydock::faults
