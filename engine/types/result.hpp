// What the world answers: a value, or an error that keeps the status it came with.
#pragma once

#include <cstdint>
#include <expected>
#include <string_view>

namespace drydock {

// A code exists only if some caller reacts to it in particular; everything else is `io_error` with
// the original status beside it.
enum class ErrorCode : std::uint8_t {
  cancelled,             // The scope was told to stop. Nothing is known to have failed.
  timed_out,             // The deadline passed; the operation had no outside effect.
  outcome_unknown,       // It may or may not have happened: never treated as "failed".
  io_error,              // EIO and every status without a code of its own.
  reservation_conflict,  // The device refused: another host holds the reservation.
  no_space,              // ENOSPC, EDQUOT.
  read_only,             // EROFS: the file system or device refuses writes.
  not_found,             // ENOENT.
  exists,                // EEXIST.
  not_empty,             // ENOTEMPTY.
  busy,                  // EBUSY, EWOULDBLOCK on a lock.
  invalid_argument,      // EINVAL: alignment, range, state.
  too_many_open_files,   // EMFILE, ENFILE.
  permission_denied,     // EACCES, EPERM.
  connection_refused,    // Nobody listens there.
  connection_reset,      // The peer's kernel said that the connection does not exist.
  unreachable,           // The network said so; silence is a time-out instead.
  end_of_stream,         // The peer has sent its last byte.
  device_gone,           // ENODEV, ENXIO: detached, or its controller was removed.
  not_supported,         // The device or file system cannot do this.
};

// The name of a code, as reports print it.
std::string_view name_of(ErrorCode code);

// Where the original status comes from.
enum class StatusOrigin : std::uint8_t { none, errno_value, nvme };

class Error {
 public:
  constexpr Error(ErrorCode code) : code_(code) {}  // NOLINT: an ErrorCode is an Error.
  // `number`: an errno value as Linux counts them.
  static constexpr Error from_errno(ErrorCode code, int number) {
    return Error(code, StatusOrigin::errno_value, static_cast<std::uint16_t>(number));
  }
  // `status`: NVMe status code type in bits 10:8, status code in bits 7:0 (0/83h = 0x083).
  static constexpr Error from_nvme(ErrorCode code, std::uint16_t status) {
    return Error(code, StatusOrigin::nvme, status);
  }
  constexpr ErrorCode code() const { return code_; }
  constexpr StatusOrigin origin() const { return origin_; }
  constexpr std::uint16_t status() const { return status_; }
  // Two errors are equal if callers must treat them alike; the original status is for people.
  friend constexpr bool operator==(Error a, Error b) { return a.code_ == b.code_; }

 private:
  constexpr Error(ErrorCode code, StatusOrigin origin, std::uint16_t status)
      : code_(code), origin_(origin), status_(status) {}
  ErrorCode code_;
  StatusOrigin origin_ = StatusOrigin::none;
  std::uint16_t status_ = 0;
};

// A value or an Error. It may not be dropped: the compiler refuses, and the guards check that
// nothing silences it.
template <class T>
class [[nodiscard]] Result : public std::expected<T, Error> {
 public:
  using Base = std::expected<T, Error>;
  using Base::Base;
  Result(Error error) : Base(std::unexpected(error)) {}           // NOLINT: `return error;`
  Result(ErrorCode code) : Base(std::unexpected(Error(code))) {}  // NOLINT: `return ErrorCode::x;`
};

template <>
class [[nodiscard]] Result<void> : public std::expected<void, Error> {
 public:
  using Base = std::expected<void, Error>;
  using Base::Base;
  Result(Error error) : Base(std::unexpected(error)) {}           // NOLINT: `return error;`
  Result(ErrorCode code) : Base(std::unexpected(Error(code))) {}  // NOLINT: `return ErrorCode::x;`
};

}  // namespace drydock
