// Pure: the parts of promise, each of which adds what its settings say.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/broker/promise.hpp"

namespace drydock {

// Ends with what they don't wait for. S 7.3; S 13, pitfall 31.
inline constexpr std::string_view kNotWaiting =
    "not for messages with WAIT=false, nor for those that the broker stores itself after a delay, "
    "for a retry or about transactions: they wait for no ";

// How messages reach other brokers.
enum class ReplicationMode : std::uint8_t { classic, acting_master, controller, dledger, none };

ReplicationMode replication_mode_of(const Settings& settings);

class PromiseList {
 public:
  explicit PromiseList(const Settings& settings) : settings_(settings) {}

  void add(std::initializer_list<std::string_view> keys, std::string text) {
    Promise promise;
    for (const std::string_view key : keys) promise.from.push_back(settings_.get(key));
    promise.text = std::move(text);
    promises_.push_back(std::move(promise));
  }
  bool empty() const { return promises_.empty(); }
  std::vector<Promise> take() { return std::move(promises_); }

 private:
  const Settings& settings_;
  std::vector<Promise> promises_;
};

void add_replication(const Settings& settings, PromiseList& list);
void add_flush(const Settings& settings, PromiseList& list);

}  // namespace drydock
