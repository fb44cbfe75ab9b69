// Follows the log and dispatches what may be seen of it (storage reference, section 8): RocketMQ's
// ReputMessageService.
//
// Invariants. Records are dispatched in the order of the log, each once, by one worker; nothing at
// or behind the limit is. The service looks every millisecond after the end of its last round;
// while there is nothing to do it has no timer armed. Where computing takes time, it is behind with
// paying for it by less than a millisecond of a core and one record, and by nothing between rounds.
#pragma once

#include "engine/runtime/poll_grid.hpp"
#include "engine/store/commit_log.hpp"
#include "engine/store/cpu_prices.hpp"
#include "engine/store/dispatcher.hpp"
#include "engine/store/record_reader.hpp"
#include "engine/store/store_stats.hpp"

namespace drydock {

// How far the log may be seen.
enum class VisibleTo : std::uint8_t {
  appended,  // ASYNC_FLUSH, or readUnCommitted.
  flushed,   // SYNC_FLUSH: consumers never see what a power loss could take.
};

// Learns of each message once its unit is in the queue.
class ArrivalListener {
 public:
  virtual ~ArrivalListener() = default;
  // `next` is the offset behind the message.
  virtual void message_arrived(std::string_view topic, std::int32_t queue_id, QueueOffset next,
                               std::int64_t tags_code) = 0;
};

class DispatchService {
 public:
  // `stats` is told how far it was behind, and outlives the service.
  DispatchService(Context& context, CommitLog& log, Dispatcher& dispatcher, VisibleTo visible,
                  LogKind kind, CpuPrice price, StoreStats& stats);

  // Everything in front of `position` is dispatched. Before `run`.
  void start_at(PhysicalOffset position) { position_ = position; }
  // From here on `listener` is told. It outlives the service.
  void tell_of_arrivals(ArrivalListener& listener) { listener_ = &listener; }
  // Until cancelled.
  Task<void> run();

  // Everything in front of it is dispatched, or was passed over.
  PhysicalOffset position() const { return position_; }
  PhysicalOffset limit() const {
    return visible_ == VisibleTo::flushed ? log_.flushed_to() : log_.max_offset();
  }
  std::int64_t behind() const { return limit() - position_; }

 private:
  // Dispatches up to the limit. Errors: cancelled; reading failed.
  Task<Result<void>> drain();
  enum class FileDone : std::uint8_t { go_on, stop };
  Task<Result<FileDone>> drain_file(LogFilePointer file);
  void skip_to(PhysicalOffset next);
  // Spends what the records dispatched since the last time cost.
  Task<Result<void>> pay();

  Context& context_;
  CommitLog& log_;
  Dispatcher& dispatcher_;
  VisibleTo visible_;
  LogKind kind_;
  CpuPrice price_;  // Of a record.
  StoreStats& stats_;
  Worker& worker_;
  ArrivalListener* listener_ = nullptr;
  Duration owed_;
  PhysicalOffset position_;
  std::optional<PhysicalOffset> waited_at_;  // With this limit there was nothing more to do.
};

}  // namespace drydock
