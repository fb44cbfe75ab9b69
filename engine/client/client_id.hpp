// How a client process calls itself towards brokers: "10.0.0.1@17", its address and process.
#pragma once

#include <string>

#include "engine/runtime/context.hpp"
#include "engine/wire/endpoint_text.hpp"
#include "engine/wire/remoting_command.hpp"

namespace drydock {

inline std::string client_id_of(const Context& context) {
  std::string id = to_text({context.network.address(), 0});
  id.resize(id.size() - 2);  // Without ":0".
  id += "@";
  id += DecimalText(context.scope.process().id().value()).view();
  return id;
}

}  // namespace drydock
