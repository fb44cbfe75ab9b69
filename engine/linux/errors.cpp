#include "engine/linux/errors.hpp"

#include <errno.h>

namespace drydock::on_linux {
namespace {

// What means the same everywhere.
ErrorCode common_code(int number) {
  switch (number) {
    case ENOSPC:
    case EDQUOT:
    case ENOMEM: return ErrorCode::no_space;
    case EROFS: return ErrorCode::read_only;
    case ENOENT: return ErrorCode::not_found;
    case EEXIST: return ErrorCode::exists;
    case ENOTEMPTY: return ErrorCode::not_empty;
    case EBUSY:
    case ETXTBSY:
    case EADDRINUSE:
    case EWOULDBLOCK: return ErrorCode::busy;
    case EINVAL:
    case EBADF:
    case EISDIR:
    case ENOTDIR:
    case ENAMETOOLONG:
    case ESPIPE: return ErrorCode::invalid_argument;
    case EMFILE:
    case ENFILE: return ErrorCode::too_many_open_files;
    case EACCES:
    case EPERM: return ErrorCode::permission_denied;
    case ENODEV:
    case ENXIO: return ErrorCode::device_gone;
    case EOPNOTSUPP:
    case ENOSYS:
    case ENOTTY: return ErrorCode::not_supported;
    default: return ErrorCode::io_error;
  }
}

ErrorCode file_code(int number) {
  switch (number) {
    // How Linux spells "reservation conflict": drivers/nvme, status 0/83h, BLK_STS_RESV_CONFLICT.
    case EBADE: return ErrorCode::reservation_conflict;
    case ETIMEDOUT:
    case ENOLINK:
    case ECANCELED: return ErrorCode::outcome_unknown;
    default: return common_code(number);
  }
}

ErrorCode socket_code(int number) {
  switch (number) {
    case ECONNREFUSED: return ErrorCode::connection_refused;
    case ECONNRESET:
    case ECONNABORTED:
    case EPIPE: return ErrorCode::connection_reset;
    case ETIMEDOUT: return ErrorCode::timed_out;
    case ENETUNREACH:
    case EHOSTUNREACH:
    case ENETDOWN:
    case EHOSTDOWN:
    case ENONET: return ErrorCode::unreachable;
    case ENOBUFS: return ErrorCode::no_space;
    default: return common_code(number);
  }
}

}  // namespace

Error file_error(int number) { return Error::from_errno(file_code(number), number); }
Error socket_error(int number) { return Error::from_errno(socket_code(number), number); }

}  // namespace drydock::on_linux
