// TCP as the engine sees it: connections of ordered bytes.
//
// What stands behind the contracts, in both worlds:
//   a cut network     is silence: writes are accepted until the send buffer is full, nothing
//                     arrives, nobody is told. After healing the bytes arrive, late.
//   a dead host       is silence too. When it is back it answers what arrives for connections of
//                     its former life with a reset.
//   a dead process    has its sockets closed by its kernel: the peer reads to the end and then
//                     end_of_stream, or connection_reset if the dead process had left bytes unread
//                     or if more is sent to it.
// Source: RFC 9293; tcp(7).
#pragma once

#include <compare>
#include <cstdint>
#include <memory>

#include "engine/runtime/task.hpp"
#include "engine/runtime/waiter.hpp"
#include "engine/types/bytes.hpp"
#include "engine/types/time.hpp"

namespace drydock {

// An IPv4 address and a port, both in host byte order. 10.20.16.31 is 0x0a14101f.
struct Endpoint {
  std::uint32_t address = 0;
  std::uint16_t port = 0;
  friend constexpr auto operator<=>(const Endpoint&, const Endpoint&) = default;
};

// SO_KEEPALIVE and its three times. Off by default, as in Linux. Source: tcp(7).
struct KeepAlive {
  bool enabled = false;
  Duration idle = Duration::s(7200);
  Duration interval = Duration::s(75);
  int probes = 9;
};

struct ConnectOptions {
  Deadline deadline = kNever;  // None: Linux gives up after 6 retries of the SYN, about 127 s.
  KeepAlive keep_alive;
};

// One end of a connection. At most one read and one write wait at a time.
//
// Destruction is close(2): unread bytes make it a reset, otherwise what was written is still
// delivered and then the end of the stream. It does not wait.
// After a crash of either side: what was written may or may not have been received.
class Stream {
 public:
  virtual ~Stream() = default;

  class [[nodiscard]] ReadAwaiter;
  class [[nodiscard]] WriteAwaiter;

  // The next bytes in order, at least one and at most `max_bytes` (> 0); waits while there is none.
  // Errors: end_of_stream once everything was read and the peer has ended its side;
  // connection_reset, timed_out also when keep-alive or the peer's silence broke the connection
  // (then every later call fails alike); timed_out, cancelled: nothing was consumed.
  ReadAwaiter read(std::size_t max_bytes, Deadline deadline = kNever);

  // Queues all of `bytes` for sending, behind earlier writes; waits while the send buffer is full
  // (that is the back-pressure). Success says nothing about the peer. Errors: connection_reset;
  // timed_out or cancelled: a part may have been queued, and the stream refuses further writes with
  // invalid_argument, because what follows would be read as the rest of the lost message.
  WriteAwaiter write(SharedBytes bytes, Deadline deadline = kNever);

  // Ends our side: the peer reads what was written and then end_of_stream. Reading goes on.
  virtual void finish_writing() = 0;
  // Drops the connection at once (SO_LINGER 0): the peer gets connection_reset, bytes in flight may
  // be lost.
  virtual void reset() = 0;

  virtual Endpoint local() const = 0;
  virtual Endpoint peer() const = 0;

 protected:
  // For the worlds. `try_read` gives bytes, end or error at once, or nothing; `wait_readable` keeps
  // the waiter until try_read would give something. `start_write` takes all of the awaiter's bytes
  // at once (true), or keeps the awaiter and completes it when it has.
  virtual bool try_read(std::size_t max_bytes, Result<ByteChain>& result) = 0;
  virtual void wait_readable(ReadAwaiter& reader) = 0;
  virtual bool start_write(WriteAwaiter& writer) = 0;
  // The write was given up while it was kept.
  virtual void abandon_write(WriteAwaiter& writer) = 0;
};

class [[nodiscard]] Stream::ReadAwaiter : public Waiter {
 public:
  ReadAwaiter(Stream& stream, std::size_t max_bytes, Deadline deadline)
      : stream_(stream), max_bytes_(max_bytes), deadline_(deadline) {
    ENSURE(max_bytes > 0);
  }
  bool await_ready() { return ready_ = stream_.try_read(max_bytes_, result_); }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> handle) {
    if (!suspend(handle, deadline_)) return false;
    stream_.wait_readable(*this);
    return true;
  }
  Result<ByteChain> await_resume() {
    if (ready_) return std::move(result_);
    if (outcome() != Outcome::signalled) return result().error();
    ENSURE(stream_.try_read(max_bytes_, result_));
    return std::move(result_);
  }

 private:
  Stream& stream_;
  std::size_t max_bytes_;
  Deadline deadline_;
  bool ready_ = false;
  Result<ByteChain> result_;
};

class [[nodiscard]] Stream::WriteAwaiter : public Waiter {
 public:
  WriteAwaiter(Stream& stream, SharedBytes bytes, Deadline deadline)
      : stream_(stream), bytes_(std::move(bytes)), deadline_(deadline) {}
  bool await_ready() { return ready_ = stream_.start_write(*this); }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> handle) {
    if (suspend(handle, deadline_)) return true;
    stream_.abandon_write(*this);
    return false;
  }
  Result<void> await_resume() {
    if (error_ != ErrorCode::cancelled) return error_;
    if (ready_ || outcome() == Outcome::signalled) return {};
    stream_.abandon_write(*this);
    return result();
  }

  // For the worlds: the bytes still to be taken, and how a kept write ends.
  SharedBytes& bytes() { return bytes_; }
  // Before returning true from start_write, or before complete(): the write failed.
  void fail(Error error) { error_ = error; }

 private:
  Stream& stream_;
  SharedBytes bytes_;
  Deadline deadline_;
  Error error_ = ErrorCode::cancelled;  // `cancelled` stands for "no error of the connection".
  bool ready_ = false;
};

inline Stream::ReadAwaiter Stream::read(std::size_t max_bytes, Deadline deadline) {
  return ReadAwaiter(*this, max_bytes, deadline);
}
inline Stream::WriteAwaiter Stream::write(SharedBytes bytes, Deadline deadline) {
  return WriteAwaiter(*this, std::move(bytes), deadline);
}

// A listening socket. Destruction refuses what comes later and resets connections that nobody
// accepted.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual Endpoint local() const = 0;
  // The next connection, in the order in which they were established. The handshake is the
  // kernel's: a peer may have connected, and sent, before this is called. Up to 128 connections
  // wait (the backlog); more are ignored until the peer's SYN is repeated.
  // Errors: cancelled, timed_out, too_many_open_files.
  virtual Task<Result<std::unique_ptr<Stream>>> accept(Deadline deadline = kNever) = 0;
};

class Network {
 public:
  virtual ~Network() = default;
  // Listens on `port` of this process's host; port 0 picks a free one. Error: busy if it is taken.
  virtual Result<std::unique_ptr<Listener>> listen(std::uint16_t port) = 0;
  // Completes when the peer's kernel has answered. Errors: connection_refused (nobody listens, at
  // once after a round trip), timed_out (silence), unreachable, cancelled, too_many_open_files.
  virtual Task<Result<std::unique_ptr<Stream>>> connect(Endpoint to, ConnectOptions options) = 0;
  // The address of this host, as other hosts connect to it.
  virtual std::uint32_t address() const = 0;
};

}  // namespace drydock
