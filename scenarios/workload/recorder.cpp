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

std::uint32_t Recorder::producer(const std::string& name, Duration timeout) {
  std::vector<reports::ProducerRecord>& known = history_.producers;
  const auto found = std::ranges::find(known, name, &reports::ProducerRecord::name);
  const auto index = static_cast<std::uint32_t>(found - known.begin());
  if (found == known.end()) known.push_back({name, timeout.count_ns()});
  return index;
}

std::uint32_t Recorder::consumer(const std::string& name, const std::string& topic) {
  std::vector<reports::ConsumerRecord>& known = history_.consumers;
  const auto found = std::ranges::find(known, name, &reports::ConsumerRecord::name);
  const auto index = static_cast<std::uint32_t>(found - known.begin());
  if (found == known.end()) {
    known.push_back({.name = name, .topic = topic, .started_ns = now_()});
  }
  return index;
}

void Recorder::delivered(const reports::DeliveryRecord& delivery) {
  reports::ConsumerRecord& consumer = history_.consumers.at(delivery.consumer);
  if (consumer.first_ns < 0) consumer.first_ns = now_();
  history_.deliveries.push_back(delivery);
}

std::uint64_t Recorder::invoked(std::uint32_t producer, std::int64_t body_bytes) {
  reports::SendRecord send;
  send.producer = producer;
  send.key = history_.sends.size() + 1;
  send.body_bytes = body_bytes;
  send.invoked_ns = now_();
  history_.sends.push_back(send);
  return send.key;
}

void Recorder::completed(std::uint64_t key, const SendOutcome& outcome) {
  reports::SendRecord& send = history_.sends[key - 1];
  for (const SendAttempt& attempt : outcome.attempts) {
    send.attempts.push_back({attempt.id, attempt.queue_id, outcome_of(attempt.status),
                             attempt.detail == SendDetail::system_busy});
  }
  send.completed_ns = now_();
  send.invoked_by_completion = history_.sends.size();
  send.outcome = outcome_of(outcome.status);
  if (outcome.physical_offset) send.physical_offset = outcome.physical_offset->value();
  if (send.outcome != reports::SendOutcome::acked) return;
  latest_acked_invocation_ns_ = std::max(latest_acked_invocation_ns_, send.invoked_ns);
}

}  // namespace drydock::scenarios
