// A repro.json with anything in it: read, or refused in one line. What was read is written as what
// is read again.
#include <stdexcept>

#include "engine/types/ensure.hpp"
#include "reports/render/repro.hpp"
#include "tests/fuzz/fuzzer.hpp"

namespace drydock::fuzz {

std::vector<std::string> seeds() {
  const reports::Repro repro{.version = "0.1.0",
                             .scenario = R"({"drill":"d"})",
                             .runs = {{.seed = 7,
                                       .fingerprint = "00112233445566778899aabbccddeeff",
                                       .verdict = reports::Verdict::safety,
                                       .note = "lost 1"}}};
  return {reports::render_repro(repro)};
}

}  // namespace drydock::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace drydock;
  try {
    const reports::Repro repro = reports::parse_repro(std::string(fuzz::text_of(data, size)));
    const std::string once = reports::render_repro(repro);
    ENSURE(reports::render_repro(reports::parse_repro(once)) == once);
  } catch (const std::runtime_error& refusal) {
    const std::string_view line = refusal.what();
    ENSURE(!line.empty());
    ENSURE(!line.contains('\n'));
  }
  return 0;
}
