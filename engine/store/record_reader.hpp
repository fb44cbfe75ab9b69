// Reads the records of one log file, one after the other, in steps of read-ahead size.
#pragma once

#include "engine/store/mapped_file_queue.hpp"
#include "engine/wire/message_record.hpp"

namespace drydock {

class RecordReader {
 public:
  RecordReader(Worker& worker, LogFilePointer file, ContentCheck content_check)
      : worker_(worker), file_(std::move(file)), content_check_(content_check) {}

  // The check of the record at byte `at` of the file, of which bytes up to `limit` may be read.
  // `view` points into the reader until its next `check`, `peek` or `fill`.
  Task<Result<RecordCheck>> check(std::int64_t at, std::int64_t limit, RecordView& view);

  // The same from memory alone: fault need_more if the part in memory is too small; then `fill`
  // with `needed_bytes`, and peek again.
  RecordCheck peek(std::int64_t at, std::int64_t limit, RecordView& view) const;
  Task<Result<void>> fill(std::int64_t at, std::int64_t limit, std::int64_t needed_bytes);

 private:
  Worker& worker_;
  LogFilePointer file_;
  ContentCheck content_check_;
  SharedBytes loaded_;  // From at_ on.
  std::int64_t at_ = 0;
};

}  // namespace drydock
