#include "engine/linux/ring.hpp"

#include <errno.h>
#include <liburing.h>

#include <utility>

#include "engine/linux/io_operation.hpp"

namespace drydock::on_linux {
namespace {

constexpr unsigned kEntries = 256;
// Threads that the kernel may use for calls that block. Its default is a few per core: one hung
// disk would then hold up the others.
constexpr unsigned kKernelWorkersMax = 256;

constexpr int kCallsWeUse[] = {IORING_OP_READ, IORING_OP_WRITE, IORING_OP_FSYNC,
                               IORING_OP_SYNC_FILE_RANGE, IORING_OP_FALLOCATE};

bool supports_our_calls(io_uring& ring) {
  io_uring_probe* const probe = io_uring_get_probe_ring(&ring);
  if (probe == nullptr) return false;
  bool all = true;
  for (const int call : kCallsWeUse) all = all && io_uring_opcode_supported(probe, call) != 0;
  io_uring_free_probe(probe);
  return all;
}

// The kernel is short of something for now; it may be asked again.
bool is_shortage(int number) {
  return number == EAGAIN || number == EBUSY || number == EINTR || number == ENOMEM;
}

}  // namespace

struct Ring::Kernel {
  Kernel() = default;
  ~Kernel() {
    if (open) io_uring_queue_exit(&ring);
  }
  io_uring ring{};
  bool open = false;
};

std::unique_ptr<Ring> Ring::open(LinuxExecutor& executor, Mailbox::Deliver deliver, int& refusal) {
  auto kernel = std::make_unique<Kernel>();
  const int answer = io_uring_queue_init(kEntries, &kernel->ring, IORING_SETUP_CLAMP);
  if (answer < 0) {
    refusal = -answer;
    return nullptr;
  }
  kernel->open = true;
  if (!supports_our_calls(kernel->ring)) {
    refusal = ENOSYS;
    return nullptr;
  }
  unsigned workers[2] = {kKernelWorkersMax, kKernelWorkersMax};
  io_uring_register_iowq_max_workers(&kernel->ring, workers);  // Since 5.15; before: its default.
  refusal = 0;
  return std::unique_ptr<Ring>(new Ring(executor, std::move(deliver), std::move(kernel)));
}

Ring::Ring(LinuxExecutor& executor, Mailbox::Deliver deliver, std::unique_ptr<Kernel> kernel)
    : executor_(executor),
      deliver_(std::move(deliver)),
      kernel_(std::move(kernel)),
      event_(make_event_descriptor()),
      watch_(executor, event_.get(), *this) {
  ENSURE(io_uring_register_eventfd(&kernel_->ring, event_.get()) == 0);
  watch_.await_readable();
}

Ring::~Ring() { ENSURE(in_kernel_ == 0); }

void Ring::submit(IoOperation& operation) {
  waiting_.push_back(&operation);
  if (!flush_.linked()) executor_.post(flush_);
}

void Ring::flush() {
  const unsigned limit = *kernel_->ring.cq.kring_entries;
  while (!waiting_.empty() && in_kernel_ < limit) {
    io_uring_sqe* const entry = io_uring_get_sqe(&kernel_->ring);
    if (entry == nullptr) break;  // The submission queue is full: the rest follows below.
    waiting_.front()->prepare(*entry);
    io_uring_sqe_set_data(entry, waiting_.front());
    waiting_.pop_front();
    ++in_kernel_;
  }
  const int submitted = io_uring_submit(&kernel_->ring);
  if (submitted < 0) ENSURE(is_shortage(-submitted));  // The entries stay in the queue.
  const bool again = submitted < 0 || io_uring_sq_ready(&kernel_->ring) > 0;
  const bool more = !waiting_.empty() && in_kernel_ < limit;
  if (again || more) executor_.post(flush_);
}

void Ring::readable() {
  clear_event(event_);
  reap();
  watch_.await_readable();
}

void Ring::reap() {
  io_uring_cqe* completion = nullptr;
  while (io_uring_peek_cqe(&kernel_->ring, &completion) == 0) {
    auto* const operation = static_cast<IoOperation*>(io_uring_cqe_get_data(completion));
    const int answer = completion->res;
    io_uring_cqe_seen(&kernel_->ring, completion);
    --in_kernel_;
    if (operation->advance(answer)) {
      deliver_(*operation);
    } else {
      submit(*operation);
    }
  }
  if (!waiting_.empty() && !flush_.linked()) executor_.post(flush_);
}

}  // namespace drydock::on_linux
