// What a slave asks its master for besides the log (HA reference, 1.10): topics, consumer offsets,
// delay offsets and groups, in this order, each applied and saved before the next is asked for.
//
// It looks every 3 s, first 10 s after its start, and asks if more than 60 s are over since the
// last time, or since the process was started: a slave that is younger than that knows nothing, and
// one that becomes the master knows what its master knew up to about 63 s before it went. Who the
// master is the name servers say; without an answer of one that knows a master, nobody is asked.
//
//   GET_ALL_TOPIC_CONFIG              replaces all topics, if the version differs
//   GET_ALL_CONSUMER_OFFSET           replaces the pairs of topic and group that it names
//   GET_ALL_DELAY_OFFSET              replaces the levels that it names
//   GET_ALL_SUBSCRIPTIONGROUP_CONFIG  replaces all groups, if the version differs
//
// RocketMQ's slave also asks for modes of consumption and for the timer's state: the engine has
// neither pop nor timer wheel.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "engine/broker/config_file.hpp"
#include "engine/broker/consumer_offsets.hpp"
#include "engine/broker/delay_offsets.hpp"
#include "engine/broker/scheduled_jobs.hpp"
#include "engine/broker/subscription_groups.hpp"
#include "engine/broker/topics.hpp"
#include "engine/wire/request_connection.hpp"

namespace drydock {

class SlaveMetadata {
 public:
  // What of the slave follows the master, and where it is kept.
  struct Tables {
    Topics& topics;
    ConfigFile& topics_file;
    ConsumerOffsets& offsets;
    ConfigFile& offsets_file;
    DelayOffsets& delays;
    ConfigFile& delays_file;
    SubscriptionGroups& groups;
    ConfigFile& groups_file;
  };

  // `self`: where clients find this broker; it never asks itself. `worker` saves the files. To ask
  // for all of them is one of the `jobs`.
  SlaveMetadata(Context& context, Endpoint self, SeededBugs bugs, Tables tables, Worker& worker,
                ScheduledJobs& jobs);

  // Where the master serves clients, as the name servers say; none: they know of none.
  void set_master(std::optional<Endpoint> master) { master_ = master; }

  // Asks again and again, until cancelled. The first grid begins now.
  Task<void> run();
  // Ends the connection; not while run() is at work.
  Task<void> close();

 private:
  // One of the four tables.
  struct Part {
    RequestCode code;
    bool (SlaveMetadata::*take)(std::string_view text);
    ConfigFile* file;
  };

  Task<void> pull_all();
  // True: this slave now knows what the master knows.
  Task<bool> pull(Part part);
  bool take_topics(std::string_view text) { return tables_.topics.follow(text); }
  bool take_offsets(std::string_view text);
  bool take_delays(std::string_view text) { return tables_.delays.read(text); }
  bool take_groups(std::string_view text) { return tables_.groups.follow(text); }

  Context& context_;
  Endpoint self_;
  SeededBugs bugs_;
  Tables tables_;
  Worker& worker_;
  ScheduledJobs& jobs_;
  std::optional<Endpoint> master_;
  MonotonicTime asked_;  // The last time that all were asked for.
  std::optional<Endpoint> connected_to_;
  std::unique_ptr<RequestConnection> connection_;  // To `connected_to_`.
};

}  // namespace drydock
