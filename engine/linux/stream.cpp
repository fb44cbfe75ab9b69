#include "engine/linux/stream.hpp"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>

#include "engine/linux/errors.hpp"

namespace drydock::on_linux {
namespace {

using GetName = int (*)(int, sockaddr*, socklen_t*);

Endpoint endpoint_by(GetName get, const OwnedDescriptor& socket) {
  sockaddr_in address{};
  socklen_t length = sizeof address;
  if (get(socket.get(), reinterpret_cast<sockaddr*>(&address), &length) != 0) return {};
  return {ntohl(address.sin_addr.s_addr), ntohs(address.sin_port)};
}

}  // namespace

Endpoint local_endpoint(const OwnedDescriptor& socket) {
  return endpoint_by(&::getsockname, socket);
}
Endpoint peer_endpoint(const OwnedDescriptor& socket) {
  return endpoint_by(&::getpeername, socket);
}

LinuxStream::LinuxStream(LinuxExecutor& executor, OwnedDescriptor socket,
                         std::span<std::byte> scratch)
    : executor_(executor),
      socket_(std::move(socket)),
      scratch_(scratch),
      local_(local_endpoint(socket_)),
      peer_(peer_endpoint(socket_)),
      watch_(std::in_place, executor, socket_.get(), static_cast<ReadinessListener&>(*this)) {}

LinuxStream::~LinuxStream() = default;  // The watch goes first, then the socket is closed.

bool LinuxStream::try_read(std::size_t max_bytes, Result<ByteChain>& result) {
  if (!socket_) {  // After reset().
    result = *broken_;
    return true;
  }
  const std::size_t length = std::min(max_bytes, scratch_.size());
  const ssize_t got = ::recv(socket_.get(), scratch_.data(), length, MSG_DONTWAIT);
  if (got > 0) {
    result = ByteChain(SharedBytes::copy_of(scratch_.first(static_cast<std::size_t>(got))));
    return true;
  }
  const int number = got < 0 ? errno : 0;
  if (number == EINTR) return try_read(max_bytes, result);
  // A write may have been told of the break first, and reading then finds an end or nothing.
  if (broken_) {
    result = *broken_;
  } else if (got == 0) {
    result = ErrorCode::end_of_stream;
  } else if (number == EAGAIN) {
    return false;
  } else {
    broken_ = socket_error(number);
    result = *broken_;
  }
  return true;
}

void LinuxStream::wait_readable(ReadAwaiter& reader) {
  ENSURE(readers_.empty());
  readers_.push(reader);
  watch_->await_readable();
}

// The reader is woken only if a read would give something now; nobody else reads meanwhile.
void LinuxStream::readable() {
  if (readers_.empty()) return;
  std::byte first;
  const ssize_t got = ::recv(socket_.get(), &first, 1, MSG_PEEK | MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR) && !broken_) {
    watch_->await_readable();
    return;
  }
  if (got < 0 && !broken_) broken_ = socket_error(errno);
  readers_.front().complete();
}

bool LinuxStream::start_write(WriteAwaiter& writer) {
  if (broken_) {
    writer.fail(*broken_);
    return true;
  }
  if (write_kept_) ENSURE(writers_.empty());  // One write waits at a time.
  if (write_kept_ || refuses_writes_) {
    writer.fail(ErrorCode::invalid_argument);
    return true;
  }
  const bool later = executor_.more_is_ready();
  if (!later && take_bytes(writer)) return true;
  write_kept_ = true;
  writers_.push(writer);
  if (later) {
    executor_.post_last(turn_);
  } else {
    watch_->await_writable();
  }
  return false;
}

// Hands bytes to the kernel. True: all of them, or the write has failed.
bool LinuxStream::take_bytes(WriteAwaiter& writer) {
  SharedBytes& bytes = writer.bytes();
  while (!bytes.empty()) {
    const ssize_t taken =
        ::send(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (taken < 0 && errno == EINTR) continue;
    if (taken < 0 && errno == EAGAIN) return false;
    if (taken < 0) {
      break_with(socket_error(errno));
      writer.fail(*broken_);
      return true;
    }
    const auto length = static_cast<std::size_t>(taken);
    bytes = bytes.slice(length, bytes.size() - length);
  }
  return true;
}

void LinuxStream::writable() {
  if (writers_.empty()) return;  // Given up, or its frame is gone: what follows is refused.
  auto& writer = static_cast<WriteAwaiter&>(writers_.front());
  if (!take_bytes(writer)) {
    watch_->await_writable();
    return;
  }
  write_kept_ = false;
  writer.complete();
  if (finish_when_written_) shut_down_writing();
}

void LinuxStream::abandon_write(WriteAwaiter& writer) {
  writer.place().unlink();
  turn_.unlink();
  write_kept_ = false;
  refuses_writes_ = true;
  if (finish_when_written_) shut_down_writing();
}

void LinuxStream::finish_writing() {
  refuses_writes_ = true;
  if (writers_.empty()) {
    shut_down_writing();
  } else {
    finish_when_written_ = true;
  }
}

void LinuxStream::shut_down_writing() {
  finish_when_written_ = false;
  if (socket_) ::shutdown(socket_.get(), SHUT_WR);
}

void LinuxStream::reset() {
  if (!socket_) return;
  watch_.reset();
  turn_.unlink();
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  socket_.close();
  break_with(ErrorCode::connection_reset);
  if (!writers_.empty()) {
    auto& writer = static_cast<WriteAwaiter&>(writers_.front());
    writer.fail(*broken_);
    writer.complete();
  }
}

void LinuxStream::break_with(Error error) {
  if (!broken_) broken_ = error;
  if (!readers_.empty()) readers_.front().complete();
}

}  // namespace drydock::on_linux
