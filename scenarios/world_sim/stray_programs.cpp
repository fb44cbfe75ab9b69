#include "scenarios/world_sim/stray_programs.hpp"

namespace drydock::scenarios {

Task<void> run_stray_client(Context& context, Endpoint port) {
  const ConnectOptions options{.deadline = context.clock.now() + Duration::s(5)};
  Result<std::unique_ptr<Stream>> connected = co_await context.network.connect(port, options);
  if (!connected) co_return;
  const std::unique_ptr<Stream> stream = std::move(*connected);
  SharedBytes request = SharedBytes::copy_of(std::string_view("GET / HTTP/1.0\r\n\r\n"));
  Result<void> written = co_await stream->write(std::move(request));
  while (written) {
    constexpr std::size_t kReadBytes = 4096;
    Result<ByteChain> answer = co_await stream->read(kReadBytes);
    if (!answer || answer->empty()) co_return;
  }
}

Task<void> run_removal(Context& context, std::string path) {
  Worker& worker = context.workers.add("rm");
  Result<void> removed = co_await context.files.remove(worker, path);
  if (!removed) co_return;
  Result<void> synced =
      co_await context.files.sync_directory(worker, path.substr(0, path.rfind('/')));
  if (!synced) co_return;
}

Task<void> run_sync(Context& context, std::string path) {
  Worker& worker = context.workers.add("backup");
  Result<std::unique_ptr<File>> file = co_await context.files.open(worker, path, OpenOptions());
  if (!file) co_return;
  [[maybe_unused]] Result<void> synced = co_await (*file)->sync_all(worker);
}

}  // namespace drydock::scenarios
