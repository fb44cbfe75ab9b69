// One stream of random numbers: the same on every compiler, machine and library.
//
// Generator: xoshiro256++ 1.0 seeded through splitmix64 (Blackman and Vigna, "Scrambled linear
// pseudorandom number generators", 2019). Draws are our own because the distributions of the
// standard library differ between implementations.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "engine/types/ensure.hpp"

namespace drydock {

class RandomStream {
 public:
  // The stream `name` of `seed`. Streams of different names are independent for our purposes, so a
  // new draw in one place does not disturb another place.
  RandomStream(std::uint64_t seed, std::string_view name) {
    std::uint64_t state = seed ^ hash_name(name);
    for (auto& word : state_) word = split_mix(state);
  }

  // 64 uniform bits.
  std::uint64_t next() {
    const std::uint64_t result = rotate(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  // Uniform in [0, bound), without bias (Lemire 2019). `bound` > 0.
  std::uint64_t below(std::uint64_t bound) {
    ENSURE(bound > 0);
    __extension__ using Wide = unsigned __int128;
    Wide product = static_cast<Wide>(next()) * bound;
    if (static_cast<std::uint64_t>(product) < bound) {
      const std::uint64_t threshold = (0 - bound) % bound;
      while (static_cast<std::uint64_t>(product) < threshold) {
        product = static_cast<Wide>(next()) * bound;
      }
    }
    return static_cast<std::uint64_t>(product >> 64);
  }

  // Uniform in [low, high], both ends included. `low` <= `high`.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    ENSURE(low <= high);
    const std::uint64_t width = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
    const std::uint64_t draw = width == ~std::uint64_t{0} ? next() : below(width + 1);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + draw);
  }

  // True `numerator` times in `denominator`. A chance of 0 or of 1 still draws once, so that
  // turning a probability to zero does not shift the draws that follow.
  bool chance(std::uint64_t numerator, std::uint64_t denominator) {
    return below(denominator) < numerator;
  }

  // Fisher-Yates, from the back.
  template <class T>
  void shuffle(std::span<T> items) {
    for (std::size_t i = items.size(); i > 1; --i) {
      const std::size_t j = below(i);
      std::swap(items[i - 1], items[j]);
    }
  }

 private:
  static constexpr std::uint64_t rotate(std::uint64_t x, int k) {
    return (x << k) | (x >> (64 - k));
  }
  static constexpr std::uint64_t split_mix(std::uint64_t& state) {
    state += 0x9e3779b97f4a7c15;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  // FNV-1a, 64 bits.
  static constexpr std::uint64_t hash_name(std::string_view name) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : name) {
      hash ^= static_cast<std::uint8_t>(c);
      hash *= 0x100000001b3;
    }
    return hash;
  }

  std::array<std::uint64_t, 4> state_;
};

}  // namespace drydock
