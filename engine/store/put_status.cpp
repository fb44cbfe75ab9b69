#include "engine/store/put_status.hpp"

namespace drydock {

std::string_view name_of(PutStatus status) {
  switch (status) {
    case PutStatus::put_ok: return "PUT_OK";
    case PutStatus::flush_disk_timeout: return "FLUSH_DISK_TIMEOUT";
    case PutStatus::flush_slave_timeout: return "FLUSH_SLAVE_TIMEOUT";
    case PutStatus::service_not_available: return "SERVICE_NOT_AVAILABLE";
    case PutStatus::create_mapped_file_failed: return "CREATE_MAPPED_FILE_FAILED";
    case PutStatus::message_illegal: return "MESSAGE_ILLEGAL";
    case PutStatus::properties_size_exceeded: return "PROPERTIES_SIZE_EXCEEDED";
    case PutStatus::os_page_cache_busy: return "OS_PAGE_CACHE_BUSY";
    case PutStatus::unknown_error: return "UNKNOWN_ERROR";
  }
  return "unnamed";
}

ResponseCode response_code_of(PutStatus status) {
  switch (status) {
    case PutStatus::put_ok: return ResponseCode::success;
    case PutStatus::flush_disk_timeout: return ResponseCode::flush_disk_timeout;
    case PutStatus::flush_slave_timeout: return ResponseCode::flush_slave_timeout;
    case PutStatus::service_not_available: return ResponseCode::service_not_available;
    case PutStatus::message_illegal: return ResponseCode::message_illegal;
    case PutStatus::properties_size_exceeded: return ResponseCode::message_illegal;
    case PutStatus::os_page_cache_busy: return ResponseCode::system_busy;
    case PutStatus::create_mapped_file_failed: return ResponseCode::system_error;
    case PutStatus::unknown_error: return ResponseCode::system_error;
  }
  return ResponseCode::system_error;
}

}  // namespace drydock
