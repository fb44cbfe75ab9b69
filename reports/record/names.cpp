#include "reports/record/drill_result.hpp"
#include "reports/record/final_store.hpp"
#include "reports/record/numbers.hpp"
#include "reports/record/run_result.hpp"

namespace drydock::reports {

std::string_view name_of(CopyFate fate) {
  switch (fate) {
    case CopyFate::not_received: return "not-received";
    case CopyFate::destroyed: return "destroyed";
    case CopyFate::behind_last_flush: return "behind-last-flush";
    case CopyFate::flushed: return "flushed";
    case CopyFate::in_pool: return "in-pool";
    case CopyFate::count_: break;
  }
  return "unnamed";
}

std::string_view name_of(CopyEnd end) {
  switch (end) {
    case CopyEnd::not_received: return "not-received";
    case CopyEnd::kept: return "kept";
    case CopyEnd::page_cache_lost: return "page-cache-lost";
    case CopyEnd::destroyed: return "destroyed";
    case CopyEnd::cut_by_recovery: return "cut-by-recovery";
    case CopyEnd::disk_cache_lost: return "disk-cache-lost";
    case CopyEnd::file_system_lost: return "file-system-lost";
    case CopyEnd::pool_lost: return "pool-lost";
    case CopyEnd::count_: break;
  }
  return "unnamed";
}

std::string_view name_of(Stage stage) {
  switch (stage) {
    case Stage::detect: return "detect";
    case Stage::decide: return "decide";
    case Stage::fence: return "fence";
    case Stage::attach: return "attach";
    case Stage::check: return "check";
    case Stage::mount: return "mount";
    case Stage::recover: return "recover";
    case Stage::resync: return "resync";
    case Stage::route: return "route";
    case Stage::client: return "client";
    case Stage::count_: break;
  }
  return "unnamed";
}

std::string_view name_of(TakeoverStep step) {
  switch (step) {
    case TakeoverStep::purge_before: return "purge_before";
    case TakeoverStep::claim: return "claim";
    case TakeoverStep::purge_after: return "purge_after";
    case TakeoverStep::check: return "check";
    case TakeoverStep::mount: return "mount";
    case TakeoverStep::read_back: return "read_back";
    case TakeoverStep::count_: break;
  }
  return "unnamed";
}

std::string_view name_of(Steady steady) {
  switch (steady) {
    case Steady::reached: return "reached";
    case Steady::no_baseline: return "no baseline";
    case Steady::load_too_short: return "the load ended too early";
    case Steady::not_reached: return "not reached before the load ended";
    case Steady::count_: break;
  }
  return "unnamed";
}

std::string_view name_of(FileSystemEnd end) {
  switch (end) {
    case FileSystemEnd::journal_aborted: return "journal-aborted";
    case FileSystemEnd::remounted_read_only: return "remounted-read-only";
    case FileSystemEnd::host_panicked: return "host-panicked";
    case FileSystemEnd::shut_down: return "shut-down";
    case FileSystemEnd::count_: break;
  }
  return "unnamed";
}

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass: return "pass";
    case Verdict::safety: return "safety";
    case Verdict::slo: return "slo";
    case Verdict::liveness: return "liveness";
    case Verdict::inconclusive: return "inconclusive";
    case Verdict::harness: return "harness";
  }
  return "unnamed";
}

std::string_view name_of(Metric metric) {
  switch (metric) {
    case Metric::acked_loss: return "acked_loss";
    case Metric::unknown_stored: return "unknown_stored";
    case Metric::unknown_absent: return "unknown_absent";
    case Metric::failed_stored: return "failed_stored";
    case Metric::expired: return "expired";
    case Metric::duplicates: return "duplicates";
    case Metric::corruption: return "corruption";
    case Metric::phantoms: return "phantoms";
    case Metric::index_missed: return "index.missed";
    case Metric::index_endless: return "index.endless";
    case Metric::order_violations: return "order_violations";
    case Metric::delivered: return "delivered";
    case Metric::delivered_again: return "delivered_again";
    case Metric::delivered_gone: return "delivered_gone";
    case Metric::delivery_skipped: return "delivery_skipped";
    case Metric::undelivered: return "undelivered";
    case Metric::delivered_out_of_order: return "delivered_out_of_order";
    case Metric::stale_reads: return "stale_reads";
    case Metric::foreign_writes: return "foreign_writes";
    case Metric::rto_fault: return "rto.fault";
    case Metric::rto_client: return "rto.client";
    case Metric::rto_steady: return "rto.steady";
    case Metric::send_acked: return "send.acked";
    case Metric::send_busy: return "send.busy";
    case Metric::send_p50: return "send.p50";
    case Metric::send_p99: return "send.p99";
    case Metric::send_longest: return "send.longest";
    case Metric::pull_missed: return "pull.missed";
    case Metric::registration_gap: return "registration.gap";
    case Metric::delivery_first: return "delivery.first";
    case Metric::disk_reads_per_s: return "disk.reads_per_s";
    case Metric::disk_read_bytes_per_s: return "disk.read_bytes_per_s";
    case Metric::disk_read_await: return "disk.read_await";
    case Metric::disk_queue_hundredths: return "disk.queue_hundredths";
    case Metric::disk_busy_percent: return "disk.busy_percent";
    case Metric::disk_hit_percent: return "disk.hit_percent";
    case Metric::wait_longest: return "wait.PLACE.longest";
    case Metric::wait_total: return "wait.PLACE.total";
    case Metric::wait_count: return "wait.PLACE.count";
    case Metric::count_: break;
  }
  return "unnamed";
}

bool is_time(Metric metric) {
  return is_outage(metric) || metric == Metric::registration_gap ||
         metric == Metric::delivery_first || metric == Metric::wait_longest ||
         metric == Metric::wait_total || metric == Metric::send_p50 || metric == Metric::send_p99 ||
         metric == Metric::send_longest || metric == Metric::disk_read_await;
}

bool is_outage(Metric metric) {
  return metric == Metric::rto_fault || metric == Metric::rto_client ||
         metric == Metric::rto_steady;
}

bool is_of_store(Metric metric) {
  const bool of_devices = metric == Metric::stale_reads || metric == Metric::foreign_writes;
  return !is_outage(metric) && !is_of_sends(metric) && !is_of_waits(metric) &&
         !is_of_broker(metric) && !is_of_consumer(metric) && !is_of_disks(metric) && !of_devices;
}

bool is_of_sends(Metric metric) {
  return metric == Metric::send_acked || metric == Metric::send_busy ||
         metric == Metric::send_p50 || metric == Metric::send_p99 || metric == Metric::send_longest;
}

bool is_of_waits(Metric metric) {
  return metric == Metric::wait_longest || metric == Metric::wait_total ||
         metric == Metric::wait_count;
}

bool is_of_broker(Metric metric) {
  return metric == Metric::pull_missed || metric == Metric::registration_gap;
}

bool is_of_consumer(Metric metric) { return metric == Metric::delivery_first; }

bool is_of_index(Metric metric) {
  return metric == Metric::index_missed || metric == Metric::index_endless;
}

bool is_of_disks(Metric metric) {
  return metric >= Metric::disk_reads_per_s && metric <= Metric::disk_hit_percent;
}

std::string quantity_of(const Expectation& expectation) {
  std::string name(name_of(expectation.metric));
  if (is_of_waits(expectation.metric)) {
    const std::string_view kPlace = "PLACE";
    name.replace(name.find(kPlace), kPlace.size(), drydock::name_of(expectation.place));
  }
  return expectation.process.empty() ? name : name + " of " + expectation.process;
}

std::string_view name_of(Comparison comparison) {
  switch (comparison) {
    case Comparison::equal: return "=";
    case Comparison::less_equal: return "<=";
    case Comparison::less: return "<";
    case Comparison::greater_equal: return ">=";
    case Comparison::greater: return ">";
  }
  return "unnamed";
}

std::string_view name_of(Over over) {
  switch (over) {
    case Over::every_run: return "every_run";
    case Over::total: return "total";
    case Over::p50: return "p50";
    case Over::p90: return "p90";
    case Over::p99: return "p99";
  }
  return "unnamed";
}

std::optional<std::int64_t> percent_of(Over over) {
  switch (over) {
    case Over::every_run:
    case Over::total: return std::nullopt;
    case Over::p50: return 50;
    case Over::p90: return 90;
    case Over::p99: return 99;
  }
  return std::nullopt;
}

std::string text_of(const StoredQueue& queue) {
  return queue.topic + "/" + std::to_string(queue.queue_id);
}

std::string text_of_unread(const LostMessage& message) {
  return "message " + std::to_string(message.key) + " is in the log at " +
         std::to_string(message.in_log_at) + ", not in " + message.queue + " at " +
         std::to_string(message.queue_offset);
}

std::string text_of(const CellId& cell) {
  std::string text;
  for (const auto& [key, value] : cell) {
    if (!text.empty()) text += ",";
    text += key + "=" + value;
  }
  return text;
}

std::string text_of(const Expectation& expectation) {
  std::string text = quantity_of(expectation);
  text += " ";
  text += name_of(expectation.comparison);
  text += " ";
  if (!expectation.bound) {
    text += "never";
  } else {
    text += is_time(expectation.metric) ? duration_text(*expectation.bound)
                                        : std::to_string(*expectation.bound);
  }
  if (expectation.over == Over::every_run) return text + " in every run";
  text += expectation.over == Over::total ? " in total" : " at ";
  if (expectation.over != Over::total) text += name_of(expectation.over);
  if (expectation.seeds_at_least == 1) return text;
  return text + " of at least " + std::to_string(expectation.seeds_at_least) + " seeds";
}

std::string why_open(const ExpectationResult& result) {
  if (result.runs == 0) return "no run gave an answer";
  return "needs " + std::to_string(result.expectation.seeds_at_least) +
         " runs that give an answer, and " + std::to_string(result.runs) + " did";
}

}  // namespace drydock::reports
