// The numbers of fields are those of Perfetto's protos/perfetto/trace/trace_packet.proto and track_event/*.proto.
#include "trace/perfetto_trace.hpp"

#include <cstdint>
#include <map>
#include <protozero/pbf_writer.hpp>
#include <string_view>

#include "trace/timeline.hpp"

namespace nearfork::traces {
namespace {

using protozero::pbf_writer;

namespace trace_field {
constexpr protozero::pbf_tag_type packet = 1;
}
namespace packet_field {
constexpr protozero::pbf_tag_type timestamp = 8, sequence = 10, track_event = 11, interned_data = 12,
                                  sequence_flags = 13, track_descriptor = 60;
constexpr std::uint32_t state_cleared = 1, needs_state = 2;
constexpr std::uint32_t first_sequence = 1;
}  // namespace packet_field
namespace descriptor_field {
constexpr protozero::pbf_tag_type uuid = 1, name = 2, process = 3, thread = 4, parent = 5, counter = 8;
constexpr protozero::pbf_tag_type process_pid = 1, process_name = 6;
constexpr protozero::pbf_tag_type thread_pid = 1, thread_tid = 2, thread_name = 5;
}  // namespace descriptor_field
namespace track_event_field {
constexpr protozero::pbf_tag_type category_iids = 3, debug_annotations = 4, type = 9, name_iid = 10, track_uuid = 11,
                                  double_counter_value = 44, flow_ids = 47, terminating_flow_ids = 48;
constexpr protozero::pbf_tag_type annotation_name_iid = 1, annotation_string = 6;
}  // namespace track_event_field
namespace interned_field {
constexpr protozero::pbf_tag_type categories = 1, names = 2, annotation_names = 3;
constexpr protozero::pbf_tag_type iid = 1, text = 2;
}  // namespace interned_field

constexpr std::uint64_t process_track = 1;
constexpr std::uint64_t first_worker_track = 2;
constexpr std::uint64_t first_counter_track = std::uint64_t{1} << 32;
/// Tracks and flows of other parts have other numbers.
constexpr std::uint64_t part_numbers = std::uint64_t{1} << 40;

std::string_view text_of(mark_category category) noexcept {
  switch (category) {
    case mark_category::task: return "task";
    case mark_category::stealing: return "stealing";
    case mark_category::worker: return "worker";
    case mark_category::region: return "region";
    case mark_category::memory: return "memory";
    case mark_category::program: return "program";
  }
  return "";
}

std::int32_t type_of(mark_kind kind) noexcept {
  switch (kind) {
    case mark_kind::slice_begins: return 1;
    case mark_kind::slice_ends: return 2;
    case mark_kind::instant: return 3;
    case mark_kind::counter: return 4;
  }
  return 0;
}

std::string name_of_worker(const traced_worker& one, std::size_t index) {
  return "domain " + std::to_string(one.domain) + (one.node ? " node " + std::to_string(*one.node) : "") + " worker " +
         std::to_string(index) + (one.os_pu ? " PU " + std::to_string(*one.os_pu) : "");
}

/// Texts that are written once, in the packet that uses them first.
class text_table {
 public:
  explicit text_table(protozero::pbf_tag_type tag) : tag_(tag) {}
  /// The text's number. Adds it to `data` if it is new.
  std::uint64_t number_of(std::string_view text, std::string& data) {
    if (const auto found = numbers_.find(text); found != numbers_.end()) return found->second;
    const std::uint64_t number = numbers_.size() + 1;
    numbers_.emplace(text, number);
    pbf_writer all(data);
    pbf_writer entry(all, tag_);
    entry.add_uint64(interned_field::iid, number);
    entry.add_string(interned_field::text, text.data(), text.size());
    return number;
  }

 private:
  const protozero::pbf_tag_type tag_;
  std::map<std::string, std::uint64_t, std::less<>> numbers_;
};

class perfetto_writer {
 public:
  perfetto_writer(const traced_run& run, std::uint32_t part)
      : run_(run), sequence_(packet_field::first_sequence + part), first_number_(part * part_numbers) {}

  std::string text() {
    const timeline line = timeline_of(run_);
    describe_process(line.lost);
    for (std::size_t i = 0; i < run_.workers.size(); ++i) describe_worker(i);
    if (line.lost > 0 && !line.marks.empty()) tell_of_lost(line);
    for (const mark& one : line.marks) {
      if (one.kind == mark_kind::counter) describe_counter(one.name);
      add(one,
          one.kind == mark_kind::counter ? counters_.at(one.name) : first_number_ + first_worker_track + one.worker);
    }
    return std::move(bytes_);
  }

 private:
  /// The first packet tells that nothing came before.
  template <class Describe>
  void describe(const Describe& act) {
    pbf_writer all(bytes_);
    pbf_writer made(all, trace_field::packet);
    made.add_uint32(packet_field::sequence, sequence_);
    made.add_uint32(packet_field::sequence_flags, is_first_ ? packet_field::state_cleared : packet_field::needs_state);
    is_first_ = false;
    pbf_writer track(made, packet_field::track_descriptor);
    act(track);
  }

  void describe_process(std::uint64_t lost) {
    describe([&](pbf_writer& track) {
      track.add_uint64(descriptor_field::uuid, first_number_ + process_track);
      pbf_writer process(track, descriptor_field::process);
      process.add_int32(descriptor_field::process_pid, static_cast<std::int32_t>(run_.process));
      process.add_string(descriptor_field::process_name,
                         run_.title + (lost > 0 ? " (" + std::to_string(lost) + " older events are lost)" : ""));
    });
  }

  void describe_worker(std::size_t index) {
    const traced_worker& one = run_.workers[index];
    describe([&](pbf_writer& track) {
      track.add_uint64(descriptor_field::uuid, first_number_ + first_worker_track + index);
      track.add_uint64(descriptor_field::parent, first_number_ + process_track);
      pbf_writer thread(track, descriptor_field::thread);
      thread.add_int32(descriptor_field::thread_pid, static_cast<std::int32_t>(run_.process));
      thread.add_int32(descriptor_field::thread_tid,
                       static_cast<std::int32_t>(one.thread.value_or(static_cast<std::uint32_t>(index) + 1)));
      thread.add_string(descriptor_field::thread_name, name_of_worker(one, index));
    });
  }

  void describe_counter(const std::string& name) {
    if (counters_.contains(name)) return;
    const std::uint64_t uuid = first_number_ + first_counter_track + counters_.size();
    counters_.emplace(name, uuid);
    describe([&](pbf_writer& track) {
      track.add_uint64(descriptor_field::uuid, uuid);
      track.add_uint64(descriptor_field::parent, first_number_ + process_track);
      track.add_string(descriptor_field::name, name);
      track.add_message(descriptor_field::counter, "", 0);
    });
  }

  void tell_of_lost(const timeline& line) {
    add({.at_ns = line.marks.front().at_ns,
         .category = mark_category::worker,
         .name = "older events are lost",
         .facts = {{"events", std::to_string(line.lost)}}},
        first_number_ + process_track);
  }

  void add(const mark& one, std::uint64_t track) {
    interned_.clear();
    event_.clear();
    write_event(one, track);
    pbf_writer all(bytes_);
    pbf_writer made(all, trace_field::packet);
    made.add_uint64(packet_field::timestamp, one.at_ns);
    made.add_uint32(packet_field::sequence, sequence_);
    made.add_uint32(packet_field::sequence_flags, packet_field::needs_state);
    if (!interned_.empty()) made.add_message(packet_field::interned_data, interned_);
    made.add_message(packet_field::track_event, event_);
  }

  void write_event(const mark& one, std::uint64_t track) {
    pbf_writer event(event_);
    event.add_enum(track_event_field::type, type_of(one.kind));
    event.add_uint64(track_event_field::track_uuid, track);
    if (one.kind == mark_kind::counter) return event.add_double(track_event_field::double_counter_value, one.value);
    for (const std::uint64_t flow : one.flows) event.add_fixed64(track_event_field::flow_ids, first_number_ + flow);
    if (one.last_of_flow != 0)
      event.add_fixed64(track_event_field::terminating_flow_ids, first_number_ + one.last_of_flow);
    for (const fact& told : one.facts) {
      const std::uint64_t name = annotations_.number_of(told.name, interned_);
      pbf_writer annotation(event, track_event_field::debug_annotations);
      annotation.add_uint64(track_event_field::annotation_name_iid, name);
      annotation.add_string(track_event_field::annotation_string, told.text);
    }
    if (one.kind == mark_kind::slice_ends) return;
    event.add_uint64(track_event_field::category_iids, categories_.number_of(text_of(one.category), interned_));
    event.add_uint64(track_event_field::name_iid, names_.number_of(one.name, interned_));
  }

  const traced_run& run_;
  const std::uint32_t sequence_;
  const std::uint64_t first_number_;
  std::string bytes_;
  bool is_first_ = true;
  std::string interned_;  // of the packet that is being written
  std::string event_;
  text_table categories_{interned_field::categories};
  text_table names_{interned_field::names};
  text_table annotations_{interned_field::annotation_names};
  std::map<std::string, std::uint64_t, std::less<>> counters_;  // their tracks
};

}  // namespace

std::string perfetto_trace(const traced_run& run, std::uint32_t part) {
  return perfetto_writer(run, part).text();
}

}  // namespace nearfork::traces
