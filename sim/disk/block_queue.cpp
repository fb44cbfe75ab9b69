#include "sim/disk/block_queue.hpp"

#include <algorithm>

#include "sim/disk/sim_disk.hpp"

namespace drydock::sim {

BlockQueue::BlockQueue(Kernel& kernel, SimDisk& disk, BlockQueueOptions options)
    : kernel_(kernel),
      disk_(disk),
      options_(options),
      requests_(options.requests > 0 ? options.requests : std::numeric_limits<int>::max()),
      reads_(kernel, *this, disk.id().value(), options.throttle.reads),
      writes_(kernel, *this, disk.id().value(), options.throttle.writes),
      writeback_(options.wbt_target, options.requests),
      time_out_(*this, &BlockQueue::time_out, 0, disk.id().value()) {
  ENSURE(options.links > 0);
  ENSURE(options.retries >= 0);
  plain_ = !reads_.limited() && !writes_.limited();
  for (int link = 0; link < options.links; ++link) {
    links_.push_back({.timer = std::make_unique<Timer>(*this, &BlockQueue::link_timer_rang, link,
                                                       disk.id().value()),
                      .lost = std::make_unique<IntrusiveList>()});
  }
}

void BlockQueue::set_throttle(const BlockThrottle& throttle) {
  options_.throttle = throttle;
  reads_.set(throttle.reads);
  writes_.set(throttle.writes);
  plain_ = false;  // Also without limits: those who wait already go first.
}

void BlockQueue::pass_throttle(DiskCommand& command) {
  const bool reads = command.kind() == DiskCommand::Kind::read;
  if (!reads && command.kind() != DiskCommand::Kind::write) return pass_writeback(command);
  ThrottleLine& line = reads ? reads_ : writes_;
  const bool journal = command.purpose() == DiskCommand::Purpose::journal;
  if (journal && options_.throttle.journal_as_debt) {
    line.pass(command);
  } else if (!line.enter(command)) {
    command.throttled_ = true;
    return;
  }
  pass_writeback(command);
}

void BlockQueue::pass_writeback(DiskCommand& command) {
  if (writeback_.counts(command)) {
    const bool others_wait = !waiting_for_writeback_.empty();
    if (others_wait || !writeback_.has_room(command.urgency(), kernel_.now())) {
      return line_up(waiting_for_writeback_, command);
    }
    writeback_.write_started();
    command.in_writeback_ = true;
  }
  take_tag(command);
}

void BlockQueue::take_tag(DiskCommand& command) {
  if (at_device_ >= requests_ || !waiting_for_tag_.empty()) {
    return line_up(waiting_for_tag_, command);
  }
  send(command);
}

void BlockQueue::line_up(IntrusiveList& line, DiskCommand& command) {
  line.push_back(command);
  if (command.throttled_ || std::exchange(command.blocks_, true)) return;
  command.submitter_blocked();
}

void BlockQueue::start(DiskCommand& command) {
  if (links_[static_cast<std::size_t>(link_)].state != LinkState::up) [[unlikely]]
    return start_anyhow(command);
  command.link_ = link_;
  command.sent_at_ = kernel_.now();
  if (options_.io_timeout) {
    command.aborted_ = false;
    command.deadline_ = kernel_.now() + options_.io_timeout->count_ns();
    if (!time_out_.linked()) kernel_.at(time_out_, command.deadline_);
  }
  if (command.kind() == DiskCommand::Kind::read) writeback_.read_started(kernel_.now());
  disk_.send(command);
}

void BlockQueue::start_anyhow(DiskCommand& command) {
  choose_link();
  Link& link = links_[static_cast<std::size_t>(link_)];
  switch (link.state) {
    case LinkState::up: return start(command);
    case LinkState::cut: command.link_ = link_; return link.lost->push_back(command);
    case LinkState::removed: return disk_.fail(command);
    case LinkState::down:
    case LinkState::resetting: return parked_.push_back(command);
  }
}

// The one in use for as long as it can be used. A removed one only if nothing else is left.
void BlockQueue::choose_link() {
  const auto rank = [this](int link) {
    switch (links_[static_cast<std::size_t>(link)].state) {
      case LinkState::up:
      case LinkState::cut: return 0;  // The host does not know yet.
      case LinkState::down:
      case LinkState::resetting: return 1;
      case LinkState::removed: break;
    }
    return 2;
  };
  int best = link_;
  for (int step = 1; step < options_.links; ++step) {
    const int link = (link_ + step) % options_.links;
    if (rank(link) < rank(best)) best = link;
  }
  link_ = best;
}

void BlockQueue::ended(DiskCommand& command) {
  if (command.tagged_) --at_device_;
  if (command.tagged_ && is_io(command)) count(command);
  if (command.in_writeback_) writeback_.write_ended(kernel_.now());
  if (command.kind() == DiskCommand::Kind::read && command.tagged_ && writeback_.on()) {
    writeback_.read_ended(command.sent_at_, kernel_.now());
  }
  if (!waiting_for_tag_.empty() || !waiting_for_writeback_.empty()) [[unlikely]]
    move_on();
}

void BlockQueue::count(const DiskCommand& command) {
  const std::int64_t now = kernel_.now();
  if (command.kind() == DiskCommand::Kind::read) {
    io_.read_ended(command.tagged_at_, now, command.length());
  } else {
    io_.write_ended(command.tagged_at_, now, command.length());
  }
}

void BlockQueue::move_on() {
  while (!waiting_for_tag_.empty() && at_device_ < requests_) {
    auto& command = static_cast<DiskCommand&>(*waiting_for_tag_.front());
    command.unlink();
    send(command);
  }
  while (!waiting_for_writeback_.empty()) {
    auto& command = static_cast<DiskCommand&>(*waiting_for_writeback_.front());
    if (!writeback_.has_room(command.urgency(), kernel_.now())) return;
    command.unlink();
    writeback_.write_started();
    command.in_writeback_ = true;
    take_tag(command);
  }
}

void BlockQueue::host_lost() {
  time_out_.unlink();
  for (Link& link : links_) {
    link.timer->unlink();
    const bool cut = link.state == LinkState::cut || link.state == LinkState::down;
    link.state = cut ? LinkState::down : LinkState::up;
  }
}

// Those first that the device has not begun: a server that becomes free meanwhile is not for them.
template <class Visit>
void BlockQueue::for_each_sent(Visit visit) {
  for (const bool started : {false, true}) {
    disk_.for_each_command([this, &visit, started](DiskCommand& command) {
      if (command.queue_ != this || !command.sent_ || command.decided_) return;
      if (command.started_ == started) visit(command);
    });
  }
}

void BlockQueue::time_out(int) {
  const std::int64_t now = kernel_.now();
  std::vector<DiskCommand*> aborted;
  std::vector<int> stuck;  // Links.
  for_each_sent([this, now, &aborted, &stuck](DiskCommand& command) {
    if (command.deadline_ > now) return;
    if (command.aborted_) {
      if (std::ranges::find(stuck, command.link_) == stuck.end()) stuck.push_back(command.link_);
      return;
    }
    command.aborted_ = true;
    command.deadline_ = now + options_.io_timeout->count_ns();
    if (disk_.abort(command)) aborted.push_back(&command);
  });
  for (DiskCommand* const command : aborted) send_again(*command);
  for (const int link : stuck) reset(link);
  std::int64_t next = std::numeric_limits<std::int64_t>::max();
  for_each_sent([&next](DiskCommand& command) { next = std::min(next, command.deadline_); });
  if (next != std::numeric_limits<std::int64_t>::max()) kernel_.at(time_out_, next);
}

void BlockQueue::reset(int number) {
  Link& link = links_[static_cast<std::size_t>(number)];
  link.state = LinkState::resetting;
  link.comes_back = true;
  disk_.controllers_reset(*this);
  std::vector<DiskCommand*> commands;
  for_each_sent([this, number, &link, &commands](DiskCommand& command) {
    if (command.link_ != number) return;
    if (!disk_.reset(command)) link.comes_back = false;
    commands.push_back(&command);
  });
  kernel_.after(*link.timer, link.comes_back ? options_.reset_time : options_.admin_timeout);
  for (DiskCommand* const command : commands) send_again(*command);
}

void BlockQueue::send_again(DiskCommand& command) {
  const bool about_reservations = command.kind() == DiskCommand::Kind::reservation;
  if (about_reservations || ++command.tries_ > options_.retries) return disk_.fail(command);
  start(command);
}

void BlockQueue::link_timer_rang(int number) {
  Link& link = links_[static_cast<std::size_t>(number)];
  if (link.state == LinkState::cut) {
    link.state = LinkState::down;
    if (options_.link_loss_timeout) kernel_.after(*link.timer, *options_.link_loss_timeout);
    return send_lost(link);
  }
  if (link.state == LinkState::down) {
    link.state = LinkState::removed;
    return send_all(parked_);
  }
  ENSURE(link.state == LinkState::resetting);
  link.state = link.comes_back ? LinkState::up : LinkState::removed;
  send_all(parked_);
}

bool BlockQueue::cut(int number, LinkLoss loss) {
  Link& link = links_.at(static_cast<std::size_t>(number));
  const bool was_up = link.state == LinkState::up;
  if (!was_up && link.state != LinkState::resetting) return false;
  link.state = LinkState::cut;
  for_each_sent([this, number, &link, &loss](DiskCommand& command) {
    if (command.link_ != number) return;
    disk_.leave_behind(command, loss.late_by);
    link.lost->push_back(command);
  });
  kernel_.after(*link.timer, loss.noticed_after);
  return true;
}

void BlockQueue::mend(int number) {
  Link& link = links_.at(static_cast<std::size_t>(number));
  if (link.state != LinkState::cut && link.state != LinkState::down) return;
  link.timer->unlink();
  link.state = LinkState::up;
  send_lost(link);
  send_all(parked_);
}

void BlockQueue::send_lost(Link& link) {
  IntrusiveList lost;
  lost.take_all(*link.lost);
  while (!lost.empty()) {
    auto& command = static_cast<DiskCommand&>(*lost.front());
    command.unlink();
    if (command.kind() == DiskCommand::Kind::reservation) {
      disk_.fail(command);
    } else {
      start(command);
    }
  }
}

void BlockQueue::send_all(IntrusiveList& list) {
  IntrusiveList commands;
  commands.take_all(list);
  while (!commands.empty()) {
    auto& command = static_cast<DiskCommand&>(*commands.front());
    command.unlink();
    start(command);
  }
}

}  // namespace drydock::sim
