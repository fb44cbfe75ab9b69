// Writes the history of a run. It belongs to the run, not to a client process: what a client saw is
// known even if the client dies.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "engine/client/producer.hpp"
#include "reports/record/history.hpp"

namespace drydock::scenarios {

class Recorder {
 public:
  // `now`: the run's own time in ns, the same for all clients.
  explicit Recorder(std::function<std::int64_t()> now) : now_(std::move(now)) {}

  // The number of a producer in the history: the same for all lives of one name.
  std::uint32_t producer(const std::string& name, Duration timeout);
  // A new logical send; returns its key. Keys count from 1 over all clients of the run.
  std::uint64_t invoked(std::uint32_t producer, std::int64_t body_bytes);
  void completed(std::uint64_t key, const SendOutcome& outcome);

  // The same for consumers.
  std::uint32_t consumer(const std::string& name, const std::string& topic);
  void delivered(const reports::DeliveryRecord& delivery);

  // When the latest acknowledged send had been invoked: writes work since then. -1: none was.
  std::int64_t latest_acked_invocation_ns() const { return latest_acked_invocation_ns_; }

  const reports::History& history() const { return history_; }

 private:
  std::function<std::int64_t()> now_;
  reports::History history_;
  std::int64_t latest_acked_invocation_ns_ = -1;
};

}  // namespace drydock::scenarios
