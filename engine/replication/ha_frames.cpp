#include "engine/replication/ha_frames.hpp"

#include <algorithm>
#include <array>

#include "engine/wire/big_endian.hpp"

namespace drydock {

SharedBytes encode_ha_report(PhysicalOffset offset) {
  SharedBytes report = SharedBytes::allocate(kHaReportBytes);
  write_big_endian(report.writable().data(), offset.value());
  return report;
}

SharedBytes encode_ha_header(PhysicalOffset offset, std::int32_t body_bytes) {
  ENSURE(body_bytes >= 0 && body_bytes <= kHaBodyBytesMax);
  SharedBytes header = SharedBytes::allocate(kHaHeaderBytes);
  BigEndianWriter writer(header.writable());
  writer.integer(offset.value());
  writer.integer(body_bytes);
  return header;
}

std::optional<PhysicalOffset> HaReportReader::feed(const ByteChain& bytes) {
  const std::size_t total = filled_ + bytes.size();
  const std::size_t left = total % kHaReportBytes;
  if (total < kHaReportBytes) {
    bytes.copy_to(0, std::span(partial_).subspan(filled_, bytes.size()));
    filled_ = total;
    return std::nullopt;
  }
  // The last complete report ends `left` bytes before the end; what came earlier is passed over.
  std::array<std::byte, kHaReportBytes> last;
  const std::size_t of_chain = std::min(bytes.size() - left, kHaReportBytes);
  const std::size_t of_partial = kHaReportBytes - of_chain;
  std::copy_n(partial_ + filled_ - of_partial, of_partial, last.data());
  bytes.copy_to(bytes.size() - left - of_chain, std::span(last).subspan(of_partial));
  bytes.copy_to(bytes.size() - left, std::span(partial_).first(left));
  filled_ = left;
  return PhysicalOffset(read_big_endian<std::int64_t>(last.data()));
}

void HaFrameReader::feed(ByteChain bytes) {
  if (at_ == bytes_.size()) {
    bytes_ = std::move(bytes);
    at_ = 0;
    return;
  }
  bytes_.append(std::move(bytes));
}

HaFrameReader::Step HaFrameReader::next(HaFrame& frame) {
  std::array<std::byte, kHaHeaderBytes> header;
  if (bytes_.size() - at_ < header.size()) return Step::need_more;
  bytes_.copy_to(at_, header);
  BigEndianReader reader(header);
  const PhysicalOffset offset(reader.integer<std::int64_t>());
  const auto size = reader.integer<std::int32_t>();
  if (offset.value() < 0 || size < 0 || size > kHaBodyBytesMax) return Step::fault;
  const auto body_bytes = static_cast<std::size_t>(size);
  if (bytes_.size() - at_ - header.size() < body_bytes) return Step::need_more;
  frame.offset = offset;
  frame.body = SharedBytes::allocate(body_bytes);
  if (body_bytes > 0) bytes_.copy_to(at_ + header.size(), frame.body.writable());
  at_ += header.size() + body_bytes;
  return Step::frame;
}

}  // namespace drydock
