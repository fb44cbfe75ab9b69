// Bytes of the HA port, as they arrive in pieces: frames at a slave, reports at a master. What the
// readers give, encoded again, is what had arrived.
#include "engine/replication/ha_frames.hpp"
#include "engine/types/ensure.hpp"
#include "tests/fuzz/fuzzer.hpp"

namespace drydock::fuzz {

namespace {

ByteChain chain(std::span<const std::byte> bytes) { return ByteChain(SharedBytes::copy_of(bytes)); }

void read_frames(std::span<const std::byte> bytes, std::size_t cut) {
  HaFrameReader reader;
  HaFrame frame;
  std::string again;
  for (const auto part : {bytes.first(cut), bytes.subspan(cut)}) {
    reader.feed(chain(part));
    HaFrameReader::Step step = reader.next(frame);
    for (; step == HaFrameReader::Step::frame; step = reader.next(frame)) {
      ENSURE(frame.body.size() <= static_cast<std::size_t>(kHaBodyBytesMax));
      const auto body_bytes = static_cast<std::int32_t>(frame.body.size());
      again += text_of(encode_ha_header(frame.offset, body_bytes).span());
      again += text_of(frame.body.span());
    }
    if (step == HaFrameReader::Step::fault) break;
  }
  ENSURE(text_of(bytes).starts_with(again));
}

void read_reports(std::span<const std::byte> bytes, std::size_t cut) {
  HaReportReader reader;
  std::optional<PhysicalOffset> last;
  for (const auto part : {bytes.first(cut), bytes.subspan(cut)}) {
    const std::optional<PhysicalOffset> report = reader.feed(chain(part));
    if (report) last = report;
  }
  const std::size_t whole = bytes.size() / kHaReportBytes;
  ENSURE(last.has_value() == (whole > 0));
  if (!last) return;
  const auto newest = bytes.subspan((whole - 1) * kHaReportBytes, kHaReportBytes);
  ENSURE(text_of(encode_ha_report(*last).span()) == text_of(newest));
}

}  // namespace

std::vector<std::string> seeds() {
  const std::string beat = text_of(encode_ha_header(PhysicalOffset(4096), 0).span());
  const std::string frame = text_of(encode_ha_header(PhysicalOffset(4096), 5).span()) + "bytes";
  const std::string report = text_of(encode_ha_report(PhysicalOffset(4101)).span());
  return {"\x05" + beat + frame + beat, "\x10" + frame + frame, "\x03" + report + report};
}

}  // namespace drydock::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace drydock;
  if (size == 0) return 0;
  const std::span<const std::byte> bytes = fuzz::bytes_of(data + 1, size - 1);
  const std::size_t cut = data[0] % size;  // At most all of the rest.
  fuzz::read_frames(bytes, cut);
  fuzz::read_reports(bytes, cut);
  return 0;
}
