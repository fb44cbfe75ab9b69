#include "engine/broker/metrics_text.hpp"

#include <algorithm>

namespace drydock {

namespace {

std::string_view name_of(MetricKind kind) {
  return kind == MetricKind::counter ? "counter" : "gauge";
}

std::string_view status_of(HttpRequest request) {
  switch (request) {
    case HttpRequest::metrics:
    case HttpRequest::metrics_head: return "200 OK";
    case HttpRequest::not_found: return "404 Not Found";
    case HttpRequest::method_not_allowed: return "405 Method Not Allowed";
    case HttpRequest::too_long: return "431 Request Header Fields Too Large";
    case HttpRequest::incomplete:
    case HttpRequest::bad: break;
  }
  return "400 Bad Request";
}

bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= 'A' && c <= 'Z'; });
}

}  // namespace

MetricsText::MetricsText(std::initializer_list<Label> common) {
  for (const Label& label : common) add(label);
  common_ = std::exchange(text_, {});
}

void MetricsText::add(Label label) {
  text_ += label.first;
  text_ += "=\"";
  for (const char c : label.second) {
    if (c == '\\' || c == '"') text_ += '\\';
    if (c == '\n') {
      text_ += "\\n";
    } else {
      text_ += c;
    }
  }
  text_ += "\",";
}

void MetricsText::family(std::string_view name, MetricKind kind, std::string_view help) {
  name_ = name;
  text_ += "# HELP " + name_ + " ";
  text_ += help;
  text_ += "\n# TYPE " + name_ + " ";
  text_ += name_of(kind);
  text_ += '\n';
}

void MetricsText::sample(std::int64_t value, std::initializer_list<Label> labels) {
  text_ += name_;
  text_ += '{' + common_;
  for (const Label& label : labels) add(label);
  if (text_.back() == ',') text_.pop_back();
  text_ += "} " + std::to_string(value) + '\n';
}

HttpRequest read_http_request(std::string_view received) {
  const std::size_t end = received.find("\r\n\r\n");
  if (std::min(end, received.size()) > kHttpHeadBytesMax) return HttpRequest::too_long;
  if (end == std::string_view::npos) return HttpRequest::incomplete;
  const std::string_view line = received.substr(0, received.find("\r\n"));
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return HttpRequest::bad;
  const std::string_view method = line.substr(0, first);
  std::string_view target = line.substr(first + 1, last - first - 1);
  if (!is_token(method) || !line.substr(last + 1).starts_with("HTTP/1.") || target.empty() ||
      target.front() != '/' || target.find(' ') != std::string_view::npos) {
    return HttpRequest::bad;
  }
  target = target.substr(0, target.find('?'));
  if (target != "/metrics") return HttpRequest::not_found;
  if (method == "GET") return HttpRequest::metrics;
  return method == "HEAD" ? HttpRequest::metrics_head : HttpRequest::method_not_allowed;
}

std::string http_response(HttpRequest request, std::string_view metrics) {
  const bool found = request == HttpRequest::metrics || request == HttpRequest::metrics_head;
  std::string body(found ? metrics : status_of(request));
  if (!found) body += '\n';
  std::string response = "HTTP/1.1 ";
  response += status_of(request);
  response += "\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: ";
  response += std::to_string(body.size());
  if (request == HttpRequest::method_not_allowed) response += "\r\nAllow: GET, HEAD";
  response += "\r\nConnection: close\r\n\r\n";
  return request == HttpRequest::metrics_head ? response : response + body;
}

}  // namespace drydock
