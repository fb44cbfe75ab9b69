// A consume queue: for each message of one queue of a topic, in order, where its record lies
// (storage reference, section 3). Files: consumequeue/{topic}/{queue id}/, named by the byte
// position of their first unit.
//
// Invariants. One worker appends (the dispatcher, or recovery before it starts). `known_to` never
// lies in front of a record that has a unit. Positions: min <= flushed <= max, in whole units. A
// queue that loses its oldest messages keeps its numbering: min rises, positions stay.
//
// Difference: RocketMQ writes units through a file channel and reads them through the map; here
// both go through the map.
#pragma once

#include "engine/runtime/context.hpp"
#include "engine/runtime/sync.hpp"
#include "engine/store/consume_queue_unit.hpp"
#include "engine/types/behaviour.hpp"

namespace drydock {

// What the queues of a store have in common.
struct ConsumeQueueOptions {
  std::string directory;  // consumequeue, absolute.
  std::int64_t file_bytes = 0;
  Behaviour behaviour;
};

class ConsumeQueue {
 public:
  // `topic` must be a single name of a path; `options` outlives the queue.
  ConsumeQueue(Context& context, const ConsumeQueueOptions& options, std::string_view topic,
               std::int32_t queue_id);

  // Maps the files. Errors: as MappedFileQueue::load.
  Task<Result<void>> load(Worker& worker) { return files_.load(worker); }
  // After load: finds the end from the third file from the end on, and cuts the files there.
  Task<Result<void>> recover(Worker& worker);
  // Drops the units of records that start at or behind `end`, and what follows them.
  Task<Result<void>> truncate(Worker& worker, PhysicalOffset end);
  // Removes all files and their directory. The queue goes on as a new one, once they are gone.
  // Others may be at work with it: a unit that is being written goes with its file.
  Task<Result<void>> destroy(Worker& worker);
  // The log starts at `log_start`: raises the minimum offset to the first unit that is still there.
  Task<Result<void>> correct_min(Worker& worker, PhysicalOffset log_start);

  // The log starts at `log_start`: removes files whose units all point in front of it, but never
  // the last one, and corrects the minimum.
  struct Expired {
    int files = 0;
    bool hanging = false;  // One that is in use is to go, too.
  };
  Task<Result<Expired>> delete_expired(Worker& worker, PhysicalOffset log_start);

  enum class Appended : std::uint8_t { written, known };
  // Puts the unit of the message `offset` at the end of the queue (see place_unit), or finds that
  // there is nothing to do. None: it would have to wait, call `append`.
  std::optional<Appended> try_append(Worker& worker, const ConsumeQueueUnit& unit,
                                     QueueOffset offset);
  // Errors: cancelled; the file system could not make the next file. An error of the write itself
  // is one only with the hardened queue.write-error-advances-position; else it leaves a hole.
  Task<Result<Appended>> append(Worker& worker, ConsumeQueueUnit unit, QueueOffset offset);

  // Makes units durable: of the file that holds the flushed position, if at least `least_pages`
  // pages of it are dirty (0: any byte). An error was reported as an event; whether the position
  // has advanced is flush.error-advances-position.
  Task<Result<void>> flush(Worker& worker, std::int32_t least_pages);

  // The units [from, from + count) as bytes, as far as the file that holds `from` has them: none
  // if no file holds it.
  Task<Result<ByteChain>> read(Worker& worker, QueueOffset from, std::int64_t count);
  // The first offset of the file behind the one in which `offset` lies, or would lie.
  QueueOffset next_file_offset(QueueOffset offset) const;

  QueueOffset min_offset() const { return queue_offset_at(min_); }
  QueueOffset max_offset() const { return queue_offset_at(files_.max_offset()); }
  // The largest end of a record that has a unit, or kNoPhysical.
  std::int64_t known_to() const { return known_to_; }
  QueueOffset flushed_offset() const { return queue_offset_at(flushed_to_); }
  bool has_unflushed() const { return flushed_to_ < files_.max_offset(); }
  bool has_files() const { return !files_.files().empty(); }
  std::string_view topic() const { return topic_; }
  const std::string& directory() const { return files_.directory(); }
  std::int32_t queue_id() const { return queue_id_; }

 private:
  // The file to which the next unit goes, made if need be.
  Task<Result<UnitFilePointer>> file_with_room(Worker& worker, QueueOffset first);
  Task<Result<void>> fill_pre_blank(Worker& worker, UnitFilePointer file, QueueOffset first);
  // A gap behind units whose records are all gone is no reason to shift what follows
  // (queue.gap-shifts-numbers).
  bool begins_anew(const ConsumeQueueUnit& unit, QueueOffset offset) const;
  // The write failed: a hole, or nothing, by the behaviour.
  Result<Appended> write_failed(UnitFile& file, const ConsumeQueueUnit& unit, Error error);
  void wrote_unit(UnitFile& file, const ConsumeQueueUnit& unit);
  // Filler, and not taken for a message (queue.counts-filler).
  bool is_nothing(const ConsumeQueueUnit& unit) const;
  // Up to where a queue whose last unit is this one knows the log.
  std::int64_t known_by(const ConsumeQueueUnit& last) const;
  void note_placement(UnitPlacement placement, const ConsumeQueueUnit& unit, QueueOffset offset);
  Result<void> flush_failed(Error error);
  // The run of units from the place `from` of a file on, up to the first that is none or whose
  // record starts at or behind `end`.
  Task<Result<UnitRun>> run_in(Worker& worker, UnitFilePointer file, std::int64_t from,
                               PhysicalOffset end);
  Task<Result<ConsumeQueueUnit>> unit_at(Worker& worker, UnitFilePointer file, std::int64_t at);

  Context& context_;
  const ConsumeQueueOptions& options_;
  std::string topic_;
  std::int32_t queue_id_;
  UnitFiles files_;
  int destroyed_ = 0;        // How often; who waits compares.
  bool destroying_ = false;  // Names are being removed: nothing is appended.
  Event destroyed_now_;
  UnitPosition min_;
  UnitPosition flushed_to_;
  std::int64_t known_to_ = kNoPhysical;
};

}  // namespace drydock
