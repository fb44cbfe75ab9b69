// engine/types holds the words that every layer shares: time, ids, offsets, sizes, errors, results,
// shared bytes, behaviour switches, names of events and of crash points. Value types only; nothing
// here waits, allocates for a world, or includes another folder of the project.
//
// This file: the assertion that stays on in release builds.
#pragma once

namespace drydock {

// Prints "ENSURE failed: ... file:line" to the standard error stream and aborts. A run of the
// simulator that ends here is one failed run; the supervisor that started it knows its seed.
[[noreturn]] void ensure_failed(const char* condition, const char* file, int line) noexcept;

}  // namespace drydock

// States what must hold if our own code is right. One condition per ENSURE. Never used for what the
// world may do (a full disk, a reset peer): those are Results.
#define ENSURE(condition)                                       \
  do {                                                          \
    if (!(condition)) [[unlikely]]                              \
      ::drydock::ensure_failed(#condition, __FILE__, __LINE__); \
  } while (false)
