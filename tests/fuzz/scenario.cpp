// A scenario file with anything in it: accepted, or refused in one line that names the file.
#include <cstdint>

#include "engine/types/ensure.hpp"
#include "scenarios/loader/loader.hpp"
#include "tests/fuzz/fuzzer.hpp"

namespace drydock {

std::vector<std::string> fuzz::seeds() {
  return {
      R"({"drill":"d","topology":{"hosts":{"h":{"disk":{"profile":"local-nvme","size":"8 GiB"}}},)"
      R"("brokers":{"b":{"host":"h"}}},"load":{"producers":{"p":{"rate":"50/s","body":"1 KiB"}}},)"
      R"("phases":{"warm":"2 s","fault":"5 s"},"faults":[{"kind":"host.power-loss","where":"h",)"
      R"("at":"1 s"}],"expect":[{"lost":0}],"seeds":"1..3"})",
      "{ // a comment\n  \"drill\": \"d\" }"};
}

}  // namespace drydock

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace drydock;
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    (void)scenarios::parse_drill("f.json", text);
  } catch (const scenarios::InputError& error) {
    ENSURE(std::string_view(error.what()).starts_with("f.json:"));
  }
  return 0;
}
