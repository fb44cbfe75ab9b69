#include "tests/contract/answers.hpp"

namespace drydock::contract {

std::span<const Divergence> explained_divergences() {
  static constexpr Divergence kExplained[] = {
      {"accept with a past deadline while a connection waits", "timed_out", "ok",
       "the simulated loopback takes time: the handshake's last segment is still on its way"},
      {"mount a disk", "ok", "not offered",
       "mount(2), umount(2) and BLKFLSBUF need CAP_SYS_ADMIN; engine/linux has no HostControl yet, "
       "and its contracts are skipped"},
      {"open a path with a dot", "invalid_argument", "ok",
       "the kernel resolves it; the simulation refuses what the interface does not offer"},
      {"open a path with two dots", "invalid_argument", "ok", "as with one dot"},
      {"read after a write was reset", "end_of_stream", "connection_reset",
       "recv(2) answers 0 here, as the FIN came first (SOCK_DONE); engine/linux remembers that the "
       "connection broke. Callers end the connection either way"},
      {"state of a process that was asked to stop", "exited", "killed",
       "the Linux program of this test has no handler for SIGTERM; a simulated one always has"},
      {"store at once into pinned pages", "stored", "not stored",
       "engine/linux stores between two wake-ups, under watch: a page under writeback can block "
       "even if it is pinned"},
  };
  return kExplained;
}

}  // namespace drydock::contract
