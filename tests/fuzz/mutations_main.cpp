// Tries a fixed number of inputs: PROGRAM COUNT. Tells which one ends it, if one does.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/fuzzer.hpp"
#include "tests/fuzz/mutations.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr unsigned kPatienceS =
    30;  // For one input; then it counts as a hang, and SIGALRM ends us.

unsigned long input_number = 0;

// Async-signal-safe but for the number's text, which a failed test may risk.
void tell_input(int signal) {
  std::fprintf(stderr, "input %lu ended the program by signal %d\n", input_number, signal);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned long count = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 20'000;
  for (const int signal : {SIGABRT, SIGALRM, SIGSEGV, SIGFPE}) std::signal(signal, tell_input);
  drydock::fuzz::Mutations mutations(drydock::fuzz::seeds());
  for (; input_number < count; ++input_number) {
    const std::string input = mutations.next();
    ::alarm(kPatienceS);
    (void)LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  }
  std::fprintf(stderr, "%lu inputs\n", count);
  return 0;
}
