#include "engine/store/message_index.hpp"

#include <algorithm>
#include <utility>

#include "engine/store/durable_names.hpp"
#include "engine/wire/big_endian.hpp"
#include "engine/wire/remoting_frame.hpp"

namespace drydock {

namespace {

constexpr int kAttempts = 3;
constexpr Duration kRetryPause = Duration::ms(1000);
constexpr Duration kDispatchPause = Duration::ms(1);

// A planted mistake: entries 1 and 2, 3 and 4 and so on name each other as the one before.
void link_by_twos(IndexPut& put) {
  constexpr std::size_t kPreviousAt = kIndexEntryBytes - 4;
  const std::int32_t number = put.header.count - 1;
  const std::int32_t other = number % 2 == 1 ? number + 1 : number - 1;
  BigEndianWriter(std::span(put.entry).subspan(kPreviousAt)).integer(other);
}

}  // namespace

void IndexFiling::next_key() {
  std::string_view key;
  has_key_ = keys_.next(key);
  if (has_key_) key_hash_ = index_key_hash(request_.topic, key);
}

std::span<const std::byte> IndexFiling::slot_in_group(std::int64_t slot_at) const {
  for (std::size_t i = count_; i-- > 0;) {
    if (puts_[i].slot_at == slot_at) return puts_[i].slot;
  }
  return {};
}

void IndexFiling::add(const IndexPut& put) {
  std::ranges::copy(put.entry,
                    entries_.begin() + static_cast<std::ptrdiff_t>(count_) * kIndexEntryBytes);
  puts_[count_++] = put;
}

MessageIndex::MessageIndex(Context& context, const StoreConfiguration& configuration,
                           Checkpoint& checkpoint)
    : context_(context),
      checkpoint_(checkpoint),
      directory_(configuration.index_path()),
      sizes_(configuration.index),
      enabled_(configuration.message_index_enable),
      syncs_names_(configuration.behaviour.hardened(BehaviourSwitch::files_names_not_synced)),
      exact_(configuration.behaviour.hardened(BehaviourSwitch::index_forgets_unfinished_file)),
      bugs_(configuration.bugs),
      count_max_(configuration.max_msgs_num_batch),
      flush_worker_(context.workers.add("FlushIndexFileThread")),
      flush_scope_(context.scope) {}

Task<Result<void>> MessageIndex::load(Worker& worker, StopKind last_stop) {
  if (!enabled_) co_return Result<void>();
  Result<std::vector<FileInfo>> entries = co_await context_.files.list(worker, directory_);
  if (!entries && entries.error().code() == ErrorCode::not_found) co_return Result<void>();
  if (!entries) co_return entries.error();
  for (const FileInfo& info : *entries) {
    const bool named = parse_decimal<std::int64_t>(info.name).has_value();
    if (info.is_directory || !named) continue;
    Result<void> loaded = co_await load_file(worker, info, last_stop);
    if (!loaded) co_return loaded;
  }
  if (!exact_ || last_stop == StopKind::orderly) co_return Result<void>();
  Result<void> forgotten = co_await forget_unflushed(worker);
  co_return forgotten;
}

Task<Result<void>> MessageIndex::load_file(Worker& worker, FileInfo info, StopKind last_stop) {
  // An empty one is what a crash leaves of a file that was being made.
  if (info.size != 0 && info.size != sizes_.file_bytes()) {
    context_.observer.log(LogLevel::error,
                          path_of(info.name) + " has " + std::to_string(info.size) +
                              " bytes, not the configured " + std::to_string(sizes_.file_bytes()));
    co_return ErrorCode::invalid_argument;
  }
  Result<std::unique_ptr<MappedFile>> map =
      co_await context_.files.map(worker, path_of(info.name), sizes_.file_bytes());
  if (!map) co_return map.error();
  Result<ByteChain> front = co_await (*map)->load(worker, 0, kIndexHeaderBytes);
  if (!front) co_return front.error();
  const IndexHeader header = decode_index_header(front->flatten().span());
  // RocketMQ keeps a file whose newest entry is of that millisecond, flushed or not.
  const bool newer = header.end_ms > checkpoint_.fields().index_ms;
  if (last_stop == StopKind::crash && !exact_ && newer) {
    map->reset();
    Result<void> removed = co_await context_.files.remove(worker, path_of(info.name));
    co_return removed;
  }
  auto file = std::make_shared<IndexedFile>();
  file->name = info.name;
  file->map = std::move(*map);
  file->header = header;
  files_.push_back(std::move(file));
  co_return Result<void>();
}

// The checkpoint has the time of the newest entry of a flushed file, and files are flushed in their
// order. Times may go back from one to the next, with the clock: the first file of that time, and
// those in front of it, were flushed.
Task<Result<void>> MessageIndex::forget_unflushed(Worker& worker) {
  const std::int64_t flushed_ms = checkpoint_.fields().index_ms;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < files_.size() && kept == 0; ++i) {
    if (!files_[i]->header.full(sizes_)) break;
    if (files_[i]->header.end_ms == flushed_ms) kept = i + 1;
  }
  while (files_.size() > kept) {
    const std::string path = path_of(files_.back()->name);
    files_.pop_back();
    Result<void> removed = co_await context_.files.remove(worker, path);
    if (!removed) co_return removed;
  }
  co_return Result<void>();
}

std::optional<PhysicalOffset> MessageIndex::known_to() const {
  if (!enabled_ || !exact_) return std::nullopt;
  return PhysicalOffset(files_.empty() ? 0 : files_.back()->header.end_physical);
}

Task<Result<void>> MessageIndex::cut(Worker& worker, PhysicalOffset end) {
  if (!exact_) co_return Result<void>();
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const FilePointer file = files_[i];
    if (file->header.end_physical <= end.value()) continue;
    file->header.end_physical = end.value();
    const auto header = encode_index_header(file->header);
    SharedBytes bytes = SharedBytes::copy_of(std::span<const std::byte>(header));
    Result<void> stored = co_await file->map->store(worker, 0, std::move(bytes));
    if (!stored) co_return stored;
    Result<void> synced = co_await file->map->sync(worker, 0, kIndexHeaderBytes);
    if (!synced) co_return synced;
  }
  co_return Result<void>();
}

Task<Result<void>> MessageIndex::sync_names(Worker& worker) {
  if (files_.empty()) co_return Result<void>();
  Result<void> synced = co_await drydock::sync_names(context_, worker, directory_);
  co_return synced;
}

Task<void> MessageIndex::delete_expired(Worker& worker, PhysicalOffset log_start) {
  while (files_.size() > 1 && files_.front()->header.end_physical < log_start.value()) {
    const std::string path = path_of(files_.front()->name);
    files_.erase(files_.begin());
    Result<void> removed = co_await context_.files.remove(worker, path);
    if (!removed) context_.observer.log(LogLevel::warning, "can't remove " + path);
  }
}

MessageIndex::IndexedFile* MessageIndex::file_with_room() const {
  if (files_.empty() || files_.back()->header.full(sizes_)) return nullptr;
  return files_.back().get();
}

bool MessageIndex::try_file(Worker& worker, IndexFiling& filing) {
  using Step = IndexFiling::Step;
  if (!enabled_ || given_up_) return true;
  while (filing.step_ != Step::done) {
    IndexedFile* const file = file_with_room();
    if (file == nullptr) return false;
    if (filing.step_ == Step::begin) {
      begin(filing, *file);
    } else if (filing.step_ == Step::slot) {
      const std::int64_t at = sizes_.slot_at(filing.key_hash_);
      const std::span<const std::byte> known = filing.slot_in_group(at);
      const ByteChain slot = known.empty() ? file->map->try_load(at, kIndexSlotBytes) : ByteChain();
      if (known.empty() && slot.empty()) return false;
      take_slot(filing, *file, known.empty() ? slot.pieces().front().span() : known);
    } else {
      const Store store = store_of(filing);
      if (!file->map->try_store(worker, store.at, store.bytes)) return false;
      stored(filing, *file);
    }
  }
  failing_ = false;
  return true;
}

// RocketMQ has a file for every message, also for one that has no key.
void MessageIndex::begin(IndexFiling& filing, const IndexedFile& file) {
  const DispatchRequest& request = filing.request_;
  const bool known = request.unit.physical.value() < file.header.end_physical;
  if (request.is_indexed && !known) filing.next_key();
  filing.step_ = filing.has_key_ ? IndexFiling::Step::slot : IndexFiling::Step::done;
}

void MessageIndex::take_slot(IndexFiling& filing, const IndexedFile& file,
                             std::span<const std::byte> slot) {
  const DispatchRequest& request = filing.request_;
  const IndexKeyPlace place{filing.key_hash_, request.unit.physical, request.store_ms};
  IndexPut put = put_index_entry(filing.header_in_front(file.header), sizes_, place, slot);
  if (bugs_.has(SeededBug::index_chain_loops)) link_by_twos(put);
  filing.add(put);
  filing.next_key();
  if (!ends_group(filing, file)) return;
  filing.header_ = encode_index_header(put.header);
  filing.step_ = IndexFiling::Step::entries;
}

bool MessageIndex::ends_group(const IndexFiling& filing, const IndexedFile& file) const {
  return !filing.has_key_ || filing.count_ == IndexFiling::kGroupMax ||
         filing.header_in_front(file.header).full(sizes_);
}

MessageIndex::Store MessageIndex::store_of(const IndexFiling& filing) {
  switch (filing.step_) {
    case IndexFiling::Step::entries:
      return {filing.puts_[0].entry_at,
              std::span(filing.entries_).first(filing.count_ * kIndexEntryBytes)};
    case IndexFiling::Step::slots: {
      const IndexPut& put = filing.puts_[filing.stored_];
      return {put.slot_at, put.slot};
    }
    default: return {0, filing.header_};
  }
}

void MessageIndex::stored(IndexFiling& filing, IndexedFile& file) {
  using Step = IndexFiling::Step;
  if (filing.step_ == Step::entries) {
    filing.step_ = Step::slots;
  } else if (filing.step_ == Step::slots) {
    if (++filing.stored_ == filing.count_) filing.step_ = Step::header;
  } else {
    file.header = filing.header_in_front(file.header);
    filing.count_ = filing.stored_ = 0;
    filing.step_ = filing.has_key_ ? Step::slot : Step::done;
  }
}

Task<Result<void>> MessageIndex::go_on(Worker& worker, IndexFiling& filing) {
  while (!try_file(worker, filing)) {
    if (file_with_room() == nullptr) {
      Result<void> added = co_await add_file(worker);
      if (added) continue;
      if (added.error().code() == ErrorCode::cancelled) co_return added;
      give_up();
      continue;
    }
    Result<void> waited = co_await wait_for_step(worker, filing);
    if (!waited) {
      Result<void> paused = co_await pause_after(waited.error());
      if (!paused) co_return paused;
    }
  }
  co_return Result<void>();
}

// As in RocketMQ, where the fault ends a round of its dispatch, and the next one, a millisecond
// later, begins with the same message.
Task<Result<void>> MessageIndex::pause_after(Error error) {
  if (error.code() == ErrorCode::cancelled) co_return error;
  if (!std::exchange(failing_, true)) {
    context_.observer.log(
        LogLevel::error,
        "an index file can't be written or read; dispatch stands still until then");
  }
  Result<void> slept = co_await sleep_for(context_.clock, kDispatchPause);
  co_return slept;
}

Task<Result<void>> MessageIndex::wait_for_step(Worker& worker, IndexFiling& filing) {
  const FilePointer file = files_.back();
  if (filing.step_ == IndexFiling::Step::slot) {
    Result<ByteChain> slot =
        co_await file->map->load(worker, sizes_.slot_at(filing.key_hash_), kIndexSlotBytes);
    if (!slot) co_return slot.error();
    const SharedBytes bytes = slot->flatten();
    take_slot(filing, *file, bytes.span());
    co_return Result<void>();
  }
  const Store store = store_of(filing);
  SharedBytes copy = SharedBytes::copy_of(store.bytes);
  Result<void> written = co_await file->map->store(worker, store.at, std::move(copy));
  if (written) stored(filing, *file);
  co_return written;
}

Task<Result<void>> MessageIndex::add_file(Worker& worker) {
  for (int attempt = 1;; ++attempt) {
    Result<void> added = co_await try_to_add_file(worker);
    if (added || added.error().code() == ErrorCode::cancelled) co_return added;
    if (attempt == kAttempts) co_return added;
    Result<void> slept = co_await sleep_for(context_.clock, kRetryPause);
    if (!slept) co_return slept;
  }
}

Task<Result<void>> MessageIndex::try_to_add_file(Worker& worker) {
  Result<void> made = co_await context_.files.create_directories(worker, directory_);
  if (!made) co_return made;
  const FilePointer last = files_.empty() ? nullptr : files_.back();
  auto file = std::make_shared<IndexedFile>();
  file->name = index_file_name(context_.clock.wall_now().count_ms(),
                               last == nullptr ? std::string_view() : last->name);
  Result<std::unique_ptr<MappedFile>> map =
      co_await context_.files.map(worker, path_of(file->name), sizes_.file_bytes());
  if (!map) co_return map.error();
  co_await context_.chaos.reach(CrashPoint::store_after_index_file_made);
  file->map = std::move(*map);
  file->header = next_index_header(last == nullptr ? IndexHeader() : last->header);
  SharedBytes header =
      SharedBytes::copy_of(std::span<const std::byte>(encode_index_header(file->header)));
  Result<void> stored = co_await file->map->store(worker, 0, std::move(header));
  if (!stored) co_return stored;
  files_.push_back(file);
  if (last != nullptr) flush_scope_.spawn(flush_full(last));
  co_return Result<void>();
}

Task<void> MessageIndex::flush_full(FilePointer file) {
  Result<void> synced = co_await file->map->sync(flush_worker_, 0, sizes_.file_bytes());
  if (synced && syncs_names_) {
    Result<void> named = co_await sync_names(flush_worker_);
    synced = named;
  }
  if (!synced) {
    if (synced.error().code() == ErrorCode::cancelled) co_return;
    context_.observer.log(LogLevel::error, "flush of " + path_of(file->name) + " failed");
    flush_failed_ = true;
    co_return;
  }
  if (exact_ && flush_failed_) co_return;
  checkpoint_.set_index_ms(file->header.end_ms);
  Result<void> written = co_await checkpoint_.flush(flush_worker_);
  if (!written && written.error().code() != ErrorCode::cancelled) {
    context_.observer.log(LogLevel::error, "can't write the checkpoint file");
  }
}

Task<void> MessageIndex::shutdown(Worker& worker) {
  co_await flush_scope_.join();
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const FilePointer file = files_[i];
    Result<void> synced = co_await file->map->sync(worker, 0, sizes_.file_bytes());
    if (!synced && synced.error().code() == ErrorCode::cancelled) co_return;
    if (synced) continue;
    context_.observer.log(LogLevel::error, "flush of " + path_of(file->name) + " failed");
  }
}

Task<Result<IndexAnswer>> MessageIndex::query(Worker& worker, MessageQuery query) {
  IndexAnswer answer;
  if (files_.empty()) co_return answer;
  answer.updated_ms = files_.back()->header.end_ms;
  answer.updated_to = PhysicalOffset(files_.back()->header.end_physical);
  const IndexQuery wanted{
      .key_hash = index_key_hash(query.topic, query.key),
      .count_max = static_cast<std::size_t>(std::clamp(query.count_max, 0, count_max_)),
      .begin_ms = query.begin_ms,
      .end_ms = query.end_ms};
  const std::vector<FilePointer> files = files_;  // Others may be added meanwhile.
  for (std::size_t i = files.size(); i-- > 0;) {
    Result<bool> more = co_await search(worker, files[i], wanted, answer.offsets);
    if (!more) co_return more.error();
    if (!*more) break;
  }
  std::ranges::sort(answer.offsets);
  co_return answer;
}

Task<Result<bool>> MessageIndex::search(Worker& worker, FilePointer file, const IndexQuery& query,
                                        std::vector<PhysicalOffset>& found) {
  const IndexHeader header = file->header;
  IndexSearch search(header, sizes_, query);
  while (const auto wanted = search.wanted(found.size())) {
    ByteChain piece = file->map->try_load(wanted->at, wanted->bytes);
    if (piece.empty()) {
      Result<ByteChain> loaded = co_await file->map->load(worker, wanted->at, wanted->bytes);
      if (!loaded) co_return loaded.error();
      piece = std::move(*loaded);
    }
    search.take(piece.flatten().span(), found);
  }
  co_return search.goes_on(found.size());
}

void MessageIndex::give_up() {
  given_up_ = true;
  context_.observer.log(LogLevel::error,
                        "the index can't be written; the store takes no further message");
}

}  // namespace drydock
