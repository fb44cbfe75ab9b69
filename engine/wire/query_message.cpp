#include "engine/wire/query_message.hpp"

#include <algorithm>

namespace drydock {

namespace {

bool equal_but_for_case(std::string_view left, std::string_view right) {
  const auto lower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  return std::ranges::equal(left, right, {}, lower, lower);
}

// Which of up to 8 required fields were there, in their own order.
class Required {
 public:
  explicit Required(std::span<const std::string_view> names) : names_(names) {}
  void saw(std::string_view key, std::string_view value) {
    const auto found = std::ranges::find(names_, key);
    if (found != names_.end() && !value.empty()) seen_ |= 1u << (found - names_.begin());
  }
  // The first that is missing.
  HeaderFault fault() const {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if ((seen_ & (1u << i)) == 0) return {names_[i]};
    }
    return {};
  }

 private:
  std::span<const std::string_view> names_;
  unsigned seen_ = 0;
};

// Calls `read(key, value)` for each field; false: the value is not what the field demands.
template <class Read>
HeaderFault read_fields(std::span<const std::byte> ext_fields,
                        std::span<const std::string_view> names, Read read) {
  Required required(names);
  ExtFieldReader fields(ext_fields);
  std::string_view key;
  std::string_view value;
  while (fields.next(key, value)) {
    if (!read(key, value)) return {key};
    required.saw(key, value);
  }
  return required.fault();
}

}  // namespace

HeaderFault decode_query_message_header(std::span<const std::byte> ext_fields,
                                        QueryMessageHeader& header) {
  static constexpr std::string_view kRequired[] = {"topic", "key", "maxNum", "beginTimestamp",
                                                   "endTimestamp"};
  const auto read = [&header](std::string_view key, std::string_view value) {
    if (key == "topic") return read_name(value, header.topic);
    if (key == "key") header.key = value;
    if (key == "_UNIQUE_KEY_QUERY") header.is_unique_key = value == "true";
    if (key == "maxNum") return read_number(value, header.count_max);
    if (key == "beginTimestamp") return read_number(value, header.begin_ms);
    if (key == "endTimestamp") return read_number(value, header.end_ms);
    return true;
  };
  return read_fields(ext_fields, kRequired, read);
}

HeaderFault decode_view_message_header(std::span<const std::byte> ext_fields,
                                       ViewMessageHeader& header) {
  static constexpr std::string_view kRequired[] = {"offset"};
  std::int64_t offset = 0;
  const auto read = [&offset](std::string_view key, std::string_view value) {
    return key != "offset" || read_number(value, offset);
  };
  const HeaderFault fault = read_fields(ext_fields, kRequired, read);
  header.offset = PhysicalOffset(offset);
  return fault;
}

HeaderFault decode_search_offset_header(std::span<const std::byte> ext_fields,
                                        SearchOffsetHeader& header) {
  static constexpr std::string_view kRequired[] = {"topic", "queueId", "timestamp"};
  const auto read = [&header](std::string_view key, std::string_view value) {
    if (key == "topic") return read_name(value, header.queue.topic);
    if (key == "queueId") return read_number(value, header.queue.queue_id);
    if (key == "timestamp") return read_number(value, header.timestamp_ms);
    // RocketMQ takes whatever else it reads for the lower one.
    if (key == "boundaryType" && equal_but_for_case(value, "upper")) {
      header.boundary = TimeBoundary::upper;
    }
    return true;
  };
  return read_fields(ext_fields, kRequired, read);
}

}  // namespace drydock
