// Pure: inputs made from seeds, the same ones on every machine.
#pragma once

#include <string>
#include <vector>

#include "engine/types/random_stream.hpp"

namespace drydock::fuzz {

// The n-th input: the seeds themselves first, then each one cut at every length while `kCutsMax`
// suffices, then one to four random changes of a random seed: bits, bytes, numbers at the edge of a
// type, pieces that are taken out, put twice, or taken from another seed.
class Mutations {
 public:
  explicit Mutations(std::vector<std::string> seeds);
  std::string next();

 private:
  std::string cut();
  void change(std::string& input);

  static constexpr std::size_t kCutsMax = 2000;  // Of all seeds.
  std::vector<std::string> seeds_;
  RandomStream random_;
  std::size_t made_ = 0;
  std::size_t cut_seed_ = 0;
  std::size_t cut_at_ = 0;
  std::size_t cuts_ = 0;
};

}  // namespace drydock::fuzz
