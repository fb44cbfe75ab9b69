// Who makes appended messages durable: group commit for SYNC_FLUSH, a periodic flush for
// ASYNC_FLUSH (storage reference, 7.2).
//
// Invariants. A request of the group commit is answered with success only after a flush that began
// after its append has returned (with the faithful behaviour: returned at all). Requests are
// answered in the order in which they were submitted. An idle service has no timer armed.
#pragma once

#include "engine/runtime/poll_grid.hpp"
#include "engine/store/checkpoint.hpp"
#include "engine/store/commit_log.hpp"
#include "engine/store/flush_schedule.hpp"

namespace drydock {

enum class FlushAnswer : std::uint8_t { flushed, timed_out };

// One put that waits for its flush. Lives in the frame of the put; it may go away at any time.
class FlushRequest : public ListLink {
 public:
  explicit FlushRequest(PhysicalOffset end) : end_(end) {}
  PhysicalOffset end() const { return end_; }
  Event& answered() { return answered_; }
  FlushAnswer answer() const { return answer_; }

 private:
  friend class GroupCommitService;
  void answer_with(FlushAnswer answer) {
    unlink();
    answer_ = answer;
    answered_.set();
  }

  PhysicalOffset end_;
  Event answered_;
  FlushAnswer answer_ = FlushAnswer::timed_out;
};

class FlushService {
 public:
  virtual ~FlushService() = default;
  // The service's loop; it returns soon after `stop`, having flushed what is left.
  virtual Task<void> run() = 0;
  virtual void stop() = 0;
  // Something was appended that nobody waits for. `wake`: start a round now.
  virtual void appended(bool wake) = 0;
};

// Two lists: requests gather in one while those in the other are being flushed for. A round starts
// when a request comes, and every 10 ms as long as something is not flushed.
class GroupCommitService : public FlushService {
 public:
  GroupCommitService(Context& context, CommitLog& log, Checkpoint& checkpoint);

  // The request must be in no list. Its `answered` event is set by the round that flushed for it.
  void submit(FlushRequest& request);

  Task<void> run() override;
  void stop() override;
  void appended(bool wake) override;

 private:
  // Waits for the start of a round. False: cancelled.
  Task<bool> next_round();
  Task<void> commit();
  // Tries to get the flushed position to `end`. False: cancelled, nobody is to be answered.
  Task<bool> flush_to(PhysicalOffset end);
  void answer_covered(PhysicalOffset end, FlushAnswer answer);

  Context& context_;
  CommitLog& log_;
  Checkpoint& checkpoint_;
  Worker& worker_;
  IntrusiveList incoming_;
  IntrusiveList reading_;
  Event changed_;
  MonotonicTime round_ended_;
  bool woken_ = false;
  bool idle_ = false;  // Waiting without a deadline: an append must wake us.
  bool stopping_ = false;
};

// Rounds every `flushIntervalCommitLog`; see FlushSchedule for what a round does.
class FlushRealTimeService : public FlushService {
 public:
  FlushRealTimeService(Context& context, CommitLog& log, Checkpoint& checkpoint,
                       const StoreConfiguration& configuration);

  Task<void> run() override;
  void stop() override;
  void appended(bool wake) override;

 private:
  // Waits until the next round with something to flush; gives its least pages. -1: cancelled.
  Task<std::int32_t> next_round();
  Task<void> flush_rest();

  Context& context_;
  CommitLog& log_;
  Checkpoint& checkpoint_;
  Worker& worker_;
  FlushSchedule schedule_;
  Duration interval_;
  bool timed_;
  Event appended_;
  Event wake_;
  bool flush_now_ = false;  // A buggify site asked for a round out of turn.
  bool idle_ = false;
  bool stopping_ = false;
};

}  // namespace drydock
