// engine/broker is the broker that users know: it reads broker.conf, registers with its name
// servers, serves requests and answers.
//
//   configuration        broker.conf as users write it, with notes on what has no effect
//   configuration_keys   which of RocketMQ's keys are honoured or refused, and old spellings
//   property_table       every property of RocketMQ with its type and default (generated)
//   property_value       which texts are values of a type, as Java reads them (pure)
//   properties_file      the syntax of Java's properties files
//   settings             the lines of one broker.conf on top of the defaults (pure)
//   promise              what a combination of settings promises (pure; its parts: promise_*)
//   utf8                 the encodings that such a file may have (pure)
//   worker_pool          a set of workers with a bounded queue, as RocketMQ's thread pools
//   topics               which topics exist and how many queues they have (pure); system_topics
//   registration         tells name servers of the broker and its topics
//   send_processor       the checks and the answer of one send, which waits for flush and copies;
//                        send_batch has the part for batches
//   pull_processor       the checks and the answer of one pull; pull_answer (pure)
//   held_pulls           pulls that wait for a message
//   cold_pulls           pulls by groups that read too much of what is not in memory; cold_reads
//                        (pure)
//   client_processor     heartbeats, and what clients ask of one another
//   consumer_groups      who is in a group and what it subscribes to; producer_groups (pure)
//   queue_locks          which member has a queue for itself alone (pure)
//   subscription_groups  what is configured of each group (pure)
//   internal_message     messages that the broker itself puts into the log (pure)
//   schedule_service     delivers what waits for its time; delay_offsets (pure)
//   send_back_processor  messages that come again, and dead letters; retry (pure)
//   end_transaction_processor, transaction_check, op_batch
//                        ends of transactions, questions about them; transactions (pure)
//   put_safety           the wait of a put for its flush and its copies
//   fast_failure         refuses what has waited for a worker for too long
//   runtime_info         what the broker tells of itself; traffic (pure)
//   metrics_endpoint     serves that to Prometheus; metrics_text (pure)
//   slave_metadata       a slave's copies of what is below its master's config/
//   query_processor      looks for messages by key, id and time
//   offset_processor     the ends of queues, and how far groups have come in them
//   consumer_offsets     how far each group has come (pure)
//   config_file          a file below config/: topics, consumer offsets; config_content (pure)
//   broker               start, serve, orderly stop
//
// What it does not do yet: the timer wheel, pop.
//
// This file: the configuration of one broker and where it comes from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/broker/settings.hpp"
#include "engine/replication/ha_configuration.hpp"
#include "engine/store/store_configuration.hpp"

namespace drydock {

// Defaults are those of RocketMQ 5.3.3's BrokerConfig; the comment names the key.
struct BrokerConfiguration {
  std::string broker_cluster_name = "DefaultCluster";     // brokerClusterName
  std::string broker_name = "broker";                     // brokerName
  std::int64_t broker_id = 0;                             // brokerId; see effective_broker_id
  std::uint32_t broker_ip1 = 0;                           // brokerIP1; 0: the host's own address
  std::uint32_t broker_ip2 = 0;                           // brokerIP2: for slaves; 0 as above
  std::uint16_t listen_port = 10911;                      // listenPort
  bool auto_create_topic_enable = true;                   // autoCreateTopicEnable
  std::int32_t default_topic_queue_nums = 8;              // defaultTopicQueueNums
  std::int32_t send_message_thread_pool_nums = 4;         // sendMessageThreadPoolNums; min(CPUs, 4)
  std::int32_t send_thread_pool_queue_capacity = 10'000;  // sendThreadPoolQueueCapacity
  std::int32_t pull_message_thread_pool_nums = 24;        // pullMessageThreadPoolNums; 16 + 2 CPUs
  std::int32_t pull_thread_pool_queue_capacity = 100'000;  // pullThreadPoolQueueCapacity
  bool broker_fast_failure_enable = true;                  // brokerFastFailureEnable
  Duration wait_time_in_send_queue = Duration::ms(200);    // waitTimeMillsInSendQueue
  Duration wait_time_in_pull_queue = Duration::ms(5'000);  // waitTimeMillsInPullQueue
  bool long_polling_enable = true;                         // longPollingEnable
  Duration short_polling_time = Duration::ms(1000);        // shortPollingTimeMills
  bool slave_read_enable = false;                          // slaveReadEnable
  std::int64_t cg_cold_read_threshold = 3'145'728;         // cgColdReadThreshold, bytes in 5 s
  std::int64_t global_cold_read_threshold = 104'857'600;   // globalColdReadThreshold, bytes in 5 s
  bool cold_ctr_strategy_enable = false;                   // coldCtrStrategyEnable
  bool use_pid_cold_ctr_strategy = true;                   // usePIDColdCtrStrategy
  Duration flush_consumer_offset_interval = Duration::s(5);     // flushConsumerOffsetInterval
  Duration flush_delay_offset_interval = Duration::s(10);       // flushDelayOffsetInterval
  bool auto_create_subscription_group = true;                   // autoCreateSubscriptionGroup
  Duration transaction_timeout = Duration::ms(6'000);           // transactionTimeOut
  Duration transaction_check_interval = Duration::ms(30'000);   // transactionCheckInterval
  std::int32_t transaction_check_max = 15;                      // transactionCheckMax
  std::vector<Endpoint> name_servers;                           // namesrvAddr; none: alone
  Duration register_name_server_period = Duration::ms(30'000);  // registerNameServerPeriod
  Duration register_broker_timeout = Duration::ms(24'000);      // registerBrokerTimeoutMills
  bool compressed_register = false;                             // compressedRegister
  StoreConfiguration store;
  HaConfiguration ha;

  // A master is 0, whatever brokerId says.
  std::int64_t effective_broker_id() const { return ha.role == BrokerRole::slave ? broker_id : 0; }
  // Where a master listens for slaves: haListenPort, or the port behind listenPort.
  std::uint16_t ha_port() const {
    return ha.listen_port != 0 ? ha.listen_port : static_cast<std::uint16_t>(listen_port + 1);
  }
};

// Something about one line of a broker.conf that its author should know.
struct ConfigurationNote {
  enum class Severity : std::uint8_t {
    warning,  // The broker starts; the line does not do what its author may expect.
    refused,  // RocketMQ would start; this version can't do what the line says.
    error,    // The value can't be used: the caller should not start the broker.
  };
  int line = 0;  // From 1; 0 if the value did not come from a file.
  std::string key;
  Severity severity = Severity::warning;
  std::string text;  // A sentence without the line and the key.
};

struct ConfigurationResult {
  BrokerConfiguration configuration;
  std::vector<ConfigurationNote> notes;  // In the order of the lines.
  // The lines that RocketMQ reads, honoured here or not, without those that another line replaces.
  std::vector<Setting> settings;
  bool has_errors() const;  // Or refusals: the broker should not start.
};

// Reads a broker.conf: the syntax of Java's properties files, RocketMQ's keys. Values are applied
// on top of `defaults`. A key that occurs twice counts as RocketMQ counts it: the last one wins.
ConfigurationResult parse_broker_configuration(std::string_view text,
                                               BrokerConfiguration defaults = {});

// Sets one key as if it stood in a broker.conf: for values that come from a scenario or from the
// command line. Notes are appended.
void set_broker_property(BrokerConfiguration& configuration, std::string_view key,
                         std::string_view value, int line, std::vector<ConfigurationNote>& notes);

// "line 6: mapedFileSizeCommitLog: warning: …", for people.
std::string describe(const ConfigurationNote& note);

}  // namespace drydock
