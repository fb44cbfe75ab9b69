#include "engine/store/abort_file.hpp"

#include "engine/wire/remoting_frame.hpp"

namespace drydock {

Task<Result<bool>> AbortFile::exists(Worker& worker) {
  const OpenOptions options{.mode = OpenMode::read_only};
  Result<std::unique_ptr<File>> file = co_await context_.files.open(worker, path_, options);
  if (file) co_return true;
  if (file.error().code() == ErrorCode::not_found) co_return false;
  co_return file.error();
}

Task<Result<void>> AbortFile::create(Worker& worker, ProcessId process) {
  const OpenOptions options{.create = Create::if_missing};
  Result<std::unique_ptr<File>> file = co_await context_.files.open(worker, path_, options);
  if (!file) co_return file.error();
  Result<void> cleared = co_await (*file)->truncate(worker, 0);
  if (!cleared) co_return cleared;
  const DecimalText text(process.value());
  SharedBytes content = SharedBytes::copy_of(text.view());
  Result<void> written = co_await (*file)->write_at(worker, 0, std::move(content));
  if (!written || !synced_) co_return written;
  Result<void> synced = co_await (*file)->sync_all(worker);
  if (!synced) co_return synced;
  Result<void> named = co_await context_.files.sync_directory(worker, directory_);
  co_return named;
}

Task<Result<void>> AbortFile::remove(Worker& worker) {
  Result<void> removed = co_await context_.files.remove(worker, path_);
  co_return removed;
}

}  // namespace drydock
