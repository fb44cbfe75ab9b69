// errno values become the codes that callers react to, and keep their number.
#include "engine/linux/errors.hpp"

#include <errno.h>
#include <gtest/gtest.h>

namespace drydock::on_linux::test {
namespace {

TEST(Errors, KeepTheNumber) {
  const Error error = file_error(ENOSPC);
  EXPECT_EQ(error.code(), ErrorCode::no_space);
  EXPECT_EQ(error.origin(), StatusOrigin::errno_value);
  EXPECT_EQ(error.status(), ENOSPC);
}

TEST(Errors, OfFilesAndDevices) {
  EXPECT_EQ(file_error(EIO).code(), ErrorCode::io_error);
  EXPECT_EQ(file_error(EDQUOT).code(), ErrorCode::no_space);
  EXPECT_EQ(file_error(EROFS).code(), ErrorCode::read_only);
  EXPECT_EQ(file_error(ENOENT).code(), ErrorCode::not_found);
  EXPECT_EQ(file_error(EEXIST).code(), ErrorCode::exists);
  EXPECT_EQ(file_error(ENOTEMPTY).code(), ErrorCode::not_empty);
  EXPECT_EQ(file_error(EAGAIN).code(), ErrorCode::busy);
  EXPECT_EQ(file_error(EINVAL).code(), ErrorCode::invalid_argument);
  EXPECT_EQ(file_error(EMFILE).code(), ErrorCode::too_many_open_files);
  EXPECT_EQ(file_error(ENFILE).code(), ErrorCode::too_many_open_files);
  EXPECT_EQ(file_error(EACCES).code(), ErrorCode::permission_denied);
  EXPECT_EQ(file_error(ENODEV).code(), ErrorCode::device_gone);
  EXPECT_EQ(file_error(EOPNOTSUPP).code(), ErrorCode::not_supported);
  EXPECT_EQ(file_error(EBADE).code(), ErrorCode::reservation_conflict);
  EXPECT_EQ(file_error(EUCLEAN).code(), ErrorCode::io_error);  // None of its own.
}

TEST(Errors, ATimeOutOfADeviceIsUnknownAndOneOfASocketIsATimeOut) {
  EXPECT_EQ(file_error(ETIMEDOUT).code(), ErrorCode::outcome_unknown);
  EXPECT_EQ(file_error(ENOLINK).code(), ErrorCode::outcome_unknown);
  EXPECT_EQ(socket_error(ETIMEDOUT).code(), ErrorCode::timed_out);
}

TEST(Errors, OfSockets) {
  EXPECT_EQ(socket_error(ECONNREFUSED).code(), ErrorCode::connection_refused);
  EXPECT_EQ(socket_error(ECONNRESET).code(), ErrorCode::connection_reset);
  EXPECT_EQ(socket_error(EPIPE).code(), ErrorCode::connection_reset);
  EXPECT_EQ(socket_error(ENETUNREACH).code(), ErrorCode::unreachable);
  EXPECT_EQ(socket_error(EHOSTUNREACH).code(), ErrorCode::unreachable);
  EXPECT_EQ(socket_error(EADDRINUSE).code(), ErrorCode::busy);
  EXPECT_EQ(socket_error(EMFILE).code(), ErrorCode::too_many_open_files);
}

}  // namespace
}  // namespace drydock::on_linux::test
