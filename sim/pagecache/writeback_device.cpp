#include "sim/pagecache/writeback_device.hpp"

#include "sim/pagecache/page_cache.hpp"

namespace drydock::sim {

WritebackDevice::WritebackDevice(PageCache& cache, WritebackDeviceOptions options)
    : cache_(cache),
      options_(options),
      estimate_(cache.options().kernel.hz, cache.initial_pages_per_s()),
      share_(cache.domain().completions(), cache.initial_pages_per_s()),
      flusher_(*this, &PageCache::flush, cache.host_id()),
      estimate_timer_(*this, &PageCache::refresh_estimate, cache.host_id()) {}

void WritebackDevice::run(void (PageCache::*action)(WritebackDevice&)) { (cache_.*action)(*this); }

}  // namespace drydock::sim
