// conf, behaviour, load: what the programs of the cluster are told.
#include <algorithm>

#include "engine/broker/topics.hpp"
#include "engine/types/behaviour.hpp"
#include "engine/types/seeded_bugs.hpp"
#include "scenarios/drill/conf_key.hpp"
#include "scenarios/loader/did_you_mean.hpp"
#include "scenarios/loader/sections.hpp"

namespace drydock::scenarios {
namespace {

// Of a client that asks no name server. `why_no_slave` says why a slave is none for it.
std::string read_direct_broker(const JsonAt& json, const Drill& drill, const char* why_no_slave) {
  const std::string name = json.name();
  const BrokerSpec* const broker = find_broker(drill, name);
  if (broker == nullptr) {
    json.refuse("there is no broker '" + name + "' in /topology/brokers" +
                did_you_mean(name, names_of(drill.brokers)));
  }
  if (broker->role != "master") {
    json.refuse(std::string("must be the master: ") + why_no_slave);
  }
  return name;
}

// Empty: it asks the name servers.
std::string read_broker_of(const JsonAt& client, const Drill& drill, const char* why_no_slave) {
  if (client.has("broker")) {
    return read_direct_broker(client.at("broker"), drill, why_no_slave);
  }
  if (!drill.name_servers.empty()) return "";
  client.refuse("must name its broker: the topology has no name_servers to ask");
}

// A consumer of a topic that nobody sends to would wait for nothing, and no report would show it.
std::string read_consumed_topic(const JsonAt& json, const Drill& drill) {
  const std::string topic = json.name();
  if (std::ranges::find(drill.producers, topic, &ProducerSpec::topic) == drill.producers.end()) {
    std::vector<std::string_view> topics;
    for (const ProducerSpec& producer : drill.producers) topics.push_back(producer.topic);
    json.refuse("no producer in /load/producers sends to the topic '" + topic + "'" +
                did_you_mean(topic, topics));
  }
  return topic;
}

ConsumerSpec read_consumer(const std::string& name, const JsonAt& json, const Drill& drill) {
  json.allow_only({"host", "broker", "topic", "batch", "after", "pause", "ordered"});
  ConsumerSpec consumer;
  consumer.name = name;
  consumer.host = read_host_name(json.at("host"), drill);
  consumer.broker =
      read_broker_of(json, drill, "a consumer that reads from a slave is not built yet");
  consumer.topic = read_consumed_topic(json.at("topic"), drill);
  if (json.has("batch")) consumer.batch = static_cast<int>(json.at("batch").count(1, 1'024));
  if (json.has("after")) consumer.after = json.at("after").duration();
  if (json.has("ordered")) consumer.ordered = json.at("ordered").boolean();
  if (json.has("pause")) consumer.pause = json.at("pause").duration();
  return consumer;
}

std::string read_topic(const JsonAt& json) {
  const std::string topic = json.name();
  if (!topic_name_allowed(topic)) json.refuse("has more than 127 characters: brokers refuse it");
  if (topic_reserved(topic)) {
    json.refuse("'" + topic +
                "' belongs to the broker itself, which refuses what others send there");
  }
  return topic;
}

ProducerSpec read_producer(const std::string& name, const JsonAt& json, const Drill& drill) {
  json.allow_only({"host", "broker", "topic", "queues", "body", "rate", "in_flight", "timeout",
                   "retries", "wait_store_ok"});
  ProducerSpec producer;
  producer.name = name;
  producer.host = read_host_name(json.at("host"), drill);
  producer.broker = read_broker_of(json, drill, "a slave takes no sends");
  producer.topic = read_topic(json.at("topic"));
  producer.queues = static_cast<int>(json.at("queues").count(1, 1024));
  producer.body_bytes = json.at("body").size();
  if (producer.body_bytes < 1 || producer.body_bytes > 4'194'304) {
    json.at("body").refuse("must be 1 B to 4 MiB");
  }
  if (json.has("rate")) producer.rate_per_second = json.at("rate").rate_per_second();
  producer.in_flight = static_cast<int>(json.at("in_flight").count(1, 65'535));
  producer.timeout = json.at("timeout").duration();
  if (producer.timeout < Duration::ms(1)) json.at("timeout").refuse("must be at least 1 ms");
  producer.retries = static_cast<int>(json.at("retries").count(0, 100));
  if (json.has("wait_store_ok")) producer.wait_store_ok = json.at("wait_store_ok").boolean();
  return producer;
}

std::optional<BuggifySite> buggify_site_named(const std::string& name) {
  for (int i = 0; i < static_cast<int>(BuggifySite::count_); ++i) {
    const auto site = static_cast<BuggifySite>(i);
    if (name == drydock::name_of(site)) return site;
  }
  return std::nullopt;
}

void read_buggify(const JsonAt& json, BehaviourSpec& behaviour) {
  for (const std::string& name : json.keys()) {
    const auto site = buggify_site_named(name);
    if (!site) {
      json.at(name).refuse("there is no such site; drydock list shows them" +
                           did_you_mean<BuggifySite>(name));
    }
    behaviour.buggify[*site] = json.at(name).percent();
    if (behaviour.buggify[*site] == 0) json.at(name).refuse("must be at least 1%");
  }
}

}  // namespace

std::string read_conf_value(const JsonAt& keys, const std::string& key) {
  const std::string why = why_unknown(key);
  if (!why.empty()) keys.at(key).refuse(why);
  return keys.at(key).scalar();
}

void read_conf(const JsonAt& conf, Drill& drill) {
  for (const std::string& name : conf.keys()) {
    const auto broker = std::ranges::find(drill.brokers, name, &BrokerSpec::name);
    const JsonAt keys = conf.at(name);
    if (broker == drill.brokers.end()) {
      keys.refuse("there is no broker '" + name + "' in /topology/brokers" +
                  did_you_mean(name, names_of(drill.brokers)));
    }
    for (const std::string& key : keys.keys()) {
      broker->set.emplace_back(key, read_conf_value(keys, key));
    }
  }
}

void read_behaviour(const JsonAt& behaviour, Drill& drill) {
  behaviour.allow_only({"preset", "set", "bugs", "buggify"});
  for (const char* key : {"bugs", "buggify"}) {
    if (behaviour.has(key) && drill.brokers.empty()) {
      behaviour.at(key).refuse("is of brokers and their clients, and the topology has no broker");
    }
  }
  if (behaviour.has("preset")) {
    drill.behaviour.preset = behaviour.at("preset").text();
    if (!Behaviour::preset(drill.behaviour.preset)) {
      const auto presets = Behaviour::preset_names();
      behaviour.at("preset").refuse(
          "there is no preset '" + drill.behaviour.preset + "'" +
          did_you_mean(drill.behaviour.preset, {presets.begin(), presets.end()}));
    }
  }
  if (behaviour.has("bugs")) {
    for (const JsonAt& bug : behaviour.at("bugs").items()) {
      drill.behaviour.bugs.push_back(bug.text());
      if (seeded_bug_named(bug.text())) continue;
      bug.refuse("there is no such seeded bug; see drydock list" +
                 did_you_mean<SeededBug>(bug.text()));
    }
  }
  if (behaviour.has("buggify")) read_buggify(behaviour.at("buggify"), drill.behaviour);
  if (!behaviour.has("set")) return;
  const JsonAt set = behaviour.at("set");
  for (const std::string& name : set.keys()) {
    const std::string value = set.at(name).text();
    if (!behaviour_switch_named(name)) {
      set.at(name).refuse("there is no such switch" + did_you_mean<BehaviourSwitch>(name));
    }
    if (value != "faithful" && value != "hardened") {
      set.at(name).refuse("must be faithful or hardened" +
                          did_you_mean(value, {"faithful", "hardened"}));
    }
    const bool of_jvm = behaviour_switch_named(name) == BehaviourSwitch::jvm_safepoint_coupling;
    if (!of_jvm && drill.brokers.empty()) {
      set.at(name).refuse("is a switch of brokers, and the topology has none");
    }
    drill.behaviour.set.emplace_back(name, value);
  }
}

void read_load(const JsonAt& load, Drill& drill) {
  load.allow_only({"producers", "consumers", "writers", "readers", "standbys"});
  if (drill.brokers.empty()) {
    for (const char* key : {"producers", "consumers"}) {
      if (load.has(key)) load.at(key).refuse("the topology has no broker");
    }
    read_bare_programs(load, drill);
    if (drill.writers.empty()) load.refuse("must have writers: the topology has no broker");
    return;
  }
  const JsonAt producers = load.at("producers");
  for (const std::string& name : producers.keys()) {
    drill.producers.push_back(read_producer(name, producers.at(name), drill));
  }
  if (drill.producers.empty()) producers.refuse("must name a producer");
  if (load.has("consumers")) {
    const JsonAt consumers = load.at("consumers");
    for (const std::string& name : consumers.keys()) {
      drill.consumers.push_back(read_consumer(name, consumers.at(name), drill));
    }
  }
  for (const char* key : {"writers", "standbys"}) {
    if (load.has(key)) load.at(key).refuse("a topology with a broker has none yet");
  }
  read_bare_programs(load, drill);
}

}  // namespace drydock::scenarios
