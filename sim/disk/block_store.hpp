// sim/disk models block devices in virtual time: what they hold, how long a command takes, and what
// is left of it when power fails.
//
//   block_store      the bytes: media, volatile write cache, atomic unit, author of each block
//   disk_profile     service times, bandwidth, cache and atomic unit of known devices
//   disk_command     one command: read, write, flush, or about reservations; it owns its bytes
//   disk_fault       hangs, errors, slowness, lies about a flush: values
//   device_load      what load does to service times: transfers, garbage collection, parallelism
//   slow_time        products and sums of such times, which end before they run over
//   token_bucket     a budget in slices; throttle_line: commands that wait for one
//   sim_disk         the device: quota, servers, faults, power loss; what a host gives up: .._hosts
//   writeback_throttle, block_queue   the host's side: throttles, tags, time-outs, links
//   ownership_audit  what has broken the rules when the disk changed hands
//   disk_path        the connection of one host to a disk; hears of that host's power
//   sim_block_device engine/runtime's BlockDevice over a path
//   sim_reservations engine/runtime's Reservations over a path
//   reservations     NVMe reservations of a namespace, pure; how devices differ: .._options; who
//                    may do what: .._access; the bytes of a report: .._report
//   sparse_table     a table of 4 KiB blocks by number, shared with the layers above
//
// What it does not do: limits.hpp. None of it can be asked for, so no run believes that it tried
// it.
//
// This file: the bytes.
//
// A block is 4 KiB. Each is in one of these states:
//
//   absent     never written (or discarded): reads as zeros.
//   durable    its content survives a loss of the device's power.
//   volatile   (devices with a volatile cache only) written since the last flush: `undo_` holds, in
//              order of completion, what each such write replaced.
//
// Invariants:
//   - Reads see the completed writes in their order, whether volatile or not.
//   - After `make_durable(mark)` nothing completed before `mark` can be lost.
//   - A power loss leaves each atomic unit with the value of its last durable write or of any later
//     volatile one: no other bytes ever appear.
//   - Content is immutable once stored; callers share blocks with the store by reference.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "engine/types/bytes.hpp"
#include "engine/types/random_stream.hpp"
#include "sim/disk/sparse_table.hpp"

namespace drydock::sim {

// Who wrote a block last, and in which ownership generation of the disk.
struct BlockOrigin {
  std::uint32_t author_host = 0;
  std::uint32_t generation = 0;
  friend bool operator==(BlockOrigin, BlockOrigin) = default;
};

struct BlockStoreOptions {
  std::int64_t capacity_bytes = 0;        // A multiple of 4 KiB.
  std::int64_t atomic_write_bytes = 512;  // Not torn by a power loss: 512 or 4096.
  bool volatile_cache = false;
  std::int64_t cache_bytes = 0;  // Of the volatile cache; older writes drain to media.
};

class BlockStore {
 public:
  enum class Landing : std::uint8_t { cached, durable };

  explicit BlockStore(BlockStoreOptions options) : options_(options) {
    ENSURE(options.capacity_bytes % kPageBytes == 0);
    ENSURE(options.atomic_write_bytes == 512 || options.atomic_write_bytes == kPageBytes);
  }

  std::int64_t capacity_bytes() const { return options_.capacity_bytes; }

  // The bytes as the device has them now, its cache included. In range, multiples of 512.
  ByteChain read(std::int64_t offset, std::int64_t length) const;
  // A completed write. `cached` means volatile if the device has a volatile cache.
  void write(std::int64_t offset, const ByteChain& bytes, BlockOrigin origin, Landing landing);

  // A point in the order of completed writes, for `make_durable`.
  std::uint64_t mark() const { return next_write_; }
  void make_durable(std::uint64_t mark);

  // The device loses power: of each volatile block one of its versions stays, perhaps torn.
  void lose_power(RandomStream& stream);
  // A write that had not completed when its power or its host went: any subset of its atomic units
  // lands. After `lose_power`, if it was the device's power.
  void write_in_part(std::int64_t offset, const ByteChain& bytes, BlockOrigin origin,
                     Landing landing, RandomStream& stream);

  // The block need not be kept: it reads as zeros until it is written again. Its origin stays.
  void discard(std::int64_t block, std::int64_t count);

  BlockOrigin origin(std::int64_t block) const;
  // Writes that a power loss could undo.
  std::size_t volatile_writes() const { return undo_.size(); }

 private:
  struct Block {
    SharedBytes bytes;
    BlockOrigin origin;
  };
  struct Undo {
    std::uint64_t write = 0;
    std::int64_t block = 0;
    Block previous;
    bool durable_after = false;  // Written through: nothing older of this block comes back.
  };

  void put(std::int64_t block, SharedBytes bytes, BlockOrigin origin, Landing landing);
  void keep_one_version(std::int64_t block, std::vector<Block> versions, std::uint64_t keep,
                        bool torn, RandomStream& stream);
  SharedBytes overlaid(const SharedBytes& base, std::int64_t inside,
                       std::span<const std::byte> bytes) const;
  SharedBytes mix(const SharedBytes& older, const SharedBytes& newer, RandomStream& stream) const;

  BlockStoreOptions options_;
  SharedBytes zero_page_ = SharedBytes::zeros(static_cast<std::size_t>(kPageBytes));
  SparseTable<Block> blocks_;
  std::deque<Undo> undo_;
  std::uint64_t next_write_ = 0;
};

}  // namespace drydock::sim
