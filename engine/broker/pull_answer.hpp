// What a lookup in the store means to the client that pulled (storage reference, 3.6). Pure.
#pragma once

#include "engine/store/message_reader.hpp"
#include "engine/wire/remoting_command.hpp"

namespace drydock {

// Who answers.
struct PullBroker {
  bool is_slave = false;
  bool slave_read_enable = false;
  bool offset_check_in_slave = false;
};

// Whom the consumers' group should ask, as it is configured.
struct PullGroup {
  std::int64_t broker_id = 0;     // brokerId
  std::int64_t when_slow_id = 1;  // whichBrokerWhenConsumeSlowly
};

struct PullAnswer {
  ResponseCode code = ResponseCode::system_error;
  std::int64_t suggested_broker_id = 0;  // Where the client should pull next.
  friend bool operator==(const PullAnswer&, const PullAnswer&) = default;
};

// `asked`: the offset in the request. A slave sends its readers back to the master: RocketMQ's
// takes the master to be alive, whether it is or not, unless enableSlaveActingMaster is on, which
// is refused here. With nothing to return it makes them try again at once.
PullAnswer answer_of(const GetResult& result, QueueOffset asked, const PullBroker& broker,
                     const PullGroup& group = {});

}  // namespace drydock
