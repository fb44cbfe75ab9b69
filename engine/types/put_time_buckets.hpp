// RocketMQ's buckets of the time that a put took, by the names that its log gives them (storage
// reference, 10.1): of what a store counts, and of what a report prints.
#pragma once

#include <array>
#include <string_view>

namespace drydock {

inline constexpr std::array<std::string_view, 13> kPutTimeLabels = {
    "[<=0ms]", "[0~10ms]", "[10~50ms]", "[50~100ms]", "[100~200ms]", "[200~500ms]", "[500ms~1s]",
    "[1~2s]",  "[2~3s]",   "[3~4s]",    "[4~5s]",     "[5~10s]",     "[10s~]"};
// The first of puts that took a second or longer.
inline constexpr std::size_t kPutTimeFirstOver1s = 7;

}  // namespace drydock
