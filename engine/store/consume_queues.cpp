#include "engine/store/consume_queues.hpp"

#include <algorithm>
#include <set>

#include "engine/wire/remoting_frame.hpp"

namespace drydock {

namespace {

constexpr std::size_t kNameBytesMax = 255;

}  // namespace

bool has_queue(std::string_view topic, std::int32_t queue_id) {
  constexpr std::string_view kNotInNames("/,\0", 3);  // RocketMQ takes a comma for two paths.
  return queue_id >= 0 && !topic.empty() && topic.size() <= kNameBytesMax && topic != "." &&
         topic != ".." && topic.find_first_of(kNotInNames) == std::string_view::npos;
}

Task<Result<void>> ConsumeQueues::load(Worker& worker) {
  Result<std::vector<FileInfo>> topics = co_await context_.files.list(worker, options_.directory);
  if (!topics) {
    if (topics.error().code() == ErrorCode::not_found) co_return Result<void>();
    co_return topics.error();
  }
  for (const FileInfo& topic : *topics) {
    if (!topic.is_directory) continue;
    Result<void> loaded = co_await load_topic(worker, topic.name);
    if (!loaded) co_return loaded;
  }
  co_return Result<void>();
}

Task<Result<void>> ConsumeQueues::load_topic(Worker& worker, std::string topic) {
  Result<std::vector<FileInfo>> queues =
      co_await context_.files.list(worker, options_.directory + "/" + topic);
  if (!queues) co_return queues.error();
  for (const FileInfo& queue : *queues) {
    const auto queue_id = parse_decimal<std::int32_t>(queue.name);
    if (!queue.is_directory || !queue_id || *queue_id < 0) continue;
    Result<void> loaded = co_await of(topic, *queue_id).load(worker);
    if (!loaded) co_return loaded;
  }
  co_return Result<void>();
}

Task<Result<void>> ConsumeQueues::recover(Worker& worker) {
  for (const auto& queue : all_) {
    Result<void> recovered = co_await queue->recover(worker);
    if (!recovered) co_return recovered;
  }
  co_return Result<void>();
}

Task<Result<void>> ConsumeQueues::truncate(Worker& worker, PhysicalOffset end) {
  for (const auto& queue : all_) {
    Result<void> cut = co_await queue->truncate(worker, end);
    if (!cut) co_return cut;
  }
  co_return Result<void>();
}

Task<Result<void>> ConsumeQueues::destroy(Worker& worker) {
  for (const auto& queue : all_) {
    Result<void> destroyed = co_await queue->destroy(worker);
    if (!destroyed) co_return destroyed;
  }
  co_return Result<void>();
}

Task<Result<void>> ConsumeQueues::destroy_topic(Worker& worker, std::string topic) {
  std::vector<ConsumeQueue*> queues;
  const auto found = by_topic_.find(topic);
  if (found == by_topic_.end()) co_return Result<void>();
  for (const auto& [queue_id, queue] : found->second) queues.push_back(queue);
  Result<void> outcome;
  for (std::size_t i = 0; i < queues.size(); ++i) {
    Result<void> destroyed = co_await queues[i]->destroy(worker);
    if (!destroyed) outcome = destroyed;
  }
  // Unless somebody has made a queue again.
  [[maybe_unused]] Result<void> removed =
      co_await context_.files.remove(worker, options_.directory + "/" + topic);
  co_return outcome;
}

Task<Result<void>> ConsumeQueues::correct_min(Worker& worker, PhysicalOffset log_start) {
  for (const auto& queue : all_) {
    Result<void> corrected = co_await queue->correct_min(worker, log_start);
    if (!corrected) co_return corrected;
  }
  co_return Result<void>();
}

Task<Result<void>> ConsumeQueues::sync_names(Worker& worker) {
  std::set<std::string> directories;
  for (const auto& queue : all_) {
    directories.insert(queue->directory());
    directories.insert(options_.directory + "/" + std::string(queue->topic()));
  }
  if (!directories.empty()) directories.insert(options_.directory);
  for (const std::string& directory : directories) {
    Result<void> synced = co_await context_.files.sync_directory(worker, directory);
    if (!synced) co_return synced;
  }
  co_return Result<void>();
}

Task<Result<void>> ConsumeQueues::flush(Worker& worker, std::int32_t least_pages, int rounds) {
  Result<void> outcome;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    ConsumeQueue& queue = *all_[i];
    const QueueOffset end = queue.max_offset();
    for (int round = 0; round < rounds && queue.flushed_offset() < end; ++round) {
      const QueueOffset before = queue.flushed_offset();
      Result<void> flushed = co_await queue.flush(worker, least_pages);
      if (!flushed) outcome = flushed;
      if (!flushed && flushed.error().code() == ErrorCode::cancelled) co_return outcome;
      // Nothing was to do, or it failed: a second fsync would succeed without the pages that the
      // first one gave up.
      if (queue.flushed_offset() == before) break;
    }
  }
  co_return outcome;
}

ConsumeQueue* ConsumeQueues::find(std::string_view topic, std::int32_t queue_id) const {
  const auto queues = by_topic_.find(topic);
  if (queues == by_topic_.end()) return nullptr;
  const auto queue = queues->second.find(queue_id);
  return queue == queues->second.end() ? nullptr : queue->second;
}

ConsumeQueue& ConsumeQueues::of(std::string_view topic, std::int32_t queue_id) {
  ENSURE(has_queue(topic, queue_id));
  auto queues = by_topic_.find(topic);
  if (queues == by_topic_.end()) queues = by_topic_.emplace(std::string(topic), Queues()).first;
  ConsumeQueue*& queue = queues->second[queue_id];
  if (queue == nullptr) {
    all_.push_back(std::make_unique<ConsumeQueue>(context_, options_, topic, queue_id));
    queue = all_.back().get();
  }
  return *queue;
}

void ConsumeQueues::fill(QueueOffsets& offsets) const {
  for (const auto& queue : all_) {
    offsets.of(queue->topic(), queue->queue_id()).set(queue->max_offset());
  }
}

std::vector<ConsumeQueue*> ConsumeQueues::by_name() const {
  std::vector<ConsumeQueue*> queues;
  for (const auto& queue : all_) queues.push_back(queue.get());
  std::ranges::sort(queues, {}, [](const ConsumeQueue* queue) {
    return std::pair(queue->topic(), queue->queue_id());
  });
  return queues;
}

std::int64_t ConsumeQueues::known_to() const {
  std::int64_t largest = kNoPhysical;
  for (const auto& queue : all_) largest = std::max(largest, queue->known_to());
  return largest;
}

bool ConsumeQueues::any_is_short() const {
  return std::ranges::any_of(all_, [](const auto& queue) {
    return queue->has_files() && queue->min_offset() == queue->max_offset();
  });
}

bool ConsumeQueues::has_unflushed() const {
  return std::ranges::any_of(all_, [](const auto& queue) { return queue->has_unflushed(); });
}

}  // namespace drydock
