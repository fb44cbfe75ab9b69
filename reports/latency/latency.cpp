#include "reports/latency/latency.hpp"

#include <algorithm>
#include <span>

#include "reports/record/numbers.hpp"

namespace drydock::reports {
namespace {

struct Sample {
  SendsReport report;
  std::vector<std::int64_t> times;
};

void add(const SendRecord& send, std::int64_t took_ns, Sample& sample) {
  sample.times.push_back(took_ns);
  ++sample.report.sends;
  sample.report.longest_ns = std::max(sample.report.longest_ns, took_ns);
  sample.report.acked += send.outcome == SendOutcome::acked;
  sample.report.busy += std::ranges::count_if(send.attempts, &AttemptRecord::busy);
}

}  // namespace

std::vector<SendsReport> measure_sends(const History& history, std::int64_t begin_ns,
                                       std::int64_t end_ns) {
  if (history.producers.empty()) return {};
  std::vector<Sample> samples(1 + history.producers.size());
  for (std::size_t i = 0; i < history.producers.size(); ++i) {
    samples[1 + i].report.producer = history.producers[i].name;
  }
  for (const SendRecord& send : history.sends) {
    if (send.invoked_ns < begin_ns || send.invoked_ns >= end_ns) continue;
    const std::int64_t ended_ns = send.completed_ns < 0 ? end_ns : send.completed_ns;
    add(send, ended_ns - send.invoked_ns, samples.front());
    add(send, ended_ns - send.invoked_ns, samples.at(1 + send.producer));
  }
  std::vector<SendsReport> reports;
  for (Sample& sample : samples) {
    sample.report.p50_ns = quantile(sample.times, 50);
    sample.report.p99_ns = quantile(sample.times, 99);
    reports.push_back(std::move(sample.report));
  }
  return reports;
}

SendsReport sends_of(const RunResult& run, const std::string& producer) {
  const auto found = std::ranges::find(run.sends, producer, &SendsReport::producer);
  return found == run.sends.end() ? SendsReport() : *found;
}

}  // namespace drydock::reports
