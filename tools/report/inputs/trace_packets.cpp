#include "tools/report/inputs/trace_packets.hpp"

#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>
#include <unordered_map>

#include <nearfork/error.hpp>

namespace nearfork::tools {
namespace {

using protozero::pbf_reader;

/// A field's number with its wire type. protozero ends the program if a value is read as another type than the file
/// has, so a field of another type is left out like an unknown one.
constexpr std::uint32_t number(protozero::pbf_tag_type tag) {
  return protozero::tag_and_type(tag, protozero::pbf_wire_type::varint);
}
constexpr std::uint32_t fixed(protozero::pbf_tag_type tag) {
  return protozero::tag_and_type(tag, protozero::pbf_wire_type::fixed64);
}
constexpr std::uint32_t bytes(protozero::pbf_tag_type tag) {
  return protozero::tag_and_type(tag, protozero::pbf_wire_type::length_delimited);
}

/// protos/perfetto/trace/trace_packet.proto and track_event/*.proto of Perfetto.
namespace field {
constexpr std::uint32_t packet = bytes(1);
constexpr std::uint32_t timestamp = number(8), track_event = bytes(11), interned = bytes(12), descriptor = bytes(60);
constexpr std::uint32_t interned_names = bytes(2), interned_fact_names = bytes(3), iid = number(1), text = bytes(2);
constexpr std::uint32_t track_uuid = number(1), track_name = bytes(2), track_process = bytes(3),
                        track_thread = bytes(4);
constexpr std::uint32_t thread_name = bytes(5), process_name = bytes(6);
constexpr std::uint32_t event_fact = bytes(4), event_type = number(9), event_name = number(10),
                        event_track = number(11), event_value = fixed(44), event_flow = fixed(47),
                        event_last_flow = fixed(48);
constexpr std::uint32_t fact_name = number(1), fact_text = bytes(6);
}  // namespace field

std::string_view view_of(pbf_reader& of) {
  const protozero::data_view view = of.get_view();
  return {view.data(), view.size()};
}

class packet_reader {
 public:
  packet_reader(const std::function<void(const trace_track&)>& on_track,
                const std::function<void(const trace_packet&)>& on_event)
      : on_track_(on_track), on_event_(on_event) {}

  void read(pbf_reader packet) {
    trace_packet made;
    pbf_reader event;
    bool has_event = false;
    while (packet.next()) switch (packet.tag_and_type()) {
        case field::timestamp: made.at_ns = packet.get_uint64(); break;
        case field::track_event:
          event = packet.get_message();
          has_event = true;
          break;
        case field::interned: read_interned(packet.get_message()); break;
        case field::descriptor: read_track(packet.get_message()); break;
        default: packet.skip();
      }
    if (has_event) read_event(event, made);
  }

 private:
  using texts = std::unordered_map<std::uint64_t, std::string_view>;

  static void read_text(pbf_reader entry, texts& into) {
    std::uint64_t number = 0;
    std::string_view text;
    while (entry.next()) switch (entry.tag_and_type()) {
        case field::iid: number = entry.get_uint64(); break;
        case field::text: text = view_of(entry); break;
        default: entry.skip();
      }
    into[number] = text;
  }

  void read_interned(pbf_reader data) {
    while (data.next()) switch (data.tag_and_type()) {
        case field::interned_names: read_text(data.get_message(), names_); break;
        case field::interned_fact_names: read_text(data.get_message(), fact_names_); break;
        default: data.skip();
      }
  }

  static std::string text_in(pbf_reader message, std::uint32_t wanted) {
    while (message.next()) {
      if (message.tag_and_type() == wanted) return std::string(view_of(message));
      message.skip();
    }
    return {};
  }

  void read_track(pbf_reader track) {
    trace_track made;
    while (track.next()) switch (track.tag_and_type()) {
        case field::track_uuid: made.number = track.get_uint64(); break;
        case field::track_name: made.name = std::string(view_of(track)); break;
        case field::track_process:
          made.name = text_in(track.get_message(), field::process_name);
          made.is_process = true;
          break;
        case field::track_thread:
          made.name = text_in(track.get_message(), field::thread_name);
          made.is_thread = true;
          break;
        default: track.skip();
      }
    on_track_(made);
  }

  static std::string_view text_of(const texts& table, std::uint64_t number, const char* what) {
    const auto found = table.find(number);
    if (found == table.end()) throw error(std::string(what) + " number " + std::to_string(number) + " is not known");
    return found->second;
  }

  void read_event(pbf_reader from, trace_packet& made) {
    while (from.next()) switch (from.tag_and_type()) {
        case field::event_fact: read_fact(from.get_message(), made); break;
        case field::event_type: {
          const int kind = from.get_enum();
          if (kind < 1 || kind > 4) throw error("an event has the unknown type " + std::to_string(kind));
          made.kind = static_cast<packet_event>(kind);
          break;
        }
        case field::event_name: made.name = text_of(names_, from.get_uint64(), "the name with"); break;
        case field::event_track: made.track = from.get_uint64(); break;
        case field::event_value: made.value = from.get_double(); break;
        case field::event_flow: made.flows.push_back(from.get_fixed64()); break;
        case field::event_last_flow: made.last_of_flow = from.get_fixed64(); break;
        default: from.skip();
      }
    on_event_(made);
  }

  void read_fact(pbf_reader from, trace_packet& into) const {
    std::uint64_t name = 0;
    std::string_view text;
    while (from.next()) switch (from.tag_and_type()) {
        case field::fact_name: name = from.get_uint64(); break;
        case field::fact_text: text = view_of(from); break;
        default: from.skip();
      }
    into.facts.emplace_back(text_of(fact_names_, name, "the fact with"), text);
  }

  const std::function<void(const trace_track&)>& on_track_;
  const std::function<void(const trace_packet&)>& on_event_;
  texts names_;
  texts fact_names_;
};

[[noreturn]] void refuse(const std::string& file, std::uint64_t packet, const std::string& fault) {
  throw error("nearfork: trace " + file + ", packet " + std::to_string(packet) + ": " + fault +
              "; it must be a whole file of nearfork trace or NEARFORK_TRACE; trace the program again");
}

}  // namespace

void read_packets(std::string_view content, const std::string& file,
                  const std::function<void(const trace_track&)>& on_track,
                  const std::function<void(const trace_packet&)>& on_event) {
  std::uint64_t number = 0;
  try {
    packet_reader reader(on_track, on_event);
    pbf_reader all(content.data(), content.size());
    while (all.next()) {
      ++number;
      if (all.tag_and_type() == field::packet) reader.read(all.get_message());
      else all.skip();
    }
  } catch (const protozero::exception&) {
    refuse(file, number, "the file is damaged or ends too early there");
  } catch (const error& fault) {
    refuse(file, number, fault.what());
  }
}

}  // namespace nearfork::tools
