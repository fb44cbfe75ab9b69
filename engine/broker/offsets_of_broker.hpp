// The consumer offsets of a broker, for those who commit them and the one who saves them.
#pragma once

#include "engine/broker/consumer_offsets.hpp"
#include "engine/runtime/sync.hpp"

namespace drydock {

struct OffsetsOfBroker {
  ConsumerOffsets& table;
  Event& changed;  // Set by whoever committed one.

  // As ConsumerOffsets::commit.
  bool commit(const ConsumerOffsets::Place& place, std::int64_t offset, std::int64_t now_ms) const {
    changed.set();
    return table.commit(place, offset, now_ms);
  }
};

}  // namespace drydock
