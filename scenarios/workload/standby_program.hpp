// The program of a bare standby: a host attaches a disk that another one has mounted, uses the
// device through its page cache meanwhile, and takes the disk over. The order is that of the
// design, section 5: purge; claim; confirm; purge; check, mount, replay; then every record is read
// back. How many purges there are, and where, the drill says.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/runtime/context.hpp"
#include "engine/runtime/host_control.hpp"
#include "reports/record/run_result.hpp"
#include "scenarios/drill/drill.hpp"
#include "scenarios/workload/records.hpp"

namespace drydock::scenarios {

// Where it stands in the world.
struct StandbyPlace {
  std::string device;
  ReservationKey key;
  HostControl& control;
  std::vector<RecordFile> files;      // On the disk.
  std::function<std::int64_t()> now;  // The run's own time in ns.
};

// Takes over once; then keeps the device open and the disk mounted, and returns after
// `context.terminate` was set. `spec` and `facts` outlive the process.
Task<void> run_standby(Context& context, const StandbySpec& spec, StandbyPlace place,
                       reports::TakeoverFacts& facts);

}  // namespace drydock::scenarios
