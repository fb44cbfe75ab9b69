// A file below config/ of the store's directory, in which a broker keeps what it knows besides
// messages (storage reference, 1.2).
//
// It is written as a whole, and so is X.bak, which holds the content that X had before. Reading
// takes X; if that is missing, empty or no JSON of its kind, X.bak. If there is nothing in X.bak,
// either, the broker starts with nothing. How X is replaced is a behaviour switch,
// config.rewritten-in-place.
#pragma once

#include <string>
#include <string_view>

#include "engine/broker/config_content.hpp"
#include "engine/runtime/context.hpp"
#include "engine/store/store_configuration.hpp"

namespace drydock {

class ConfigFile {
 public:
  // The file `name`. `content` and `store` outlive it.
  ConfigFile(Context& context, const StoreConfiguration& store, std::string_view name,
             ConfigContent& content)
      : context_(context),
        store_(store),
        directory_(store.store_path_root + "/config"),
        path_(directory_ + "/" + std::string(name)),
        content_(content) {}

  // Error: invalid_argument if X is of no use and X.bak is not of its kind; else what reading X.bak
  // gave. The log says which file.
  Task<Result<void>> load(Worker& worker);

  // The content has changed since it was read or written.
  bool behind() const { return saved_ != content_.changes(); }
  // The file has what was the content when it had changed so often, or what came later.
  bool has(std::uint64_t changes) const { return saved_ >= changes; }
  // It has changed since it was last tried to write it: who saves for every message does not try in
  // vain for every message.
  bool untried() const { return behind() && tried_ != content_.changes(); }
  // Writes the content if it has changed. An error, which the log tells, leaves it behind.
  Task<void> save(Worker& worker);
  // The same, but not for a content with which it was tried before. Who is trying is waited for:
  // afterwards the content is in the file, or can't be written.
  Task<void> save_once(Worker& worker);

 private:
  enum class Found : std::uint8_t { nothing, refused, taken };
  Task<Result<Found>> take(Worker& worker, std::string path);
  // Empty: the file is missing, or empty.
  Task<Result<SharedBytes>> whole(Worker& worker, std::string path);
  Task<Result<void>> replace(Worker& worker, SharedBytes text);
  Task<Result<void>> rewrite(Worker& worker, std::string path, SharedBytes text);
  Task<Result<void>> rename_over(Worker& worker, SharedBytes text);
  std::string backup_path() const { return path_ + ".bak"; }

  Context& context_;
  const StoreConfiguration& store_;
  std::string directory_;
  std::string path_;
  ConfigContent& content_;
  std::uint64_t saved_ = 0;
  std::uint64_t tried_ = 0;
  Mutex writing_;
};

}  // namespace drydock
