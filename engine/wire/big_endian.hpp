// Integers as RocketMQ writes them everywhere: big-endian two's complement.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "engine/types/ensure.hpp"

namespace drydock {

template <std::integral T>
constexpr T swap_to_big_endian(T value) {
  if constexpr (std::endian::native == std::endian::big || sizeof(T) == 1)
    return value;
  else if constexpr (sizeof(T) == 2)
    return static_cast<T>(__builtin_bswap16(static_cast<std::uint16_t>(value)));
  else if constexpr (sizeof(T) == 4)
    return static_cast<T>(__builtin_bswap32(static_cast<std::uint32_t>(value)));
  else
    return static_cast<T>(__builtin_bswap64(static_cast<std::uint64_t>(value)));
}

template <std::integral T>
void write_big_endian(std::byte* at, T value) {
  const T swapped = swap_to_big_endian(value);
  std::memcpy(at, &swapped, sizeof(T));
}

template <std::integral T>
T read_big_endian(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return swap_to_big_endian(value);
}

inline std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline std::span<const std::byte> as_byte_span(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// Fills memory from the front. Its size was computed by the writer: running over is our bug.
class BigEndianWriter {
 public:
  explicit BigEndianWriter(std::span<std::byte> into) : into_(into) {}

  template <std::integral T>
  void integer(T value) {
    ENSURE(into_.size() - at_ >= sizeof(T));
    write_big_endian(into_.data() + at_, value);
    at_ += sizeof(T);
  }
  void bytes(std::span<const std::byte> value) {
    ENSURE(into_.size() - at_ >= value.size());
    if (!value.empty()) std::memcpy(into_.data() + at_, value.data(), value.size());
    at_ += value.size();
  }
  void text(std::string_view value) { bytes(as_byte_span(value)); }
  std::size_t position() const { return at_; }

 private:
  std::span<std::byte> into_;
  std::size_t at_ = 0;
};

// Reads what somebody else wrote: a read beyond the end gives zeros and makes `ok` false for good.
class BigEndianReader {
 public:
  explicit BigEndianReader(std::span<const std::byte> from) : from_(from) {}

  template <std::integral T>
  T integer() {
    if (!has(sizeof(T))) return T{};
    const T value = read_big_endian<T>(from_.data() + at_);
    at_ += sizeof(T);
    return value;
  }
  // A negative or too large `count` is a read beyond the end.
  std::span<const std::byte> bytes(std::int64_t count) {
    if (count < 0 || !has(static_cast<std::size_t>(count))) return fail();
    const auto part = from_.subspan(at_, static_cast<std::size_t>(count));
    at_ += part.size();
    return part;
  }
  bool ok() const { return ok_; }
  std::size_t position() const { return at_; }
  std::size_t remaining() const { return from_.size() - at_; }

 private:
  bool has(std::size_t count) {
    if (ok_ && from_.size() - at_ >= count) return true;
    ok_ = false;
    return false;
  }
  std::span<const std::byte> fail() {
    ok_ = false;
    return {};
  }

  std::span<const std::byte> from_;
  std::size_t at_ = 0;
  bool ok_ = true;
};

}  // namespace drydock
