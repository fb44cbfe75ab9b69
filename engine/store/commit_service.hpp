// Brings what is in the transient pool to the page cache: RocketMQ's CommitRealTimeService (storage
// reference, 7.2).
//
// A round commits the pages that have been begun, if there are `commitCommitLogLeastPages` of them,
// and every `commitCommitLogThoroughInterval` whatever there is; after one that committed something
// the flush is woken. Rounds come every `commitIntervalCommitLog`, and at once when a put asks for
// one. Invariants: bytes get to the file in the order of the log, each once; an idle service has no
// timer armed.
#pragma once

#include "engine/store/commit_log.hpp"
#include "engine/store/flush_schedule.hpp"
#include "engine/store/flush_service.hpp"

namespace drydock {

class CommitRealTimeService {
 public:
  // `flush` outlives it.
  CommitRealTimeService(Context& context, CommitLog& log, FlushService& flush,
                        const StoreConfiguration& configuration);

  // The loop; it returns soon after `stop`, having committed what is left.
  Task<void> run();
  void stop();
  // Something was appended. `wake`: start a round now.
  void appended(bool wake);

 private:
  // Waits for the start of a round. False: cancelled.
  Task<bool> next_round();
  Task<void> commit_rest();

  Context& context_;
  CommitLog& log_;
  FlushService& flush_;
  Worker& worker_;
  FlushSchedule schedule_;
  Duration interval_;
  Event changed_;
  bool woken_ = false;
  bool idle_ = false;  // Waiting without a deadline: an append must wake us.
  bool stopping_ = false;
};

}  // namespace drydock
