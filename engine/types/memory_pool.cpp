#include "engine/types/memory_pool.hpp"

#include <array>
#include <new>
#include <utility>

#include "engine/types/memory_pool_exchange.hpp"

namespace drydock {
namespace {

constexpr std::size_t kClassBytes = 64;
constexpr std::size_t kClassCount = 32;
constexpr std::size_t kSlabBytes = 64 * 1024;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kBypass = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool kBypass = true;
#else
constexpr bool kBypass = false;
#endif
#else
constexpr bool kBypass = false;
#endif

struct FreeNode {
  FreeNode* next;
};

}  // namespace

struct MemoryPool {
  std::array<FreeNode*, kClassCount> free{};
  std::size_t in_use = 0;
};

namespace {

constinit thread_local MemoryPool pool;

// Cuts a fresh slab into nodes of one class. Slabs are never given back to the system.
[[gnu::noinline]] FreeNode* refill(std::size_t index) {
  const std::size_t node_bytes = (index + 1) * kClassBytes;
  const std::size_t count = kSlabBytes / node_bytes;
  // Aligned to a cache line, so that a node of one class touches as few lines as possible.
  constexpr std::align_val_t kLine{kClassBytes};
  auto* slab = static_cast<std::byte*>(::operator new(kSlabBytes, kLine));
  FreeNode* head = nullptr;
  for (std::size_t i = count; i-- > 0;) {
    head = new (slab + i * node_bytes) FreeNode{head};
  }
  return head;
}

}  // namespace

void* pool_allocate(std::size_t size) {
  pool.in_use += size;
  const std::size_t index = size == 0 ? 0 : (size - 1) / kClassBytes;
  if (kBypass || index >= kClassCount) return ::operator new(size);
  FreeNode* node = pool.free[index];
  if (node == nullptr) [[unlikely]]
    node = refill(index);
  pool.free[index] = node->next;
  return node;
}

void pool_free(void* memory, std::size_t size) noexcept {
  pool.in_use -= size;
  const std::size_t index = size == 0 ? 0 : (size - 1) / kClassBytes;
  if (kBypass || index >= kClassCount) return ::operator delete(memory);
  pool.free[index] = new (memory) FreeNode{pool.free[index]};
}

std::size_t pool_bytes_in_use() { return pool.in_use; }

MemoryPool* this_threads_pool() { return &pool; }

void exchange_pools(MemoryPool& others) { std::swap(pool, others); }

}  // namespace drydock
