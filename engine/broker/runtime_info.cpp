#include "engine/broker/runtime_info.hpp"

#include <algorithm>

#include "engine/wire/json_text.hpp"
#include "engine/wire/remoting_frame.hpp"

namespace drydock {

namespace {

void add(StoreStats::Entries& table, std::string key, std::int64_t value) {
  table.emplace_back(std::move(key), std::to_string(value));
}

std::string ratio_of(const SpaceInfo& space) {
  const std::optional<std::int32_t> percent = used_percent(space);
  return percent ? java_quotient(*percent, 100) : "-1.0";
}

// "1.5 GiB", as "%.1f".
std::string readable(std::int64_t bytes) {
  if (bytes < 1024) return std::to_string(bytes) + " B";
  constexpr std::string_view kUnits = "KMGTPE";
  std::size_t unit = 0;
  std::int64_t tenths = (bytes * 10 + 512) / 1024;
  for (; tenths >= 10 * 1024 && unit + 1 < kUnits.size(); ++unit) tenths = (tenths + 512) / 1024;
  std::string text = std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " ";
  text += kUnits[unit];
  return text + "iB";
}

void add_pool(StoreStats::Entries& table, const std::string& name, WorkerPool& pool) {
  add(table, name + "ThreadPoolQueueSize", static_cast<std::int64_t>(pool.queued()));
  add(table, name + "ThreadPoolQueueCapacity", static_cast<std::int64_t>(pool.queue_capacity()));
  add(table, name + "ThreadPoolQueueHeadWaitTimeMills",
      pool.has_queue() ? pool.longest_wait().count_ms() : 0);
}

SharedBytes answer_of(const CommandHead& request, const StoreStats::Entries& table) {
  JsonWriter json;
  json.begin_object().key("table").begin_object();
  for (const auto& [key, value] : table) json.key(key).text(value);
  json.end_object().end_object();
  return encode_command(response_head(request, ResponseCode::success), NoFields(), {},
                        as_byte_span(json.view()));
}

}  // namespace

RuntimeInfo::RuntimeInfo(Context& context, BrokerParts parts)
    : context_(context), parts_(parts), worker_(context.workers.add("AdminBrokerThread_2")) {}

Task<void> RuntimeInfo::process(std::shared_ptr<ServerConnection> connection,
                                RemotingCommand request, [[maybe_unused]] Semaphore::Permit slot) {
  const StoreStats::Entries table = co_await entries();
  connection->respond(answer_of(request.head, table));
}

Task<StoreStats::Entries> RuntimeInfo::entries() {
  StoreStats::Entries table = parts_.store.stats().runtime_info(context_.clock.now());
  add_offsets(table);
  add_traffic(table);
  add_pools(table);
  co_await add_space(table);
  Result<std::int64_t> earliest = co_await parts_.store.earliest_store_ms(worker_);
  add(table, "earliestMessageTimeStamp", earliest ? *earliest : -1);
  std::ranges::sort(table);
  co_return std::move(table);
}

void RuntimeInfo::add_offsets(StoreStats::Entries& table) const {
  const MessageStore& store = parts_.store;
  const CommitLog& log = store.commit_log();
  table.emplace_back("brokerActive", "true");
  table.emplace_back("brokerVersionDesc", "V5_3_3");
  add(table, "brokerVersion", kVersion533);
  add(table, "commitLogMinOffset", log.min_offset().value());
  add(table, "commitLogMaxOffset", log.max_offset().value());
  add(table, "dispatchBehindBytes", store.dispatch_behind());
  add(table, "pageCacheLockTimeMills", log.lock_held_for().count_ms());
  add(table, "remainHowManyDataToFlush", log.max_offset() - log.flushed_to());
  add(table, "remainTransientStoreBufferNumbs", log.free_buffers());
  add(table, "startAcceptSendRequestTimeStamp", 0);
  const DelayLevels& levels = store.configuration().delay_levels;
  for (std::int32_t level = 1; level <= levels.count(); ++level) {
    const std::int64_t max = store.range(kScheduleTopic, level - 1).max.value();
    if (max == 0) continue;
    table.emplace_back(
        "scheduleMessageOffset_" + std::to_string(level),
        std::to_string(parts_.delay_offsets.of(level).value()) + "," + std::to_string(max));
  }
}

void RuntimeInfo::add_traffic(StoreStats::Entries& table) {
  const std::int64_t now_ms = context_.clock.wall_now().count_ms();
  const auto add_daily = [&table, now_ms](const std::string& name, DailyCount& count) {
    count.turn(now_ms);
    add(table, name + "YesterdayMorning", count.yesterday_morning());
    add(table, name + "TodayMorning", count.today_morning());
    add(table, name + "TodayNow", count.now());
  };
  add_daily("msgPutTotal", parts_.traffic.put());
  add_daily("msgGetTotal", parts_.traffic.got());
}

void RuntimeInfo::add_pools(StoreStats::Entries& table) {
  add_pool(table, "send", parts_.sends);
  add_pool(table, "pull", parts_.pulls);
  WorkerPool& ends = parts_.transaction_ends;
  add(table, "EndTransactionQueueSize", static_cast<std::int64_t>(ends.queued()));
  add(table, "EndTransactionThreadPoolQueueCapacity",
      static_cast<std::int64_t>(ends.queue_capacity()));
}

Task<void> RuntimeInfo::add_space(StoreStats::Entries& table) {
  const std::string log_path = parts_.store.configuration().commit_log_path();
  Result<SpaceInfo> space = co_await context_.files.space(worker_, log_path);
  const SpaceInfo of_log = space ? *space : SpaceInfo();
  table.emplace_back("commitLogDiskRatio", ratio_of(of_log));
  table.emplace_back("commitLogDiskRatio_" + log_path, ratio_of(of_log));
  table.emplace_back("commitLogDirCapacity", "Total : " + readable(of_log.total_bytes) +
                                                 ", Free : " + readable(of_log.free_bytes) + ".");
  const std::string queue_path = parts_.store.configuration().consume_queue_path();
  Result<SpaceInfo> queues = co_await context_.files.space(worker_, queue_path);
  table.emplace_back("consumeQueueDiskRatio", ratio_of(queues ? *queues : SpaceInfo()));
}

}  // namespace drydock
