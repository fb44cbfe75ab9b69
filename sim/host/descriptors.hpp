// How many files and sockets a process has open.
#pragma once

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

  bool full() const { return open_ >= most_; }
  int open() const { return open_; }
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
};

}  // namespace drydock::sim
