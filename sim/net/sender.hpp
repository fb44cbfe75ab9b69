// The sending half of a socket: send buffer, window, and what happens when nothing comes back.
#pragma once

#include "sim/net/acknowledgements.hpp"
#include "sim/net/core.hpp"

namespace drydock::sim {

// Positions count our bytes from 0, and our FIN as one more:
//
//   acked <= sent <= queued        sent <= window_end (a FIN may lie one behind it)
//   queued - acked <= send buffer  (a FIN counts for nothing there)
//
// Segments between acked and sent are under way, lost (lost_), held back at the receiver, or have
// arrived without our knowing; those between sent and queued are in unsent_.
//
// Health and trouble. In health nothing is lost, and no timer runs. Trouble starts when the
// simulator knows that an answer will not come: a segment or an acknowledgement was lost, or the
// peer's socket is gone. Then the retransmission timer runs, from the moment at which that segment
// was sent, and doubles. Each time it runs out, the first lost segment is sent again, or a probe if
// none is lost; new data wait. The first acknowledgement that was sent after the last loss ends the
// trouble: everything lost is sent again at once, then what waited. So after a cut has healed, the
// first bytes arrive with the next retransmission, and the rest a round trip later.
class Sender {
 public:
  Sender(Socket& socket, NetworkCore& core, std::uint32_t connection);

  // Free bytes of the send buffer.
  std::int64_t space() const { return core_.options.send_buffer_bytes - (queued_ - acked_); }
  // Queues bytes, or the FIN, behind everything else, and sends what may be sent.
  void queue(SharedBytes bytes);
  void queue_fin();
  bool finished() const { return finished_; }

  // Something of ours is unsent or unacknowledged.
  bool outstanding() const { return acked_ < queued_; }

  // Looks at the acknowledgements that have arrived by now.
  void absorb();
  // An acknowledgement has been sent to us. Times do not fall from one call to the next.
  void acknowledgement_sent(const Acknowledgement& acknowledgement);
  // Those that would arrive after now will not: their way is cut.
  void lose_acknowledgements();
  // Makes sure that an acknowledgement wakes us, if anybody waits for one.
  void await_acknowledgement();

  // A segment of ours (data or fin) was lost.
  void on_lost(Segment& segment);
  // No answer will come to what we sent at `since`.
  void on_silence(std::int64_t since);

  // The last acknowledgement that was looked at arrived then, virtual ns.
  std::int64_t heard_at() const { return heard_at_; }

  // Forgets everything: the socket is gone.
  void drop();

 private:
  static constexpr std::int64_t kNone = -1;  // Of a time: never.

  class Timer : public Wakeup {
   public:
    using Action = void (Sender::*)();
    Timer(Sender& sender, std::uint32_t connection, Action action)
        : Wakeup(&Timer::on_run, EventKind::link, connection), sender_(sender), action_(action) {}

   private:
    static void on_run(Wakeup& wakeup) {
      auto& self = static_cast<Timer&>(wakeup);
      (self.sender_.*self.action_)();
    }
    Sender& sender_;
    Action action_;
  };

  void queue_segment(SegmentKind kind, SharedBytes payload, std::int32_t length);
  void send(Segment& segment);
  // Sends unsent segments as far as window and trouble allow.
  void pump();
  void resend_lost();
  bool stalled() const { return retries_ > 0 || !lost_.empty(); }
  bool fits(const Segment& segment) const {
    return segment.end() <= window_end_ || segment.kind == SegmentKind::fin;
  }
  // The next segment to send, cut off at the window's end. Null if the window is shut.
  Segment* next_unsent();
  void end_trouble();
  std::int64_t timeout_ns() const;
  void on_retransmit();
  void on_acknowledged();
  // Sends and takes what has become possible. The last act of an event.
  void go_on();

  Socket& socket_;
  NetworkCore& core_;
  std::uint32_t connection_;
  bool finished_ = false;
  int retries_ = 0;  // Of the retransmission timer, since the trouble began.
  std::int64_t acked_ = 0;
  std::int64_t sent_ = 0;
  std::int64_t queued_ = 0;
  std::int64_t window_end_;
  std::int64_t heard_at_ = 0;
  std::int64_t trouble_since_ = kNone;
  std::int64_t doubted_at_ = kNone;  // When we last had reason to.
  IntrusiveList unsent_;
  IntrusiveList lost_;
  AcknowledgementQueue acknowledgements_;
  Timer retransmit_{*this, connection_, &Sender::on_retransmit};
  Timer acknowledged_{*this, connection_, &Sender::on_acknowledged};
};

}  // namespace drydock::sim
