#include "engine/types/bytes.hpp"

#include <algorithm>

namespace drydock {

void ByteChain::copy_to(std::size_t offset, std::span<std::byte> into) const {
  ENSURE(offset <= size_);
  ENSURE(into.size() <= size_ - offset);
  for (const SharedBytes& piece : pieces_) {
    if (into.empty()) return;
    if (offset >= piece.size()) {
      offset -= piece.size();
      continue;
    }
    const std::size_t length = std::min(piece.size() - offset, into.size());
    std::memcpy(into.data(), piece.data() + offset, length);
    into = into.subspan(length);
    offset = 0;
  }
}

SharedBytes ByteChain::flatten() const {
  if (pieces_.empty()) return {};
  if (pieces_.size() == 1) return pieces_.front();
  SharedBytes whole = SharedBytes::allocate(size_);
  copy_to(0, whole.writable());
  return whole;
}

}  // namespace drydock
