#include "scenarios/audit/record_audit.hpp"

namespace drydock::scenarios {

Task<void> run_record_audit(Context& context, RecordFile file, reports::FinalStore& store) {
  Worker& worker = context.workers.add("judge");
  Result<std::vector<FoundRecord>> records = co_await find_records(context, worker, file);
  if (!records) {
    store.note = "read " + file.path + ": " + std::string(name_of(records.error().code()));
    co_return;
  }
  // One queue, in which the records come as they are in the file.
  store.queues.push_back({.topic = file.path,
                          .queue_id = 0,
                          .min_offset = 0,
                          .max_offset = static_cast<std::int64_t>(records->size())});
  for (const FoundRecord& record : *records) {
    reports::StoredCopy copy;
    copy.key = record.key;
    copy.key_known = true;
    copy.intact = true;
    copy.physical_offset = record.offset;
    copy.record_bytes = file.record_bytes;
    copy.body_bytes = file.record_bytes;
    copy.queue = 0;
    copy.queue_offset = static_cast<std::int64_t>(store.copies.size());
    copy.in_queue = true;
    store.copies.push_back(copy);
  }
  store.read = true;
}

}  // namespace drydock::scenarios
