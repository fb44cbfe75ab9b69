// What a put can end in, by RocketMQ's names (storage reference, 6.2).
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/wire/remoting_frame.hpp"

namespace drydock {

enum class PutStatus : std::uint8_t {
  put_ok,
  flush_disk_timeout,   // Appended; not known to be durable.
  flush_slave_timeout,  // Appended; not known to be replicated.
  service_not_available,
  create_mapped_file_failed,
  message_illegal,
  properties_size_exceeded,
  os_page_cache_busy,
  unknown_error,
};

std::string_view name_of(PutStatus status);
ResponseCode response_code_of(PutStatus status);

// The message is in the log and its id is returned to the client.
constexpr bool counts_as_sent(PutStatus status) { return status <= PutStatus::flush_slave_timeout; }

}  // namespace drydock
