// A broker.conf with anything in it.
#include <cstdint>

#include "engine/broker/configuration.hpp"
#include "tests/fuzz/fuzzer.hpp"

namespace drydock {

std::vector<std::string> fuzz::seeds() {
  return {
      "brokerName=broker-a\nlistenPort=10911\nflushDiskType=SYNC_FLUSH\n# a comment\n"
      "brokerRole : SLAVE\nmapedFileSizeCommitLog=1\nnamesrvAddr=10.0.0.1:9876;10.0.0.2:9876\n",
      "storePathRootDir=/data/\\u00e9t\\u00e9\\\n  more\nenableDLegerCommitLog=true\n",
      "\xef\xbb\xbf"
      "inSyncReplicas = 2 \nmessageDelayLevel=1s 5s\n"};
}

}  // namespace drydock

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace drydock;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const ConfigurationResult result = parse_broker_configuration(text);
  for (const ConfigurationNote& note : result.notes) ENSURE(!describe(note).empty());
  return 0;
}
