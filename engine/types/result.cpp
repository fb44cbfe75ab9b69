#include "engine/types/result.hpp"

namespace drydock {

std::string_view name_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::cancelled: return "cancelled";
    case ErrorCode::timed_out: return "timed_out";
    case ErrorCode::outcome_unknown: return "outcome_unknown";
    case ErrorCode::io_error: return "io_error";
    case ErrorCode::reservation_conflict: return "reservation_conflict";
    case ErrorCode::no_space: return "no_space";
    case ErrorCode::read_only: return "read_only";
    case ErrorCode::not_found: return "not_found";
    case ErrorCode::exists: return "exists";
    case ErrorCode::not_empty: return "not_empty";
    case ErrorCode::busy: return "busy";
    case ErrorCode::invalid_argument: return "invalid_argument";
    case ErrorCode::too_many_open_files: return "too_many_open_files";
    case ErrorCode::permission_denied: return "permission_denied";
    case ErrorCode::connection_refused: return "connection_refused";
    case ErrorCode::connection_reset: return "connection_reset";
    case ErrorCode::unreachable: return "unreachable";
    case ErrorCode::end_of_stream: return "end_of_stream";
    case ErrorCode::device_gone: return "device_gone";
    case ErrorCode::not_supported: return "not_supported";
  }
  return "unnamed";
}

}  // namespace drydock
