#include "engine/store/transient_store_pool.hpp"

namespace drydock {

Task<Result<void>> PooledFile::commit(Worker& worker) {
  if (!piece_.empty()) {
    Result<void> again = co_await write(worker);
    if (!again) co_return again;
  }
  if (pending_.empty()) co_return Result<void>();
  ByteChain chain;
  for (const SharedBytes& bytes : pending_) chain.append(bytes);
  piece_ = chain.flatten();
  pending_.clear();  // What comes while we write is the next commit's.
  Result<void> written = co_await write(worker);
  co_return written;
}

Task<Result<void>> PooledFile::write(Worker& worker) {
  Result<void> written = co_await channel_->write_at(worker, committed_, piece_);
  if (!written) co_return written;
  committed_ += static_cast<std::int64_t>(piece_.size());
  piece_ = SharedBytes();
  co_return written;
}

}  // namespace drydock
