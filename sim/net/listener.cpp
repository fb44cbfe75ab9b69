#include "sim/net/listener.hpp"

#include "sim/net/process_network.hpp"
#include "sim/net/stream.hpp"

namespace drydock::sim {

SimListener::SimListener(ProcessNetwork& owner, HostStack& host, std::uint16_t port)
    : owner_(owner), host_(host), port_(port) {
  owner_.opened();
  host_.open_port(port, *this);
}

SimListener::~SimListener() {
  owner_.closed();
  host_.close_port(port_);
  for (Socket* socket : ready_) socket->withdraw();
  for (Socket* socket : expected_) socket->withdraw();
}

Task<Result<std::unique_ptr<Stream>>> SimListener::accept(Deadline deadline) {
  if (owner_.full()) co_return ErrorCode::too_many_open_files;
  while (ready_.empty()) {
    Result<void> waited = co_await some_ready_.wait(deadline);
    if (!waited) co_return waited.error();
  }
  Socket& socket = *ready_.front();
  ready_.pop_front();
  if (ready_.empty()) some_ready_.reset();
  std::unique_ptr<Stream> stream = std::make_unique<SimStream>(owner_, socket);
  co_return stream;
}

void SimListener::established(Socket& socket) {
  forget(socket);
  ready_.push_back(&socket);
  some_ready_.set();
}

}  // namespace drydock::sim
