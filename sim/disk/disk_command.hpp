// One command to a disk.
#pragma once

#include <memory>
#include <optional>

#include "engine/runtime/block_device.hpp"
#include "engine/runtime/wakeup.hpp"
#include "engine/types/bytes.hpp"
#include "engine/types/memory_pool.hpp"
#include "sim/disk/reservations.hpp"

namespace drydock::sim {

class BlockQueue;
class DiskPath;
class SimDisk;

// Made by whoever issues it, then owned by the disk until it has completed, with its bytes: what
// becomes of the issuer does not stop it. `completed` is called at most once, as the last act of
// the completion's event; never if the path it came by has gone (the host lost its power).
class DiskCommand : public Wakeup {
 public:
  enum class Kind : std::uint8_t { read, write, flush, reservation };
  // Whose bytes: a fault may hang data and let the journal pass, or fail the journal alone.
  enum class Purpose : std::uint8_t { data, journal };

  // How writeback throttling counts a write: not at all (direct I/O and the journal), as one that
  // nobody waits for, or as one of an fsync.
  enum class Urgency : std::uint8_t { exempt, background, sync };

  virtual ~DiskCommand() = default;
  virtual void completed(Result<void> outcome) = 0;
  // Whoever submits it has to wait until the host gives it to the device: the queue's tags are all
  // taken, or it has enough buffered writes. Called while it is submitted, and when it is given to
  // the device. (The block throttle keeps commands, not those who submit them.)
  virtual void submitter_blocked() {}
  virtual void submitter_goes_on() {}

  Kind kind() const { return command_; }
  Purpose purpose() const { return purpose_; }
  Urgency urgency() const { return urgency_; }
  std::int64_t offset() const { return offset_; }
  std::int64_t length() const { return length_; }
  // Its place in the order of submission to the disk.
  std::uint64_t number() const { return sequence_; }
  // Write: what is written. Read, and a report of reservations: what was read, once completed
  // without error.
  const ByteChain& bytes() const { return bytes_; }

  static void* operator new(std::size_t size) { return pool_allocate(size); }
  static void operator delete(void* memory, std::size_t size) noexcept { pool_free(memory, size); }

 protected:
  // Offsets and lengths are multiples of the disk's logical block and lie inside it.
  struct Read {
    std::int64_t offset;
    std::int64_t length;
    Purpose purpose = Purpose::data;
  };
  struct Write {
    std::int64_t offset;
    ByteChain bytes;
    Purpose purpose = Purpose::data;
    WriteDurability durability = WriteDurability::device_cache;
    Urgency urgency = Urgency::exempt;
    // The generation of ownership in which the oldest of the bytes was stored into a cache. None:
    // they come from no cache.
    std::optional<std::uint32_t> stored_in = std::nullopt;
  };
  struct Flush {
    Purpose purpose = Purpose::data;
  };
  struct Reserve {
    ReservationCommand command;
  };
  explicit DiskCommand(Read read);
  explicit DiskCommand(Write write);
  explicit DiskCommand(Flush flush);
  explicit DiskCommand(Reserve reserve);

 private:
  friend class BlockQueue;
  friend class SimDisk;
  // Its place among the disk's commands, in the order of submission.
  class Place : public ListLink {
   public:
    explicit Place(DiskCommand& command) : command_(command) {}
    DiskCommand& command() const { return command_; }

   private:
    DiskCommand& command_;
  };

  static void on_run(Wakeup& wakeup);

  Kind command_;
  Purpose purpose_;
  WriteDurability durability_ = WriteDurability::device_cache;
  Urgency urgency_ = Urgency::exempt;
  // At the host.
  bool tagged_ = false;        // Has one of the queue's tags.
  bool in_writeback_ = false;  // Counted by its writeback throttle.
  bool throttled_ = false;     // Has waited in the block throttle.
  bool blocks_ = false;        // Whoever submitted it.
  bool aborted_ = false;       // The host has tried to, since it was sent last.
  int tries_ = 0;              // How often it was sent again.
  int link_ = 0;
  std::int64_t sent_at_ = -1;  // -1: never.
  std::int64_t tagged_at_ = 0;
  std::int64_t deadline_ = 0;
  BlockQueue* queue_ = nullptr;  // None: no host waits for it.
  // At the device.
  bool sent_ = false;     // The device has it.
  bool counted_ = false;  // In the population of its direction.
  bool served_ = false;   // Holds one of the disk's servers.
  bool started_ = false;  // The device has begun with it.
  bool refused_ = false;  // By a reservation, when it started.
  bool held_ = false;     // By a fault, its service being over.
  bool decided_ = false;  // `outcome_` is final, and the command has no further effect.
  std::int64_t offset_ = 0;
  std::int64_t length_ = 0;
  std::uint64_t flush_mark_ = 0;
  std::uint32_t host_ = 0;
  std::uint32_t controller_ = 0;
  std::uint64_t sequence_ = 0;
  std::optional<std::uint32_t> stored_in_;
  ByteChain bytes_;
  std::unique_ptr<ReservationCommand> reservation_;
  DiskPath* path_ = nullptr;
  SimDisk* disk_ = nullptr;
  Result<void> outcome_;
  Place place_{*this};
};

}  // namespace drydock::sim
