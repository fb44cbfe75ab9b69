#include "engine/store/transient_store_pool.hpp"

namespace drydock {

Task<Result<void>> PooledFile::commit(Worker& worker) {
  ByteChain chain;
  for (const SharedBytes& bytes : pending_) chain.append(bytes);
  const std::size_t pieces = pending_.size();  // What comes while we write is the next commit's.
  const auto length = static_cast<std::int64_t>(chain.size());
  Result<void> written = co_await channel_->write_at(worker, committed_, chain.flatten());
  if (!written) co_return written;
  pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(pieces));
  committed_ += length;
  co_return written;
}

}  // namespace drydock
