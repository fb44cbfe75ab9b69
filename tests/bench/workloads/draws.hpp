// The benchmark generator: a fixed integer PRNG (SplitMix64), shared by all contestants so that
// each of them is given exactly the same work. One instance per node: kernels may then serve nodes
// that act at the same instant in any order without disturbing each other's draws.
#pragma once

#include <cstdint>

namespace drydock::bench {

class Draws {
 public:
  Draws(std::uint64_t seed, std::uint64_t stream)
      : state_(seed * 0x9e3779b97f4a7c15u ^ (stream + 1) * 0xd1342543de82ef95u) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return mixed ^ (mixed >> 31);
  }

  // Uniform in [0, bound) up to a bias of bound / 2^32; bound is at most 2^32.
  std::uint64_t below(std::uint64_t bound) { return ((next() >> 32) * bound) >> 32; }

 private:
  std::uint64_t state_;
};

}  // namespace drydock::bench
