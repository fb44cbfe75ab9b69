// What the engine tells about itself. Integers only on hot paths: text is made where it is read.
#pragma once

#include <cstdint>
#include <string>

#include "engine/types/events.hpp"

namespace drydock {

enum class LogLevel : std::uint8_t { debug, info, warning, error };

// No call waits, fails, or changes what the caller does next.
class Observer {
 public:
  virtual ~Observer() = default;
  // Something happened; the meaning of the two integers is the event's own (see EventName). In
  // simulation the event enters the fingerprint and may trigger a fault.
  virtual void event(EventName name, std::int64_t a, std::int64_t b) = 0;
  void event(EventName name, std::int64_t a) { event(name, a, 0); }
  // A line for people: rare, at start, stop and trouble.
  virtual void log(LogLevel level, std::string line) = 0;
};

}  // namespace drydock
