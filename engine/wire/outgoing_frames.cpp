#include "engine/wire/outgoing_frames.hpp"

#include "engine/wire/big_endian.hpp"

namespace drydock {

namespace {

constexpr std::size_t kPieceBytes = 64 * 1024;

}  // namespace

SharedBytes OutgoingFrames::pop_piece() {
  ENSURE(!frames_.empty());
  std::size_t count = 1;
  std::size_t bytes = frames_.front().size();
  while (count < frames_.size() && bytes + frames_[count].size() <= kPieceBytes) {
    bytes += frames_[count++].size();
  }
  SharedBytes piece;
  if (count == 1) {
    piece = std::move(frames_.front());
  } else {
    piece = SharedBytes::allocate(bytes);
    BigEndianWriter writer(piece.writable());
    for (std::size_t i = 0; i < count; ++i) writer.bytes(frames_[i].span());
  }
  frames_.erase(frames_.begin(), frames_.begin() + static_cast<std::ptrdiff_t>(count));
  bytes_ -= bytes;
  return piece;
}

}  // namespace drydock
