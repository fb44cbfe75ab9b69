#include "engine/broker/transaction_check.hpp"

#include <algorithm>
#include <array>

#include "engine/broker/internal_message.hpp"
#include "engine/runtime/poll_grid.hpp"
#include "engine/wire/message_id.hpp"
#include "engine/wire/message_properties.hpp"

namespace drydock {

namespace {

constexpr Duration kWalkMax = Duration::s(60);
constexpr std::int64_t kUnitsAtOnce = 32;
constexpr std::int32_t kCheckMaxQueues = 1;

}  // namespace

QueueOffset TransactionCheck::offset_of(std::string_view topic) const {
  const auto kept = offsets_.table.find({kTransactionGroup, topic, 0});
  return std::max(QueueOffset(kept.value_or(0)), store_.range(topic, 0).min);
}

void TransactionCheck::keep_offset(std::string_view topic, QueueOffset offset) {
  if (offset == offset_of(topic)) return;
  (void)offsets_.commit({kTransactionGroup, topic, 0}, offset.value(),
                        context_.clock.wall_now().count_ms());
}

bool TransactionCheck::behind() const {
  return store_.range(kHalfTopic, 0).max > offset_of(kHalfTopic);
}

Task<void> TransactionCheck::run() {
  PollGrid grid(context_.clock, context_.clock.now(), configuration_.transaction_check_interval);
  const auto any = [this] { return behind(); };
  for (;;) {
    Result<void> due = co_await grid.until(arrived_, any);
    if (!due) co_return;
    co_await walk();
  }
}

Task<void> TransactionCheck::walk() {
  const Deadline end = context_.clock.now() + kWalkMax;
  const std::int64_t walk_ms = context_.clock.wall_now().count_ms();
  const QueueOffset op_from = offset_of(kOpTopic);
  QueueOffset at = offset_of(kHalfTopic);
  Result<Ops> ops = co_await read_ops(op_from, at);
  if (!ops) co_return;
  while (context_.clock.now() < end) {
    if (ops->done.contains(at)) {
      pass_over(*ops, at);
      at = at + 1;
      continue;
    }
    Result<std::vector<ConsumeQueueUnit>> units =
        co_await store_.units(worker_, kHalfTopic, 0, at, 1);
    if (!units || units->empty()) break;
    Result<std::optional<StoredMessage>> half =
        co_await store_.stored_at(worker_, units->front().physical);
    if (!half) break;
    if (half->has_value()) {
      const Step step = co_await look_at(**half, *ops, walk_ms);
      if (step == Step::stop) break;
    }
    at = at + 1;
  }
  keep_offset(kHalfTopic, at);
  // An op message is done with once all that it names are passed over, and so are those before it.
  const QueueOffset undone = ops->pending.empty() ? ops->next : ops->pending.begin()->first;
  keep_offset(kOpTopic, undone);
}

Task<Result<TransactionCheck::Ops>> TransactionCheck::read_ops(QueueOffset from,
                                                               QueueOffset half_from) {
  Ops ops;
  ops.next = from;
  for (;;) {
    Result<std::vector<ConsumeQueueUnit>> units =
        co_await store_.units(worker_, kOpTopic, 0, ops.next, kUnitsAtOnce);
    if (!units) co_return units.error();
    if (units->empty()) co_return ops;
    for (const ConsumeQueueUnit& unit : *units) {
      Result<std::optional<StoredMessage>> op = co_await store_.stored_at(worker_, unit.physical);
      if (!op) co_return op.error();
      if (op->has_value()) {
        for (const QueueOffset half : places_in_op((*op)->view)) {
          if (half < half_from || !ops.done.emplace(half, ops.next).second) continue;
          ops.pending[ops.next].insert(half);
        }
      }
      ops.next = ops.next + 1;
    }
  }
}

void TransactionCheck::pass_over(Ops& ops, QueueOffset half) {
  const auto done = ops.done.find(half);
  const auto op = ops.pending.find(done->second);
  op->second.erase(half);
  if (op->second.empty()) ops.pending.erase(op);
  ops.done.erase(done);
}

bool TransactionCheck::older_than_the_log(std::int64_t age_ms) const {
  return age_ms > store_.configuration().retention.file_reserved_time.count_ms();
}

Task<TransactionCheck::Step> TransactionCheck::look_at(const StoredMessage& half, Ops& ops,
                                                       std::int64_t walk_ms) {
  const std::int64_t age_ms = context_.clock.wall_now().count_ms() - half.origin().born_ms;
  const std::int64_t checks = checks_of(half.properties());
  if (checks >= configuration_.transaction_check_max || older_than_the_log(age_ms)) {
    const bool gone = co_await discard(half);
    co_return gone ? Step::next : Step::stop;
  }
  if (half.view.store_ms >= walk_ms) co_return Step::stop;
  const Immunity immunity = immunity_of(half.properties(), configuration_.transaction_timeout);
  const bool young = age_ms >= 0 && age_ms < immunity.length.count_ms();
  if (young && !immunity.own) co_return Step::stop;
  PutResult put;
  if (young) {
    const auto known = parse_decimal<std::int64_t>(
        find_property(half.properties(), property::kPreparedQueueOffset));
    if (known && ops.done.contains(QueueOffset(*known))) {
      pass_over(ops, QueueOffset(*known));
      co_return Step::next;
    }
    IncomingMessage later = half_put_off(half);
    const bool put_off = co_await put_again(std::move(later), put);
    co_return put_off ? Step::next : Step::stop;
  }
  IncomingMessage again = half_again(half, checks + 1);
  const bool kept = co_await put_again(std::move(again), put);
  if (!kept) co_return Step::stop;
  ask(half, put, checks + 1);
  co_return Step::next;
}

Task<bool> TransactionCheck::put_again(IncomingMessage message, PutResult& put) {
  const PutResult result = co_await store_.append(worker_, std::move(message));
  put = result;
  if (result.status != PutStatus::put_ok) co_return false;
  store_.put_ended(result);
  co_return true;
}

Task<bool> TransactionCheck::discard(const StoredMessage& half) {
  const std::int64_t now_ms = context_.clock.wall_now().count_ms();
  const auto queues = topics_.table.find_or_add(kCheckMaxTopic, kCheckMaxQueues, now_ms);
  if (topics_.table.has_new()) topics_.made.set();
  if (!queues) co_return true;
  if (topics_.file.behind()) co_await topics_.file.save_once(worker_);
  PutResult put;
  IncomingMessage message = copy_of(half, kCheckMaxTopic, 0, half.share(half.view.properties));
  const bool kept = co_await put_again(std::move(message), put);
  co_return kept;
}

void TransactionCheck::ask(const StoredMessage& half, const PutResult& put, std::int64_t checks) {
  const std::string_view properties = half.properties();
  const std::optional<RealPlace> place = real_place_of(properties);
  if (!place) return;
  const RecordOrigin origin = half.origin();
  const DecimalText times(checks);
  const std::array changed = {Property{property::kCheckTimes, times.view()}};
  const SharedBytes told = edit_properties(properties, {}, changed);
  const RecordContent content{.queue_id = place->queue_id,
                              .flag = origin.flag,
                              .sys_flag = half.view.sys_flag & ~sys_flag::kHostMask,
                              .born_ms = origin.born_ms,
                              .born_host = origin.born_host,
                              .store_host = store_.store_host(),
                              .reconsume_times = origin.reconsume_times,
                              .prepared_offset = origin.prepared_offset,
                              .body = half.view.body,
                              .topic = as_byte_span(place->topic),
                              .properties = told.span()};
  SharedBytes record = encode_record(content);
  const RecordPlace where{put.queue_offset, put.offset, put.store_ms};
  place_record(record.writable(), where);
  const MessageIdText id = encode_offset_message_id({store_.store_host(), put.offset});
  const CheckTransactionHeader header{.queue_offset = put.queue_offset,
                                      .commit_log_offset = put.offset,
                                      .message_id = find_property(properties, property::kUniqueKey),
                                      .offset_message_id = view_of(id)};
  const std::string_view group = find_property(properties, property::kProducerGroup);
  const bool asked =
      clients_.ask_producer(group, RequestCode::check_transaction_state, header, record.span());
  if (!asked) {
    context_.observer.log(LogLevel::warning, "nobody of the group " +
                                                 std::string(repeatable(group)) +
                                                 " is there to be asked about a transaction");
  }
}

}  // namespace drydock
