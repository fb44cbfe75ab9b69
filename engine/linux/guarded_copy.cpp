#include "engine/linux/guarded_copy.hpp"

#include <setjmp.h>
#include <signal.h>

#include <atomic>
#include <cstring>

#include "engine/types/ensure.hpp"

namespace drydock::on_linux {
namespace {

// Where this thread's copy in progress goes on after a SIGBUS; null outside of one. The signal is
// raised by the thread's own access, so its handler runs on the thread that set this.
constinit thread_local sigjmp_buf* return_point = nullptr;

struct sigaction previous_action;

void on_bus_error(int number, siginfo_t* information, void* context) {
  if (return_point != nullptr) siglongjmp(*return_point, 1);
  if ((previous_action.sa_flags & SA_SIGINFO) != 0) {
    previous_action.sa_sigaction(number, information, context);
  } else if (previous_action.sa_handler != SIG_DFL && previous_action.sa_handler != SIG_IGN) {
    previous_action.sa_handler(number);
  } else {
    ::sigaction(SIGBUS, &previous_action, nullptr);  // The access is repeated, and ends us.
  }
}

bool install_handler() {
  struct sigaction action{};
  action.sa_sigaction = &on_bus_error;
  action.sa_flags =
      SA_SIGINFO | SA_NODEFER;  // The jump out of the handler leaves no signal blocked.
  sigemptyset(&action.sa_mask);
  ENSURE(::sigaction(SIGBUS, &action, &previous_action) == 0);
  return true;
}

}  // namespace

bool guarded_copy(std::byte* to, const std::byte* from, std::size_t size) noexcept {
  [[maybe_unused]] static const bool installed = install_handler();
  sigjmp_buf here;
  if (sigsetjmp(here, 0) != 0) {
    return_point = nullptr;
    return false;
  }
  return_point = &here;
  std::atomic_signal_fence(std::memory_order_seq_cst);  // The copy happens between the two stores.
  std::memcpy(to, from, size);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  return_point = nullptr;
  return true;
}

}  // namespace drydock::on_linux
