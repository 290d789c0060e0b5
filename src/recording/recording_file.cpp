#include "recording/recording_file.hpp"

#include <set>

#include "base/output/output_file.hpp"
#include "base/text/message_text.hpp"
#include "recording/byte_reader.hpp"
#include "recording/byte_writer.hpp"
#include "recording/checksum.hpp"
#include "recording/file_sections.hpp"
#include "recording/flow_code.hpp"
#include "recording/graph_code.hpp"

namespace nearfork::recordings {
namespace {

/// The first `most` bytes, without a partial UTF-8 character at the end.
std::string_view cut(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  constexpr int most_that_follow = 3;
  std::size_t end = most;
  const auto follows = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80; };
  for (int i = 0; i < most_that_follow && end > 0 && follows(end); ++i) --end;
  return text.substr(0, follows(end) ? most : end);
}

std::string clean(std::string_view text) {
  return without_controls(cut(text, byte_reader::most_text));
}

std::string facts_of(const recording& made) {
  byte_writer to;
  to.text(clean(made.program));
  to.text(clean(made.policy));
  to.text(clean(made.machine));
  to.number(made.workers);
  to.number(made.left_out);
  return to.take();
}

std::string blocks_of(const recording& made) {
  byte_writer to;
  to.number(made.blocks.size());
  for (const data_block& one : made.blocks) {
    to.text(clean(one.name));
    to.number(one.bytes);
  }
  return to.take();
}

std::string setup_of(const recording& made) {
  byte_writer to;
  to.number(made.allocations.size());
  for (const allocation& one : made.allocations) {
    to.number(one.block);
    to.number(static_cast<std::uint64_t>(one.how));
  }
  const bool ordered = !made.regions.empty() && made.regions.front().began > 0;
  to.number(ordered ? made.regions.size() : 0);
  for (const region& one : made.regions) {
    if (!ordered) break;
    to.number(one.began);
    to.number(one.ended);
  }
  return to.take();
}

std::string flow_of(const recording& facts, std::string_view iterations) {
  byte_writer to;
  to.number(facts.buffers.size());
  std::uint32_t next = 0;
  for (const std::uint32_t one : facts.buffers) {
    to.number(one - next);
    next = one + 1;
  }
  to.raw(iterations);
  return to.take();
}

std::string head_of(const region& one, std::string_view name, std::uint64_t recorded) {
  byte_writer to;
  to.text(name);
  to.number(one.input_bytes);
  to.number(one.iterations);
  to.number(recorded);
  return to.take();
}

}  // namespace

class recording_encoder::sections {
 public:
  void add(section kind, std::string_view payload) {
    byte_writer head;
    head.fixed32(static_cast<std::uint32_t>(kind));
    head.fixed64(payload.size());
    made_.raw(head.bytes());
    made_.fixed32(crc32c(payload, crc32c(head.bytes())));
    made_.raw(payload);
    ++count_;
  }

  /// Cleaning may have made two names equal.
  std::string name_of_region(std::string_view wanted) {
    std::string name = clean(wanted);
    for (std::uint64_t number = 2; !names_.insert(name).second; ++number) {
      const std::string suffix = " (" + std::to_string(number) + ")";
      name = clean(cut(wanted, byte_reader::most_text - suffix.size())) + suffix;
    }
    return name;
  }

  void set_up(const recording& facts) {
    facts_.allocations = facts.allocations;
    facts_.buffers = facts.buffers;
  }
  void order(const region& one) {
    facts_.regions.emplace_back();
    facts_.regions.back().began = one.began;
    facts_.regions.back().ended = one.ended;
  }

  void add_flow(const flow_order& one) {
    has_flow_ = has_flow_ || !one.empty();
    write_flow(flow_, one);
  }

  std::string whole() {
    const std::uint32_t version = has_flow_ || says_flow(facts_) ? format_version
                                  : says_setup(facts_)           ? setup_format_version
                                                                 : first_format_version;
    if (version >= setup_format_version) add(section::setup, setup_of(facts_));
    if (version == format_version) add(section::flow, flow_of(facts_, flow_.bytes()));
    byte_writer all;
    all.raw(recording_magic);
    all.fixed32(version);
    all.fixed32(count_);
    all.fixed64(header_bytes + made_.bytes().size());
    all.fixed32(0);
    all.fixed32(crc32c(all.bytes()));
    all.raw(made_.bytes());
    return all.take();
  }

 private:
  byte_writer made_;
  std::uint32_t count_ = 0;
  std::set<std::string> names_;  // of regions
  recording facts_;              // what setup_of() and flow_of() need
  byte_writer flow_;             // of all iterations
  bool has_flow_ = false;        // of one of them
};

recording_encoder::recording_encoder(const recording& facts) : made_(std::make_unique<sections>()) {
  made_->add(section::facts, facts_of(facts));
  made_->add(section::blocks, blocks_of(facts));
  made_->set_up(facts);
}

recording_encoder::~recording_encoder() = default;

void recording_encoder::add_region(const region& one, std::uint64_t recorded) {
  made_->order(one);
  made_->add(section::region, head_of(one, made_->name_of_region(one.name), recorded));
}

void recording_encoder::add_iteration(std::uint64_t number, std::uint64_t duration_ns, std::string_view graph_code,
                                      const flow_order& flow) {
  byte_writer to;
  to.number(number);
  to.number(duration_ns);
  to.raw(graph_code);
  made_->add(section::graph, to.bytes());
  made_->add_flow(flow);
}

std::string recording_encoder::take() {
  return made_->whole();
}

std::string to_bytes(const recording& made) {
  recording_encoder file(made);
  for (const region& one : made.regions) {
    file.add_region(one, one.recorded.size());
    for (const iteration& recorded : one.recorded) {
      byte_writer code;
      write_graph(code, recorded.graph);
      file.add_iteration(recorded.number, recorded.duration_ns, code.bytes(), recorded.graph.flow());
    }
  }
  return file.take();
}

void save_recording(const recording& made, const std::string& path) {
  output_file(path).write(to_bytes(made));
}

}  // namespace nearfork::recordings
