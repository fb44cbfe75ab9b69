#include "tests/support/file_model.hpp"

namespace drydock::test {

namespace {

constexpr std::size_t kPage = 4096;

}  // namespace

void ModelFile::apply(const Change& change, std::string& content) {
  if (change.seen) {
    content = *change.seen;
  } else if (change.resize) {
    content.resize(*change.resize, '\0');
  } else {
    const std::size_t end = change.offset + change.length;
    if (content.size() < end) content.resize(end, '\0');
    std::fill_n(content.begin() + static_cast<std::ptrdiff_t>(change.offset), change.length,
                change.value);
  }
}

void ModelFile::add_floor_of_range(std::size_t position, std::size_t from, std::size_t to) {
  std::size_t reach = from < base_.size() ? std::min(base_.size(), to) : 0;
  for (std::size_t i = 0; i < position; ++i) {
    const Change& change = changes_[i];
    const std::size_t end = change.offset + change.length;
    if (change.seen) reach = 0;  // What was written of it is not known.
    if (change.resize) reach = std::min(reach, *change.resize);
    if (change.offset < to && end > from) reach = std::max(reach, std::min(end, to));
  }
  floors_.push_back({position, from, to, reach, 0});
}

// The highest floor that holds for a byte, as seen from a state of names.
std::size_t ModelFile::floor_of(std::size_t byte, std::size_t state) const {
  std::size_t highest = 0;
  for (const Floor& floor : floors_) {
    if (floor.state > state || byte < floor.from || byte >= floor.to) continue;
    highest = std::max(highest, floor.position);
  }
  return highest;
}

bool ModelFile::page_written_since(std::size_t byte, std::size_t position) const {
  for (std::size_t i = position; i < changes_.size(); ++i) {
    const Change& change = changes_[i];
    if (change.seen || change.resize) return true;  // Cutting clears the rest of a page.
    if (change.length == 0) continue;
    const std::size_t last = (change.offset + change.length - 1) / kPage;
    if (change.offset / kPage <= byte / kPage && byte / kPage <= last) return true;
  }
  return false;
}

bool ModelFile::behind_old_end_since(std::size_t byte, std::size_t position,
                                     const std::vector<std::string>& history) {
  for (std::size_t i = position; i + 1 < history.size(); ++i) {
    const std::size_t end = history[i].size();
    if (history[i + 1].size() > end && byte >= end && byte / kPage == end / kPage) return true;
  }
  return false;
}

std::string ModelFile::objection(const std::string& found, std::size_t state,
                                 OldBlocks old_blocks) const {
  // The file after each number of changes.
  std::vector<std::string> history{base_};
  for (const Change& change : changes_) {
    history.push_back(history.back());
    apply(change, history.back());
  }
  const auto smallest_since = [&history](std::size_t position) {
    std::size_t smallest = SIZE_MAX;
    for (std::size_t i = position; i < history.size(); ++i) {
      smallest = std::min(smallest, history[i].size());
    }
    return smallest;
  };
  std::size_t smallest = smallest_since(0);
  std::size_t whole_floor = 0;
  for (const Floor& floor : floors_) {
    if (floor.state > state) continue;
    smallest = std::max(smallest, std::min(floor.reach, smallest_since(floor.position)));
    if (floor.to == SIZE_MAX) whole_floor = std::max(whole_floor, floor.position);
  }
  std::size_t largest = 0;
  for (std::size_t i = whole_floor; i < history.size(); ++i) {
    largest = std::max(largest, history[i].size());
  }
  if (found.size() < smallest || found.size() > largest) {
    return "size " + std::to_string(found.size()) + " is outside " + std::to_string(smallest) +
           ".." + std::to_string(largest);
  }
  for (std::size_t byte = 0; byte < found.size(); ++byte) {
    const std::size_t floor = floor_of(byte, state);
    bool allowed =
        (old_blocks == OldBlocks::in_written_pages && page_written_since(byte, floor)) ||
        (old_blocks != OldBlocks::never_seen && behind_old_end_since(byte, floor, history));
    for (std::size_t i = floor; i < history.size() && !allowed; ++i) {
      const char value = byte < history[i].size() ? history[i][byte] : '\0';
      allowed = value == found[byte];
    }
    if (!allowed) {
      return "byte " + std::to_string(byte) + " is " +
             std::to_string(static_cast<unsigned char>(found[byte])) +
             ", which it never was since " + "its floor";
    }
  }
  return "";
}

std::string ModelFile::accept_in_doubt(const std::string& before, const std::string& found) {
  const std::string after = now_;
  const std::size_t smaller = std::min(before.size(), after.size());
  const std::size_t larger = std::max(before.size(), after.size());
  if (found.size() < smaller || found.size() > larger) return "has an impossible size";
  const auto at = [](const std::string& content, std::size_t byte) {
    return byte < content.size() ? content[byte] : '\0';
  };
  for (std::size_t byte = 0; byte < found.size(); ++byte) {
    const bool old_or_new = found[byte] == at(before, byte) || found[byte] == at(after, byte);
    if (!old_or_new) return "byte " + std::to_string(byte) + " is neither old nor new";
  }
  change({.seen = found});
  return "";
}

void ModelFile::host_lost(const std::string& found, std::size_t state) {
  std::erase_if(floors_, [state](const Floor& floor) { return floor.state > state; });
  for (Floor& floor : floors_) floor.state = 0;  // States are counted anew.
  change({.seen = found});
}

std::string ModelDirectory::accept_after_power_cut(const Found& found, DeviceCache cache) {
  std::string objections;
  for (std::size_t state = states_.size(); state-- > durable_;) {
    const Names& names = states_[state];
    std::string objection;
    if (names.size() != found.size()) objection = "other names";
    for (const auto& [name, content] : found) {
      if (!objection.empty()) break;
      const auto entry = names.find(name);
      if (entry == names.end()) {
        objection = "other names";
      } else {
        objection = entry->second->objection(content, state, old_blocks_);
        if (!objection.empty()) objection = name + ": " + objection;
      }
    }
    if (objection.empty()) {
      if (cache == DeviceCache::kept) {
        go_on(found, state);
      } else {
        start_anew(found);
      }
      return "";
    }
    objections += "as state " + std::to_string(state) + ": " + objection + "; ";
  }
  return objections;
}

std::string ModelDirectory::accept_alive(const Found& found) const {
  for (const auto& [name, content] : found) {
    const std::shared_ptr<ModelFile> file = find(name);
    if (file == nullptr) return name + " should not exist";
    if (content != file->now()) return name + " differs from what was written";
  }
  if (found.size() != now().size()) return "a name is missing";
  return "";
}

void ModelDirectory::go_on(const Found& found, std::size_t state) {
  const Names names = states_[state];
  for (const auto& [name, file] : names) file->host_lost(found.at(name), state);
  states_ = {names};
  durable_ = 0;
  born_.clear();
  changed_.clear();
}

void ModelDirectory::start_anew(const Found& found) {
  Names names;
  for (const auto& [name, content] : found) names[name] = std::make_shared<ModelFile>(content);
  states_ = {names};
  durable_ = 0;
  born_.clear();
  changed_.clear();
}

}  // namespace drydock::test
