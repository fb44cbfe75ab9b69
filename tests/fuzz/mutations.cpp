#include "tests/fuzz/mutations.hpp"

#include <array>
#include <cstdint>

namespace drydock::fuzz {

namespace {

constexpr std::size_t kInputBytesMax = 8192;

// Big-endian numbers at the edges of their types, of 1, 2, 4 and 8 bytes.
constexpr std::array<std::uint64_t, 10> kEdges = {
    0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x7fff'ffff, 0x8000'0000, 0x7fff'ffff'ffff'ffff, ~0ull};

}  // namespace

Mutations::Mutations(std::vector<std::string> seeds)
    : seeds_(std::move(seeds)), random_(7, "fuzz") {
  ENSURE(!seeds_.empty());
}

std::string Mutations::next() {
  if (made_ < seeds_.size()) return seeds_[made_++];
  if (cut_seed_ < seeds_.size() && cuts_ < kCutsMax) return cut();
  std::string input = seeds_[random_.below(seeds_.size())];
  const std::uint64_t changes = 1 + random_.below(4);
  for (std::uint64_t i = 0; i < changes; ++i) change(input);
  if (input.size() > kInputBytesMax) input.resize(kInputBytesMax);
  return input;
}

std::string Mutations::cut() {
  const std::string& seed = seeds_[cut_seed_];
  std::string input = seed.substr(0, cut_at_);
  ++cuts_;
  // A share of the cuts for each seed.
  cut_at_ += 1 + seed.size() * seeds_.size() / kCutsMax;
  if (cut_at_ >= seed.size()) {
    ++cut_seed_;
    cut_at_ = 0;
  }
  return input;
}

void Mutations::change(std::string& input) {
  const std::size_t at = random_.below(input.size() + 1);
  const std::size_t rest = input.size() - at;
  const std::size_t length = random_.below(1 + std::min<std::size_t>(rest, 16));
  switch (random_.below(7)) {
    case 0:
      if (rest > 0) input[at] = static_cast<char>(input[at] ^ (1 << random_.below(8)));
      break;
    case 1:
      if (rest > 0) input[at] = static_cast<char>(random_.below(256));
      break;
    case 2: {
      const std::uint64_t edge = kEdges[random_.below(kEdges.size())];
      const std::size_t width = std::size_t{1} << random_.below(4);
      for (std::size_t i = 0; i < width && i < rest; ++i) {
        input[at + i] = static_cast<char>(edge >> (8 * (width - 1 - i)));
      }
      break;
    }
    case 3: input.erase(at, length); break;
    case 4: input.insert(at, input.substr(at, length)); break;
    case 5: {
      const std::string& other = seeds_[random_.below(seeds_.size())];
      const std::size_t from = random_.below(other.size() + 1);
      input.insert(at, other.substr(from, random_.below(64)));
      break;
    }
    default: input.resize(at);
  }
}

}  // namespace drydock::fuzz
