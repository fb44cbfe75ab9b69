#include "sim/disk/reservations.hpp"

#include <algorithm>
#include <utility>

namespace drydock::sim {
namespace {

ReservationOutcome only(NvmeStatus status) { return {.status = status, .preempted{}, .notices{}}; }

ReservationOutcome conflict() { return only(NvmeStatus::reservation_conflict); }

bool is_a_type(ReservationType type) {
  return type >= ReservationType::write_exclusive && type <= ReservationType::exclusive_access_all;
}

// Section 12: a release of types 1 and 2 is told to nobody.
bool release_is_told(ReservationType type) {
  return type >= ReservationType::write_exclusive_registrants;
}

// Section 12: of types 5 and 6, nobody is left when the last registrant goes.
bool unregistration_is_told(ReservationType type) {
  return type == ReservationType::write_exclusive_registrants ||
         type == ReservationType::exclusive_access_registrants;
}

}  // namespace

std::uint8_t NamespaceReservations::capabilities() const {
  constexpr std::uint8_t kIgnoreExistingKeyAsOf13 = 0x80;
  const bool persists = options_.persistence == PersistenceSupport::honoured;
  return static_cast<std::uint8_t>(kIgnoreExistingKeyAsOf13 | options_.types | (persists ? 1 : 0));
}

ReservationOutcome NamespaceReservations::add_or_remove(const ReservationHost& host,
                                                        const RegisterRequest& request) {
  if (options_.needs_host_identifier && !host.has_identifier()) {
    return only(NvmeStatus::host_identifier_not_initialized);
  }
  if (request.persist == PersistThroughPowerLoss::set &&
      options_.persistence == PersistenceSupport::refused) {
    return only(NvmeStatus::invalid_field);
  }
  ReservationOutcome outcome;
  switch (request.action) {
    case RegisterAction::add: outcome = only(add(host, request)); break;
    case RegisterAction::replace: outcome = only(replace(host, request)); break;
    case RegisterAction::unregister: outcome = unregister(host, request); break;
    default: outcome = only(options_.reserved_action);
  }
  if (outcome.status == NvmeStatus::success) persist(request.persist);
  return outcome;
}

NvmeStatus NamespaceReservations::add(const ReservationHost& host, const RegisterRequest& request) {
  const Registration* const known = find(host);
  if (known != nullptr) {
    if (known->key != request.next) return NvmeStatus::reservation_conflict;
    count(0);
    return NvmeStatus::success;
  }
  if (request.next.value == 0 && !options_.zero_key_allowed) return NvmeStatus::invalid_field;
  insert(host, request.next);
  return NvmeStatus::success;
}

NvmeStatus NamespaceReservations::replace(const ReservationHost& host,
                                          const RegisterRequest& request) {
  if (request.next.value == 0 && !options_.zero_key_allowed) return NvmeStatus::invalid_field;
  const bool ignores = request.existing_key == ExistingKey::ignore;
  Registration* const known = find(host);
  if (known == nullptr) {
    if (!ignores) return NvmeStatus::reservation_conflict;
    insert(host, request.next);
    return NvmeStatus::success;
  }
  if (!ignores && known->key != request.current) return NvmeStatus::reservation_conflict;
  known->key = request.next;
  count(0);
  return NvmeStatus::success;
}

ReservationOutcome NamespaceReservations::unregister(const ReservationHost& host,
                                                     const RegisterRequest& request) {
  const bool ignores = request.existing_key == ExistingKey::ignore;
  const Registration* const known = find(host);
  if (known == nullptr) return conflict();
  if (!ignores && known->key != request.current) return conflict();
  const ReservationType before = type_;
  remove([known](const Registration& one) { return &one == known; });
  count(1);
  ReservationOutcome outcome;
  const bool released = before != ReservationType::none && type_ == ReservationType::none;
  if (released && unregistration_is_told(before)) {
    tell_others(outcome, host, ReservationNotice::reservation_released);
  }
  return outcome;
}

void NamespaceReservations::insert(const ReservationHost& host, ReservationKey key) {
  registrations_.push_back({.host = host, .key = key});
  count(1);
}

void NamespaceReservations::persist(PersistThroughPowerLoss persist) {
  if (options_.persistence != PersistenceSupport::honoured) return;
  if (persist == PersistThroughPowerLoss::set) persists_ = true;
  if (persist == PersistThroughPowerLoss::clear) persists_ = false;
}

ReservationOutcome NamespaceReservations::acquire(const ReservationHost& host,
                                                  const AcquireRequest& request) {
  if (options_.needs_host_identifier && !host.has_identifier()) {
    return only(NvmeStatus::host_identifier_not_initialized);
  }
  if (request.existing_key == ExistingKey::ignore) return only(NvmeStatus::invalid_field);
  if (!is_a_type(request.type)) return only(NvmeStatus::invalid_field);
  const bool offered = (options_.types >> static_cast<int>(request.type) & 1) != 0;
  if (!offered) return only(NvmeStatus::invalid_field);
  Registration* const mine = find(host);
  if (mine == nullptr || mine->key != request.current) return conflict();
  switch (request.action) {
    case AcquireAction::acquire: return only(take(*mine, request.type));
    case AcquireAction::preempt:
    case AcquireAction::preempt_and_abort: return preempt(host, request);
  }
  return only(options_.reserved_action);
}

NvmeStatus NamespaceReservations::take(Registration& registration, ReservationType type) {
  if (type_ == ReservationType::none) {
    own(registration.host, type);
    return NvmeStatus::success;
  }
  const bool holds_it = holds(registration) && type_ == type;
  return holds_it ? NvmeStatus::success : NvmeStatus::reservation_conflict;
}

ReservationOutcome NamespaceReservations::preempt(const ReservationHost& host,
                                                  const AcquireRequest& request) {
  const ReservationKey victim = request.victim;
  if (held_by_all_registrants(type_)) {
    return victim.value == 0 ? preempt_all_others(host, request.type) : preempt_key(host, victim);
  }
  if (type_ == ReservationType::none) return preempt_key(host, victim);
  const bool compares_present = options_.holder_key == HolderKey::present;
  const ReservationKey holder_key = compares_present ? owner()->key : acquired_with_;
  if (victim == holder_key) return preempt_holder(host, request);
  if (victim.value == 0) return only(options_.preempt_of_zero);
  return preempt_key(host, victim);
}

ReservationOutcome NamespaceReservations::preempt_all_others(const ReservationHost& host,
                                                             ReservationType type) {
  own(host, options_.preempt_of_all_changes_type ? type : type_);
  const auto removed = remove([&host](const Registration& one) { return !one.host.is(host); });
  count(removed.size());
  return removed_by(host, removed);
}

ReservationOutcome NamespaceReservations::preempt_holder(const ReservationHost& host,
                                                         const AcquireRequest& request) {
  const bool of_myself = owner()->host.is(host);
  const ReservationType before = type_;
  std::vector<ReservationHost> removed;
  if (of_myself && !options_.preempt_of_own_key_removes_others) {
    type_ = request.type;
  } else {
    own(host, request.type);
    removed = remove([&host, &request](const Registration& one) {
      return one.key == request.victim && !one.host.is(host);
    });
  }
  count(removed.size());
  ReservationOutcome outcome = removed_by(host, removed);
  if (before != type_ || options_.tells_of_every_takeover) {
    tell_others(outcome, host, ReservationNotice::reservation_released);
  }
  return outcome;
}

ReservationOutcome NamespaceReservations::preempt_key(const ReservationHost& host,
                                                      ReservationKey victim) {
  const bool all_hold = held_by_all_registrants(type_);
  const auto removed = remove([victim](const Registration& one) { return one.key == victim; });
  if (removed.empty()) return all_hold ? conflict() : only(options_.preempt_of_unknown_key);
  count(removed.size());
  return removed_by(host, removed);
}

void NamespaceReservations::own(const ReservationHost& host, ReservationType type) {
  for (Registration& one : registrations_) {
    one.owner = one.host.is(host);
    if (one.owner) acquired_with_ = one.key;
  }
  type_ = type;
}

ReservationOutcome NamespaceReservations::release(const ReservationHost& host,
                                                  const ReleaseRequest& request) {
  if (options_.needs_host_identifier && !host.has_identifier()) {
    return only(NvmeStatus::host_identifier_not_initialized);
  }
  if (request.existing_key == ExistingKey::ignore) return only(NvmeStatus::invalid_field);
  const Registration* const mine = find(host);
  if (mine == nullptr || mine->key != request.current) return conflict();
  switch (request.action) {
    case ReleaseAction::release: return give_up(host, request.type);
    case ReleaseAction::clear: return clear(host);
  }
  return only(options_.reserved_action);
}

ReservationOutcome NamespaceReservations::give_up(const ReservationHost& host,
                                                  ReservationType type) {
  if (type_ == ReservationType::none) return {};
  const bool is_holder = holds(*find(host));
  const bool asks_all = options_.release_type_checked == ReleaseTypeChecked::for_every_registrant;
  if (!is_holder && !asks_all) return {};
  if (type != type_) return only(options_.release_of_wrong_type);
  if (!is_holder) return {};
  for (Registration& one : registrations_) one.owner = false;
  type_ = ReservationType::none;
  ReservationOutcome outcome;
  if (release_is_told(type)) tell_others(outcome, host, ReservationNotice::reservation_released);
  return outcome;
}

ReservationOutcome NamespaceReservations::clear(const ReservationHost& host) {
  ReservationOutcome outcome;
  tell_others(outcome, host, ReservationNotice::reservation_preempted);
  count(registrations_.size());
  registrations_.clear();
  type_ = ReservationType::none;
  return outcome;
}

ReservationReport NamespaceReservations::report() const {
  ReservationReport report{.generation = generation_,
                           .type = type_,
                           .persists_through_power_loss = persists_,
                           .registrants{}};
  const bool all_marked = held_by_all_registrants(type_) &&
                          options_.reported_holders == ReportedHolders::every_registrant;
  for (const Registration& one : registrations_) {
    report.registrants.push_back(
        {.host_identifier = one.host.identifier, .key = one.key, .holds = all_marked || one.owner});
  }
  return report;
}

std::optional<ReservationHost> NamespaceReservations::holder() const {
  const Registration* const held = owner();
  if (held == nullptr) return std::nullopt;
  return held->host;
}

ReservationRole NamespaceReservations::role_of(const ReservationHost& host) const {
  const Registration* const known = find(host);
  if (known == nullptr) return ReservationRole::stranger;
  const bool is_holder = known->owner || held_by_all_registrants(type_);
  return is_holder ? ReservationRole::holder : ReservationRole::registrant;
}

NvmeStatus NamespaceReservations::check(const ReservationHost& host, NvmeCommand command) const {
  if (type_ == ReservationType::none) return NvmeStatus::success;
  const Access wanted = access_of(command);
  const Access allowed = allowed_access(type_, role_of(host));
  const bool refused = (wanted.reads && !allowed.reads) || (wanted.writes && !allowed.writes);
  return refused ? NvmeStatus::reservation_conflict : NvmeStatus::success;
}

void NamespaceReservations::lose_power() {
  if (persists_) return;
  registrations_.clear();
  type_ = ReservationType::none;
  generation_ = 0;
}

const NamespaceReservations::Registration* NamespaceReservations::find(
    const ReservationHost& host) const {
  const auto found = std::ranges::find_if(
      registrations_, [&host](const Registration& one) { return one.host.is(host); });
  return found == registrations_.end() ? nullptr : &*found;
}

NamespaceReservations::Registration* NamespaceReservations::find(const ReservationHost& host) {
  return const_cast<Registration*>(std::as_const(*this).find(host));
}

const NamespaceReservations::Registration* NamespaceReservations::owner() const {
  const auto found = std::ranges::find_if(registrations_, &Registration::owner);
  return found == registrations_.end() ? nullptr : &*found;
}

bool NamespaceReservations::holds(const Registration& registration) const {
  const bool every_registrant =
      options_.all_registrants_holders == AllRegistrantsHolders::every_registrant;
  return registration.owner || (every_registrant && held_by_all_registrants(type_));
}

template <class Chosen>
std::vector<ReservationHost> NamespaceReservations::remove(Chosen chosen) {
  std::vector<ReservationHost> removed;
  std::vector<Registration> kept;
  for (const Registration& one : registrations_) {
    if (chosen(one)) {
      removed.push_back(one.host);
    } else {
      kept.push_back(one);
    }
  }
  registrations_ = std::move(kept);
  if (type_ == ReservationType::none || owner() != nullptr) return removed;
  if (held_by_all_registrants(type_) && !registrations_.empty()) {
    registrations_.front().owner = true;
  } else {
    type_ = ReservationType::none;
  }
  return removed;
}

ReservationOutcome NamespaceReservations::removed_by(const ReservationHost& host,
                                                     const std::vector<ReservationHost>& removed) {
  ReservationOutcome outcome;
  for (const ReservationHost& one : removed) {
    if (one.is(host)) continue;
    outcome.preempted.push_back(one);
    outcome.notices.push_back({.to = one, .kind = ReservationNotice::registration_preempted});
  }
  return outcome;
}

void NamespaceReservations::tell_others(ReservationOutcome& outcome, const ReservationHost& issuer,
                                        ReservationNotice kind) const {
  for (const Registration& one : registrations_) {
    if (!one.host.is(issuer)) outcome.notices.push_back({.to = one.host, .kind = kind});
  }
}

void NamespaceReservations::count(std::size_t registrants) {
  const bool per_command = options_.generation_counts == GenerationCounts::commands;
  generation_ += per_command ? 1 : static_cast<std::uint32_t>(registrants);
}

}  // namespace drydock::sim
