#include "engine/broker/configuration_keys.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "engine/broker/property_value.hpp"
#include "engine/types/nearest_name.hpp"
#include "engine/wire/endpoint_text.hpp"
#include "engine/wire/remoting_frame.hpp"

namespace drydock {

namespace {

using Configuration = BrokerConfiguration;

bool set_text(std::string& into, std::string_view value) {
  into = value;
  return !value.empty();
}

template <class T>
bool set_integer(T& into, std::string_view value, std::int64_t low, std::int64_t high) {
  const auto number = parse_decimal<std::int64_t>(value);
  if (!number || *number < low || *number > high) return false;
  into = static_cast<T>(*number);
  return true;
}

// RocketMQ's durations are bare milliseconds.
bool set_ms(Duration& into, std::string_view value) {
  std::int64_t ms = 0;
  if (!set_integer(ms, value, 1, std::numeric_limits<std::int32_t>::max())) return false;
  into = Duration::ms(ms);
  return true;
}

// A pause, which may be none.
bool set_pause(Duration& into, std::string_view value) {
  std::int64_t ms = 0;
  if (!set_integer(ms, value, 0, std::numeric_limits<std::int32_t>::max())) return false;
  into = Duration::ms(ms);
  return true;
}

bool set_bool(bool& into, std::string_view value) {
  into = equal_ignoring_case(value, "true");
  return into || equal_ignoring_case(value, "false");
}

bool set_flush_disk_type(Configuration& configuration, std::string_view value) {
  const bool sync = value == "SYNC_FLUSH";
  configuration.store.flush_disk_type =
      sync ? FlushDiskType::sync_flush : FlushDiskType::async_flush;
  return sync || value == "ASYNC_FLUSH";
}

bool set_address(std::uint32_t& into, std::string_view value) {
  const std::optional<std::uint32_t> address = parse_address(value);
  if (address) into = *address;
  return address.has_value();
}

bool set_endpoints(std::vector<Endpoint>& into, std::string_view value) {
  std::optional<std::vector<Endpoint>> endpoints = parse_endpoints(value);
  if (endpoints) into = std::move(*endpoints);
  return endpoints.has_value();
}

// ADDRESS:PORT; RocketMQ takes anything shorter than six characters for "not set".
bool set_endpoint(std::optional<Endpoint>& into, std::string_view value) {
  into = parse_endpoint(value);
  return into.has_value();
}

bool set_broker_role(Configuration& configuration, std::string_view value) {
  BrokerRole& role = configuration.ha.role;
  if (value == "ASYNC_MASTER") role = BrokerRole::async_master;
  if (value == "SYNC_MASTER") role = BrokerRole::sync_master;
  if (value == "SLAVE") role = BrokerRole::slave;
  return value == "ASYNC_MASTER" || value == "SYNC_MASTER" || value == "SLAVE";
}

bool set_path(std::string& into, std::string_view value) {
  if (!value.starts_with('/')) return false;
  while (value.size() > 1 && value.ends_with('/')) value.remove_suffix(1);
  into = value;
  return true;
}

// RocketMQ takes a comma-separated list of paths; this version takes one.
bool set_single_path(std::string& into, std::string_view value) {
  return value.find(',') == std::string_view::npos && set_path(into, value);
}

bool set_delay_levels(Configuration& configuration, std::string_view value) {
  std::optional<DelayLevels> levels = DelayLevels::parse(value);
  if (levels) configuration.store.delay_levels = std::move(*levels);
  return levels.has_value();
}

bool set_clean_forcibly_ratio(Configuration& configuration, std::string_view value) {
  return set_integer(configuration.store.retention.levels.clean_forcibly, value, 0, 100);
}

// "04" or "04;16". What RocketMQ would never meet, as hour 24, is refused.
bool set_hours(std::vector<std::int32_t>& into, std::string_view value) {
  std::vector<std::int32_t> hours;
  while (!value.empty()) {
    const std::size_t end = std::min(value.find(';'), value.size());
    std::int32_t hour = 0;
    if (!set_integer(hour, value.substr(0, end), 0, 23)) return false;
    hours.push_back(hour);
    value.remove_prefix(std::min(end + 1, value.size()));
  }
  into = hours;
  return !hours.empty();
}

constexpr std::int32_t kHoursMax = 1'000'000;
bool set_hours_long(Duration& into, std::string_view value) {
  std::int64_t hours = 0;
  if (!set_integer(hours, value, 0, kHoursMax)) return false;
  into = Duration::s(hours * 3600);
  return true;
}

constexpr std::string_view kPause = "milliseconds, a whole number from 0 to 2147483647";
constexpr std::string_view kPercent = "percent, a whole number from 0 to 100";
constexpr std::string_view kMs = "milliseconds, a whole number from 1 to 2147483647";
constexpr std::string_view kBool = "true or false";
constexpr std::string_view kText = "any text that is not empty";
// Sums over periods stay within 63 bits.
constexpr std::int64_t kColdBytesMax = std::int64_t{1} << 50;
constexpr std::int64_t kInt32Max = std::numeric_limits<std::int32_t>::max();

constexpr std::array kHonoured = {
    HonouredKey{"accessMessageInMemoryHotRatio", "percent, a whole number from 1 to 100",
                [](Configuration& c, std::string_view v) {
                  return set_integer(c.store.access_message_in_memory_hot_ratio, v, 1, 100);
                }},
    HonouredKey{"accessMessageInMemoryMaxRatio", "percent, a whole number from 1 to 100",
                [](Configuration& c, std::string_view v) {
                  return set_integer(c.store.access_message_in_memory_max_ratio, v, 1, 100);
                }},
    HonouredKey{"autoCreateSubscriptionGroup", kBool,
                [](Configuration& c, std::string_view v) {
                  return set_bool(c.auto_create_subscription_group, v);
                }},
    HonouredKey{"autoCreateTopicEnable", kBool,
                [](Configuration& c, std::string_view v) {
                  return set_bool(c.auto_create_topic_enable, v);
                }},
    HonouredKey{
        "brokerClusterName", kText,
        [](Configuration& c, std::string_view v) { return set_text(c.broker_cluster_name, v); }},
    HonouredKey{"brokerFastFailureEnable", kBool,
                [](Configuration& c, std::string_view v) {
                  return set_bool(c.broker_fast_failure_enable, v);
                }},
    HonouredKey{"brokerIP1", "an IPv4 address such as 10.20.16.31",
                [](Configuration& c, std::string_view v) { return set_address(c.broker_ip1, v); }},
    HonouredKey{"brokerIP2", "an IPv4 address such as 10.20.16.31",
                [](Configuration& c, std::string_view v) { return set_address(c.broker_ip2, v); }},
    HonouredKey{"brokerId", "a whole number from 0",
                [](Configuration& c, std::string_view v) {
                  return set_integer(c.broker_id, v, 0, std::numeric_limits<std::int64_t>::max());
                }},
    HonouredKey{"brokerName", kText,
                [](Configuration& c, std::string_view v) { return set_text(c.broker_name, v); }},
    HonouredKey{"brokerRole", "ASYNC_MASTER, SYNC_MASTER or SLAVE", &set_broker_role},
    HonouredKey{"cgColdReadThreshold", "bytes, a whole number from 1",
                [](Configuration& c, std::string_view v) {
                  return set_integer(c.cg_cold_read_threshold, v, 1, kColdBytesMax);
                }},
    HonouredKey{"checkCRCOnRecover", kBool,
                [](Configuration& c, std::string_view v) {
                  return set_bool(c.store.check_crc_on_recover, v);
                }},
    HonouredKey{"cleanFileForciblyEnable", kBool,
                [](Configuration& c, std::string_view v) {
                  return set_bool(c.store.retention.clean_file_forcibly_enable, v);
                }},
    HonouredKey{"cleanResourceInterval", kMs,
                [](Configuration& c, std::string_view v) {
                  return set_ms(c.store.retention.clean_interval, v);
                }},
    HonouredKey{"coldCtrStrategyEnable", kBool,
                [](Configuration& c, std::string_view v) {
                  return set_bool(c.cold_ctr_strategy_enable, v);
                }},
    HonouredKey{"coldDataFlowControlEnable", kBool,
                [](Configuration& c, std::string_view v) {
                  return set_bool(c.store.cold_data_flow_control_enable, v);
                }},
    HonouredKey{"coldDataScanEnable", kBool,
                [](Configuration& c, std::string_view v) {
                  return set_bool(c.store.cold_data_scan_enable, v);
                }},
    HonouredKey{"commitCommitLogLeastPages", "pages of 4096 bytes, a whole number from 0",
                [](Configuration& c, std::string_view v) {
                  return set_integer(c.store.commit_commit_log_least_pages, v, 0, kInt32Max);
                }},
    HonouredKey{"commitCommitLogThoroughInterval", kMs,
                [](Configuration& c, std::string_view v) {
                  return set_ms(c.store.commit_commit_log_thorough_interval, v);
                }},
    HonouredKey{"commitIntervalCommitLog", kMs,
                [](Configuration& c, std::string_view v) {
                  return set_ms(c.store.commit_interval_commit_log, v);
                }},
    HonouredKey{
        "compressedRegister", kBool,
        [](Configuration& c, std::string_view v) { return set_bool(c.compressed_register, v); }},
    HonouredKey{"defaultQueryMaxNum", "a whole number from 1",
                [](Configuration& c, std::string_view v) {
                  return set_integer(c.store.default_query_max_num, v, 1, kInt32Max);
                }},
    HonouredKey{"defaultTopicQueueNums", "a whole number from 1 to 65535",
                [](Configuration& c, std::string_view v) {
                  return set_integer(c.default_topic_queue_nums, v, 1, 65'535);
                }},
    HonouredKey{"deleteCommitLogFilesInterval", kPause,
                [](Configuration& c, std::string_view v) {
                  return set_pause(c.store.retention.delete_commit_log_files_interval, v);
                }},
    HonouredKey{"deleteConsumeQueueFilesInterval", kPause,
                [](Configuration& c, std::string_view v) {
                  return set_pause(c.store.retention.delete_consume_queue_files_interval, v);
                }},
    HonouredKey{"deleteFileBatchMax", "a whole number from 1 to 2147483647",
                [](Configuration& c, std::string_view v) {
                  return set_integer(c.store.retention.delete_file_batch_max, v, 1, kInt32Max);
                }},
    HonouredKey{"deleteWhen", "hours of the day, 00 to 23, with semicolons between them",
                [](Configuration& c, std::string_view v) {
                  return set_hours(c.store.retention.delete_when, v);
                }},
    HonouredKey{"destroyMapedFileIntervalForcibly", kPause,
                [](Configuration& c, std::string_view v) {
                  return set_pause(c.store.retention.destroy_maped_file_interval_forcibly, v);
                }},
    HonouredKey{"diskMaxUsedSpaceRatio", kPercent,
                [](Configuration& c,
                   std::string_view
                       v) { return set_integer(c.store.retention.levels.max_used, v, 0, 100); }},
    HonouredKey{"diskSpaceCleanForciblyRatio", kPercent, &set_clean_forcibly_ratio},
    HonouredKey{
        "diskSpaceWarningLevelRatio", kPercent,
        [](Configuration& c,
           std::string_view
               v) { return set_integer(c.store.retention.levels.warning_level, v, 0, 100); }},
    HonouredKey{"enabledAppendPropCRC", kBool,
                [](Configuration& c,
                   std::string_view v) { return set_bool(c.store.enabled_append_prop_crc, v); }},
    HonouredKey{"fastFailIfNoBufferInStorePool", kBool,
                [](Configuration& c,
                   std::string_view
                       v) { return set_bool(c.store.fast_fail_if_no_buffer_in_store_pool, v); }},
    HonouredKey{"fileReservedTime", "hours, a whole number from 0 to 1000000",
                [](Configuration& c, std::string_view v) {
                  return set_hours_long(c.store.retention.file_reserved_time, v);
                }},
    HonouredKey{"flushCommitLogLeastPages", "pages of 4096 bytes, a whole number from 0",
                [](Configuration& c, std::string_view v) {
                  return set_integer(c.store.flush_commit_log_least_pages, v, 0, kInt32Max);
                }},
    HonouredKey{
        "flushCommitLogThoroughInterval", kMs,
        [](Configuration& c,
           std::string_view v) { return set_ms(c.store.flush_commit_log_thorough_interval, v); }},
    HonouredKey{"flushCommitLogTimed", kBool,
                [](Configuration& c,
                   std::string_view v) { return set_bool(c.store.flush_commit_log_timed, v); }},
    HonouredKey{"flushConsumeQueueLeastPages", "pages of 4096 bytes, a whole number from 0",
                [](Configuration& c, std::string_view v) {
                  return set_integer(c.store.flush_consume_queue_least_pages, v, 0, kInt32Max);
                }},
    HonouredKey{"flushConsumeQueueThoroughInterval", kMs,
                [](Configuration& c,
                   std::string_view
                       v) { return set_ms(c.store.flush_consume_queue_thorough_interval, v); }},
    HonouredKey{"flushConsumerOffsetInterval", kMs,
                [](Configuration& c,
                   std::string_view v) { return set_ms(c.flush_consumer_offset_interval, v); }},
    HonouredKey{"flushDelayOffsetInterval", kMs,
                [](Configuration& c,
                   std::string_view v) { return set_ms(c.flush_delay_offset_interval, v); }},
    HonouredKey{"flushDiskType", "ASYNC_FLUSH or SYNC_FLUSH", &set_flush_disk_type},
    HonouredKey{"flushIntervalCommitLog", kMs,
                [](Configuration& c,
                   std::string_view v) { return set_ms(c.store.flush_interval_commit_log, v); }},
    HonouredKey{"flushIntervalConsumeQueue", kMs,
                [](Configuration& c,
                   std::string_view v) { return set_ms(c.store.flush_interval_consume_queue, v); }},
    HonouredKey{"flushLeastPagesWhenWarmMapedFile", "pages of 4096 bytes, a whole number from 0",
                [](Configuration& c, std::string_view v) {
                  return set_integer(c.store.flush_least_pages_when_warm_maped_file, v, 0,
                                     kInt32Max);
                }},
    HonouredKey{"forceVerifyPropCRC", kBool,
                [](Configuration& c,
                   std::string_view v) { return set_bool(c.store.force_verify_prop_crc, v); }},
    HonouredKey{"globalColdReadThreshold", "bytes, a whole number from 1",
                [](Configuration& c, std::string_view v) {
                  return set_integer(c.global_cold_read_threshold, v, 1, kColdBytesMax);
                }},
    HonouredKey{
        "haHousekeepingInterval", kMs,
        [](Configuration& c, std::string_view v) { return set_ms(c.ha.housekeeping_interval, v); }},
    HonouredKey{"haListenPort", "a port number from 1 to 65535",
                [](Configuration& c, std::string_view v) {
                  return set_integer(c.ha.listen_port, v, 1, 65'535);
                }},
    HonouredKey{
        "haMasterAddress", "an IPv4 address and a port such as 10.20.16.31:10912",
        [](Configuration& c, std::string_view v) { return set_endpoint(c.ha.master_address, v); }},
    HonouredKey{
        "haSendHeartbeatInterval", kMs,
        [](Configuration& c, std::string_view v) { return set_ms(c.ha.heartbeat_interval, v); }},
    HonouredKey{"haTransferBatchSize", "bytes, a whole number from 1 to 4194292",
                [](Configuration& c, std::string_view v) {
                  return set_integer(c.ha.transfer_batch_size, v, 1, 4'194'292);
                }},
    HonouredKey{"inSyncReplicas", "a whole number from 0 to 127",
                [](Configuration& c, std::string_view v) {
                  return set_integer(c.ha.in_sync_replicas, v, 0, 127);
                }},
    HonouredKey{"listenPort", "a port number from 1 to 65535",
                [](Configuration& c, std::string_view v) {
                  return set_integer(c.listen_port, v, 1, 65'535);
                }},
    HonouredKey{
        "longPollingEnable", kBool,
        [](Configuration& c, std::string_view v) { return set_bool(c.long_polling_enable, v); }},
    HonouredKey{"mappedFileSizeCommitLog", "bytes, a whole number from 1 to 2147483647",
                [](Configuration& c, std::string_view v) {
                  return set_integer(c.store.mapped_file_size_commit_log, v, 1, kInt32Max);
                }},
    HonouredKey{"mappedFileSizeConsumeQueue",
                "bytes, a whole number from 1 to 2147483640, rounded up to a multiple of 20",
                [](Configuration& c, std::string_view v) {
                  return set_integer(c.store.mapped_file_size_consume_queue, v, 1, 2'147'483'640);
                }},
    HonouredKey{"maxFilterMessageSize", "bytes of a consume queue, a whole number from 1",
                [](Configuration& c, std::string_view v) {
                  return set_integer(c.store.max_filter_message_size, v, 1, kInt32Max);
                }},
    HonouredKey{"maxHashSlotNum", "a whole number from 1",
                [](Configuration& c, std::string_view v) {
                  return set_integer(c.store.index.slots, v, 1, kInt32Max);
                }},
    HonouredKey{
        "maxIndexNum", "a whole number from 2",
        [](Configuration& c,
           std::string_view v) { return set_integer(c.store.index.entries, v, 2, kInt32Max); }},
    HonouredKey{"maxMessageSize", "bytes, a whole number from 10 to 16777216",
                [](Configuration& c, std::string_view v) {
                  return set_integer(c.store.max_message_size, v, 10, kFrameBytesMax);
                }},
    HonouredKey{"maxMsgsNumBatch", "a whole number from 1",
                [](Configuration& c, std::string_view v) {
                  return set_integer(c.store.max_msgs_num_batch, v, 1, kInt32Max);
                }},
    HonouredKey{"maxTransferBytesOnMessageInDisk", "bytes, a whole number from 1",
                [](Configuration& c, std::string_view v) {
                  return set_integer(c.store.max_transfer_bytes_on_message_in_disk, v, 1,
                                     kInt32Max);
                }},
    HonouredKey{"maxTransferBytesOnMessageInMemory", "bytes, a whole number from 1",
                [](Configuration& c, std::string_view v) {
                  return set_integer(c.store.max_transfer_bytes_on_message_in_memory, v, 1,
                                     kInt32Max);
                }},
    HonouredKey{"maxTransferCountOnMessageInDisk", "a whole number from 1",
                [](Configuration& c, std::string_view v) {
                  return set_integer(c.store.max_transfer_count_on_message_in_disk, v, 1,
                                     kInt32Max);
                }},
    HonouredKey{"maxTransferCountOnMessageInMemory", "a whole number from 1",
                [](Configuration& c, std::string_view v) {
                  return set_integer(c.store.max_transfer_count_on_message_in_memory, v, 1,
                                     kInt32Max);
                }},
    HonouredKey{"messageDelayLevel", "delays such as 1s 5s 10m 2h 1d, with one blank between",
                &set_delay_levels},
    HonouredKey{"messageIndexEnable", kBool,
                [](Configuration& c,
                   std::string_view v) { return set_bool(c.store.message_index_enable, v); }},
    HonouredKey{"messageIndexSafe", kBool,
                [](Configuration& c,
                   std::string_view v) { return set_bool(c.store.message_index_safe, v); }},
    HonouredKey{
        "namesrvAddr", "IPv4 addresses and ports such as 10.20.16.31:9876, with ; between",
        [](Configuration& c, std::string_view v) { return set_endpoints(c.name_servers, v); }},
    HonouredKey{"offsetCheckInSlave", kBool,
                [](Configuration& c,
                   std::string_view v) { return set_bool(c.store.offset_check_in_slave, v); }},
    HonouredKey{"osPageCacheBusyTimeOutMills", kMs,
                [](Configuration& c,
                   std::string_view v) { return set_ms(c.store.os_page_cache_busy_timeout, v); }},
    HonouredKey{"pullMessageThreadPoolNums", "a whole number from 1 to 1000",
                [](Configuration& c, std::string_view v) {
                  return set_integer(c.pull_message_thread_pool_nums, v, 1, 1000);
                }},
    HonouredKey{"pullThreadPoolQueueCapacity", "a whole number from 1",
                [](Configuration& c, std::string_view v) {
                  return set_integer(c.pull_thread_pool_queue_capacity, v, 1, kInt32Max);
                }},
    HonouredKey{
        "readUnCommitted", kBool,
        [](Configuration& c, std::string_view v) { return set_bool(c.store.read_uncommitted, v); }},
    HonouredKey{
        "redeleteHangedFileInterval", kPause,
        [](Configuration& c,
           std::string_view
               v) { return set_pause(c.store.retention.redelete_hanged_file_interval, v); }},
    HonouredKey{
        "registerBrokerTimeoutMills", kMs,
        [](Configuration& c, std::string_view v) { return set_ms(c.register_broker_timeout, v); }},
    HonouredKey{"registerNameServerPeriod", kMs,
                [](Configuration& c,
                   std::string_view v) { return set_ms(c.register_name_server_period, v); }},
    HonouredKey{"sendMessageThreadPoolNums", "a whole number from 1 to 1000",
                [](Configuration& c, std::string_view v) {
                  return set_integer(c.send_message_thread_pool_nums, v, 1, 1000);
                }},
    HonouredKey{"sendThreadPoolQueueCapacity", "a whole number from 1",
                [](Configuration& c, std::string_view v) {
                  return set_integer(c.send_thread_pool_queue_capacity, v, 1, kInt32Max);
                }},
    HonouredKey{
        "shortPollingTimeMills", kMs,
        [](Configuration& c, std::string_view v) { return set_ms(c.short_polling_time, v); }},
    HonouredKey{
        "slaveReadEnable", kBool,
        [](Configuration& c, std::string_view v) { return set_bool(c.slave_read_enable, v); }},
    HonouredKey{"slaveTimeout", kMs,
                [](Configuration& c, std::string_view v) { return set_ms(c.ha.slave_timeout, v); }},
    HonouredKey{"storePathCommitLog", "one absolute path (a list of paths comes later)",
                [](Configuration& c, std::string_view v) {
                  return set_single_path(c.store.store_path_commit_log, v);
                }},
    HonouredKey{
        "storePathRootDir", "an absolute path",
        [](Configuration& c, std::string_view v) { return set_path(c.store.store_path_root, v); }},
    HonouredKey{
        "syncFlushTimeout", kMs,
        [](Configuration& c, std::string_view v) { return set_ms(c.store.sync_flush_timeout, v); }},
    HonouredKey{"transactionCheckInterval", kMs,
                [](Configuration& c,
                   std::string_view v) { return set_ms(c.transaction_check_interval, v); }},
    HonouredKey{"transactionCheckMax", "a whole number from 0",
                [](Configuration& c, std::string_view v) {
                  return set_integer(c.transaction_check_max, v, 0, kInt32Max);
                }},
    HonouredKey{
        "transactionTimeOut", kMs,
        [](Configuration& c, std::string_view v) { return set_ms(c.transaction_timeout, v); }},
    HonouredKey{
        "transientStorePoolEnable", kBool,
        [](Configuration& c,
           std::string_view v) { return set_bool(c.store.transient_store_pool_enable, v); }},
    HonouredKey{"transientStorePoolSize", "buffers, a whole number from 1 to 1000",
                [](Configuration& c, std::string_view v) {
                  return set_integer(c.store.transient_store_pool_size, v, 1, 1000);
                }},
    HonouredKey{"usePIDColdCtrStrategy", kBool,
                [](Configuration& c,
                   std::string_view v) { return set_bool(c.use_pid_cold_ctr_strategy, v); }},
    HonouredKey{
        "waitTimeMillsInPullQueue", kMs,
        [](Configuration& c, std::string_view v) { return set_ms(c.wait_time_in_pull_queue, v); }},
    HonouredKey{
        "waitTimeMillsInSendQueue", kMs,
        [](Configuration& c, std::string_view v) { return set_ms(c.wait_time_in_send_queue, v); }},
    HonouredKey{
        "wakeCommitWhenPutMessage", kBool,
        [](Configuration& c,
           std::string_view v) { return set_bool(c.store.wake_commit_when_put_message, v); }},
    HonouredKey{
        "wakeFlushWhenPutMessage", kBool,
        [](Configuration& c,
           std::string_view v) { return set_bool(c.store.wake_flush_when_put_message, v); }},
    HonouredKey{"warmMapedFileEnable", kBool,
                [](Configuration& c,
                   std::string_view v) { return set_bool(c.store.warm_maped_file_enable, v); }},
};

// What decides which bytes are stored, or who has them when SEND_OK is given: to run it as if the
// key were not there would answer another question.
constexpr std::string_view kOtherMode = "another replication mode than the one that runs";
constexpr std::string_view kOtherBytes = "another layout of the store's files";

constexpr std::string_view kChecks = "checks of who may do what, and here every client is served";

constexpr std::array kRefused = {
    RefusedKey{"aclEnable", "false", kChecks},
    RefusedKey{"authenticationEnabled", "false", kChecks},
    RefusedKey{"authorizationEnabled", "false", kChecks},
    RefusedKey{"duplicationEnable", "false", kOtherMode},
    RefusedKey{"enableConsumeQueueExt", "false", kOtherBytes},
    RefusedKey{"enableControllerMode", "false", kOtherMode},
    RefusedKey{"enableDLegerCommitLog", "false", kOtherMode},
    RefusedKey{"enableSlaveActingMaster", "false", kOtherMode},
    RefusedKey{"storeType", "default", kOtherBytes},
};

constexpr std::array kOldSpellings = {
    OldSpelling{"mapedFileSizeCommitLog", "mappedFileSizeCommitLog", "1073741824"},
    OldSpelling{"mapedFileSizeConsumeQueue", "mappedFileSizeConsumeQueue", "6000000"},
};

template <class Keys, class Key>
const Key* find_key(const Keys& keys, std::string_view name, std::string_view Key::* member) {
  const auto found = std::ranges::find(keys, name, member);
  return found == std::ranges::end(keys) ? nullptr : &*found;
}

}  // namespace

std::span<const HonouredKey> honoured_keys() { return kHonoured; }
std::span<const RefusedKey> refused_keys() { return kRefused; }
std::span<const OldSpelling> old_spellings() { return kOldSpellings; }

const HonouredKey* find_honoured(std::string_view name) {
  return find_key(kHonoured, name, &HonouredKey::name);
}
const RefusedKey* find_refused(std::string_view name) {
  return find_key(kRefused, name, &RefusedKey::name);
}
const OldSpelling* find_old_spelling(std::string_view name) {
  return find_key(kOldSpellings, name, &OldSpelling::old_name);
}

KeyState state_of(std::string_view name) {
  if (find_honoured(name) != nullptr) return KeyState::honoured;
  if (find_refused(name) != nullptr) return KeyState::refused;
  const auto rows = find_properties(name);
  const bool known = !rows.empty() && is_of_broker_conf(rows.front().owner);
  return known ? KeyState::accepted_without_effect : KeyState::unknown;
}

std::string_view nearest_key(std::string_view key) {
  NearestName nearest(key);
  for (const ConfigurationProperty& property : property_table()) {
    if (is_of_broker_conf(property.owner)) nearest.consider(property.name);
  }
  return nearest.name();
}

}  // namespace drydock
