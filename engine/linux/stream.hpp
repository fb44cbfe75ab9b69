// One TCP connection.
#pragma once

#include <optional>
#include <span>

#include "engine/linux/descriptor.hpp"
#include "engine/linux/executor.hpp"
#include "engine/runtime/network.hpp"

namespace drydock::on_linux {

// Reads and writes are direct calls on a non-blocking socket; readiness is asked for only when a
// call would have blocked. An error that the kernel reports once (reading it clears it) is kept, so
// that every later call fails alike.
class LinuxStream : public Stream, private ReadinessListener {
 public:
  // `socket`: connected, non-blocking. `scratch` is where reads land before they are copied to a
  // block of their own size; it outlives the stream.
  LinuxStream(LinuxExecutor& executor, OwnedDescriptor socket, std::span<std::byte> scratch);
  ~LinuxStream() override;

  void finish_writing() override;
  void reset() override;
  Endpoint local() const override { return local_; }
  Endpoint peer() const override { return peer_; }

 protected:
  bool try_read(std::size_t max_bytes, Result<ByteChain>& result) override;
  void wait_readable(ReadAwaiter& reader) override;
  bool start_write(WriteAwaiter& writer) override;
  void abandon_write(WriteAwaiter& writer) override;

 private:
  void readable() override;
  void writable() override;

  // A write that waits for what else is ready: others may join it, and one call of the kernel takes
  // all of them.
  class Turn : public Wakeup {
   public:
    explicit Turn(LinuxStream& stream)
        : Wakeup(&Turn::on_run, EventKind::segment, 0), stream_(stream) {}

   private:
    static void on_run(Wakeup& wakeup) { static_cast<Turn&>(wakeup).stream_.writable(); }
    LinuxStream& stream_;
  };

  bool take_bytes(WriteAwaiter& writer);
  void break_with(Error error);
  void shut_down_writing();

  LinuxExecutor& executor_;
  OwnedDescriptor socket_;
  std::span<std::byte> scratch_;
  Endpoint local_;
  Endpoint peer_;
  WaitList readers_;
  WaitList writers_;
  std::optional<Error> broken_;  // What every call answers, once everything was read.
  bool write_kept_ = false;      // A write waits, or waited and was given up half-way.
  bool refuses_writes_ = false;  // Because of that, or after finish_writing.
  bool finish_when_written_ = false;
  std::optional<DescriptorWatch> watch_;
  Turn turn_{*this};
};

// The addresses of a socket's two ends; zeros if there is none.
Endpoint local_endpoint(const OwnedDescriptor& socket);
Endpoint peer_endpoint(const OwnedDescriptor& socket);

}  // namespace drydock::on_linux
