#include "engine/broker/end_transaction_processor.hpp"

#include "engine/broker/internal_message.hpp"
#include "engine/wire/remoting_frame.hpp"

namespace drydock {

namespace {

constexpr int kThreads = 16;  // endTransactionThreadPoolNums
constexpr std::size_t kQueueCapacity = 100'000;

}  // namespace

EndTransactionProcessor::EndTransactionProcessor(Context& context,
                                                 const BrokerConfiguration& configuration,
                                                 MessageStore& store, HaMaster* master,
                                                 OpBatch& ops)
    : context_(context),
      configuration_(configuration),
      store_(store),
      safety_(context, configuration, store, master),
      ops_(ops),
      workers_(context, "EndTransactionThread_", kThreads, kQueueCapacity) {}

Task<void> EndTransactionProcessor::process(std::shared_ptr<ServerConnection> connection,
                                            RemotingCommand request,
                                            [[maybe_unused]] Semaphore::Permit slot) {
  EndTransactionHeader header;
  const HeaderFault fault = decode_end_transaction_header(request.ext_fields.span(), header);
  Answer answer{ResponseCode::system_error, "a field of the header is missing or of no use"};
  if (configuration_.ha.role == BrokerRole::slave) {
    answer = {ResponseCode::slave_not_available, "a slave does not end transactions"};
  } else if (fault.ok()) {
    if (header.end == TransactionEnd::unknown) co_return;
    WorkerPool::Turn turn = co_await workers_.turn();
    if (!turn.lease) {
      if (!request.is_one_way()) {
        connection->respond(
            encode_answer(request.head, ResponseCode::system_busy, turn.denied_because));
      }
      co_return;
    }
    const Answer ended = co_await end(turn.lease, header);
    answer = ended;
  }
  if (request.is_one_way()) co_return;
  connection->respond(encode_answer(request.head, answer.code, answer.remark));
}

Task<EndTransactionProcessor::Answer> EndTransactionProcessor::end(WorkerPool::Lease& lease,
                                                                   EndTransactionHeader header) {
  Result<std::optional<StoredMessage>> stored =
      co_await store_.stored_at(lease.worker(), header.commit_log_offset);
  if (!stored || !stored->has_value()) {
    co_return Answer{ResponseCode::system_error, "the half message is not there"};
  }
  const StoredMessage& half = **stored;
  if (too_late(half, header)) {
    co_return Answer{ResponseCode::illegal_operation,
                     "the time in which a transaction may end is over"};
  }
  const std::string_view wrong = mismatch(half, header);
  if (!wrong.empty()) co_return Answer{ResponseCode::system_error, wrong};
  if (header.end == TransactionEnd::commit) {
    const Answer committed = co_await commit(lease, half);
    if (committed.code != ResponseCode::success) co_return committed;
  }
  ops_.add(header.queue_offset);
  co_return Answer();
}

Task<EndTransactionProcessor::Answer> EndTransactionProcessor::commit(WorkerPool::Lease& lease,
                                                                      const StoredMessage& half) {
  std::optional<IncomingMessage> message = committed_copy(half);
  if (!message) co_return Answer{ResponseCode::system_error, "the half message has no real topic"};
  const bool wait_store_ok = message->wait_store_ok;
  IncomingMessage put = delayed_if_asked(std::move(*message), configuration_.store.delay_levels);
  PutResult result = co_await store_.append(lease.worker(), std::move(put));
  if (result.status == PutStatus::put_ok) {
    const PutStatus safe = co_await safety_.wait(result, wait_store_ok);
    result.status = safe;
  }
  if (counts_as_sent(result.status)) co_return Answer();
  co_return Answer{response_code_of(result.status), name_of(result.status)};
}

// Who was asked may answer at any time.
bool EndTransactionProcessor::too_late(const StoredMessage& half,
                                       const EndTransactionHeader& header) const {
  if (header.from_check) return false;
  const Immunity immunity = immunity_of(half.properties(), configuration_.transaction_timeout);
  const std::int64_t age_ms = context_.clock.wall_now().count_ms() - half.origin().born_ms;
  return immunity.own && age_ms > immunity.length.count_ms();
}

}  // namespace drydock
