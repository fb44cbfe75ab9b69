// Asks name servers for routes: one at a time, always the same one until it can't be reached, then
// the next one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/wire/request_connection.hpp"
#include "engine/wire/topic_route.hpp"

namespace drydock {

class NameServerClient {
 public:
  // Begins with the one at `first` modulo their number. `name_servers` is not empty.
  NameServerClient(Context& context, const std::vector<Endpoint>& name_servers, std::size_t first);

  // The route of a topic. Name servers that can't be reached are skipped while there is time.
  // Errors: not_found if the one that was asked doesn't know the topic; timed_out; cancelled;
  // io_error for any other answer; what connecting gave if none can be reached.
  Task<Result<TopicRoute>> route_of(std::string topic, Deadline deadline);

  Task<void> close();

 private:
  std::vector<std::unique_ptr<RequestConnection>> connections_;
  std::size_t current_;
};

}  // namespace drydock
