#include "engine/wire/message_id.hpp"

#include "engine/wire/big_endian.hpp"

namespace drydock {

namespace {

MessageIdText to_hex(std::span<const std::byte, 16> bytes) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  MessageIdText text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = std::to_integer<unsigned>(bytes[i]);
    text[2 * i] = kDigits[byte >> 4];
    text[2 * i + 1] = kDigits[byte & 15];
  }
  return text;
}

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

// Day of the month from 0, of a day counted from the Unix epoch: the civil calendar, in integers.
// Years start in March here, so that the leap day is the last day of the year.
std::int64_t day_of_month(std::int64_t days_since_epoch) {
  constexpr std::int64_t kDaysTo1970March0000 = 719'468;
  constexpr std::int64_t kDaysPer400Years = 146'097;
  const std::int64_t days = days_since_epoch + kDaysTo1970March0000;
  const std::int64_t era = (days >= 0 ? days : days - kDaysPer400Years + 1) / kDaysPer400Years;
  const std::int64_t day_of_era = days - era * kDaysPer400Years;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const std::int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t month = (5 * day_of_year + 2) / 153;
  return day_of_year - (153 * month + 2) / 5;
}

std::int64_t ms_since_month_start(WallTime time) {
  constexpr std::int64_t kMsPerDay = 86'400'000;
  const std::int64_t ms = time.count_ms();
  const std::int64_t days = ms >= 0 ? ms / kMsPerDay : (ms - kMsPerDay + 1) / kMsPerDay;
  return day_of_month(days) * kMsPerDay + (ms - days * kMsPerDay);
}

}  // namespace

MessageIdText encode_offset_message_id(const OffsetMessageId& id) {
  std::array<std::byte, 16> bytes;
  BigEndianWriter writer(bytes);
  writer.integer(id.store_host.address);
  writer.integer(static_cast<std::int32_t>(id.store_host.port));
  writer.integer(id.offset.value());
  return to_hex(bytes);
}

std::optional<OffsetMessageId> decode_offset_message_id(std::string_view text) {
  std::array<std::byte, 16> bytes;
  if (text.size() != 2 * bytes.size()) return std::nullopt;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const int high = digit_value(text[2 * i]);
    const int low = digit_value(text[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes[i] = static_cast<std::byte>(high * 16 + low);
  }
  BigEndianReader reader(bytes);
  const auto address = reader.integer<std::uint32_t>();
  const auto port = reader.integer<std::int32_t>();
  const auto offset = reader.integer<std::int64_t>();
  if (port < 0 || port > 65'535 || offset < 0) return std::nullopt;
  return OffsetMessageId{{address, static_cast<std::uint16_t>(port)}, PhysicalOffset(offset)};
}

MessageIdText encode_unique_key(const UniqueKey& key) {
  std::array<std::byte, 16> bytes;
  BigEndianWriter writer(bytes);
  writer.integer(key.address);
  writer.integer(key.process);
  writer.integer(key.loader);
  writer.integer(static_cast<std::int32_t>(ms_since_month_start(key.made)));
  writer.integer(key.counter);
  return to_hex(bytes);
}

}  // namespace drydock
