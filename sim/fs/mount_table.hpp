// Which file system or device a path of a host leads to.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "sim/fs/mount.hpp"
#include "sim/fs/raw_device.hpp"

namespace drydock::sim {

// One per host, shared with its processes. A mount point need not exist as a directory; while
// nothing is mounted there its path leads into the file system above, as on Linux.
class MountTable {
 public:
  struct Place {
    std::shared_ptr<Mount> mount;       // Null for a device.
    std::shared_ptr<RawDevice> device;  // Null for a file.
    std::string path;                   // Inside of the mount.
  };

  void mount(const std::string& point, std::shared_ptr<Mount> mount) { mounts_[point] = mount; }
  void unmount(const std::string& point) { mounts_.erase(point); }
  bool mounted(const std::string& point) const { return mounts_.contains(point); }
  void add_device(const std::string& path, std::shared_ptr<RawDevice> device) {
    devices_[path] = std::move(device);
  }
  void remove_device(const std::string& path) { devices_.erase(path); }

  // Errors: invalid_argument for what is no absolute path; not_found if nothing is mounted there.
  Result<Place> find(const std::string& path) const {
    if (path.empty() || path.front() != '/') return ErrorCode::invalid_argument;
    const auto device = devices_.find(path);
    if (device != devices_.end()) return Place{.device = device->second};
    // The longest mount point that the path lies under.
    std::string point = path;
    for (;;) {
      const auto mount = mounts_.find(point);
      if (mount != mounts_.end()) {
        std::string inside = point == "/" ? path : path.substr(point.size());
        if (inside.empty()) inside = "/";
        return Place{.mount = mount->second, .path = std::move(inside)};
      }
      if (point == "/") return ErrorCode::not_found;
      const std::size_t slash = point.rfind('/');
      point = slash == 0 ? "/" : point.substr(0, slash);
    }
  }

 private:
  std::map<std::string, std::shared_ptr<Mount>> mounts_;
  std::map<std::string, std::shared_ptr<RawDevice>> devices_;
};

}  // namespace drydock::sim
