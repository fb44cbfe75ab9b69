// Disk profiles and fio's results with anything in them: accepted, or refused in one line that
// names the file. What was accepted is written as what is accepted again.
#include <cstdint>

#include "engine/types/ensure.hpp"
#include "sim/disk/depth_model.hpp"
#include "sim/profiles/builtin_profiles.hpp"
#include "sim/profiles/fit.hpp"
#include "sim/profiles/profile_reader.hpp"
#include "sim/profiles/profile_writer.hpp"
#include "tests/fuzz/fuzzer.hpp"

namespace {

void expect_one_line(const std::string& refusal) {
  ENSURE(refusal.starts_with("f.json:"));
  ENSURE(!refusal.contains('\n'));
}

}  // namespace

namespace drydock {

std::vector<std::string> fuzz::seeds() {
  return {
      sim::write_profile(*sim::builtin_profile("local-nvme")),
      R"({"fio version":"fio-3.33","jobs":[{"jobname":"r","job options":{"rw":"randread",)"
      R"("bs":"4k","iodepth":"1","direct":"1"},"read":{"iops":9000.0,"bw_bytes":36864000,)"
      R"("total_ios":1000,"clat_ns":{"min":1,"max":9,"mean":5.0,"percentile":{"50.000000":5}}}}]})"};
}

}  // namespace drydock

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace drydock;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto profile = sim::read_profile("f.json", text);
  if (profile) {
    ENSURE(sim::read_profile("f.json", sim::write_profile(*profile)).has_value());
  } else {
    expect_one_line(profile.error());
  }
  const auto jobs = sim::read_fio("f.json", text);
  if (jobs) {
    (void)sim::calibrate(*jobs, *sim::builtin_profile("local-nvme"),
                         {.name = "f", .model = sim::command_ns_at_depth});
  } else {
    expect_one_line(jobs.error());
  }
  return 0;
}
