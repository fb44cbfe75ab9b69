// expectations: what should follow.
#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>
#include <utility>

#include "scenarios/drill/units.hpp"
#include "scenarios/loader/did_you_mean.hpp"
#include "scenarios/loader/sections.hpp"

namespace drydock::scenarios {
namespace {

// Every quantity that an expectation may speak of, as an expectation that says nothing else.
std::vector<reports::Expectation> quantities() {
  std::vector<reports::Expectation> all;
  for (int i = 0; i < static_cast<int>(reports::Metric::count_); ++i) {
    const auto metric = static_cast<reports::Metric>(i);
    if (!reports::is_of_waits(metric)) {
      all.push_back({.metric = metric});
      continue;
    }
    for (std::size_t place = 1; place < kWaitPlaces; ++place) {
      all.push_back({.metric = metric, .place = static_cast<WaitPlace>(place)});
    }
  }
  return all;
}

void read_quantity(const JsonAt& json, const std::string& name, reports::Expectation& expectation) {
  std::vector<std::string> known;
  for (const reports::Expectation& quantity : quantities()) {
    known.push_back(reports::quantity_of(quantity));
    if (known.back() != name) continue;
    expectation.metric = quantity.metric;
    expectation.place = quantity.place;
    return;
  }
  json.refuse("there is no quantity '" + name + "'; drydock list shows them" +
              did_you_mean(name, {known.begin(), known.end()}));
}

std::optional<reports::Comparison> comparison_named(const std::string& name) {
  using reports::Comparison;
  for (const Comparison c : {Comparison::equal, Comparison::less_equal, Comparison::less,
                             Comparison::greater_equal, Comparison::greater}) {
    if (name == reports::name_of(c)) return c;
  }
  return std::nullopt;
}

// No quantity is ever below 0: what speaks of that always holds, or never.
void refuse_negative(const JsonAt& json, const reports::Expectation& expectation) {
  const std::int64_t bound = expectation.bound.value_or(0);
  const bool below = expectation.comparison == reports::Comparison::less && bound == 0;
  if (bound < 0 || below) json.refuse("nothing that is counted or measured is ever below 0");
}

// "acked_loss = 0", "rto.client <= 30 s".
void read_condition(const JsonAt& json, reports::Expectation& expectation) {
  std::istringstream words(json.text());
  std::string metric;
  std::string comparison;
  std::string bound;
  words >> metric >> comparison >> std::ws;
  std::getline(words, bound);
  read_quantity(json, metric, expectation);
  const auto known_comparison = comparison_named(comparison);
  if (!known_comparison) json.refuse("must compare with one of = < <= > >=");
  expectation.comparison = *known_comparison;
  if (reports::is_time(expectation.metric)) {
    const bool may_never_come =
        reports::is_outage(expectation.metric) || reports::is_of_consumer(expectation.metric);
    if (may_never_come && bound == "never" && *known_comparison == reports::Comparison::equal) {
      expectation.bound.reset();
      return;
    }
    const auto time = parse_duration(bound);
    if (!time) json.refuse("must end with a duration: " + std::string(kDurationForm));
    if (*time > kDurationMax) json.refuse("must end with at most " + text_of(kDurationMax));
    expectation.bound = time->count_ns();
    refuse_negative(json, expectation);
    return;
  }
  const auto [end, error] =
      std::from_chars(bound.data(), bound.data() + bound.size(), *expectation.bound);
  if (error != std::errc() || end != bound.data() + bound.size()) {
    json.refuse("must end with an integer");
  }
  refuse_negative(json, expectation);
}

// Over what of a cell's runs an expectation speaks: the one member that says so.
reports::Over read_over(const JsonAt& json) {
  using reports::Over;
  std::optional<Over> found;
  for (const Over over : {Over::every_run, Over::total, Over::p50, Over::p90, Over::p99}) {
    if (!json.has(std::string(reports::name_of(over)).c_str())) continue;
    if (found) json.refuse("must have only one of every_run, total, p50, p90, p99");
    found = over;
  }
  if (!found) json.refuse("must have one of every_run, total, p50, p90, p99");
  return *found;
}

// How many runs it takes.
void read_seeds_at_least(const JsonAt& json, const Drill& drill,
                         reports::Expectation& expectation) {
  if (expectation.over == reports::Over::every_run) {
    json.refuse("every_run holds of each run by itself: say total, p50, p90 or p99, or leave it");
  }
  expectation.seeds_at_least = json.count(2, kSeedsMax);
  if (std::cmp_less(drill.seeds.count(), expectation.seeds_at_least)) {
    json.refuse("the drill has " + std::to_string(drill.seeds.count()) +
                (drill.seeds.count() == 1 ? " seed" : " seeds") +
                ": give it more in /seeds, or ask for fewer");
  }
}

// Whose sends an expectation speaks of.
void read_producer_of(const JsonAt& json, const Drill& drill, reports::Expectation& expectation) {
  expectation.process = json.name();
  Names known = names_of(drill.producers);
  append(known, names_of(drill.writers));
  if (std::ranges::find(known, expectation.process) != known.end()) return;
  json.refuse("there is no producer or writer '" + expectation.process + "'" +
              did_you_mean(expectation.process, known));
}

// Whose disk an expectation speaks of.
void read_host_of(const JsonAt& json, const Drill& drill, reports::Expectation& expectation) {
  expectation.process = json.name();
  Names known;
  for (const HostSpec& host : drill.hosts) {
    if (host.disk) known.push_back(host.name);
  }
  if (std::ranges::find(known, expectation.process) == known.end()) {
    json.refuse("there is no host '" + expectation.process + "' with a disk of its own" +
                did_you_mean(expectation.process, known));
  }
}

// Whose pulls an expectation speaks of.
void read_broker_of(const JsonAt& json, const Drill& drill, reports::Expectation& expectation) {
  expectation.process = json.name();
  const Names known = names_of(drill.brokers);
  const bool there = std::ranges::find(known, expectation.process) != known.end();
  const bool registers = expectation.metric == reports::Metric::registration_gap;
  if (there && registers && drill.name_servers.empty()) {
    json.refuse("registers with nobody: there are no /topology/name_servers");
  }
  if (there) return;
  json.refuse("there is no broker '" + expectation.process + "'" +
              did_you_mean(expectation.process, known));
}

void read_consumer_of(const JsonAt& json, const Drill& drill, reports::Expectation& expectation) {
  expectation.process = json.name();
  const Names known = names_of(drill.consumers);
  if (std::ranges::find(known, expectation.process) != known.end()) return;
  json.refuse("there is no consumer '" + expectation.process + "'" +
              did_you_mean(expectation.process, known));
}

// Whose waits, sends, pulls or disk an expectation speaks of.
void read_whose(const JsonAt& json, const Drill& drill, reports::Expectation& expectation) {
  if (reports::is_of_sends(expectation.metric)) {
    read_producer_of(json, drill, expectation);
    return;
  }
  if (reports::is_of_disks(expectation.metric)) {
    read_host_of(json, drill, expectation);
    return;
  }
  if (reports::is_of_broker(expectation.metric)) {
    read_broker_of(json, drill, expectation);
    return;
  }
  if (reports::is_of_consumer(expectation.metric)) {
    read_consumer_of(json, drill, expectation);
    return;
  }
  if (!reports::is_of_waits(expectation.metric)) {
    json.refuse("only waits, sends, pulls, registrations, deliveries and disks are somebody's");
  }
  expectation.process = json.name();
  Names known = names_of(drill.brokers);
  append(known, names_of(drill.writers));
  append(known, names_of(drill.readers));
  append(known, names_of(drill.standbys));
  if (std::ranges::find(known, expectation.process) == known.end()) {
    json.refuse("there is no broker, writer, reader or standby '" + expectation.process + "'" +
                did_you_mean(expectation.process, known));
  }
}

reports::Expectation read_expectation(const JsonAt& json, const Drill& drill) {
  json.allow_only({"cells", "every_run", "total", "p50", "p90", "p99", "of", "seeds_at_least"});
  reports::Expectation expectation;
  expectation.over = read_over(json);
  const std::string over(reports::name_of(expectation.over));
  read_condition(json.at(over), expectation);
  if (expectation.over == reports::Over::total && reports::is_time(expectation.metric)) {
    json.at(over).refuse("times have no total");
  }
  if (json.has("of")) {
    read_whose(json.at("of"), drill, expectation);
  } else if (reports::is_of_disks(expectation.metric)) {
    json.refuse("must say of which host's disk it speaks: \"of\": \"HOST\"");
  } else if (reports::is_of_broker(expectation.metric)) {
    json.refuse("must say of which broker it speaks: \"of\": \"BROKER\"");
  } else if (reports::is_of_consumer(expectation.metric)) {
    json.refuse("must say of which consumer it speaks: \"of\": \"CONSUMER\"");
  }
  if (json.has("seeds_at_least")) {
    read_seeds_at_least(json.at("seeds_at_least"), drill, expectation);
  }
  if (!json.has("cells")) return expectation;
  const JsonAt cells = json.at("cells");
  for (const std::string& key : cells.keys()) {
    const bool known = std::any_of(drill.matrix.begin(), drill.matrix.end(),
                                   [&](const Axis& axis) { return axis.key == key; });
    if (!known) cells.at(key).refuse("the matrix has no such axis");
    expectation.cells[key] = cells.at(key).scalar();
  }
  return expectation;
}

}  // namespace

void read_expectations(const JsonAt& expectations, Drill& drill) {
  for (const JsonAt& json : expectations.items()) {
    drill.expectations.push_back(read_expectation(json, drill));
  }
}

}  // namespace drydock::scenarios
