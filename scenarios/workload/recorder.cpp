#include "scenarios/workload/recorder.hpp"

#include <algorithm>

namespace drydock::scenarios {
namespace {

reports::SendOutcome outcome_of(SendStatus status) {
  switch (status) {
    case SendStatus::acked: return reports::SendOutcome::acked;
    case SendStatus::unknown: return reports::SendOutcome::unknown;
    case SendStatus::failed: break;
  }
  return reports::SendOutcome::failed;
}

}  // namespace

std::uint64_t Recorder::invoked(std::int64_t body_bytes) {
  reports::SendRecord send;
  send.key = history_.sends.size() + 1;
  send.body_bytes = body_bytes;
  send.invoked_ns = now_();
  history_.sends.push_back(send);
  return send.key;
}

void Recorder::completed(std::uint64_t key, const SendOutcome& outcome) {
  reports::SendRecord& send = history_.sends[key - 1];
  send.attempts = static_cast<std::uint32_t>(outcome.attempts.size());
  send.completed_ns = now_();
  send.outcome = outcome_of(outcome.status);
  if (outcome.physical_offset) send.physical_offset = outcome.physical_offset->value();
  if (send.outcome != reports::SendOutcome::acked) return;
  latest_acked_invocation_ns_ = std::max(latest_acked_invocation_ns_, send.invoked_ns);
}

}  // namespace drydock::scenarios
