// How much faster a disk gets the more commands it is given: `servers_per_doubling`, from runs with
// queues of different depths.
//
// No formula gives the rate of a disk whose commands stretch each other, draw their times from a
// table and wait for a limit. So the model of the disk runs, at every measured depth, for one value
// after another, and the value whose rates are closest is chosen.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "sim/profiles/depth_fit.hpp"

namespace drydock::sim {

enum class CommandDirection : std::uint8_t { read, write };

// How long a random command of 4 KiB takes, in ns and more than 0, if `depth` of them are there all
// the time: depth / IOPS. sim/disk has the model, which this folder can't include. The same
// arguments give the same answer.
using DepthModel =
    std::function<std::int64_t(const Profile& profile, CommandDirection direction, int depth)>;

// Fewer depths than this show no law: one parameter and the noise of two runs.
inline constexpr std::size_t kLawDepthsMin = 3;
// Slower commands are not simulated: so many servers' worth of them would overflow.
inline constexpr std::int64_t kLawTimeNsMax = 60'000'000'000;

// The runs of one direction. Depths rise from 1.
struct DepthRuns {
  CommandDirection direction = CommandDirection::read;
  std::vector<DepthPoint> points;
  DepthLimits reached;  // See DepthFit.
};

struct ParallelismFit {
  // Thousandths. None: all servers at full speed are as close, within what two runs differ by.
  std::optional<std::int64_t> per_doubling;
  std::int64_t error_percent = 0;          // Of the rates, root mean square,
  std::int64_t error_without_percent = 0;  // and with all servers at full speed.
  std::vector<std::int64_t> model_ns;      // A command's time by the fit: of each point in turn.
};

// `profile` with the servers and limits of a disk that has such a law.
Profile with_reached_limits(const Profile& profile, const std::vector<DepthRuns>& runs);

// Least squares of the relative error of commands per second, over all points of `runs`: a grid of
// values that grow by half, then finer steps around the best, down to a hundredth of a server. A
// law comes with the limits that were reached; the other values of `profile` stay as they are. Its
// tables end at kLawTimeNsMax at most.
ParallelismFit fit_parallelism(const Profile& profile, const std::vector<DepthRuns>& runs,
                               const DepthModel& model);

}  // namespace drydock::sim
