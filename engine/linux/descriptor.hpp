// A descriptor with one owner.
#pragma once

#include <utility>

namespace drydock::on_linux {

class OwnedDescriptor {
 public:
  OwnedDescriptor() = default;
  explicit OwnedDescriptor(int number) : number_(number) {}
  OwnedDescriptor(OwnedDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  OwnedDescriptor& operator=(OwnedDescriptor other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~OwnedDescriptor() { close(); }

  int get() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }
  void close() noexcept;

 private:
  int number_ = -1;
};

}  // namespace drydock::on_linux
