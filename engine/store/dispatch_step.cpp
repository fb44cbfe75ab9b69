#include "engine/store/dispatch_step.hpp"

#include "engine/store/consume_queues.hpp"
#include "engine/store/index_file.hpp"
#include "engine/wire/big_endian.hpp"
#include "engine/wire/java_string.hpp"
#include "engine/wire/message_properties.hpp"

namespace drydock {

namespace {

bool is_half_or_rolled_back(std::int32_t flags) {
  const std::int32_t transaction = flags & sys_flag::kTransactionMask;
  return transaction == sys_flag::kTransactionPrepared ||
         transaction == sys_flag::kTransactionRollback;
}

}  // namespace

DispatchRequest dispatch_request_of(const RecordView& view, std::int32_t bytes,
                                    const DelayLevels& levels) {
  DispatchRequest request;
  request.topic = as_text(view.topic);
  request.queue_id = view.queue_id;
  request.queue_offset = QueueOffset(view.queue_offset);
  std::string_view tags;
  PropertyReader properties(as_text(view.properties));
  Property property;
  while (properties.next(property)) {
    if (property.name == property::kTags) tags = property.value;
    if (property.name == property::kUniqueKey) request.unique_key = property.value;
    if (property.name == property::kKeys) request.keys = property.value;
  }
  request.unit = {PhysicalOffset(view.physical_offset), bytes, java_string_hash(tags)};
  if (request.topic == kScheduleTopic) {
    const std::int32_t level = levels.effective(delay_level_of(as_text(view.properties)));
    if (level > 0) request.unit.tags_code = levels.due_ms(level, view.store_ms);
  }
  request.store_ms = view.store_ms;
  request.has_unit = !is_half_or_rolled_back(view.sys_flag) && view.queue_offset >= 0 &&
                     has_queue(request.topic, request.queue_id);
  request.is_indexed = is_indexed(view.sys_flag);
  return request;
}

DispatchStep dispatch_step(const RecordCheck& check, PhysicalOffset at, PhysicalOffset limit,
                           LogKind kind) {
  if (at + check.size > limit) return DispatchStep::wait;
  if (check.good()) return DispatchStep::dispatch;
  if (check.blank()) return DispatchStep::next_file;
  if (check.size > 0) return DispatchStep::skip_record;
  return kind == LogKind::replica ? DispatchStep::wait : DispatchStep::skip_rest;
}

}  // namespace drydock
