// What every thread beside the first does when it starts.
#pragma once

#include <pthread.h>

#include <string>

namespace drydock::on_linux {

// Signals for the whole process (SIGTERM and its like) belong to the first thread; what a thread
// does itself (SIGBUS above all) can't be blocked.
void block_signals();

// As /proc and perf show it; 15 characters of it, the kernel's limit.
void name_thread(pthread_t thread, std::string name);

}  // namespace drydock::on_linux
