// A connection over which many requests are in flight at once.
//
// States: no connection; connecting (one task does it, whoever needs it waits); connected (a reader
// and a writer run); ending (their scope is cancelled). When a connection ends, however that comes,
// every call that waits on it ends with `lost`. The next call connects anew.
//
// Matching: the opaque of a request is the number of a slot in a table and a count of uses, so a
// late response to a call that has given up meets nobody.
#pragma once

#include <memory>
#include <vector>

#include "engine/runtime/context.hpp"
#include "engine/wire/outgoing_frames.hpp"
#include "engine/wire/remoting_frame.hpp"

namespace drydock {

struct RequestConnectionOptions {
  Duration connect_timeout = Duration::ms(3000);
  Duration reconnect_delay;  // After a failed connect; doubles with each further failure.
  Duration reconnect_delay_max;
};

class RequestConnection {
 public:
  RequestConnection(Context& context, Endpoint peer, RequestConnectionOptions options)
      : context_(context), peer_(peer), options_(options), scope_(context.scope) {}

  // One request and its response. Lives in the frame of whoever waits; taken out of the table when
  // it is destroyed.
  class Call : public ListLink {
   public:
    enum class State : std::uint8_t { waiting, answered, lost };

    // Takes a slot. There are at most kCallsMax at a time, those of `ask` among them: the caller
    // sees to that.
    explicit Call(RequestConnection& connection);
    ~Call();
    std::int32_t opaque() const { return opaque_; }
    State state() const { return state_; }
    // Set when the state leaves `waiting`.
    Event& done() { return done_; }
    RemotingCommand& response() { return response_; }

   private:
    friend class RequestConnection;
    void finish(State state) {
      unlink();
      state_ = state;
      done_.set();
    }

    RequestConnection& connection_;
    std::int32_t opaque_;
    State state_ = State::waiting;
    Event done_;
    RemotingCommand response_;
  };
  static constexpr std::size_t kCallsMax = 65'536;

  // Ok once there is a connection. Errors: timed_out, cancelled, or what connecting gave.
  Task<Result<void>> ready(Deadline deadline);
  // Queues the frame of a call on the present connection. Only right after `ready`.
  void send(Call& call, SharedBytes frame);
  // One request, whole: waits while kCallsMax others are being asked, and for a connection; sends
  // `frame`, which nobody else may hold, and waits for the response. Errors: as ready(); timed_out
  // (a late response meets nobody); connection_reset if the connection ended first: the request may
  // have been served.
  Task<Result<RemotingCommand>> ask(SharedBytes frame, Deadline deadline);
  // Ends the present connection, if there is one.
  void disconnect() {
    if (state_ != State::connected) return;
    state_ = State::ending;
    life_->cancel();
  }
  // Ends everything; the object is of no use afterwards.
  Task<void> close();

 private:
  // From connecting to the end of the connection.
  Task<void> run();
  Task<Result<std::unique_ptr<Stream>>> open_stream();
  Task<void> read_responses(Stream& stream);
  Task<void> write_requests(Stream& stream);
  void take_response(RemotingCommand response);

  Context& context_;
  Endpoint peer_;
  RequestConnectionOptions options_;

  enum class State : std::uint8_t { idle, connecting, connected, ending };
  State state_ = State::idle;
  Event settled_;  // Set when a connect has succeeded or failed, or a connection has ended.
  Error last_error_ = ErrorCode::connection_refused;
  Duration delay_;             // Before the next connect.
  TaskScope* life_ = nullptr;  // Of the present connection.

  OutgoingFrames outgoing_;
  Event has_outgoing_;
  IntrusiveList sent_;  // Calls that wait for a response, in order of sending.
  std::vector<Call*> slots_;
  std::vector<std::uint16_t> free_slots_;
  std::uint32_t uses_ = 0;
  Semaphore asks_{kCallsMax};

  TaskScope scope_;  // Last: its tasks use all of the above.
};

}  // namespace drydock
