// The law of recovery on damaged files: wherever a log is cut, and whichever of its bytes are
// overwritten, the store opens, and its log ends where a model says that reads the bytes as the
// storage reference describes them (sections 2.1, 2.3, 5.4 and 5.5) and shares no code with the
// engine.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <zlib.h>

#include <array>
#include <vector>

#include "tests/support/store_world.hpp"

namespace drydock::test {
namespace {

// The log that a broker without queues would find: all its files, one behind the other.
class LogModel {
 public:
  LogModel(Bytes bytes, ContentCheck check) : bytes_(std::move(bytes)), check_(check) {}

  // Where a recovery ends that begins with the file at `start`.
  std::int64_t end_from(std::int64_t start) const {
    std::int64_t at = start;
    while (at < size()) {
      const std::int64_t file_end = at - at % kFileBytes + kFileBytes;
      if (file_end - at <= 4) return at;
      const std::int64_t total = integer(at, 4);
      if (total > file_end - at || file_end - at < 8) return at;
      if (magic(at) == 0xCBD43194) {
        if (file_end == size()) return at;  // Nothing behind it: it will be overwritten.
        at = file_end;
        continue;
      }
      if (!whole(at, total, file_end)) return at;
      at += total;
    }
    return at;
  }

  // The newest file whose first record was stored by then, or the first file.
  std::int64_t start_after_crash(std::int64_t stored_by_ms) const {
    for (std::int64_t start = size() - kFileBytes; start > 0; start -= kFileBytes) {
      if (magic(start) != 0xDAA320A7 && magic(start) != 0xDAA320AB) continue;
      const std::int64_t stored = integer(start + 48 + born_host_bytes(start), 8);
      if (stored != 0 && stored <= stored_by_ms) return start;
    }
    return 0;
  }

 private:
  std::int64_t size() const { return static_cast<std::int64_t>(bytes_.size()); }
  // Big-endian, signed; zeros behind the end.
  std::int64_t integer(std::int64_t at, int width) const {
    std::uint64_t value = 0;
    for (int i = 0; i < width; ++i) {
      const bool inside = at + i < size();
      value = value << 8 | (inside ? std::to_integer<std::uint64_t>(bytes_[at + i]) : 0);
    }
    const int unused = 64 - 8 * width;
    return static_cast<std::int64_t>(value << unused) >> unused;
  }
  std::uint32_t magic(std::int64_t at) const {
    return static_cast<std::uint32_t>(integer(at + 4, 4));
  }
  std::int64_t born_host_bytes(std::int64_t at) const {
    return (integer(at + 36, 4) & 0x10) != 0 ? 20 : 8;
  }
  std::int64_t store_host_bytes(std::int64_t at) const {
    return (integer(at + 36, 4) & 0x20) != 0 ? 20 : 8;
  }

  bool whole(std::int64_t at, std::int64_t total, std::int64_t file_end) const {
    const bool second = magic(at) == 0xDAA320AB;
    if (magic(at) != 0xDAA320A7 && !second) return false;
    const std::int64_t body_length_at =
        at + 48 + born_host_bytes(at) + 8 + store_host_bytes(at) + 12;
    const std::int64_t body_at = body_length_at + 4;
    // RocketMQ takes a negative length of body or properties for none.
    const std::int64_t body = std::max<std::int64_t>(integer(body_length_at, 4), 0);
    if (body_at + body > file_end) return false;
    const bool by_body = check_ == ContentCheck::body_crc;
    if (by_body && body > 0 && crc(body_at, body) != integer(at + 8, 4)) return false;
    const std::int64_t topic_at = body_at + body;
    const std::int64_t topic = integer(topic_at, second ? 2 : 1);
    const std::int64_t properties_at = topic_at + (second ? 2 : 1) + topic;
    if (topic < 0 || properties_at + 2 > file_end) return false;
    const std::int64_t properties = std::max<std::int64_t>(integer(properties_at, 2), 0);
    const std::int64_t end = properties_at + 2 + properties;
    if (end > file_end || end - at != total) return false;
    return by_body || property_crc(end - properties, end) == crc(at, total - 20);
  }
  // What the last property of that name says; -1: there is none.
  std::int64_t property_crc(std::int64_t from, std::int64_t end) const {
    std::int64_t told = -1;
    std::string piece;
    for (std::int64_t at = from; at <= end; ++at) {
      const char c = at < end ? static_cast<char>(integer(at, 1)) : '\x02';
      if (c != '\x02') {
        piece += c;
        continue;
      }
      if (piece.starts_with("__CRC32#\x01") && piece.size() > 9) {
        told = 0;
        for (std::size_t i = piece.size(); i-- > 9;) {
          told = (told * 10 + static_cast<unsigned char>(piece[i]) - '0') & 0xffff'ffff;
        }
      }
      piece.clear();
    }
    return told;
  }
  std::int64_t crc(std::int64_t at, std::int64_t length) const {
    const auto* const first = reinterpret_cast<const Bytef*>(bytes_.data() + at);
    return static_cast<std::int64_t>(crc32(0, first, static_cast<uInt>(length)) & 0x7fffffff);
  }

  Bytes bytes_;
  ContentCheck check_;
};

// Evenly from low to high - 1, in early cases too.
template <class T>
T evenly(T low, T high) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<T>(low, high));
}

constexpr std::int64_t kFirstStored = 10'000;

// A log of one to four files, with records of one queue, stored 500 ms apart.
void build(LogBuilder& log) {
  const std::int64_t files = evenly<std::int64_t>(1, 5);
  for (std::int64_t stored = kFirstStored, number = 0;; stored += 500, ++number) {
    const auto body = evenly<std::size_t>(0, 1'500);
    const std::int64_t bytes = log.bytes_of(body);
    const std::int64_t rest = kFileBytes - log.end() % kFileBytes;
    if (bytes + kBlankBytes > rest) {
      if (log.end() / kFileBytes + 1 == files) return;
      log.blank();
    }
    log.add(body, number, stored);
  }
}

// Overwrites a few bytes, anywhere, or everything from a place on.
void damage(LogBuilder& log, MemoryFiles& files) {
  const std::int64_t at = evenly<std::int64_t>(0, log.end());
  const std::int64_t end = log.end() + kFileBytes - log.end() % kFileBytes;
  const bool cut = evenly(0, 2) == 0;
  const std::int64_t length =
      cut ? end - at : std::min<std::int64_t>(evenly<std::int64_t>(1, 9), end - at);
  for (std::int64_t i = at; i < at + length && files.exists(log_file(i - i % kFileBytes)); ++i) {
    const std::array<std::byte, 1> wrong = {cut ? std::byte{0}
                                                : static_cast<std::byte>(evenly(0, 256))};
    log.write(i, wrong);
  }
}

LogModel model_of(MemoryFiles& files, ContentCheck check) {
  Bytes all;
  for (std::int64_t start = 0; files.exists(log_file(start)); start += kFileBytes) {
    const Bytes& bytes = files.at(log_file(start)).durable;
    all.insert(all.end(), bytes.begin(), bytes.end());
  }
  return {std::move(all), check};
}

void check(ContentCheck check) {
  StoreWorld world;
  const bool by_property = check == ContentCheck::property_crc;
  world.configuration.force_verify_prop_crc = by_property;
  LogBuilder log(world.files, by_property ? PropertyCrc::appended : PropertyCrc::none);
  build(log);
  damage(log, world.files);
  const LogModel model = model_of(world.files, check);
  std::int64_t expected = model.end_from(0);
  if (evenly(0, 3) > 0) {
    const std::int64_t checkpoint_ms = evenly<std::int64_t>(kFirstStored, 22'000);
    log.crashed(checkpoint_ms);
    const std::int64_t stored_by = std::max<std::int64_t>(checkpoint_ms - 3'000, 0);
    expected = model.end_from(model.start_after_crash(stored_by));
  }
  StoreProcess broker(world);
  RC_ASSERT(broker.started());
  RC_ASSERT(broker.end() == expected);
}

RC_GTEST_PROP(RecoveryLaws, ALogThatIsDamagedAnywhereEndsWhereTheModelSays, ()) {
  check(ContentCheck::body_crc);
}

RC_GTEST_PROP(RecoveryLaws, SoDoesOneWhoseRecordsHaveAPropertyCrc, ()) {
  check(ContentCheck::property_crc);
}

}  // namespace
}  // namespace drydock::test
