// drydock serve broker: one broker on real files and sockets, until it is told to stop.
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/broker/broker.hpp"
#include "engine/wire/endpoint_text.hpp"
#include "scenarios/drill/drill.hpp"
#include "tools/cli/broker_conf.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/linux_program.hpp"
#include "tools/cli/recovery_watch.hpp"
#include "tools/cli/served_port.hpp"
#include "tools/cli/store_files.hpp"
#include "tools/cli/terminal.hpp"

namespace drydock::cli {
namespace {

using on_linux::LinuxWorld;
using scenarios::InputError;

std::string absolute(const std::string& path) {
  std::error_code error;
  // Of a relative path that is not there yet `weakly_canonical` would leave a relative one.
  const std::filesystem::path from_root = std::filesystem::absolute(path, error);
  const std::filesystem::path whole =
      error ? from_root : std::filesystem::weakly_canonical(from_root, error);
  if (error) throw InputError("--store: " + path + ": " + error.message());
  return whole.string();
}

// The configuration with what the command line says instead.
BrokerConfiguration configuration_of(const ServeBrokerOptions& options, Endpoint listen) {
  const ServedConfiguration served = read_broker_conf(options.conf);
  BrokerConfiguration configuration = served.configuration;
  if (listen.port != 0) configuration.listen_port = listen.port;
  if (options.store) {
    if (options.store->empty()) throw InputError("--store: names no directory");
    configuration.store.store_path_root = absolute(*options.store);
    configuration.store.store_path_commit_log.clear();
  } else if (!served.names_store) {
    throw InputError(options.conf +
                     ": sets no storePathRootDir (RocketMQ would take ~/store); add --store DIR");
  }
  if (served.without_effect > 0) {
    std::fprintf(stderr,
                 "drydock: %s: without effect here: %zu of its lines; see drydock lint-conf\n",
                 options.conf.c_str(), served.without_effect);
  }
  // The address that messages and routes carry is the one at which the broker can be reached.
  if (listen.address != 0) configuration.broker_ip1 = listen.address;
  return configuration;
}

// Whether a directory holds other things and nothing of a store's own: then it was named by
// mistake.
bool is_somebody_elses(const std::string& root) {
  const std::set<std::string> own = {"abort", "checkpoint", "commitlog", "consumequeue", "lock"};
  // A broker that was killed while it made its store leaves `config`; a new disk has the other.
  const std::set<std::string> tell_nothing = {"config", "lost+found"};
  bool others = false;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(root, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (own.contains(name)) return false;
    if (!tell_nothing.contains(name)) others = true;
  }
  return others;
}

// What the broker would only say as an error code, or, as RocketMQ, too late: it recovers a store,
// which may cut it, before it asks for the store's lock.
void check_directory(const std::string& root) {
  std::error_code unknown;
  if (!std::filesystem::exists(root, unknown)) return;  // It makes the directory.
  if (!std::filesystem::is_directory(root, unknown)) {
    throw InputError(root + ": is a file; a store is a directory: give another --store");
  }
  if (::access(root.c_str(), R_OK | W_OK | X_OK) != 0) {
    throw InputError(root + ": cannot be written: " + std::strerror(errno) +
                     "; give another --store");
  }
  if (is_somebody_elses(root)) {
    throw InputError(root +
                     ": holds files but no store; give another --store, or an empty or new"
                     " directory");
  }
  if (store_is_locked(root)) {
    throw InputError(root +
                     ": another broker runs on this store (its lock is held); stop it or"
                     " give another --store");
  }
}

void check_log_directory(const std::string& commit_log) {
  std::error_code unknown;
  if (std::filesystem::is_directory(commit_log, unknown)) list_log(commit_log);
  const std::vector<std::string> blocked = directories_in_log(commit_log);
  if (blocked.empty()) return;
  throw InputError(printable(blocked.front()) +
                   ": is a directory where a file of the log belongs; move it away, or give"
                   " another --store");
}

// Where RocketMQ's broker has its fast channel: two below its port.
std::uint16_t fast_port_of(const ServeBrokerOptions& options, Endpoint listen,
                           const BrokerConfiguration& configuration) {
  constexpr std::uint16_t kBelow = 2;
  const std::uint16_t port = configuration.listen_port;
  if (port > kBelow) return static_cast<std::uint16_t>(port - kBelow);
  const std::string where = listen.port != 0 ? "--listen" : options.conf + ": listenPort";
  throw InputError(where + ": below port " + std::to_string(port) +
                   " there is none for the fast channel, which is two below; give one from 3 on");
}

// The port for Prometheus; 0: none. It is one of the broker's own host, and none of its others.
std::uint16_t metrics_port_of(const ServeBrokerOptions& options, Endpoint listen,
                              const BrokerConfiguration& configuration) {
  if (!options.metrics) return 0;
  const Endpoint at = server_of("--metrics", *options.metrics, "127.0.0.1:5557");
  if (at.address != listen.address) {
    throw InputError("--metrics: " + *options.metrics +
                     ": the address must be that of --listen (127.0.0.1 without it)");
  }
  const auto refuse_own = [&](std::uint16_t port, const std::string& whose) {
    if (at.port != port) return;
    throw InputError("--metrics: " + *options.metrics + ": is " + whose +
                     "; give another --metrics ADDR:PORT");
  };
  refuse_own(configuration.listen_port, "where the broker listens for clients (listenPort)");
  refuse_own(fast_port_of(options, listen, configuration),
             "the broker's fast channel (listenPort - 2)");
  if (configuration.ha.role != BrokerRole::slave) {
    refuse_own(configuration.ha_port(),
               "where the broker listens for slaves (haListenPort, listenPort + 1 if absent)");
  }
  check_port(at, "give another --metrics ADDR:PORT");
  return at.port;
}

bool disk_is_full(const std::string& root) {
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(root, error);
  return !error && space.available == 0;
}

// Follows the broker: what recovery found, whether it serves, what kept it from serving.
class Watch {
 public:
  Watch(const BrokerConfiguration& configuration, Endpoint listen)
      : configuration_(configuration),
        listen_(listen),
        recovery_(configuration.store.store_path_root, configuration.store.commit_log_path()) {}

  void event(EventName name, std::int64_t a) {
    if (name == EventName::store_recovery_finished) {
      end_ = a;
      cut_ = recovery_.describe_cut(a);
    }
    if (name == EventName::serving_started) {
      serving_ = true;
      say_serving();
    }
  }
  void log(LogLevel level, const std::string& line) {
    if (level != LogLevel::error && level != LogLevel::warning) return;
    if (!serving_ && level == LogLevel::error) {
      errors_.push_back(line);
    } else {
      std::fprintf(stderr, "drydock: %s\n", printable(line).c_str());
    }
  }
  bool serving() const { return serving_; }

  // One line on why it does not serve, with what to do about it.
  std::string why_not() const {
    std::string all;
    for (const std::string& line : errors_) all += (all.empty() ? "" : "; ") + line;
    if (all.empty()) return "the broker ended before it served";
    return all + remedy(all);
  }

 private:
  void say_serving() const {
    const Endpoint at{listen_.address, configuration_.listen_port};
    std::string recovered = "empty";
    if (recovery_.had_messages()) {
      recovered = "log ends at " + std::to_string(end_) + ", ";
      recovered += recovery_.after_crash() ? "recovered after a crash" : "after an orderly stop";
      recovered += ": " + (cut_.empty() ? "nothing cut" : cut_);
    }
    std::printf("serving %s on %s, store %s (%s)\n", printable(configuration_.broker_name).c_str(),
                to_text(at).c_str(), printable(configuration_.store.store_path_root).c_str(),
                recovered.c_str());
    std::fflush(stdout);
  }

  std::string remedy(const std::string& error) const {
    const auto says = [&error](std::string_view text) {
      return error.find(text) != std::string::npos;
    };
    const Endpoint at{listen_.address, configuration_.listen_port};
    if (says("can't listen for slaves")) {
      return "; haListenPort (listenPort + 1 if absent) must be free beside " + to_text(at);
    }
    if (says("no_space") || disk_is_full(root())) {
      return "; " + root() + " is on a full disk: make room, or give another --store";
    }
    if (says("read_only") || says("permission_denied")) {
      return "; " + root() + " cannot be written: give another --store";
    }
    if (says("not the configured")) {
      return "; RocketMQ refuses such a store, too: set mappedFileSizeCommitLog to the size of its"
             " files, or look with drydock store verify";
    }
    if (says("not_found")) return "; " + root() + " cannot be made: give another --store";
    return "; look at " + root() + " with drydock store verify, or give another --store";
  }
  const std::string& root() const { return configuration_.store.store_path_root; }

  const BrokerConfiguration& configuration_;
  Endpoint listen_;
  RecoveryWatch recovery_;
  std::vector<std::string> errors_;
  std::string cut_;
  std::int64_t end_ = 0;
  bool serving_ = false;
};

}  // namespace

int serve_broker(const ServeBrokerOptions& options) {
  const Endpoint listen = listen_endpoint(options.listen);
  const BrokerConfiguration configuration = configuration_of(options, listen);
  const std::uint16_t fast_port = fast_port_of(options, listen, configuration);
  check_directory(configuration.store.store_path_root);
  check_log_directory(configuration.store.commit_log_path());
  // Before a store is recovered for nothing, and because the broker tries the port of its slaves
  // first.
  check_port({listen.address, configuration.listen_port},
             "give another --listen ADDR:PORT, or another listenPort");
  const std::uint16_t metrics_port = metrics_port_of(options, listen, configuration);
  std::printf(
      "drydock serve: a testbed, not for production: keep no messages here that you need\n");
  std::fflush(stdout);

  Watch watch(configuration, listen);
  on_linux::LinuxOptions world_options;
  world_options.log_sink = [&watch](std::string_view, LogLevel level, const std::string& line) {
    watch.log(level, line);
  };
  world_options.event_sink = [&watch](std::string_view, EventName name, std::int64_t a,
                                      std::int64_t) { watch.event(name, a); };
  LinuxWorld world(world_options);
  on_linux::LinuxProcessOptions process_options;
  if (listen.address != 0) process_options.address = listen.address;
  on_linux::LinuxProcess& broker = world.spawn("broker", process_options);
  broker.start([&configuration, metrics_port, fast_port](Context& context) {
    BrokerWatch watched;
    watched.metrics_port = metrics_port;
    watched.fast_port = fast_port;
    return run_broker(context, configuration, std::move(watched));
  });
  run_to_end(world, broker);

  if (!watch.serving()) throw InputError(printable(watch.why_not()));
  std::error_code unknown;
  if (std::filesystem::exists(configuration.store.store_path_root + "/abort", unknown)) {
    std::printf("stopped, but the store could not be closed: the next start recovers from it\n");
    return kDamageFound;
  }
  std::printf("stopped in an orderly way\n");
  return 0;
}

}  // namespace drydock::cli
