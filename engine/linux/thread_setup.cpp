#include "engine/linux/thread_setup.hpp"

#include <signal.h>

#include <algorithm>

namespace drydock::on_linux {

void block_signals() {
  sigset_t signals;
  sigfillset(&signals);
  for (const int own : {SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS}) {
    sigdelset(&signals, own);
  }
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

void name_thread(pthread_t thread, std::string name) {
  name.resize(std::min<std::size_t>(name.size(), 15));
  pthread_setname_np(thread, name.c_str());
}

}  // namespace drydock::on_linux
