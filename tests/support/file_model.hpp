// What the file system's contract lets a power cut leave: a deliberately simple model.
//
// A file is a list of changes. A *floor* is a point in that list below which nothing may be lost
// (a sync returned). After a power cut every byte must have the value it had at its floor, or a
// value that a later change gave it; the size must lie between the smallest and the largest that
// the file has had since its floor. Names are a list of states, each the whole directory; after a
// cut one of the states since the last durable one is found. A rename over another file is a floor
// of the renamed file, but only for those who find the rename done (rule R4; not in xfs).
//
// Where nothing orders data (data=writeback), a file that has grown since its floor may show, from
// its old end to the end of that page, whatever the block held there; and if blocks count from
// their allocation on (no dioread_nolock), so may all of a page that was written. Such bytes are
// not looked at.
//
// The model knows nothing of blocks and transactions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace drydock::test {

enum class DeviceCache : std::uint8_t { lost, kept };
enum class OldBlocks : std::uint8_t { never_seen, behind_old_ends, in_written_pages };

class ModelFile {
 public:
  explicit ModelFile(std::string content) : base_(std::move(content)), now_(base_) {}

  const std::string& now() const { return now_; }
  // The position in the list of changes.
  std::size_t position() const { return changes_.size(); }

  void write(std::size_t offset, std::size_t length, char value) {
    change({.offset = offset, .length = length, .value = value});
  }
  void resize(std::size_t size) { change({.resize = size}); }
  // At least so long, as fallocate does.
  void extend(std::size_t size) {
    if (size > now_.size()) resize(size);
  }
  // The last change was interrupted by a kill; `before` is the file without it. If `found` is
  // something between the two it is what the file is now. Else what is wrong.
  std::string accept_in_doubt(const std::string& before, const std::string& found);

  // From now on a floor at `position`, for the whole file. `state`: only for those who find names
  // of that state or a later one.
  void add_floor(std::size_t position, std::size_t state = 0) {
    floors_.push_back({position, 0, SIZE_MAX, SIZE_MAX, state});
  }
  // The same for the bytes [from, to) alone. The size is then as large as what was written there
  // needs; a hole may be behind the end of the file that is found.
  void add_floor_of_range(std::size_t position, std::size_t from, std::size_t to);

  // The host is gone and `found` is left, with names of state `state`; but not all of that need be
  // on the media.
  void host_lost(const std::string& found, std::size_t state);

  // Empty if a power cut may leave `found`, with names of state `state`; else what is wrong.
  std::string objection(const std::string& found, std::size_t state, OldBlocks old_blocks) const;

 private:
  struct Change {
    std::size_t offset = 0;
    std::size_t length = 0;
    char value = 0;
    std::optional<std::size_t> resize;
    std::optional<std::string> seen;
  };
  struct Floor {
    std::size_t position;
    std::size_t from;
    std::size_t to;
    std::size_t reach;  // The size is at least that, or the size at the floor.
    std::size_t state;
  };

  static void apply(const Change& change, std::string& content);
  void change(Change change) {
    apply(change, now_);
    changes_.push_back(std::move(change));
  }
  std::size_t floor_of(std::size_t byte, std::size_t state) const;
  // Whether anything was written to the byte's page since; whether the file grew over it.
  bool page_written_since(std::size_t byte, std::size_t position) const;
  static bool behind_old_end_since(std::size_t byte, std::size_t position,
                                   const std::vector<std::string>& history);

  std::string base_;  // Durable.
  std::string now_;
  std::vector<Change> changes_;
  std::vector<Floor> floors_;
};

// The root directory's names and the files behind them.
class ModelDirectory {
 public:
  using Names = std::map<std::string, std::shared_ptr<ModelFile>>;

  explicit ModelDirectory(bool rename_over_flushes = true,
                          OldBlocks old_blocks = OldBlocks::never_seen)
      : states_(1), rename_over_flushes_(rename_over_flushes), old_blocks_(old_blocks) {}

  const Names& now() const { return states_.back(); }
  std::shared_ptr<ModelFile> find(const std::string& name) const {
    const auto entry = now().find(name);
    return entry == now().end() ? nullptr : entry->second;
  }
  std::size_t state() const { return states_.size() - 1; }

  void create(const std::string& name) {
    Names names = now();
    names[name] = std::make_shared<ModelFile>("");
    born_[names[name].get()] = states_.size();
    changed_[names[name].get()] = states_.size();
    states_.push_back(std::move(names));
  }
  void remove(const std::string& name) {
    Names names = now();
    names.erase(name);
    states_.push_back(std::move(names));
  }
  void rename(const std::string& from, const std::string& to) {
    Names names = now();
    const std::shared_ptr<ModelFile> moved = names[from];
    if (names.contains(to) && rename_over_flushes_)
      moved->add_floor(moved->position(), states_.size());
    changed_[moved.get()] = states_.size();
    names.erase(from);
    names[to] = moved;
    states_.push_back(std::move(names));
  }

  // Names up to this state are durable.
  void names_are_durable(std::size_t state) { durable_ = std::max(durable_, state); }
  // What a sync of the file makes durable of the names: that it exists; where it is.
  std::size_t born(const ModelFile& file) { return born_[&file]; }
  std::size_t changed(const ModelFile& file) { return changed_[&file]; }

  using Found = std::map<std::string, std::string>;
  // A power cut left this. Empty if it may, and the model goes on from there; else what is wrong.
  // Names and sizes are durable then, because the journal has been replayed; so are bytes, unless
  // the device's cache kept its power, and with it what it has not written.
  std::string accept_after_power_cut(const Found& found, DeviceCache cache = DeviceCache::lost);
  // Nothing happened to the host: `found` must be what was written. Else what is wrong.
  std::string accept_alive(const Found& found) const;

 private:
  void start_anew(const Found& found);
  void go_on(const Found& found, std::size_t state);

  std::vector<Names> states_;
  bool rename_over_flushes_;
  OldBlocks old_blocks_;
  std::size_t durable_ = 0;
  // Looked up only, never walked: the order of addresses decides nothing.
  std::unordered_map<const ModelFile*, std::size_t> born_;
  std::unordered_map<const ModelFile*, std::size_t> changed_;
};

}  // namespace drydock::test
