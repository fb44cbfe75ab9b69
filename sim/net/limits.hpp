// What reports say about this folder: what it does not model, and what it assumes. Whoever changes
// the model changes the lines.
#pragma once

#include <array>
#include <string_view>

#include "sim/net/segment.hpp"

namespace drydock::sim {

inline constexpr auto kNetNotModelled = std::to_array<std::string_view>({
    "network: congestion control, slow start and fast retransmit (a lost segment costs a "
    "retransmission time-out)",
    "network: delayed acknowledgements, headers on the wire, TIME_WAIT, queues that overflow",
});

static_assert(kSegmentBytesMax == std::size_t{64} << 10);
inline constexpr auto kNetAssumed = std::to_array<std::string_view>({
    "network: the same-zone profile between hosts, without loss; segments of at most 64 KiB",
});

}  // namespace drydock::sim
