// Laws of log and queues after a crash, whenever it comes: what recovery accepts is in its queue
// exactly once and in order, nothing else is, and no unit points behind the end of the log.
//
// The files are those of tests/support/memory_files: a kill leaves everything, a power loss what
// was synced. With a power loss all messages lie within the three seconds of margin that recovery
// leaves to the checkpoint; beyond them RocketMQ loses units, see StoreQueueRecovery.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <memory>
#include <vector>

#include "tests/support/store_world.hpp"

namespace drydock::test {
namespace {

constexpr int kQueues = 3;

// Every place at which the store may be crashed.
constexpr std::array kPoints = {
    CrashPoint::store_before_append,          CrashPoint::store_after_append,
    CrashPoint::store_before_flush,           CrashPoint::store_after_flush,
    CrashPoint::store_between_blank_and_roll, CrashPoint::store_before_dispatch,
    CrashPoint::store_after_dispatch,         CrashPoint::store_before_queue_flush,
    CrashPoint::store_after_queue_flush,      CrashPoint::store_before_checkpoint_write,
    CrashPoint::store_after_abort_removed,    CrashPoint::store_after_index_file_made};
constexpr std::array kPoolPoints = {
    CrashPoint::store_before_append, CrashPoint::store_after_append,
    CrashPoint::store_before_commit, CrashPoint::store_after_commit,
    CrashPoint::store_before_flush,  CrashPoint::store_between_blank_and_roll};
constexpr std::array kRecoveryPoints = {
    CrashPoint::store_recovery_before_truncate, CrashPoint::store_recovery_between_truncations,
    CrashPoint::store_recovery_after_truncate,  CrashPoint::store_before_dispatch,
    CrashPoint::store_after_dispatch,           CrashPoint::store_before_queue_flush};

template <class T, std::size_t n>
T one_of(const std::array<T, n>& values) {
  return values[*rc::gen::inRange<std::size_t>(0, n)];
}

struct Stored {
  PhysicalOffset physical;
  std::int64_t bytes = 0;
  std::int64_t queue_offset = 0;
};

// The log in front of `end`, read record by record, by queue.
std::map<std::int32_t, std::vector<Stored>> read_log(StoreWorld& world, std::int64_t end) {
  std::map<std::int32_t, std::vector<Stored>> queues;
  for (std::int64_t at = 0; at < end;) {
    const std::int64_t inside = at % kFileBytes;
    const auto rest = std::span(world.files.at(log_file(at - inside)).cached)
                          .subspan(static_cast<std::size_t>(inside));
    RecordView view;
    const RecordCheck check =
        check_record(rest, static_cast<std::int64_t>(rest.size()), ContentCheck::body_crc, view);
    RC_ASSERT(check.success);
    if (check.blank()) {
      at += kFileBytes - inside;
      continue;
    }
    queues[view.queue_id].push_back({PhysicalOffset(at), check.size, view.queue_offset});
    at += check.size;
  }
  return queues;
}

// The law.
void require_agreement(StoreWorld& world, StoreProcess& broker) {
  auto log = read_log(world, broker.end());
  for (std::int32_t queue_id = 0; queue_id < kQueues; ++queue_id) {
    const std::vector<Stored>& records = log[queue_id];
    const std::vector<ConsumeQueueUnit> units = broker.units(queue_id);
    RC_ASSERT(units.size() == records.size());
    for (std::size_t i = 0; i < units.size(); ++i) {
      RC_ASSERT(units[i].physical == records[i].physical);
      RC_ASSERT(units[i].bytes == records[i].bytes);
      RC_ASSERT(records[i].queue_offset == static_cast<std::int64_t>(i));
      RC_ASSERT(units[i].end().value() <= broker.end());
    }
  }
}

class Trial {
 public:
  explicit Trial(FlushDiskType flush, Duration pause_max)
      : world_(small_store(flush)), pause_max_(pause_max) {
    world_.files.sync_time = Duration::us(*rc::gen::inRange(0, 3000));
  }
  // With the transient pool, of so few buffers that some files get none.
  void use_pool() {
    world_.configuration.transient_store_pool_enable = true;
    world_.configuration.transient_store_pool_size = *rc::gen::inRange(1, 5);
    world_.files.write_time = Duration::us(*rc::gen::inRange(0, 3000));
  }

  // A life with the pool, and the first moment of the next one: what was committed is there, and
  // what was answered after a flush. Nothing else has to be.
  void live_with_pool(bool power) {
    const bool sync = world_.configuration.flush_disk_type == FlushDiskType::sync_flush;
    std::int64_t committed_to = 0;
    {
      Life life = start();
      const int occurrence = *rc::gen::inRange(1, 12);
      arm(*life, one_of(kPoolPoints), occurrence, power);
      const int puts = *rc::gen::inRange(0, 25);
      puts_.clear();
      for (int i = 0; i < puts && alive(*life); ++i) {
        const auto body = *rc::gen::inRange<std::size_t>(1, 1500);
        puts_.push_back(life->put(message_of(body, *rc::gen::inRange(0, kQueues))));
        world_.run_for(Duration::us(*rc::gen::inRange<std::int64_t>(0, pause_max_.count_us() + 1)));
        if (alive(*life)) committed_to = require_positions(life->store().commit_log());
      }
      if (alive(*life)) crash(*life, power);
      world_.run_for(Duration());
    }
    if (!world_.host().powered()) {
      world_.files.lose_power();
      world_.host().restore_power();
      world_.run_for(Duration());
    }
    Life next = start();
    RC_ASSERT(next->started());
    require_agreement(world_, *next);
    for (const PendingPut& put : puts_) {
      if (!put->done() || put->result->status != PutStatus::put_ok) continue;
      const std::int64_t end = put->result->offset.value() + put->result->bytes;
      if (sync || (!power && end <= committed_to)) RC_ASSERT(end <= next->end());
    }
    crash(*next, false);
    world_.run_for(Duration());
  }

  // A life in which messages are put; its crash point may or may not be reached.
  void live(bool power) {
    Life life = start();
    const int occurrence = *rc::gen::inRange(1, 12);
    arm(*life, one_of(kPoints), occurrence, power);
    const int puts = *rc::gen::inRange(0, 25);
    for (int i = 0; i < puts && alive(*life); ++i) {
      const auto body = *rc::gen::inRange<std::size_t>(1, 1500);
      puts_.push_back(life->put(message_of(body, *rc::gen::inRange(0, kQueues))));
      world_.run_for(Duration::us(*rc::gen::inRange<std::int64_t>(0, pause_max_.count_us() + 1)));
    }
    if (alive(*life) && *rc::gen::inRange(0, 4) == 0) life->stop();
    if (alive(*life)) crash(*life, power);
    world_.run_for(Duration());
    if (world_.host().powered()) return;
    world_.files.lose_power();
    world_.host().restore_power();
    world_.run_for(Duration());
  }

  // A start that dies inside its recovery, if that comes so far.
  void die_in_recovery() {
    sim::SimProcess& dies = world_.host().spawn("dies" + std::to_string(starts_++));
    dies.attach(std::make_unique<NoNetwork>(), world_.files.attach());
    dies.chaos().arm(one_of(kRecoveryPoints), static_cast<std::uint64_t>(*rc::gen::inRange(1, 4)),
                     [&dies] { dies.kill(); });
    const StoreConfiguration configuration = world_.configuration;
    dies.start([configuration](Context& context) -> Task<void> {
      MessageStore store(context, configuration, Endpoint());
      Result<void> loaded = co_await store.load();
      ENSURE(loaded.has_value());
    });
    world_.run_for(Duration::ms(100));
    ENSURE(!dies.alive());
  }

  // After the last crash: the law, at once and after more messages.
  void judge(bool all_kept, bool answered_kept) {
    Life life = start();
    RC_ASSERT(life->started());
    require_agreement(world_, *life);
    for (const PendingPut& put : puts_) {
      if (!put->done() || put->result->status != PutStatus::put_ok) continue;
      const std::int64_t end = put->result->offset.value() + put->result->bytes;
      if (all_kept || answered_kept) RC_ASSERT(end <= life->end());
    }
    for (int i = 0; i < 4; ++i) life->put(message_of(700, i % kQueues));
    world_.run_for(Duration::ms(100));
    require_agreement(world_, *life);
  }

 private:
  using Life = std::unique_ptr<StoreProcess>;

  Life start() {
    Life life = std::make_unique<StoreProcess>(world_);
    world_.run_for(Duration::ms(50));  // Recovery flushes, and that takes time.
    return life;
  }
  // flushed <= committed <= wrote, of each file; gives the end of what is committed.
  static std::int64_t require_positions(const CommitLog& log) {
    for (const LogFilePointer& file : log.files().files()) {
      RC_ASSERT(file->flushed <= file->readable());
      RC_ASSERT(file->readable() <= file->wrote);
      RC_ASSERT(file->wrote <= file->size);
    }
    RC_ASSERT(log.flushed_to() <= log.max_offset());
    return log.committed_to().value();
  }
  static bool alive(StoreProcess& life) { return life.process().end() == sim::ProcessEnd::alive; }
  void crash(StoreProcess& life, bool power) {
    if (power) {
      world_.host().lose_power();
    } else {
      life.process().kill();
    }
  }
  void arm(StoreProcess& life, CrashPoint point, int occurrence, bool power) {
    StoreProcess* const victim = &life;
    life.process().chaos().arm(point, static_cast<std::uint64_t>(occurrence),
                               [this, victim, power] { crash(*victim, power); });
  }

  StoreWorld world_;
  Duration pause_max_;
  std::vector<PendingPut> puts_;
  int starts_ = 0;
};

FlushDiskType any_flush() {
  return *rc::gen::inRange(0, 2) == 0 ? FlushDiskType::sync_flush : FlushDiskType::async_flush;
}

RC_GTEST_PROP(StoreLaws, AfterKillsLogAndQueuesAgreeAndNothingAppendedIsLost, ()) {
  Trial trial(any_flush(), Duration::us(*rc::gen::inRange<std::int64_t>(1, 4'000'000)));
  const int lives = *rc::gen::inRange(1, 4);
  for (int i = 0; i < lives; ++i) trial.live(false);
  const int deaths = *rc::gen::inRange(0, 3);
  for (int i = 0; i < deaths; ++i) trial.die_in_recovery();
  trial.judge(true, true);
}

RC_GTEST_PROP(StoreLaws, AfterAPowerLossLogAndQueuesAgreeAndNothingFlushedIsLost, ()) {
  const FlushDiskType flush = any_flush();
  Trial trial(flush, Duration::us(*rc::gen::inRange<std::int64_t>(1, 70'000)));
  trial.live(true);
  const int deaths = *rc::gen::inRange(0, 3);
  for (int i = 0; i < deaths; ++i) trial.die_in_recovery();
  trial.judge(false, flush == FlushDiskType::sync_flush);
}

RC_GTEST_PROP(StoreLaws, WithThePoolWhatIsCommittedOutlivesAKill, ()) {
  Trial trial(any_flush(), Duration::us(*rc::gen::inRange<std::int64_t>(1, 400'000)));
  trial.use_pool();
  const int lives = *rc::gen::inRange(1, 4);
  for (int i = 0; i < lives; ++i) trial.live_with_pool(false);
}

RC_GTEST_PROP(StoreLaws, WithThePoolNothingFlushedIsLostWithThePower, ()) {
  Trial trial(any_flush(), Duration::us(*rc::gen::inRange<std::int64_t>(1, 70'000)));
  trial.use_pool();
  trial.live_with_pool(true);
}

}  // namespace
}  // namespace drydock::test
