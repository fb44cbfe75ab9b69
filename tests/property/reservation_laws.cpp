// Reservations under random commands of four hosts, one of which has two controllers and one of
// which is a controller without a host identifier, for all three presets. After every command:
//
//   1. Status, report, notices, the preempted hosts and every access decision are those of a model
//      that was written apart from the device (reservation_model.hpp).
//   2. Under types 1 to 4 the report shows exactly one holder, and none while nothing is held.
//   3. A command that is refused changes nothing.
//   4. A host without registration changes nothing, except by registering itself.
//   5. The generation never falls but by a power loss. It rises by one with each successful
//      register, clear and preempt, and with nothing else; SPDK's rises by the registrants that
//      were added or removed.
//   6. Under Write Exclusive nobody but the holder may write or flush.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <ostream>
#include <set>

#include "engine/types/ensure.hpp"
#include "sim/disk/reservations.hpp"
#include "tests/property/reservation_model.hpp"

namespace drydock::test {

enum class Order : std::uint8_t {
  add,
  unregister,
  replace,
  acquire,
  preempt,
  abort,
  release,
  clear,
  power_loss
};
constexpr const char* kOrderNames[] = {"add",   "unregister", "replace", "acquire",   "preempt",
                                       "abort", "release",    "clear",   "power-loss"};

// One command. Most name the issuer's own key and the type that is held, else nothing would ever
// come of them.
struct Step {
  Order order = Order::add;
  int issuer = 0;           // Of kIssuers.
  std::uint64_t key = 0;    // CRKEY, unless `right_key`.
  std::uint64_t other = 0;  // NRKEY or PRKEY.
  int type = 0;             // RTYPE, unless `right_type`.
  int cptpl = 0;
  bool right_key = true;
  bool right_type = true;
  bool ignore = false;
  bool reserved = false;  // A reserved action in place of the order's.
};

void showValue(const Step& step, std::ostream& os) {
  os << step.issuer << " " << kOrderNames[static_cast<int>(step.order)] << " key ";
  if (step.ignore) os << "ignored ";
  if (step.right_key) {
    os << "right";
  } else {
    os << step.key;
  }
  os << " other " << step.other << " type ";
  if (step.right_type) os << "right, else ";
  os << step.type << " cptpl " << step.cptpl << (step.reserved ? " RESERVED ACTION" : "");
}

namespace {

struct Issuer {
  int host;  // In the model.
  sim::ReservationHost address;
};

sim::ReservationHost with_identifier(std::uint8_t identifier, std::uint32_t controller) {
  sim::ReservationHost host{.controller = controller};
  host.identifier.back() = identifier;
  return host;
}

const std::vector<Issuer>& issuers() {
  static const std::vector<Issuer> kIssuers = {
      {0, with_identifier(7, 1)}, {0, with_identifier(7, 2)}, {1, with_identifier(8, 3)},
      {2, with_identifier(9, 4)}, {3, with_identifier(0, 5)},
  };
  return kIssuers;
}
const Issuer& issuer_of(int host) {
  const auto found = std::ranges::find(issuers(), host, &Issuer::host);
  ENSURE(found != issuers().end());
  return *found;
}

sim::ReservationOptions options_of(Target target) {
  switch (target) {
    case Target::spec: return sim::spec_reservations();
    case Target::nvmet: return sim::nvmet_reservations();
    case Target::spdk: return sim::spdk_reservations();
  }
  return {};
}

class Trial {
 public:
  explicit Trial(Target target) : device_(options_of(target)) { model_.target = target; }

  // What is wrong after the step; empty if nothing is.
  std::string take(const Step& step) {
    trouble_.clear();
    const ReservationReport before = device_.report();
    const bool was_registered = model_.registered(issuers()[to_size(step.issuer)].host);
    const int expected = play_on_model(step);
    const sim::ReservationOutcome outcome = play_on_device(step);
    const int status = static_cast<int>(outcome.status);
    if (status != expected) {
      complain("status " + std::to_string(status) + " instead of " + std::to_string(expected));
    }
    compare_report();
    compare_access();
    compare_answers(outcome);
    check_holders();
    if (step.order == Order::power_loss) return trouble_;
    if (status != kOk) check_nothing_changed(before, "a refused command");
    const bool may_register = step.order == Order::add || step.order == Order::replace;
    if (!was_registered && !may_register) check_nothing_changed(before, "a stranger");
    check_generation(before, step, status);
    return trouble_;
  }

 private:
  static std::size_t to_size(int value) { return static_cast<std::size_t>(value); }
  void complain(const std::string& what) { trouble_ += what + "\n"; }

  std::uint64_t key_of(const Step& step, int host) const {
    const bool knows = step.right_key && model_.registered(host);
    return knows ? model_.entry(host)->key : step.key;
  }
  int type_of(const Step& step) const {
    return step.right_type && model_.type != 0 ? model_.type : step.type;
  }

  int play_on_model(const Step& step) {
    const int host = issuers()[to_size(step.issuer)].host;
    key_ = key_of(step, host);
    type_ = type_of(step);
    const auto action = [&step](int usual, int reserved) {
      return step.reserved ? reserved : usual;
    };
    switch (step.order) {
      case Order::add:
        return model_.register_command(host, action(0, 3), key_, step.other, step.ignore,
                                       step.cptpl);
      case Order::unregister:
        return model_.register_command(host, action(1, 3), key_, step.other, step.ignore,
                                       step.cptpl);
      case Order::replace:
        return model_.register_command(host, action(2, 3), key_, step.other, step.ignore,
                                       step.cptpl);
      case Order::acquire:
        return model_.acquire_command(host, action(0, 3), key_, step.other, type_, step.ignore);
      case Order::preempt:
        return model_.acquire_command(host, action(1, 3), key_, step.other, type_, step.ignore);
      case Order::abort:
        return model_.acquire_command(host, action(2, 3), key_, step.other, type_, step.ignore);
      case Order::release:
        return model_.release_command(host, action(0, 2), key_, type_, step.ignore);
      case Order::clear:
        return model_.release_command(host, action(1, 2), key_, type_, step.ignore);
      case Order::power_loss: model_.power_loss(); return kOk;
    }
    return kOk;
  }

  sim::ReservationOutcome play_on_device(const Step& step) {
    const sim::ReservationHost& host = issuers()[to_size(step.issuer)].address;
    const auto existing = step.ignore ? sim::ExistingKey::ignore : sim::ExistingKey::compare;
    const ReservationKey current{key_};
    const ReservationKey other{step.other};
    const auto type = static_cast<ReservationType>(type_);
    const auto change = [&](sim::RegisterAction action) {
      if (step.reserved) action = sim::RegisterAction(3);
      const auto persist = static_cast<PersistThroughPowerLoss>(step.cptpl);
      return device_.add_or_remove(host, {.action = action,
                                          .current = current,
                                          .next = other,
                                          .existing_key = existing,
                                          .persist = persist});
    };
    const auto acquire = [&](sim::AcquireAction action) {
      if (step.reserved) action = sim::AcquireAction(3);
      return device_.acquire(host, {.action = action,
                                    .current = current,
                                    .victim = other,
                                    .type = type,
                                    .existing_key = existing});
    };
    const auto release = [&](sim::ReleaseAction action) {
      if (step.reserved) action = sim::ReleaseAction(2);
      return device_.release(
          host, {.action = action, .current = current, .type = type, .existing_key = existing});
    };
    switch (step.order) {
      case Order::add: return change(sim::RegisterAction::add);
      case Order::unregister: return change(sim::RegisterAction::unregister);
      case Order::replace: return change(sim::RegisterAction::replace);
      case Order::acquire: return acquire(sim::AcquireAction::acquire);
      case Order::preempt: return acquire(sim::AcquireAction::preempt);
      case Order::abort: return acquire(sim::AcquireAction::preempt_and_abort);
      case Order::release: return release(sim::ReleaseAction::release);
      case Order::clear: return release(sim::ReleaseAction::clear);
      case Order::power_loss: device_.lose_power(); return {};
    }
    return {};
  }

  // Law 1.
  void compare_report() {
    ReservationReport expected{.generation = model_.generation,
                               .type = static_cast<ReservationType>(model_.type),
                               .persists_through_power_loss = model_.persists};
    for (const ReservationModel::Entry& one : model_.list) {
      expected.registrants.push_back({.host_identifier = issuer_of(one.host).address.identifier,
                                      .key = {one.key},
                                      .holds = model_.marked(one.host)});
    }
    if (device_.report() != expected) {
      complain("the report is another one: generation " +
               std::to_string(device_.report().generation) + " instead of " +
               std::to_string(expected.generation) + ", type " +
               std::to_string(static_cast<int>(device_.report().type)) + " instead of " +
               std::to_string(model_.type));
    }
  }
  bool allowed(const sim::ReservationHost& host, sim::NvmeCommand command) const {
    return device_.check(host, command) == sim::NvmeStatus::success;
  }
  void compare_access() {
    std::vector<Issuer> all = issuers();
    all.push_back({9, with_identifier(77, 9)});  // Never registers.
    for (const auto& [host, address] : all) {
      const bool reads = model_.may(host, false);
      const bool writes = model_.may(host, true);
      const bool equal = allowed(address, sim::NvmeCommand::read) == reads &&
                         allowed(address, sim::NvmeCommand::compare) == reads &&
                         allowed(address, sim::NvmeCommand::write) == writes &&
                         allowed(address, sim::NvmeCommand::flush) == writes &&
                         allowed(address, sim::NvmeCommand::copy) == (reads && writes) &&
                         allowed(address, sim::NvmeCommand::other);
      if (!equal) complain("host " + std::to_string(host) + " is treated wrongly");
      check_write_exclusive(address);
    }
  }
  void compare_answers(const sim::ReservationOutcome& outcome) {
    bool equal = outcome.notices.size() == model_.told.size() &&
                 outcome.preempted.size() == model_.preempted.size();
    for (std::size_t i = 0; equal && i < model_.told.size(); ++i) {
      const auto& [host, kind] = model_.told[i];
      equal = outcome.notices[i].to.is(issuer_of(host).address) &&
              static_cast<int>(outcome.notices[i].kind) == kind;
    }
    for (std::size_t i = 0; equal && i < model_.preempted.size(); ++i) {
      equal = outcome.preempted[i].is(issuer_of(model_.preempted[i]).address);
    }
    if (!equal) complain("the wrong hosts are told or preempted");
  }

  // Law 2.
  void check_holders() {
    const ReservationReport report = device_.report();
    const auto holders = std::ranges::count_if(report.registrants, &Registrant::holds);
    const auto type = static_cast<int>(report.type);
    if (type == 0 && holders != 0) complain("nothing is held, and somebody holds it");
    if (type >= 1 && type <= 4 && holders != 1) complain("not exactly one holder");
    if (type >= 5 && holders == 0) complain("held by nobody");
  }
  // Laws 3 and 4.
  void check_nothing_changed(const ReservationReport& before, const std::string& by) {
    if (device_.report() != before) complain(by + " changed something");
  }
  // Law 5.
  void check_generation(const ReservationReport& before, const Step& step, int status) {
    const ReservationReport after = device_.report();
    const std::uint32_t rise = after.generation - before.generation;
    std::uint32_t expected = 0;
    if (model_.spdk()) {
      expected = changed_registrants(before, after);
    } else if (status == kOk && step.order != Order::acquire && step.order != Order::release) {
      expected = 1;
    }
    if (rise != expected) complain("the generation rose by " + std::to_string(rise));
  }
  static std::uint32_t changed_registrants(const ReservationReport& before,
                                           const ReservationReport& after) {
    std::set<HostIdentifier> were;
    std::set<HostIdentifier> are;
    for (const Registrant& one : before.registrants) were.insert(one.host_identifier);
    for (const Registrant& one : after.registrants) are.insert(one.host_identifier);
    std::uint32_t changed = 0;
    for (const HostIdentifier& one : were) changed += are.contains(one) ? 0 : 1;
    for (const HostIdentifier& one : are) changed += were.contains(one) ? 0 : 1;
    return changed;
  }
  // Law 6.
  void check_write_exclusive(const sim::ReservationHost& host) {
    if (device_.report().type != ReservationType::write_exclusive) return;
    const bool writes = allowed(host, sim::NvmeCommand::write);
    const bool flushes = allowed(host, sim::NvmeCommand::flush);
    const bool holds = device_.role_of(host) == sim::ReservationRole::holder;
    if ((writes || flushes) && !holds) complain("write exclusive, and another one writes");
  }

  sim::NamespaceReservations device_;
  ReservationModel model_;
  std::uint64_t key_ = 0;
  int type_ = 0;
  std::string trouble_;
};

rc::Gen<Step> steps() {
  using rc::gen::inRange;
  using rc::gen::set;
  const auto order = rc::gen::weightedElement<Order>({{6, Order::add},
                                                      {2, Order::unregister},
                                                      {3, Order::replace},
                                                      {6, Order::acquire},
                                                      {5, Order::preempt},
                                                      {3, Order::abort},
                                                      {3, Order::release},
                                                      {1, Order::clear},
                                                      {1, Order::power_loss}});
  const auto key = inRange<std::uint64_t>(0, 5);
  const auto mostly = rc::gen::weightedElement<bool>({{7, true}, {2, false}});
  const auto rarely = rc::gen::weightedElement<bool>({{1, true}, {9, false}});
  const auto cptpl = rc::gen::weightedElement<int>({{6, 0}, {1, 2}, {1, 3}});
  return rc::gen::build<Step>(
      set(&Step::order, order), set(&Step::issuer, inRange(0, 5)), set(&Step::key, key),
      set(&Step::other, key), set(&Step::type, inRange(0, 8)), set(&Step::cptpl, cptpl),
      set(&Step::right_key, mostly), set(&Step::right_type, rc::gen::arbitrary<bool>()),
      set(&Step::ignore, rarely), set(&Step::reserved, rarely));
}

void check(Target target) {
  const auto plan = *rc::gen::container<std::vector<Step>>(steps());
  Trial trial(target);
  for (const Step& step : plan) {
    const std::string trouble = trial.take(step);
    if (!trouble.empty()) RC_FAIL(trouble);
  }
}

RC_GTEST_PROP(ReservationLaws, holdForTheSpecification, ()) { check(Target::spec); }
RC_GTEST_PROP(ReservationLaws, holdForNvmet, ()) { check(Target::nvmet); }
RC_GTEST_PROP(ReservationLaws, holdForSpdk, ()) { check(Target::spdk); }

}  // namespace
}  // namespace drydock::test
