// tools/cli is the `drydock` program: one file per command, and what only a command needs. Nothing
// includes it.
//
//   main          options, and which command they mean
//   run           runs a drill over seeds and cells
//   check         whether a scenario is accepted, and what it says with everything folded in
//   replay        runs again what did not pass
//   experiment    from the files that a command names to cells
//   list          what scenarios can refer to
//   configuration_page, configuration_texts  what becomes of the keys of broker.conf
//   calibrate     from fio's measurements of a disk to a profile
//   fidelity      the simulated storage beside what was measured
//   lint_conf     what a broker.conf says, what of it counts here, and what it promises
//   serve_broker  runs a broker on real files and sockets
//   serve_nameserver  runs a name server on a real socket
//   send          sends messages to brokers
//   consume       reads messages from brokers
//   store_dump    the records of a store, or another part of it
//   store_verify  whether a store is in order
//   store_recover what recovery makes of a store
//   store_query   which messages a store's index has for a key
//   store_diff    what two stores hold that the other does not
//   version       which build this is
//   arguments     which options each command has, and their help
//   broker_conf   a broker.conf for one broker
//   served_port   where a command serves, and where it connects to
//   linux_program a program on Linux, and the signals that stop it
//   recovery_watch  what recovery leaves behind the end of a log
//   store_files, store_walk  a store as it lies on disk
//   store_state, store_overlay  a store as the engine recovers it, without a change to its files
//   runs          runs in worker processes, for run and replay
//   worker_pool   worker processes that a crash cannot take the rest down with
//   input_file    files that users name
//   terminal      how wide it is
//   progress      one line on a terminal while runs go on
//
// Exit status (design, section 0): 0 all pass; 1 an expectation is false or damage was found; 2
// input or environment is wrong; 3 internal error or nondeterminism; 4 inconclusive; 130
// interrupted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/cli/experiment.hpp"

namespace drydock::cli {

inline constexpr int kDamageFound = 1;
inline constexpr int kInputWrong = 2;
inline constexpr int kInternalError = 3;
inline constexpr int kInterrupted = 130;

struct RunOptions {
  ExperimentOptions experiment;
  std::optional<std::string> seeds;  // None: those of the drill.
  std::optional<int> jobs;           // None: one per core.
  std::optional<std::string> limit;  // Of real time, for each run. None: see docs/scenarios.md.
  bool verify = false;
  bool perturb = false;
  bool evidence = false;             // Print what operators would have looked at.
  std::optional<std::string> out;    // None: no files.
  std::optional<std::string> junit;  // None: no such file beside those of `out`.
};

struct ReplayOptions {
  std::string file;
  std::optional<std::string> limit;  // As of RunOptions.
};

struct CalibrateOptions {
  std::vector<std::string> fio;     // Results of fio.
  std::optional<std::string> base;  // None: local-nvme.
  std::optional<std::string> out;
  bool journal = false;
  bool script = false;  // Print what to measure, and nothing else.
};

struct FidelityOptions {
  std::optional<std::string> only;  // "A7,A9". None: all.
  std::optional<std::string> json;
  std::optional<std::string> data;  // A directory of measurements. None: the program's own.
};

struct LintConfOptions {
  std::string file;
  bool strict = false;  // Anything without effect is wrong input.
};

struct ServeBrokerOptions {
  std::string conf;
  std::optional<std::string> store;    // None: storePathRootDir of the conf.
  std::optional<std::string> listen;   // ADDR or ADDR:PORT.
  std::optional<std::string> metrics;  // ADDR:PORT. None: no metrics.
};

struct ServeNameserverOptions {
  std::optional<std::string> listen;  // ADDR or ADDR:PORT.
};

struct SendOptions {
  std::optional<std::string> to;       // ADDR:PORT of a broker; or
  std::optional<std::string> namesrv;  // of name servers.
  std::string topic;
  std::optional<std::int32_t> queue;  // None: the broker chooses.
  std::uint64_t count = 1;
  std::string body_size = "1 KiB";
  std::uint64_t first_key = 1;
  std::uint32_t in_flight = 16;
  std::string timeout = "3 s";
  std::optional<std::string> acked;  // None: no file.
};

struct ConsumeOptions {
  std::optional<std::string> broker;   // ADDR:PORT; or
  std::optional<std::string> namesrv;  // of name servers.
  std::string topic;
  std::optional<std::string> group;    // None: nothing is stored.
  std::optional<std::string> from;     // None: stored with a group, else min.
  std::optional<std::uint64_t> count;  // None: all, to the end that the queues have now.
  bool follow = false;
  std::optional<std::string> timeout;  // None: 3 s, or for ever if it follows.
  bool body = false;
};

struct StoreOptions {
  std::string directory;
  std::optional<std::string> conf;
};

struct StoreDumpOptions {
  StoreOptions store;
  std::string part = "log";  // One of kDumpParts.
};

struct StoreRecoverOptions {
  StoreOptions store;
  bool write = false;  // Without it nothing is changed.
  bool json = false;
};

struct StoreQueryOptions {
  StoreOptions store;
  std::string topic;
  std::string key;
  std::uint32_t count = 32;
};

struct StoreDiffOptions {
  StoreOptions store;
  std::string other;  // The second directory.
};

// Each returns the exit status. Wrong input is thrown as scenarios::InputError.
int run(const RunOptions& options);
int check(const ExperimentOptions& options);
int replay(const ReplayOptions& options);
int calibrate(const CalibrateOptions& options);
int fidelity(const FidelityOptions& options);
int lint_conf(const LintConfOptions& options);
int list();
int list_behaviours();
int list_configuration();
int serve_broker(const ServeBrokerOptions& options);
int serve_nameserver(const ServeNameserverOptions& options);
int send(const SendOptions& options);
int consume(const ConsumeOptions& options);
int store_dump(const StoreDumpOptions& options);
int store_verify(const StoreOptions& options);
int store_recover(const StoreRecoverOptions& options);
int store_query(const StoreQueryOptions& options);
int store_diff(const StoreDiffOptions& options);
int version();

// The version of this build.
extern const char* const kVersion;

}  // namespace drydock::cli
