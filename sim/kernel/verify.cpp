#include "sim/kernel/verify.hpp"

#include <algorithm>

namespace drydock::sim {
namespace {

// Collects the records of one run until somebody takes them.
class Collector {
 public:
  explicit Collector(std::unique_ptr<Verifiable> run) : run_(std::move(run)) {
    run_->kernel().fingerprint().set_sink(
        [this](std::span<const EventRecord> records, std::uint64_t) {
          records_.insert(records_.end(), records.begin(), records.end());
        });
  }

  // Runs on until a ring was collected or the run is over.
  void fill() {
    while (records_.empty() && !over_) {
      if (run_->advance()) continue;
      over_ = true;
      const auto pending = run_->kernel().fingerprint().pending();
      records_.insert(records_.end(), pending.begin(), pending.end());
    }
  }
  std::vector<EventRecord>& records() { return records_; }
  bool over() const { return over_; }

 private:
  std::vector<EventRecord> records_;
  bool over_ = false;
  std::unique_ptr<Verifiable> run_;  // Goes first: it may record while it is taken down.
};

const char* name_of(EventKind kind) {
  switch (kind) {
    case EventKind::none: return "value";
    case EventKind::resume: return "resume";
    case EventKind::timer: return "timer";
    case EventKind::segment: return "segment";
    case EventKind::link: return "link";
    case EventKind::device: return "device";
    case EventKind::writeback: return "writeback";
    case EventKind::fault: return "fault";
    case EventKind::kill: return "kill";
    case EventKind::host: return "host";
    case EventKind::engine: return "event";
    case EventKind::user: return "user";
  }
  return "unnamed";
}

constexpr std::size_t kContext = 8;

// Whether the record is an event of the run loop; the others tell what such an event did.
bool is_event(const EventRecord& record) {
  const auto kind = static_cast<EventKind>(record.kind);
  return kind != EventKind::none && kind != EventKind::engine;
}

// The number of the event that a record belongs to, when `events` came before the record.
std::uint64_t number_of(const EventRecord& record, std::uint64_t events) {
  return is_event(record) || events == 0 ? events : events - 1;
}

}  // namespace

std::string describe(const EventRecord& record) {
  const auto kind = static_cast<EventKind>(record.kind);
  if (kind == EventKind::none) return "value " + std::to_string(record.time_ns);
  std::string text = std::to_string(record.time_ns) + " ns " + name_of(kind);
  if (kind == EventKind::engine) {
    text += " " + std::string(drydock::name_of(static_cast<EventName>(record.detail)));
  }
  return text + " of " + std::to_string(record.subject);
}

std::string Divergence::describe() const {
  std::string text = "the runs differ at event " + std::to_string(index) + "\n";
  for (const EventRecord& record : before) text += "  both    " + sim::describe(record) + "\n";
  text += "  first   " + (first ? sim::describe(*first) : std::string("(ended)")) + "\n";
  text += "  second  " + (second ? sim::describe(*second) : std::string("(ended)")) + "\n";
  return text;
}

std::optional<Divergence> verify(const std::function<std::unique_ptr<Verifiable>()>& make) {
  Collector first(make());
  Collector second(make());
  std::uint64_t events = 0;  // Of those compared.
  std::vector<EventRecord> context;
  for (;;) {
    first.fill();
    second.fill();
    auto& a = first.records();
    auto& b = second.records();
    const std::size_t common = std::min(a.size(), b.size());
    for (std::size_t i = 0; i < common; ++i) {
      if (a[i] != b[i]) {
        const std::uint64_t number = std::min(number_of(a[i], events), number_of(b[i], events));
        return Divergence{number, a[i], b[i], context};
      }
      if (is_event(a[i])) ++events;
      context.push_back(a[i]);
      if (context.size() > kContext) context.erase(context.begin());
    }
    if (common == 0) {
      if (a.empty() && b.empty()) return std::nullopt;
      const EventRecord& more = a.empty() ? b.front() : a.front();
      Divergence end{number_of(more, events), std::nullopt, std::nullopt, context};
      if (!a.empty()) end.first = a.front();
      if (!b.empty()) end.second = b.front();
      return end;
    }
    a.erase(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(common));
    b.erase(b.begin(), b.begin() + static_cast<std::ptrdiff_t>(common));
  }
}

}  // namespace drydock::sim
