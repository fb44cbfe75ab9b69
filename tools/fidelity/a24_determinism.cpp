// A24: the same seed and profile give the same events, byte by byte; another seed gives others.
#include <cstdio>

#include "tools/fidelity/all.hpp"
#include "tools/fidelity/devices.hpp"
#include "tools/fidelity/set_up.hpp"

namespace drydock::fidelity {
namespace {

// Of every event of a run: a writer with an msync thread on a disk whose times are drawn.
std::string fingerprint_of(std::uint64_t seed) {
  StorageWorld world(
      {.disk = native_disk(), .files = dirty_limits(32 * kMiB, 64 * kMiB), .seed = seed});
  constexpr std::int64_t kFileBytes = 512 * kMiB;
  make_file(world, "/log", kFileBytes, Contents::allocated);
  RecordWriter writer(
      world, "writer",
      {.file_bytes = kFileBytes, .length = Duration::s(1), .flush_pause = Duration::ms(100)});
  writer.wait();
  return world.kernel().fingerprint().digest().hex();
}

}  // namespace

std::vector<Row> determinism(const CalibrationData&) {
  const std::string first = fingerprint_of(1);
  return {
      same("fingerprint of the second run", fingerprint_of(1), first),
      same("another seed gives another one", fingerprint_of(2) != first ? "yes" : "no", "yes"),
  };
}

}  // namespace drydock::fidelity
