// What every program of tests/fuzz has: a function that takes bytes, and bytes that its subject
// accepts, from which others are made.
//
// Each is linked twice over: by libFuzzer with clang (libfuzzer_seeds.cpp), and with any compiler
// by a main function that tries a fixed set of mutations of the seeds (mutations_main.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace drydock::fuzz {

// What the subject accepts, or nearly; made by hand or by our encoders. Not empty.
std::vector<std::string> seeds();

inline std::span<const std::byte> bytes_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const std::byte*>(data), size};
}
inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}
inline std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Decisions out of the bytes of an input; 0 when they are used up.
class Choices {
 public:
  Choices(const std::uint8_t* data, std::size_t size) : rest_(data, size) {}

  bool empty() const { return rest_.empty(); }
  std::uint8_t byte() {
    if (rest_.empty()) return 0;
    const std::uint8_t first = rest_.front();
    rest_ = rest_.subspan(1);
    return first;
  }
  // In [0, bound); `bound` > 0. Not quite uniform.
  std::size_t below(std::size_t bound) {
    std::size_t number = 0;
    for (std::size_t most = 1; most < bound; most *= 256) number = number * 256 + byte();
    return number % bound;
  }
  template <class Items>
  const auto& one_of(const Items& items) {
    return items[below(std::size(items))];
  }

 private:
  std::span<const std::uint8_t> rest_;
};

}  // namespace drydock::fuzz
