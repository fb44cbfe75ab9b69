// What a file below config/ holds: told in memory, the file follows. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace drydock {

class ConfigContent {
 public:
  virtual ~ConfigContent() = default;
  // Takes the content of a file. False, and nothing is changed, if it is not of this kind.
  virtual bool read(std::string_view text) = 0;
  virtual std::string write() const = 0;
  // Grows with every change.
  virtual std::uint64_t changes() const = 0;
};

}  // namespace drydock
