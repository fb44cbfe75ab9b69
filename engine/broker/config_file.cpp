#include "engine/broker/config_file.hpp"

#include "engine/wire/big_endian.hpp"

namespace drydock {

Task<Result<void>> ConfigFile::load(Worker& worker) {
  Result<Found> own = co_await take(worker, path_);
  if (own && *own == Found::taken) co_return Result<void>();
  Result<Found> backup = co_await take(worker, backup_path());
  if (backup && *backup != Found::refused) co_return Result<void>();
  const Error error = backup ? Error(ErrorCode::invalid_argument) : backup.error();
  context_.observer.log(LogLevel::error, "neither " + path_ + " nor its .bak can be read");
  co_return error;
}

Task<Result<ConfigFile::Found>> ConfigFile::take(Worker& worker, std::string path) {
  Result<SharedBytes> text = co_await whole(worker, path);
  if (!text) co_return text.error();
  if (text->empty()) co_return Found::nothing;
  const bool taken = content_.read(as_text(text->span()));
  if (!taken) context_.observer.log(LogLevel::warning, path + " is damaged");
  if (taken) saved_ = content_.changes();
  co_return taken ? Found::taken : Found::refused;
}

Task<Result<SharedBytes>> ConfigFile::whole(Worker& worker, std::string path) {
  const OpenOptions options{.mode = OpenMode::read_only};
  Result<std::unique_ptr<File>> file = co_await context_.files.open(worker, path, options);
  if (!file && file.error().code() == ErrorCode::not_found) co_return SharedBytes();
  if (!file) co_return file.error();
  const Result<std::int64_t> size = (*file)->size();
  if (!size) co_return size.error();
  if (*size == 0) co_return SharedBytes();
  Result<ByteChain> bytes = co_await (*file)->read_at(worker, 0, *size);
  if (!bytes) co_return bytes.error();
  co_return bytes->flatten();
}

Task<void> ConfigFile::save(Worker& worker) {
  if (!behind()) co_return;
  Result<Mutex::Permit> turn = co_await writing_.lock();
  if (!turn || !behind()) co_return;  // Somebody before us may have written it.
  const std::uint64_t changes = content_.changes();
  SharedBytes text = SharedBytes::copy_of(content_.write());
  tried_ = changes;
  Result<void> replaced = co_await replace(worker, std::move(text));
  if (replaced) {
    saved_ = changes;
  } else {
    context_.observer.log(LogLevel::error, "can't write " + path_);
  }
}

Task<void> ConfigFile::save_once(Worker& worker) {
  if (untried()) {
    co_await save(worker);
  } else if (behind()) {
    Result<Mutex::Permit> turn = co_await writing_.lock();
    if (!turn) co_return;
  }
}

Task<Result<void>> ConfigFile::replace(Worker& worker, SharedBytes text) {
  Result<void> made = co_await context_.files.create_directories(worker, directory_);
  if (!made) co_return made;
  if (store_.behaviour.hardened(BehaviourSwitch::config_rewritten_in_place)) {
    Result<void> renamed = co_await rename_over(worker, std::move(text));
    co_return renamed;
  }
  Result<SharedBytes> former = co_await whole(worker, path_);
  if (!former) co_return former.error();
  Result<void> kept = co_await rewrite(worker, backup_path(), std::move(*former));
  if (!kept) co_return kept;
  Result<void> written = co_await rewrite(worker, path_, std::move(text));
  co_return written;
}

Task<Result<void>> ConfigFile::rewrite(Worker& worker, std::string path, SharedBytes text) {
  const OpenOptions options{.create = Create::if_missing};
  Result<std::unique_ptr<File>> file = co_await context_.files.open(worker, path, options);
  if (!file) co_return file.error();
  Result<void> cut = co_await (*file)->truncate(worker, 0);
  if (!cut || text.empty()) co_return cut;
  Result<void> written = co_await (*file)->write_at(worker, 0, std::move(text));
  if (!written || store_.behaviour.faithful(BehaviourSwitch::config_rewritten_in_place)) {
    co_return written;
  }
  Result<void> synced = co_await (*file)->sync_data(worker);
  co_return synced;
}

// Renames keep their order, so at every moment X or X.bak holds a whole content.
Task<Result<void>> ConfigFile::rename_over(Worker& worker, SharedBytes text) {
  const std::string fresh = path_ + ".tmp";
  Result<void> written = co_await rewrite(worker, fresh, std::move(text));
  if (!written) co_return written;
  Result<void> kept = co_await context_.files.rename(worker, path_, backup_path());
  if (!kept && kept.error().code() != ErrorCode::not_found) co_return kept;
  Result<void> renamed = co_await context_.files.rename(worker, fresh, path_);
  if (!renamed) co_return renamed;
  Result<void> synced = co_await context_.files.sync_directory(worker, directory_);
  co_return synced;
}

}  // namespace drydock
