#include "scenarios/workload/producer_program.hpp"

#include "scenarios/workload/bodies.hpp"

namespace drydock::scenarios {
namespace {

// What the slots of one producer share. A slot is one send at a time; there are `in_flight` of
// them.
struct Sender {
  Context& context;
  const ProducerSpec& spec;
  Recorder& recorder;
  std::unique_ptr<Producer> producer;
  SharedBytes topic;
  MonotonicTime started;
  std::uint32_t number;      // In the history.
  std::int64_t claimed = 0;  // Sends whose due time was given to a slot.
  std::int64_t made = 0;

  // When the next send is due. Due times are a fixed grid: a late send does not move the later
  // ones.
  MonotonicTime claim_due_time() {
    const std::int64_t index = claimed++;
    if (spec.rate_per_second == 0) return context.clock.now();
    // Whole seconds and the rest apart: index · 10^9 would leave 64 bits in a long run.
    const std::int64_t rate = spec.rate_per_second;
    return started + Duration::s(index / rate) + Duration::s(index % rate) / rate;
  }

  OutgoingMessage next_message(std::uint64_t key) {
    OutgoingMessage message;
    message.topic = topic;
    message.queue_id = static_cast<std::int32_t>(made++ % spec.queues);
    message.key = key;
    message.body = body_of(key, static_cast<std::size_t>(spec.body_bytes));
    message.wait_store_ok = spec.wait_store_ok;
    return message;
  }
};

Task<void> run_slot(Sender& sender) {
  Event& terminate = sender.context.terminate;
  while (!terminate.is_set()) {
    const MonotonicTime due = sender.claim_due_time();
    if (due > sender.context.clock.now()) {
      Result<void> told_to_stop = co_await terminate.wait(due);
      if (told_to_stop || told_to_stop.error().code() == ErrorCode::cancelled) co_return;
    }
    const std::uint64_t key = sender.recorder.invoked(sender.number, sender.spec.body_bytes);
    OutgoingMessage message = sender.next_message(key);
    SendOutcome outcome = co_await sender.producer->send(std::move(message));
    sender.recorder.completed(key, outcome);
    if (outcome.status == SendStatus::acked || sender.spec.rate_per_second > 0) continue;
    const MonotonicTime later = sender.context.clock.now() + kPauseAfterFailure;
    Result<void> told_to_stop = co_await terminate.wait(later);
    if (told_to_stop || told_to_stop.error().code() == ErrorCode::cancelled) co_return;
  }
}

ProducerOptions options_of(const ProducerSpec& spec) {
  ProducerOptions options;
  options.producer_group = spec.name;
  options.send_timeout = spec.timeout;
  options.retries = spec.retries;
  options.default_topic_queue_nums = spec.queues;
  return options;
}

std::unique_ptr<Producer> make_producer(Context& context, const ProducerSpec& spec,
                                        Destination destination) {
  if (destination.broker) {
    return std::make_unique<Producer>(context, *destination.broker, options_of(spec), spec.name);
  }
  return std::make_unique<Producer>(context, std::move(destination.name_servers), options_of(spec),
                                    spec.name);
}

}  // namespace

Task<void> run_producer(Context& context, const ProducerSpec& spec, Destination destination,
                        Recorder& recorder) {
  Sender sender{context,
                spec,
                recorder,
                make_producer(context, spec, std::move(destination)),
                SharedBytes::copy_of(spec.topic),
                context.clock.now(),
                recorder.producer(spec.name, spec.timeout)};
  TaskScope slots(context.scope);
  for (int i = 0; i < spec.in_flight; ++i) slots.spawn(run_slot(sender));
  co_await slots.join();
  co_await sender.producer->close();
}

}  // namespace drydock::scenarios
