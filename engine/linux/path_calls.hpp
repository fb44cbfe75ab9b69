// What LinuxFileSystem's calls do on a lane: plain functions of paths, which may block.
// Those that return an int give 0 or an errno value.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/linux/descriptor.hpp"
#include "engine/linux/mapped_file.hpp"
#include "engine/runtime/file_system.hpp"

namespace drydock::on_linux {

// Something opened, or why not.
struct Opened {
  int error_number = 0;
  OwnedDescriptor descriptor;
  std::int64_t direct_alignment = 0;
  Region region;  // Of map_file.
};

Opened open_file(const std::string& path, const OpenOptions& options);
Opened map_file(const std::string& path, std::int64_t size);
Opened open_locked(const std::string& path);

struct Listing {
  int error_number = 0;
  std::vector<FileInfo> entries;
};
Listing list_directory(const std::string& path);

struct Described {
  int error_number = 0;
  FileInfo info{};
};
Described describe_path(const std::string& path);

struct Space {
  int error_number = 0;
  SpaceInfo info{};
};
Space space_of(const std::string& path);

int make_directories(const std::string& path);
int sync_directory_at(const std::string& path);
int remove_path(const std::string& path);

// errno if `answer` is that of a failed call, else 0.
int errno_of(int answer);

}  // namespace drydock::on_linux
