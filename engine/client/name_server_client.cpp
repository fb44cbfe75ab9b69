#include "engine/client/name_server_client.hpp"

namespace drydock {

namespace {

constexpr RequestConnectionOptions kConnectionOptions{.connect_timeout = Duration::s(3)};

SharedBytes route_request(std::string_view topic) {
  GetRouteInfoHeader header;
  header.topic = topic;
  const CommandHead head = request_head(RequestCode::get_route_info_by_topic, 0);
  return encode_command(head, header, {}, {});
}

Result<TopicRoute> read_route(const RemotingCommand& answer) {
  if (answer.is(ResponseCode::topic_not_exist)) return ErrorCode::not_found;
  if (!answer.is(ResponseCode::success)) return ErrorCode::io_error;
  std::optional<TopicRoute> route = decode_topic_route(answer.body.span());
  if (!route) return ErrorCode::io_error;
  return std::move(*route);
}

// The request was on its way, or nobody waits any more: no other name server is asked for it.
bool is_final(ErrorCode error) {
  return error == ErrorCode::cancelled || error == ErrorCode::connection_reset;
}

}  // namespace

NameServerClient::NameServerClient(Context& context, const std::vector<Endpoint>& name_servers,
                                   std::size_t first)
    : current_(first % name_servers.size()) {
  for (const Endpoint name_server : name_servers) {
    connections_.push_back(
        std::make_unique<RequestConnection>(context, name_server, kConnectionOptions));
  }
}

Task<Result<TopicRoute>> NameServerClient::route_of(std::string topic, Deadline deadline) {
  Error last = ErrorCode::timed_out;
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    RequestConnection& connection = *connections_[current_];
    Result<RemotingCommand> answer = co_await connection.ask(route_request(topic), deadline);
    if (answer) co_return read_route(*answer);
    last = answer.error();
    if (last.code() == ErrorCode::timed_out) connection.disconnect();
    if (last.code() != ErrorCode::cancelled) current_ = (current_ + 1) % connections_.size();
    if (is_final(last.code())) break;
  }
  co_return last;
}

Task<void> NameServerClient::close() {
  for (const auto& connection : connections_) co_await connection->close();
}

}  // namespace drydock
