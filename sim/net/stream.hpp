// A process's end of a connection.
#pragma once

#include "sim/net/socket.hpp"

namespace drydock::sim {

class ProcessNetwork;

class SimStream final : public Stream {
 public:
  // Holds the socket until destroyed.
  SimStream(ProcessNetwork& owner, Socket& socket);
  ~SimStream() override;

  Socket& socket() const { return socket_; }
  void finish_writing() override { socket_.finish_writing(); }
  void reset() override { socket_.reset(); }
  Endpoint local() const override;
  Endpoint peer() const override;

  // Completes when the handshake is over: ok, connection_refused, timed_out, cancelled.
  class [[nodiscard]] ConnectAwaiter : public Waiter {
   public:
    ConnectAwaiter(SimStream& stream, Deadline deadline) : stream_(stream), deadline_(deadline) {}
    bool await_ready() const { return false; }
    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> handle) {
      if (!suspend(handle, deadline_)) return false;
      stream_.readers_.push(*this);
      return true;
    }
    Result<void> await_resume() const {
      if (outcome() != Outcome::signalled) return result();
      if (stream_.socket_.error()) return *stream_.socket_.error();
      return {};
    }

   private:
    SimStream& stream_;
    Deadline deadline_;
  };
  ConnectAwaiter connected(Deadline deadline) { return ConnectAwaiter(*this, deadline); }

  // For the socket.
  void wake_reader_now() {
    if (!readers_.empty()) readers_.front().complete_now();
  }
  void wake_all() {
    if (!readers_.empty()) readers_.front().complete();
    if (writer() == nullptr) return;
    writer()->fail(*socket_.error());
    writers_.front().complete();
  }
  WriteAwaiter* writer() {
    return writers_.empty() ? nullptr : static_cast<WriteAwaiter*>(&writers_.front());
  }
  void keep_writer(WriteAwaiter& writer) { writers_.push(writer); }

 protected:
  bool try_read(std::size_t max_bytes, Result<ByteChain>& result) override {
    return socket_.try_read(max_bytes, result);
  }
  void wait_readable(ReadAwaiter& reader) override {
    ENSURE(readers_.empty());
    readers_.push(reader);
  }
  bool start_write(WriteAwaiter& writer) override { return socket_.start_write(writer); }
  // The socket sees that the write was not completed when the next one starts.
  void abandon_write(WriteAwaiter& writer) override { writer.place().unlink(); }

 private:
  ProcessNetwork& owner_;
  Socket& socket_;
  WaitList readers_;  // At most one; before the handshake is over, who waits for that.
  WaitList writers_;  // At most one.
};

}  // namespace drydock::sim
