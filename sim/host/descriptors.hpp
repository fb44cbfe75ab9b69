// How many files and sockets a process has open.
#pragma once

#include <cstdint>

#include "engine/types/ensure.hpp"

namespace drydock::sim {

// Of one process. A call that needs a descriptor asks `full` first: EMFILE. A mapping counts as the
// file that it was made from, which stays open in RocketMQ. Standard streams and what a virtual
// machine itself opens are not counted.
class Descriptors {
 public:
  // `most`: RLIMIT_NOFILE.
  explicit Descriptors(int most) : most_(most) { ENSURE(most > 0); }
  Descriptors(const Descriptors&) = delete;
  Descriptors& operator=(const Descriptors&) = delete;

  // Whether a call that needs one fails now; it is counted if so.
  bool full() {
    if (open_ < most_) return false;
    ++refused_;
    return true;
  }
  int open() const { return open_; }
  std::int64_t refused() const { return refused_; }  // Calls that have failed.
  void opened() { ++open_; }
  void closed() { --open_; }

  // One that is open while this lives.
  class One {
   public:
    explicit One(Descriptors& of) : of_(of) { of_.opened(); }
    ~One() { of_.closed(); }
    One(const One&) = delete;
    One& operator=(const One&) = delete;

   private:
    Descriptors& of_;
  };

 private:
  int most_;
  int open_ = 0;
  std::int64_t refused_ = 0;
};

}  // namespace drydock::sim
