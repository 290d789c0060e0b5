// A trace in Perfetto's format, read back by protozero.
#pragma once

#include <cstdint>
#include <map>
#include <protozero/pbf_reader.hpp>
#include <string>
#include <vector>

namespace nearfork::test {

struct decoded_event {
  std::uint64_t at_ns = 0;
  std::uint64_t track = 0;
  int type = 0;  // 1: a slice begins; 2: it ends; 3: an instant; 4: a counter
  std::string name{};
  std::map<std::string, std::string> facts{};
  std::vector<std::uint64_t> flows{};
  std::vector<std::uint64_t> ending_flows{};
  double value = 0;
};

struct decoded_trace {
  std::map<std::uint64_t, std::string> tracks;  // names of threads, processes and counters
  std::vector<decoded_event> events;

  [[nodiscard]] std::vector<decoded_event> named(const std::string& name) const {
    std::vector<decoded_event> found;
    for (const decoded_event& one : events)
      if (one.name == name) found.push_back(one);
    return found;
  }
};

class trace_decoder {
 public:
  decoded_trace decode(const std::string& bytes) {
    protozero::pbf_reader all(bytes);
    while (all.next(1)) read_packet(all.get_message());
    return std::move(made_);
  }

 private:
  using texts = std::map<std::uint64_t, std::string>;

  static void read_text(protozero::pbf_reader entry, texts& into) {
    std::uint64_t number = 0;
    std::string text;
    while (entry.next()) {
      if (entry.tag() == 1) number = entry.get_uint64();
      else if (entry.tag() == 2) text = entry.get_string();
      else entry.skip();
    }
    into[number] = text;
  }

  void read_packet(protozero::pbf_reader packet) {
    decoded_event event;
    protozero::pbf_reader track_event;
    while (packet.next()) switch (packet.tag()) {
        case 8: event.at_ns = packet.get_uint64(); break;
        case 11: track_event = packet.get_message(); break;
        case 12: read_interned(packet.get_message()); break;
        case 60: read_track(packet.get_message()); break;
        default: packet.skip();
      }
    if (track_event.length() > 0) read_event(track_event, event);
  }

  void read_interned(protozero::pbf_reader data) {
    while (data.next()) switch (data.tag()) {
        case 2: read_text(data.get_message(), names_); break;
        case 3: read_text(data.get_message(), fact_names_); break;
        default: data.skip();
      }
  }

  void read_track(protozero::pbf_reader track) {
    std::uint64_t uuid = 0;
    std::string name;
    while (track.next()) switch (track.tag()) {
        case 1: uuid = track.get_uint64(); break;
        case 2: name = track.get_string(); break;
        case 3: name = text_in(track.get_message(), 6); break;
        case 4: name = text_in(track.get_message(), 5); break;
        default: track.skip();
      }
    made_.tracks[uuid] = name;
  }

  static std::string text_in(protozero::pbf_reader message, protozero::pbf_tag_type tag) {
    return message.next(tag) ? message.get_string() : "";
  }

  void read_event(protozero::pbf_reader from, decoded_event event) {
    while (from.next()) switch (from.tag()) {
        case 4: read_fact(from.get_message(), event); break;
        case 9: event.type = from.get_enum(); break;
        case 10: event.name = names_.at(from.get_uint64()); break;
        case 11: event.track = from.get_uint64(); break;
        case 44: event.value = from.get_double(); break;
        case 47: event.flows.push_back(from.get_fixed64()); break;
        case 48: event.ending_flows.push_back(from.get_fixed64()); break;
        default: from.skip();
      }
    made_.events.push_back(std::move(event));
  }

  void read_fact(protozero::pbf_reader from, decoded_event& into) {
    std::uint64_t name = 0;
    std::string text;
    while (from.next()) {
      if (from.tag() == 1) name = from.get_uint64();
      else if (from.tag() == 6) text = from.get_string();
      else from.skip();
    }
    into.facts[fact_names_.at(name)] = text;
  }

  decoded_trace made_;
  texts names_;
  texts fact_names_;
};

[[nodiscard]] inline decoded_trace decode_trace(const std::string& bytes) {
  return trace_decoder().decode(bytes);
}

}  // namespace nearfork::test
