#include "engine/store/durable_names.hpp"

namespace drydock {

// Whoever may not read a directory has made no name in it.
Task<Result<void>> sync_names(Context& context, Worker& worker, std::string directory) {
  for (;;) {
    Result<void> synced = co_await context.files.sync_directory(worker, directory);
    if (!synced && synced.error().code() == ErrorCode::permission_denied) break;
    if (!synced || directory == "/") co_return synced;
    directory.resize(directory.rfind('/'));
    if (directory.empty()) directory = "/";
  }
  co_return Result<void>();
}

}  // namespace drydock
