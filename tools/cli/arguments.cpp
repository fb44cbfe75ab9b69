#include "tools/cli/arguments.hpp"

#include <memory>

#include "scenarios/drill/drill.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/store_dump_parts.hpp"

namespace drydock::cli {
namespace {

using Chosen = std::function<int()>;

// Options of a command live as long as the function that runs it.
template <class Options>
std::shared_ptr<Options> options_for(CLI::App* command, Chosen& chosen,
                                     int (*run_command)(const Options&)) {
  auto options = std::make_shared<Options>();
  command->callback(
      [options, &chosen, run_command] { chosen = [=] { return run_command(*options); }; });
  return options;
}

void add_experiment(CLI::App& command, ExperimentOptions& options) {
  command.add_option("scenario", options.scenario, "The drill (JSON with comments)")->required();
  command
      .add_option("--conf", options.conf,
                  "Your broker.conf, or BROKER=FILE, master=FILE, slave=FILE for some; without "
                  "it RocketMQ's defaults")
      ->expected(1)
      ->take_all();
  command
      .add_option("--set", options.set,
                  "KEY=VALUE of broker.conf, or PATH=VALUE of the scenario, as phases/warm=20s;"
                  " over everything else")
      ->expected(1)
      ->take_all();
}

void add_limit(CLI::App& command, std::optional<std::string>& limit) {
  command.add_option("--limit", limit,
                     "Real time after which a run counts as hung: 30min, 2h; without it 10 min, or"
                     " what its phases may take in virtual time if that is longer. Each run of a"
                     " seed has it anew: for --verify, and to trace what was lost");
}

void add_run(CLI::App& app, Chosen& chosen) {
  CLI::App* const command = app.add_subcommand("run", "Run a drill over its cells and seeds");
  const auto options = options_for<RunOptions>(command, chosen, run);
  add_experiment(*command, options->experiment);
  command->add_option("--seed", options->seeds, "N or N..M; without it the drill's own");
  command->add_option("--jobs", options->jobs, "Worker processes; without it one per core");
  add_limit(*command, options->limit);
  command->add_flag(
      "--verify", options->verify,
      "Run each (cell, seed) twice more, side by side, and name the first event that differs");
  command->add_flag(
      "--evidence", options->evidence,
      "Print each cell's first run as operators would have seen it: iostat, store.log");
  command->add_flag("--perturb", options->perturb,
                    "Let each seed draw the order of events that fall on the same instant");
  command->add_option(
      "--out", options->out,
      "Directory for result.json, junit.xml, summary.md, and repro.json if a run fails");
  command->add_option("--junit", options->junit, "File for junit.xml alone");
}

void add_check(CLI::App& app, Chosen& chosen) {
  CLI::App* const command = app.add_subcommand(
      "check", "Whether a scenario is accepted; prints it with everything folded in");
  add_experiment(*command, *options_for<ExperimentOptions>(command, chosen, check));
}

void add_replay(CLI::App& app, Chosen& chosen) {
  CLI::App* const command =
      app.add_subcommand("replay", "Run again what did not pass, from its repro.json");
  const auto options = options_for<ReplayOptions>(command, chosen, replay);
  command->add_option("file", options->file, "The repro.json of an earlier run")->required();
  add_limit(*command, options->limit);
}

void add_calibrate(CLI::App& app, Chosen& chosen) {
  CLI::App* const command =
      app.add_subcommand("calibrate", "Make a disk profile from what fio measured on your disk");
  const auto options = options_for<CalibrateOptions>(command, chosen, calibrate);
  command->add_option("--fio", options->fio, "Results of fio in JSON, one or more files");
  command->add_option("--base", options->base,
                      "Profile for what fio does not measure: a name or a FILE.json; without it"
                      " local-nvme");
  command->add_option("--out", options->out, "File for the profile; its name is the profile's");
  command->add_flag("--journal", options->journal,
                    "The jobs with fsync=1 ran on a file system with a journal");
  command->add_flag("--script", options->script,
                    "Print a shell script with the measurements to make, and nothing else");
  command->footer(
      "Prints each fit beside the measurement, and what makes the measurements doubtful.\n"
      "Exit status: 0 the profile is written; 2 wrong input.\n"
      "Example: drydock calibrate --script > measure.sh; sh measure.sh /data results\n"
      "         drydock calibrate --fio results/*.json --out my-disk.json");
}

void add_fidelity(CLI::App& app, Chosen& chosen) {
  CLI::App* const command = app.add_subcommand(
      "fidelity", "The simulated storage beside what was measured on a real kernel");
  const auto options = options_for<FidelityOptions>(command, chosen, fidelity);
  command->add_option("--only", options->only, "Some of the experiments: A7 or A7,A9");
  command->add_option("--json", options->json, "File for the same in JSON");
  command->add_option("--data", options->data,
                      "Directory whose files replace the program's measurements of the same name");
  command->footer(
      "A line per statistic: inside its tolerance or not, model, measurement, tolerance. What is\n"
      "not inside is explained in docs/fidelity.md.\n"
      "Exit status: 0 at least 22 of 24 experiments are inside, with --only all of them; 1 fewer;\n"
      "2 wrong input.\n"
      "Example: drydock fidelity --only A1,A10");
}

void add_lint_conf(CLI::App& app, Chosen& chosen) {
  CLI::App* const command = app.add_subcommand(
      "lint-conf", "What a broker.conf says, what of it counts here, and what it promises");
  const auto options = options_for<LintConfOptions>(command, chosen, lint_conf);
  command->add_option("file", options->file, "Your broker.conf")->required();
  command->add_flag("--strict", options->strict,
                    "Exit status 2 if a line is unknown, replaced, refused or without effect");
}

void add_serve_broker(CLI::App& serve, Chosen& chosen) {
  CLI::App* const command =
      serve.add_subcommand("broker", "A broker. A testbed, not for production");
  const auto options = options_for<ServeBrokerOptions>(command, chosen, serve_broker);
  command->add_option("--conf", options->conf, "Your broker.conf")->required();
  command->add_option("--store", options->store,
                      "Directory of the store, instead of storePathRootDir and storePathCommitLog");
  command->add_option("--listen", options->listen,
                      "ADDR or ADDR:PORT, instead of brokerIP1 and listenPort; without it"
                      " 127.0.0.1. 0.0.0.0: every address of this machine, brokerIP1 counts");
  command->add_option("--metrics", options->metrics,
                      "ADDR:PORT for Prometheus: GET /metrics there. ADDR is that of --listen");
  command->footer(
      "Serves until SIGINT or SIGTERM, then stops in an orderly way; a second signal ends it at\n"
      "once. Prints a line when it serves, with what recovery cut off the store.\n"
      "Exit status: 0 stopped in an orderly way; 1 stopped, but the store could not be closed;\n"
      "2 it could not serve (port in use, directory full or not writable, a file of the wrong\n"
      "size, a bad broker.conf).\n"
      "Example: drydock serve broker --conf docs/examples/broker.conf --store /tmp/store");
}

void add_serve_nameserver(CLI::App& serve, Chosen& chosen) {
  CLI::App* const command = serve.add_subcommand(
      "nameserver", "A name server, which tells clients where brokers are. A testbed");
  const auto options = options_for<ServeNameserverOptions>(command, chosen, serve_nameserver);
  command->add_option("--listen", options->listen,
                      "ADDR or ADDR:PORT; without it 127.0.0.1, without a port 9876. 0.0.0.0: every"
                      " address of this machine");
  command->footer(
      "Brokers find it by namesrvAddr in their broker.conf, drydock send and consume by "
      "--namesrv.\n"
      "It keeps nothing on disk: after a restart brokers register again, within 30 s.\n"
      "Serves until SIGINT or SIGTERM; a second signal ends it at once.\n"
      "Exit status: 0 stopped; 2 it could not serve (port in use, an address that is not here).\n"
      "Example: drydock serve nameserver --listen 127.0.0.1:9876");
}

void add_send(CLI::App& app, Chosen& chosen) {
  CLI::App* const command = app.add_subcommand("send", "Send messages to brokers");
  const auto options = options_for<SendOptions>(command, chosen, send);
  command->add_option("--to", options->to, "One broker: ADDR:PORT");
  command->add_option("--namesrv", options->namesrv,
                      "Or name servers, ADDR:PORT with ; between, which know the brokers");
  command->add_option("--topic", options->topic, "Topic; a broker makes it if it may")->required();
  command->add_option("--queue", options->queue, "Queue, with --to; without it the broker chooses");
  command->add_option("--count", options->count, "How many messages; without it 1");
  command->add_option("--body-size", options->body_size, "\"1 KiB\", 200B; without it 1 KiB");
  command->add_option("--keys", options->first_key,
                      "Key of the first message, counted up from there; without it 1");
  command->add_option("--in-flight", options->in_flight, "Sends at a time; without it 16");
  command->add_option("--timeout", options->timeout,
                      "Of one send, retries included: 500ms, 3s; without it 3 s");
  command->add_option("--acked", options->acked,
                      "New file for the acknowledged keys, one line each, written as they come:"
                      " KEY PHYSICAL-OFFSET QUEUE-OFFSET");
  command->footer(
      "Prints a line for every send that was not acknowledged, and a summary. Unknown: the broker\n"
      "may or may not have the message. SIGINT or SIGTERM: no further sends, then the summary.\n"
      "Exit status: 0 all acknowledged; 1 not all; 2 no broker there; 130 interrupted.\n"
      "Example: drydock send --to 127.0.0.1:10911 --topic orders --count 1000");
}

void add_consume(CLI::App& app, Chosen& chosen) {
  CLI::App* const command = app.add_subcommand("consume", "Read messages from brokers");
  const auto options = options_for<ConsumeOptions>(command, chosen, consume);
  command->add_option("--broker", options->broker, "One broker: ADDR:PORT");
  command->add_option("--namesrv", options->namesrv,
                      "Or name servers, ADDR:PORT with ; between, which know the brokers");
  command->add_option("--topic", options->topic, "Topic, every queue of it")->required();
  command->add_option("--group", options->group,
                      "Consumer group: how far it has read is stored at the broker");
  command->add_option("--from", options->from,
                      "Where to begin in each queue: min (its first message), max (behind the last"
                      " one), stored (where the group has come to, else min); without it stored"
                      " with --group, else min");
  command->add_option("--count", options->count,
                      "Wait for so many messages; without it all that are there now");
  command->add_flag("--follow", options->follow, "Go on with what comes, until a signal");
  command->add_option("--timeout", options->timeout,
                      "How long to wait for the next message or answer: 500ms, 30s; without it 3 s,"
                      " with --follow for ever");
  command->add_flag("--body", options->body, "Show the bodies, too, in quotes and escaped");
  command->footer(
      "A line per message: key, broker and queue, offset in the queue, offset in the broker's "
      "log,\n"
      "size of the record; then how many. In order per queue.\n"
      "Exit status: 0 all that was asked for; 1 fewer than --count came, or a queue could not be\n"
      "read to its end; 2 no server there, or nobody knows the topic; 130 interrupted.\n"
      "Example: drydock consume --namesrv 127.0.0.1:9876 --topic orders --group billing");
}

constexpr const char* kStoreHelp = "The store: what storePathRootDir names";
constexpr const char* kRecoveredConfHelp =
    "Its broker.conf, for the sizes of its files, storePathCommitLog, checkCRCOnRecover and"
    " forceVerifyPropCRC; without it the files themselves say how long they are";

void add_store_options(CLI::App& command, StoreOptions& options) {
  command.add_option("directory", options.directory, kStoreHelp)->required();
  command.add_option("--conf", options.conf,
                     "Its broker.conf, for mappedFileSizeCommitLog, storePathCommitLog,"
                     " forceVerifyPropCRC, maxHashSlotNum and maxIndexNum; without it the names of"
                     " the log's files say how long they should be");
}

void add_store_recover(CLI::App& store, Chosen& chosen) {
  CLI::App* const command =
      store.add_subcommand("recover", "Recover it as a broker does at start, and say what is left");
  const auto options = options_for<StoreRecoverOptions>(command, chosen, store_recover);
  command->add_option("directory", options->store.directory, kStoreHelp)->required();
  command->add_option("--conf", options->store.conf, kRecoveredConfHelp);
  command->add_flag("--write", options->write,
                    "Change the files: recover, then stop in an orderly way. Without it nothing is"
                    " written");
  command->add_flag("--json", options->json, "One line of JSON");
  command->footer(
      "Prints where the log begins and ends, why it ends there, and of each queue its smallest\n"
      "offset, its next offset and a CRC-32 of its units.\n"
      "Exit status: 0 recovered; 2 no store, a broker runs on it, or a broker would refuse it.");
}

void add_store_query(CLI::App& store, Chosen& chosen) {
  CLI::App* const command =
      store.add_subcommand("query", "Which messages its index files have for a key");
  const auto options = options_for<StoreQueryOptions>(command, chosen, store_query);
  command->add_option("directory", options->store.directory, kStoreHelp)->required();
  command->add_option("--topic", options->topic, "Topic")->required();
  command->add_option("--key", options->key, "A word of KEYS, or a unique key")->required();
  command->add_option("--count", options->count, "At most so many, the newest; without it 32");
  command->add_option("--conf", options->store.conf,
                      "Its broker.conf, for maxHashSlotNum, maxIndexNum and storePathCommitLog");
  command->footer(
      "A line per message: its physical offset, in ascending order. As RocketMQ, it compares "
      "hashes\n"
      "of 32 bits: a message with another key of the same hash is among them. Nothing is written.\n"
      "Exit status: 0 some were found; 1 none; 2 no store, or an index file has another size.");
}

void add_store_diff(CLI::App& store, Chosen& chosen) {
  CLI::App* const command =
      store.add_subcommand("diff", "What two stores hold once both are recovered");
  const auto options = options_for<StoreDiffOptions>(command, chosen, store_diff);
  command->add_option("directory", options->store.directory, kStoreHelp)->required();
  command->add_option("other", options->other, "The other one")->required();
  command->add_option("--conf", options->store.conf, kRecoveredConfHelp);
  command->footer(
      "Compares the ends of the logs, their bytes where both have some, and every queue's offsets\n"
      "and units. A line per difference. Nothing is written.\n"
      "Exit status: 0 they hold the same; 1 they differ; 2 as store recover.");
}

void add_store_dump(CLI::App& store, Chosen& chosen) {
  CLI::App* const command = store.add_subcommand(
      "dump", "Every record of the commit log, or of another part, a line each");
  const auto options = options_for<StoreDumpOptions>(command, chosen, store_dump);
  add_store_options(*command, options->store);
  command
      ->add_option("--part", options->part,
                   "What to print: log, queues (units), index (headers, slots, entries),\n"
                   "checkpoint, config (the files below config/) or state (abort, lock)")
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(kDumpParts), std::end(kDumpParts))))
      ->capture_default_str();
  command->footer(
      "A line of the log: physical offset, size, topic, queue, queue offset, store time, key, and\n"
      "whether its property CRC is right, if it has one.\n"
      "Blanks, zeros and damaged places have a line, too. Nothing is written.\n"
      "Exit status: 0 all could be read; 1 something is damaged; 2 no store, or unreadable.");
}

void add_store_verify(CLI::App& store, Chosen& chosen) {
  CLI::App* const command =
      store.add_subcommand("verify", "Whether it is in order, and what recovery would cut");
  add_store_options(*command, *options_for<StoreOptions>(command, chosen, store_verify));
  command->footer(
      "Checks names, sizes and order of the files, every record and what CRC it has, the\n"
      "checkpoint and the abort file. Nothing is written. A torn tail is damage: the line says "
      "where recovery would cut.\n"
      "Exit status: 0 clean; 1 damage found; 2 no store, or unreadable.");
}

void add_store(CLI::App& app, Chosen& chosen) {
  CLI::App* const store = app.add_subcommand("store", "Look into a broker's store directory");
  store->require_subcommand(1);
  add_store_dump(*store, chosen);
  add_store_verify(*store, chosen);
  add_store_recover(*store, chosen);
  add_store_query(*store, chosen);
  add_store_diff(*store, chosen);
}

void add_list(CLI::App& app, Chosen& chosen) {
  CLI::App* const command = app.add_subcommand("list", "What scenarios can refer to");
  auto subject = std::make_shared<std::string>();
  command->add_option(
      "subject", *subject,
      "behaviours: the switches, and what each side does; configuration: the keys of "
      "broker.conf, as docs/configuration.md");
  command->callback([subject, &chosen] {
    if (subject->empty()) {
      chosen = list;
    } else if (*subject == "behaviours") {
      chosen = list_behaviours;
    } else if (*subject == "configuration") {
      chosen = list_configuration;
    } else {
      throw scenarios::InputError("list: there is no subject '" + *subject +
                                  "'; known here: behaviours, configuration");
    }
  });
}

}  // namespace

void add_commands(CLI::App& app, Chosen& chosen) {
  app.require_subcommand(1);
  add_run(app, chosen);
  add_check(app, chosen);
  add_replay(app, chosen);
  add_calibrate(app, chosen);
  add_fidelity(app, chosen);
  add_lint_conf(app, chosen);
  CLI::App* const serve = app.add_subcommand("serve", "Serve on real files and sockets");
  serve->require_subcommand(1);
  add_serve_broker(*serve, chosen);
  add_serve_nameserver(*serve, chosen);
  add_send(app, chosen);
  add_consume(app, chosen);
  add_store(app, chosen);
  add_list(app, chosen);
  app.add_subcommand("version", "Which build this is")->callback([&chosen] { chosen = version; });
}

}  // namespace drydock::cli
