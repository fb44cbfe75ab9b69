// Pure: what somebody may have meant by a name that doesn't exist.
#pragma once

#include <cstddef>
#include <string_view>

namespace drydock {

// Of the names that it is shown, the one with the smallest edit distance to what was written.
class NearestName {
 public:
  explicit NearestName(std::string_view written) : written_(written) {}
  void consider(std::string_view known);
  // The nearest one, the first of several; empty if none is near: more than a quarter of the
  // letters, and more than one, would have to change. Case doesn't count.
  std::string_view name() const { return nearest_; }

 private:
  std::string_view written_;
  std::string_view nearest_;
  std::size_t best_ = written_.size() / 4 + 2;
};

}  // namespace drydock
