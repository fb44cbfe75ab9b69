// A process that writes records of 1 KiB one after another into one file, as the measurements' own
// writer did, and notes how long each took.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "tools/fidelity/storage_world.hpp"

namespace drydock::fidelity {

struct RecordWriterOptions {
  enum class Way : std::uint8_t { mapped, pwrite };
  std::string path = "/log";    // It exists.
  std::int64_t file_bytes = 0;  // Its size; behind its end the writer begins anew.
  Way way = Way::mapped;
  std::int64_t bytes_per_s = 0;  // 0: as fast as it can.
  Duration length;               // Of the writing.
  // Of the processor, for the first store into a page: measured.
  Duration fault = Duration::us(16);
  // A second thread makes durable what was written since it last did, and then waits so long. 0:
  // there is none. Not with a file that is begun anew.
  Duration flush_pause;
};

// A record that took 1 ms or longer.
struct Stall {
  Duration at;  // From the first record; of its begin.
  Duration length;
  std::int64_t offset = 0;  // Bytes written before.
  Duration end() const { return at + length; }
};

struct Flush {
  Duration at;
  Duration length;
};

class RecordWriter {
 public:
  // Begins with the next event.
  RecordWriter(StorageWorld& world, std::string name, RecordWriterOptions options);
  RecordWriter(const RecordWriter&) = delete;
  RecordWriter& operator=(const RecordWriter&) = delete;

  // When the first record was begun.
  Duration began() const { return began_; }
  Duration length() const { return length_; }
  std::int64_t written_bytes() const { return written_; }
  const std::vector<Stall>& stalls() const { return stalls_; }
  const std::vector<Flush>& flushes() const { return flushes_; }
  // Where its thread is stuck at this moment.
  WaitPlace wait_place() const;
  // What it waited for at that place. Once it has ended.
  const WaitTotals& waits_at(WaitPlace place) const {
    return waits_[static_cast<std::size_t>(place)];
  }

  // Runs the world until it has ended, and its last flush.
  void wait();

 private:
  static constexpr std::int64_t kRecordBytes = 1024;

  Task<void> run(Context& context);
  Task<void> flush(Context& context);
  Duration now() const { return world_.now() - began_; }

  StorageWorld& world_;
  RecordWriterOptions options_;
  Worker* worker_ = nullptr;
  std::unique_ptr<MappedFile> map_;
  std::unique_ptr<File> file_;
  bool ended_ = false;
  bool flushing_ = false;
  Duration began_;
  Duration length_;
  std::int64_t written_ = 0;
  std::vector<Stall> stalls_;
  std::vector<Flush> flushes_;
  std::array<WaitTotals, static_cast<std::size_t>(WaitPlace::count_)> waits_{};
};

// The longest; of none, one of no length.
Stall longest(const std::vector<Stall>& stalls);

}  // namespace drydock::fidelity
