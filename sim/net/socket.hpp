// One end of a connection, as its host's kernel keeps it.
#pragma once

#include <optional>

#include "engine/runtime/network.hpp"
#include "sim/net/receiver.hpp"
#include "sim/net/sender.hpp"

namespace drydock::sim {

class Connection;
class HostStack;
class SimListener;
class SimStream;

// States, and what a segment that arrives meets there:
//
//   closed        the kernel knows no such connection: not yet, not any more, or lost with the
//                 host's power. A SYN goes to the listening socket of its port; everything else but
//                 a reset is answered by a reset.
//   syn_sent      the client's end, until the SYN-ACK.
//   syn_received  the server's end, until something of the client's proves that it has the SYN-ACK.
//   established   until both sides have ended and nobody holds the socket, or it breaks.
//
// Holder: a stream (an open descriptor of a process), the listening socket that has not handed it
// out yet, or nobody. A socket that nobody holds is an orphan: it goes on sending what is queued
// and its FIN, and answers data with a reset.
class Socket {
 public:
  enum class State : std::uint8_t { closed, syn_sent, syn_received, established };

  Socket(Connection& connection, HostStack& host, Link& out, Socket& peer);
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  State state() const { return state_; }
  Connection& connection() const { return connection_; }
  Socket& peer() const { return peer_; }
  HostStack& host() const { return host_; }
  Link& out() const { return out_; }
  Sender& sender() { return sender_; }
  bool held() const { return stream_ != nullptr || listener_ != nullptr; }

  // For the process that holds it. Semantics: Stream, in engine/runtime/network.hpp.
  void hold(SimStream& stream);
  void connect(const KeepAlive& keep_alive);
  const std::optional<Error>& error() const { return error_; }
  bool try_read(std::size_t max_bytes, Result<ByteChain>& result);
  bool start_write(Stream::WriteAwaiter& writer);
  void finish_writing();
  void reset();
  // The holder lets go: close(2).
  void close();

  // For the listening socket.
  void withdraw();  // It closes and nobody has accepted this one.

  // For the network.
  void arrive(Segment& segment);
  void transmit(Segment& segment);
  // The segment, sent by us, did not arrive.
  void lose(Segment& segment);
  // The connection breaks for the process that holds this end; nothing is sent.
  void fail(Error error);
  // The host's power is gone.
  void go_dark();

  // For the sending half.
  std::int64_t round_trip_ns() const;
  Duration give_up_after() const { return held() ? kGiveUpAfter : kOrphanGiveUpAfter; }
  void give_up() { fail(ErrorCode::timed_out); }
  void send_probe() { send(SegmentKind::probe); }
  bool writer_waits() const;
  // Takes what there is room for from the write that waits. The write, if that was its last byte.
  Stream::WriteAwaiter* feed_writer();

 private:
  class Timer : public Wakeup {
   public:
    using Action = void (Socket::*)();
    Timer(Socket& socket, std::uint32_t connection, Action action)
        : Wakeup(&Timer::on_run, EventKind::link, connection), socket_(socket), action_(action) {}

   private:
    static void on_run(Wakeup& wakeup) {
      auto& self = static_cast<Timer&>(wakeup);
      (self.socket_.*self.action_)();
    }
    Socket& socket_;
    Action action_;
  };

  void send(SegmentKind kind);
  void send_reset();
  void acknowledge(std::int64_t sent_at);

  void receive_data(Segment& segment);
  void receive_other(Segment& segment);
  void receive_established(SegmentKind kind, std::int64_t sent_at);
  void on_reset();
  // The kernel forgets the connection.
  void vanish();

  // Handshake (handshake.cpp).
  void on_syn();
  void on_syn_ack();
  void on_client_proved();
  void handshake_lost();
  void on_handshake_timer();

  void arm_keep_alive();
  void on_keep_alive();

  Connection& connection_;
  HostStack& host_;
  Link& out_;
  Socket& peer_;
  NetworkCore& core_;
  State state_ = State::closed;
  bool write_cut_short_ = false;  // A write was kept; no other may follow until it is complete.
  SimStream* stream_ = nullptr;
  SimListener* listener_ = nullptr;
  std::int64_t last_arrival_ = 0;  // Of what we sent: nothing overtakes.
  std::int64_t heard_at_ = 0;
  std::optional<Error> error_;
  Receiver receiver_;
  Sender sender_;
  int handshake_retries_ = 0;
  int keep_alive_probes_ = 0;
  std::int64_t handshake_sent_at_ = 0;
  KeepAlive keep_alive_;
  Timer handshake_timer_;
  Timer keep_alive_timer_;
};

}  // namespace drydock::sim
