#include "engine/wire/pull_message.hpp"

#include <algorithm>
#include <array>

namespace drydock {

namespace {

constexpr std::array<std::string_view, 9> kRequired = {
    "consumerGroup", "topic",        "queueId",    "queueOffset",         "maxMsgNums",
    "sysFlag",       "commitOffset", "subVersion", "suspendTimeoutMillis"};

// False if the value is not what the field demands. Unknown fields are fine.
bool read_field(std::string_view key, std::string_view value, PullMessageHeader& header) {
  if (key == "consumerGroup") return read_name(value, header.consumer_group);
  if (key == "topic") return read_name(value, header.topic);
  if (key == "subscription") header.subscription = value;
  if (key == "expressionType") header.expression_type = value;
  if (key == "queueId") return read_number(value, header.queue_id);
  if (key == "queueOffset") return read_number(value, header.queue_offset);
  if (key == "maxMsgNums") return read_number(value, header.message_count_max);
  if (key == "sysFlag") return read_number(value, header.sys_flag);
  if (key == "commitOffset") return read_number(value, header.commit_offset);
  if (key == "subVersion") return read_number(value, header.sub_version);
  if (key == "suspendTimeoutMillis") return read_number(value, header.suspend_timeout_ms);
  return true;
}

// How many bytes the damaged record at the front of `body` takes.
std::size_t damaged_bytes(std::span<const std::byte> body, const RecordCheck& check) {
  const auto declared = static_cast<std::size_t>(std::max(check.declared_bytes, 0));
  if (declared < kRecordBytesMin || declared > body.size()) return body.size();
  const std::span<const std::byte> behind = body.subspan(declared);
  if (behind.size() < kRecordBytesMin) return body.size();
  const auto magic = read_big_endian<std::uint32_t>(behind.data() + 4);
  return magic == kMagicV1 || magic == kMagicV2 ? declared : body.size();
}

}  // namespace

HeaderFault decode_pull_message_header(std::span<const std::byte> ext_fields,
                                       PullMessageHeader& header) {
  std::uint32_t seen = 0;
  ExtFieldReader fields(ext_fields);
  std::string_view key;
  std::string_view value;
  while (fields.next(key, value)) {
    const auto required = std::ranges::find(kRequired, key);
    if (!read_field(key, value, header)) return {key};
    if (required != kRequired.end() && !value.empty()) seen |= 1u << (required - kRequired.begin());
  }
  for (std::size_t i = 0; i < kRequired.size(); ++i) {
    if ((seen & (1u << i)) == 0) return {kRequired[i]};
  }
  return {};
}

std::optional<PullMessageResponse> decode_pull_message_response(
    std::span<const std::byte> ext_fields) {
  constexpr std::array<std::string_view, 4> kNames = {"suggestWhichBrokerId", "nextBeginOffset",
                                                      "minOffset", "maxOffset"};
  std::array<std::optional<std::int64_t>, kNames.size()> numbers;
  ExtFieldReader fields(ext_fields);
  std::string_view key;
  std::string_view value;
  while (fields.next(key, value)) {
    const auto name = std::ranges::find(kNames, key);
    if (name == kNames.end()) continue;
    numbers[static_cast<std::size_t>(name - kNames.begin())] = parse_decimal<std::int64_t>(value);
  }
  for (const auto& number : numbers) {
    if (!number) return std::nullopt;
  }
  return PullMessageResponse{*numbers[0], QueueOffset(*numbers[1]), QueueOffset(*numbers[2]),
                             QueueOffset(*numbers[3])};
}

bool for_each_record(std::span<const std::byte> body, const RecordVisitor& visit,
                     const DamageVisitor& on_damage) {
  bool whole = true;
  while (!body.empty()) {
    RecordView view;
    const RecordCheck check =
        check_record(body, static_cast<std::int64_t>(body.size()), ContentCheck::body_crc, view);
    const std::size_t size =
        check.good() ? static_cast<std::size_t>(check.size) : damaged_bytes(body, check);
    if (check.good()) {
      visit(body.first(size), view);
    } else {
      whole = false;
      const RecordFault fault = check.blank() ? RecordFault::unknown_magic : check.fault;
      if (on_damage) on_damage(body.first(size), view, fault);
    }
    body = body.subspan(size);
  }
  return whole;
}

}  // namespace drydock
