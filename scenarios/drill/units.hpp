// Quantities as scenarios write them: an integer, an optional blank, a unit. Design, section 0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/types/time.hpp"
#include "scenarios/drill/drill.hpp"

namespace drydock::scenarios {

// Each gives nothing if the text is not of its kind, or is negative. What doesn't fit gives the
// largest integer, which is beyond the maximum below.
std::optional<Duration> parse_duration(std::string_view text);             // ns us ms s min h
std::optional<std::int64_t> parse_size(std::string_view text);             // B KiB MiB GiB kB MB GB
std::optional<std::int64_t> parse_rate_per_second(std::string_view text);  // N/s
std::optional<std::int64_t> parse_bytes_per_second(std::string_view text);  // A size and /s
std::optional<std::int64_t> parse_percent(std::string_view text);           // 0% to 100%

// More than a year: nothing that a scenario can mean, and sums of them stay far from overflow.
inline constexpr Duration kDurationMax = Duration::s(10'000 * 3'600);

// A pebibyte, for the same reasons.
inline constexpr std::int64_t kSizeMax = std::int64_t{1} << 50;
inline constexpr const char* kSizeMaxText = "1048576 GiB";
// Sends per second: one in a microsecond.
inline constexpr std::int64_t kRateMax = 1'000'000;

inline constexpr const char* kDurationForm = "an integer and one of ns us ms s min h";
inline constexpr const char* kSizeForm = "an integer and one of B KiB MiB GiB kB MB GB";
inline constexpr const char* kRateForm = "an integer and /s";
inline constexpr const char* kByteRateForm = "a size and /s, as 125 MB/s";
inline constexpr const char* kPercentForm = "an integer from 0 to 100 and %";

// "N" or "N..M" with N <= M. Throws InputError, with `what` ("--seed") in front.
SeedRange parse_seed_range(std::string_view text, const std::string& what);
// More seeds than this in one invocation is a mistake, or a job for several invocations.
inline constexpr std::uint64_t kSeedsMax = 1'000'000;

// The largest unit that leaves an integer: "5 s", "1500 ms".
std::string text_of(Duration duration);

}  // namespace drydock::scenarios
