// sim/fs models a journaling file system in the manner of ext4 (data=ordered, delayed allocation,
// extents unwritten until their data is on the device), or of xfs where that leaves other things
// after a crash or makes others wait; and the disks of a host: what is mounted where, and devices
// that are used without a file system.
//
//   metadata         inodes, directories, block maps; the operations that change them
//   block_allocator  free blocks
//   volume_image     what of all that is on the disk: metadata as of the last durable transaction
//   journal          transactions: running, committing, durable; who waits for which
//   checkpoint       space in the journal, and how it is won back
//   log_command      the device commands of these two
//   inode            an inode in use: its pages, its size in memory, its reads in flight
//   options          how a file system is made and mounted
//   mount            the mounted file system; mounting, names, file_io, read_io, direct_io,
//                    allocation, writeback and sync are its parts
//   raw_device       a block device through the page cache
//   mount_table      which of them a path leads to
//   process_files    engine/runtime's FileSystem, File, MappedFile as one process sees them
//   host_files       a host's disks across its power losses: what a world builds
//   node_control     engine/runtime's HostControl: mounting, checking, purging
//
// How a power loss is decided. Every change of metadata is a MetadataOp. It changes the live
// metadata at once and joins the running transaction; when the transaction's commit record is on
// the media, its operations are applied to the image on the disk. File data goes to its blocks by
// ordinary writes. After a power loss there is nothing but the image and the blocks, so the rules
// of the Linux I/O model, section 4.5, follow from when an operation is recorded:
//
//   R1 transactions are atomic and ordered     they are applied whole, one after the other.
//   R2 size grows with completed data only     `grow_size` is recorded by the end of a write.
//   R3 zeros until written and committed       blocks are mapped unwritten; `mark_written` is
//                                              recorded by the end of the write.
//   R4 rename-over forces data out             the file is `ordered` in that transaction (ext4).
//   with data=journal  R2 to R4 hold because block, size and data are in one transaction.
//   R5 page by page, R6 sectors, R7 cache      is the disk's business.
//
// Names and extents beyond what an inode holds take blocks of the volume (OwnBlocks), which may be
// missing; they are taken from its end. They are written with their inode's block.
//
// What it does not do: the bytes of metadata (a journal block holds a header only, so a damaged
// journal is a flag, not a puzzle; data in it is there as bytes), timestamps, permissions, quotas,
// hard and symbolic links; and what limits.hpp lists.
//
// This file: metadata as a value. The same class is the live state and the state on the disk.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/types/strong.hpp"
#include "engine/types/time.hpp"
#include "sim/disk/sparse_table.hpp"

namespace drydock::sim {

using InodeNumber = Id<struct InodeNumberTag, std::uint64_t>;
inline constexpr InodeNumber kRootDirectory{1};

// Consecutive blocks of the disk.
struct BlockRun {
  std::int64_t block = 0;
  std::int64_t count = 0;
};

// Where one page of a file lives: nowhere (a hole), or in a block whose content does not count yet
// (unwritten: it reads as zeros), or in a block that holds it.
class BlockRef {
 public:
  BlockRef() = default;
  static BlockRef unwritten(std::int64_t block) { return BlockRef(block, 0); }
  bool hole() const { return packed_ == 0; }
  bool written() const { return (packed_ & 1) != 0; }
  std::int64_t block() const { return packed_ >> 1; }
  void mark_written() { packed_ |= 1; }
  // Both are in one extent, if that is not too long.
  bool follows(BlockRef before) const { return packed_ == before.packed_ + 2 && !before.hole(); }

 private:
  BlockRef(std::int64_t block, std::int64_t written) : packed_(block << 1 | written) {}
  std::int64_t packed_ = 0;  // Block 0 is the superblock, never a file's.
};

// Room in blocks for what is in them. Source: ext4 (ext4_dir_entry_2, ext4_extent; blocks end in a
// checksum). xfs is taken for alike.
struct OwnBlocks {
  static constexpr std::int64_t kExtentPages = 32'768;  // Of one extent at most.
  static constexpr std::int64_t kExtentsInInode = 4;
  static constexpr std::int64_t kExtentsPerBlock = 340;
  static constexpr std::int64_t kDirectoryBlockBytes = 4096 - 12;
  static constexpr std::int64_t kDotEntriesBytes = 24;

  static std::int64_t entry_bytes(const std::string& name) {
    return (8 + static_cast<std::int64_t>(name.size()) + 3) / 4 * 4;
  }
  static std::int64_t of_directory(std::int64_t entry_bytes) {
    return (kDotEntriesBytes + entry_bytes + kDirectoryBlockBytes - 1) / kDirectoryBlockBytes;
  }
  static std::int64_t of_tree(std::int64_t extents) {
    std::int64_t blocks = 0;
    while (extents > kExtentsInInode) {
      extents = (extents + kExtentsPerBlock - 1) / kExtentsPerBlock;
      blocks += extents;
    }
    return blocks;
  }
};

struct InodeRecord {
  bool is_directory = false;
  std::int64_t links = 0;
  std::int64_t size = 0;
  WallTime modified;
  SparseTable<BlockRef> blocks;                // Of a file.
  std::map<std::string, InodeNumber> entries;  // Of a directory.
  std::int64_t entry_bytes = 0;                // They take so much room.
  std::int64_t extents = 0;                    // The file's blocks are in so many pieces.
  // Where the entries are, or the tree that leads to the extents.
  std::vector<std::int64_t> own_blocks;

  BlockRef block_of(std::int64_t page) const {
    const BlockRef* const ref = blocks.find(page);
    return ref == nullptr ? BlockRef() : *ref;
  }
  // An extent begins with this page.
  bool extent_begins(std::int64_t page) const {
    const BlockRef ref = block_of(page);
    if (ref.hole()) return false;
    return page % OwnBlocks::kExtentPages == 0 || !ref.follows(block_of(page - 1));
  }
};

// One change. Made by the functions below.
struct MetadataOp {
  enum class Kind : std::uint8_t {
    make,          // A new inode without a name.
    link,          // A name in a directory for an inode.
    unlink,        // Takes a name away.
    set_time,      // Of modification.
    set_size,      // Truncate: the size becomes exactly that.
    grow_size,     // The size becomes at least that.
    map_blocks,    // Pages of a hole get blocks, unwritten.
    mark_written,  // The blocks of pages hold their data now.
    cut,           // Pages from one on lose their blocks.
    take_block,    // The inode gets a block of its own.
    keep_blocks,   // It gives back all but so many.
    free,          // The inode and its blocks are gone.
  };
  Kind kind = Kind::make;
  bool is_directory = false;
  InodeNumber inode;       // link, unlink: the directory.
  InodeNumber target;      // link: what gets the name.
  std::int64_t page = 0;   // map_blocks, mark_written, cut.
  std::int64_t count = 0;  // map_blocks, mark_written: pages. *_size: bytes. keep_blocks.
  std::int64_t block = 0;  // map_blocks: the first one. take_block.
  WallTime time;           // make, link, unlink, set_time, set_size: of modification.
  std::string name;        // link, unlink.
};

class Metadata {
 public:
  // An empty file system: the root directory alone.
  Metadata();

  InodeRecord* find(InodeNumber number);
  std::map<InodeNumber, InodeRecord>& inodes() { return inodes_; }
  // The number that the next `make` will use.
  InodeNumber next_inode() const { return next_inode_; }

  // Makes the change. Blocks that lost their file are appended to `freed`.
  void apply(const MetadataOp& op, std::vector<BlockRun>& freed);

 private:
  static void map(InodeRecord& record, const MetadataOp& op);
  static void mark_written(InodeRecord& record, const MetadataOp& op);
  static void cut(InodeRecord& record, std::int64_t page, std::vector<BlockRun>& freed);
  static void keep(InodeRecord& record, std::int64_t blocks, std::vector<BlockRun>& freed);

  std::map<InodeNumber, InodeRecord> inodes_;
  InodeNumber next_inode_{2};
};

}  // namespace drydock::sim
