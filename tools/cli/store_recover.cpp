// drydock store recover: what a broker's start makes of a store.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "tools/cli/commands.hpp"
#include "tools/cli/store_state.hpp"
#include "tools/cli/terminal.hpp"

namespace drydock::cli {
namespace {

void print_text(const StoreState& state) {
  const char* const stop = state.crashed ? "a crash" : "an orderly one";
  if (state.begin < 0) {
    std::printf("log: none; the last stop was %s\n", stop);
  } else {
    std::printf("log: begins at %lld, ends at %lld; the last stop was %s\n",
                static_cast<long long>(state.begin), static_cast<long long>(state.end), stop);
  }
  if (!state.told.empty()) std::printf("%s\n", printable(state.told).c_str());
  for (const QueueState& queue : state.queues) {
    std::printf("queue %s %d: offsets %lld to %lld, units %08x\n", word(queue.topic).c_str(),
                queue.queue_id, static_cast<long long>(queue.min),
                static_cast<long long>(queue.max), queue.units);
  }
}

void print_json(const StoreState& state) {
  nlohmann::ordered_json queues = nlohmann::ordered_json::array();
  for (const QueueState& queue : state.queues) {
    queues.push_back({{"topic", queue.topic},
                      {"queue", queue.queue_id},
                      {"min", queue.min},
                      {"max", queue.max},
                      {"units", queue.units}});
  }
  const nlohmann::ordered_json all = {{"begin", state.begin},
                                      {"end", state.end},
                                      {"crashed", state.crashed},
                                      {"told", state.told},
                                      {"queues", queues}};
  // Names of topics are bytes that somebody wrote: what is no UTF-8 becomes a question mark.
  const std::string text =
      all.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  std::printf("%s\n", text.c_str());
}

}  // namespace

int store_recover(const StoreRecoverOptions& options) {
  const StoreAccess access = options.write ? StoreAccess::write : StoreAccess::look;
  const StoreState state = recover_state(options.store, access);
  options.json ? print_json(state) : print_text(state);
  return 0;
}

}  // namespace drydock::cli
