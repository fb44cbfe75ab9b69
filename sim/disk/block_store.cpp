#include "sim/disk/block_store.hpp"

#include <algorithm>
#include <map>

namespace drydock::sim {
namespace {

std::size_t to_size(std::int64_t value) { return static_cast<std::size_t>(value); }

// How much of what is in doubt a power loss keeps. Uniform choices alone would make "everything"
// and "nothing" too rare to be seen.
enum class Kept : std::uint8_t { nothing, everything, oldest, any };

Kept draw_kept(RandomStream& stream) { return static_cast<Kept>(stream.below(4)); }

}  // namespace

ByteChain BlockStore::read(std::int64_t offset, std::int64_t length) const {
  ENSURE(offset >= 0);
  ENSURE(length <= options_.capacity_bytes - offset);
  ByteChain result;
  while (length > 0) {
    const std::int64_t inside = offset % kPageBytes;
    const std::int64_t piece = std::min(length, kPageBytes - inside);
    const Block* const block = blocks_.find(offset / kPageBytes);
    const bool absent = block == nullptr || block->bytes.empty();
    const SharedBytes& bytes = absent ? zero_page_ : block->bytes;
    result.append(bytes.slice(to_size(inside), to_size(piece)));
    offset += piece;
    length -= piece;
  }
  return result;
}

void BlockStore::write(std::int64_t offset, const ByteChain& bytes, BlockOrigin origin,
                       Landing landing) {
  ENSURE(offset >= 0);
  ENSURE(static_cast<std::int64_t>(bytes.size()) <= options_.capacity_bytes - offset);
  for (const SharedBytes& piece : bytes.pieces()) {
    std::int64_t done = 0;
    const auto size = static_cast<std::int64_t>(piece.size());
    while (done < size) {
      const std::int64_t inside = offset % kPageBytes;
      const std::int64_t part = std::min(size - done, kPageBytes - inside);
      const std::int64_t block = offset / kPageBytes;
      if (part == kPageBytes) {
        put(block, piece.slice(to_size(done), to_size(part)), origin, landing);
      } else {
        const Block* const old = blocks_.find(block);
        const SharedBytes base = old == nullptr ? SharedBytes() : old->bytes;
        put(block, overlaid(base, inside, piece.span().subspan(to_size(done), to_size(part))),
            origin, landing);
      }
      offset += part;
      done += part;
    }
  }
}

void BlockStore::put(std::int64_t block, SharedBytes bytes, BlockOrigin origin, Landing landing) {
  Block& entry = blocks_.at(block);
  const std::uint64_t write = next_write_++;
  if (options_.volatile_cache) {
    undo_.push_back({write, block, std::move(entry), landing == Landing::durable});
    const auto cached = static_cast<std::int64_t>(undo_.size()) * kPageBytes;
    if (cached > options_.cache_bytes) undo_.pop_front();
  }
  entry.bytes = std::move(bytes);
  entry.origin = origin;
}

void BlockStore::make_durable(std::uint64_t mark) {
  while (!undo_.empty() && undo_.front().write < mark) undo_.pop_front();
}

void BlockStore::lose_power(RandomStream& stream) {
  const Kept kept = draw_kept(stream);
  const std::uint64_t oldest = undo_.empty() ? 0 : undo_.front().write;
  const std::uint64_t cut = oldest + (undo_.empty() ? 0 : stream.below(next_write_ - oldest + 1));
  // Per block, oldest first: what it was at the last durable point, then each later version but the
  // present one.
  std::map<std::int64_t, std::vector<Undo>> by_block;
  for (Undo& undo : undo_) by_block[undo.block].push_back(std::move(undo));
  undo_.clear();
  for (auto& [block, undos] : by_block) {
    std::vector<Block> versions;
    std::uint64_t before_cut = 0;  // Index of the newest version that was written before the cut.
    for (Undo& undo : undos) {
      versions.push_back(std::move(undo.previous));
      if (undo.durable_after) {
        versions.clear();
        before_cut = 0;
      } else if (undo.write < cut) {
        before_cut = versions.size();
      }
    }
    if (versions.empty()) continue;
    versions.push_back(blocks_.at(block));
    std::uint64_t keep = 0;
    if (kept == Kept::everything) keep = versions.size() - 1;
    if (kept == Kept::oldest) keep = before_cut;
    if (kept == Kept::any) keep = stream.below(versions.size());
    const bool torn = kept == Kept::any && stream.chance(1, 4);
    keep_one_version(block, std::move(versions), keep, torn, stream);
  }
}

void BlockStore::keep_one_version(std::int64_t block, std::vector<Block> versions,
                                  std::uint64_t keep, bool torn, RandomStream& stream) {
  const Block& kept = versions[keep];
  SharedBytes bytes = kept.bytes;
  if (torn) {
    const Block& other = versions[stream.below(versions.size())];
    bytes = mix(kept.bytes, other.bytes, stream);
  }
  Block& entry = blocks_.at(block);
  entry.bytes = std::move(bytes);
  entry.origin = kept.origin;
}

// `bytes` written over the part of `base` that begins at `inside`.
SharedBytes BlockStore::overlaid(const SharedBytes& base, std::int64_t inside,
                                 std::span<const std::byte> bytes) const {
  SharedBytes result = SharedBytes::copy_of(base.empty() ? zero_page_.span() : base.span());
  std::memcpy(result.writable().data() + inside, bytes.data(), bytes.size());
  return result;
}

SharedBytes BlockStore::mix(const SharedBytes& older, const SharedBytes& newer,
                            RandomStream& stream) const {
  SharedBytes result = SharedBytes::allocate(to_size(kPageBytes));
  const std::span<std::byte> into = result.writable();
  const SharedBytes& first = older.empty() ? zero_page_ : older;
  const SharedBytes& second = newer.empty() ? zero_page_ : newer;
  const std::size_t unit = to_size(options_.atomic_write_bytes);
  for (std::size_t at = 0; at < into.size(); at += unit) {
    const SharedBytes& chosen = stream.chance(1, 2) ? second : first;
    std::memcpy(into.data() + at, chosen.data() + at, unit);
  }
  return result;
}

void BlockStore::write_in_part(std::int64_t offset, const ByteChain& bytes, BlockOrigin origin,
                               Landing landing, RandomStream& stream) {
  const Kept kept = draw_kept(stream);
  const std::int64_t unit = options_.atomic_write_bytes;
  const auto size = static_cast<std::int64_t>(bytes.size());
  const std::int64_t first_unit = offset / unit;
  const std::int64_t units = (offset + size + unit - 1) / unit - first_unit;
  const std::int64_t prefix = stream.between(0, units);
  if (kept == Kept::nothing) return;
  if (kept == Kept::everything) return write(offset, bytes, origin, landing);
  const SharedBytes flat = bytes.flatten();
  for (std::int64_t index = 0; index < units; ++index) {
    const bool lands = kept == Kept::oldest ? index < prefix : stream.chance(1, 2);
    if (!lands) continue;
    const std::int64_t from = std::max((first_unit + index) * unit, offset);
    const std::int64_t to = std::min((first_unit + index + 1) * unit, offset + size);
    write(from, ByteChain(flat.slice(to_size(from - offset), to_size(to - from))), origin, landing);
  }
}

void BlockStore::discard(std::int64_t block, std::int64_t count) {
  for (std::int64_t index = block; index < block + count; ++index) {
    Block* const entry = blocks_.find(index);
    if (entry != nullptr) entry->bytes = SharedBytes();
  }
}

BlockOrigin BlockStore::origin(std::int64_t block) const {
  const Block* const entry = blocks_.find(block);
  return entry == nullptr ? BlockOrigin() : entry->origin;
}

}  // namespace drydock::sim
