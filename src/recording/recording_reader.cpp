// Reads recording files, and refuses what is none.
#include <algorithm>
#include <limits>
#include <new>
#include <stdexcept>
#include <unordered_set>

#include <nearfork/error.hpp>

#include "base/text/message_text.hpp"
#include "recording/byte_reader.hpp"
#include "recording/byte_writer.hpp"
#include "recording/checksum.hpp"
#include "recording/file_sections.hpp"
#include "recording/flow_code.hpp"
#include "recording/graph_code.hpp"
#include "recording/recording_bounds.hpp"
#include "recording/recording_file.hpp"
#include "recording/whole_file.hpp"

namespace nearfork::recordings {
namespace {

const char* name_of(section kind) {
  switch (kind) {
    case section::facts: return "facts about the run";
    case section::blocks: return "list of data blocks";
    case section::region: return "head of a region";
    case section::graph: return "graph of an iteration";
    case section::setup: return "list of allocations and of the order of regions";
    case section::flow: return "list of dataflow tasks";
  }
  return "?";
}

[[noreturn]] void refuse_for_memory(const std::string& path) {
  throw error("nearfork: cannot read " + path +
              ": there is not enough memory for it; record fewer iterations, or read it on a larger machine");
}

class file_reader {
 public:
  file_reader(std::string_view bytes, std::string_view name) : from_(bytes, name) {}

  recording read() {
    read_header();
    read_facts(next(section::facts));
    read_blocks(next(section::blocks));
    const std::uint32_t last = version_ - first_format_version;  // each version has one more section at the end
    while (sections_ > last) read_region(next(section::region));
    if (version_ >= setup_format_version) read_setup(next(section::setup));
    if (version_ >= format_version) read_flows(next(section::flow));
    if (from_.left() > 0)
      from_.refuse(std::to_string(from_.left()) +
                   " bytes after the last section; the file is damaged: record it again");
    return std::move(made_);
  }

 private:
  void read_header() {
    const std::uint64_t size = from_.left();
    if (size < recording_magic.size() || from_.raw("the first bytes", recording_magic.size()) != recording_magic)
      from_.refuse_at(0, "this is no task-graph recording; make one with: nearfork record -o FILE -- PROGRAM");
    if (size < header_bytes)
      from_.refuse("the file ends in the middle of its header; it is truncated: copy or record it again");
    version_ = from_.fixed32("the version");
    if (version_ < first_format_version || version_ > format_version)
      from_.refuse_at(8, "version " + std::to_string(version_) + " of the format, and this program reads versions " +
                             std::to_string(first_format_version) + " to " + std::to_string(format_version) +
                             ": record again with this program, or use the one that recorded it");
    sections_ = from_.fixed32("the number of sections");
    const std::uint64_t claimed = from_.fixed64("the size of the file");
    if (from_.fixed32("what is reserved") != 0)
      from_.refuse_at(24, "reserved bytes are in use; the file is damaged: record it again");
    if (from_.fixed32("the header's checksum") != header_checksum(version_, sections_, claimed))
      from_.refuse_at(28, "the header's checksum is wrong; the file is damaged: copy or record it again");
    if (claimed != size)
      from_.refuse_at(std::min(claimed, size), "the file has " + std::to_string(size) + " bytes and claims " +
                                                   std::to_string(claimed) +
                                                   (size < claimed ? "; it is truncated: copy or record it again"
                                                                   : "; something was added: copy or record it again"));
  }

  static std::uint32_t header_checksum(std::uint32_t version, std::uint32_t sections, std::uint64_t claimed) {
    byte_writer head;
    head.raw(recording_magic);
    head.fixed32(version);
    head.fixed32(sections);
    head.fixed64(claimed);
    head.fixed32(0);
    return crc32c(head.bytes());
  }

  /// The payload of the next section, which must be of that kind.
  byte_reader next(section wanted) {
    const std::uint64_t began = from_.offset();
    if (sections_ == 0)
      from_.refuse(std::string("the ") + name_of(wanted) + " is missing; the file is damaged: record it again");
    --sections_;
    const std::string_view head = peek(section_head_bytes - 4);
    const std::uint32_t kind = from_.fixed32("the kind of a section");
    const std::uint64_t bytes = from_.fixed64("the size of a section");
    const std::uint32_t checksum = from_.fixed32("the checksum of a section");
    const std::uint64_t payload_at = from_.offset();
    const std::string_view payload = from_.raw(name_of(wanted), bytes);
    if (crc32c(payload, crc32c(head)) != checksum)
      from_.refuse_at(began, std::string("the checksum of the ") + name_of(wanted) + " (" +
                                 std::to_string(section_head_bytes + bytes) +
                                 " bytes) is wrong; the file is damaged: copy or record it again");
    if (kind != static_cast<std::uint32_t>(wanted))
      from_.refuse_at(began, "a section of kind " + std::to_string(kind) + " where the " + name_of(wanted) +
                                 " should be; the file is damaged: record it again");
    return {payload, from_.where(), payload_at};
  }

  std::string_view peek(std::uint64_t count) {
    byte_reader ahead = from_;
    return ahead.raw("the head of a section", count);
  }

  void read_facts(byte_reader from) {
    made_.program = from.text("the program's name");
    made_.policy = from.text("the policy's name");
    made_.machine = from.text("the machine");
    const std::uint64_t workers_at = from.offset();
    made_.workers = from.number("the number of workers", std::numeric_limits<std::uint32_t>::max());
    if (made_.workers == 0)
      from.refuse_at(workers_at, "0 workers recorded it, and there is always one; " + contradiction());
    made_.left_out = from.number("the number of iterations left out", number_limit);
    must_end(from);
  }

  void read_blocks(byte_reader from) {
    const std::uint64_t count = from.count("the number of data blocks", 2);
    if (count > most_blocks)
      from.refuse("more than " + std::to_string(most_blocks) + " data blocks; the file is damaged: record it again");
    std::uint64_t all_bytes = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      std::string name = from.text("the name of a data block");
      const std::uint64_t began = from.offset();
      const std::uint64_t bytes = from.number("the size of a data block", number_limit);
      if (!add_within_limit(all_bytes, bytes))
        from.refuse_at(began, "all data blocks up to " + quoted(name) + " have more than " +
                                  std::to_string(number_limit) + " bytes; the file is damaged: record it again");
      made_.blocks.push_back({std::move(name), bytes});
    }
    must_end(from);
  }

  void read_region(byte_reader from) {
    region made;
    const std::uint64_t began = from.offset();
    made.name = from.text("the name of a region");
    if (!names_.insert(made.name).second)
      from.refuse_at(began, "a second region is called " + quoted(made.name) + "; " + contradiction());
    made.input_bytes = from.number("the input of a region", number_limit);
    made.iterations = from.number("the iterations of a region", number_limit);
    const std::uint64_t recorded = read_recorded(from, made);
    must_end(from);
    numbers_.clear();
    for (std::uint64_t i = 0; i < recorded; ++i) made.recorded.push_back(read_iteration(next(section::graph), made));
    made_.regions.push_back(std::move(made));
  }

  std::uint64_t read_recorded(byte_reader& from, const region& of) const {
    const std::uint64_t began = from.offset();
    const std::uint64_t recorded = from.number("the recorded iterations of a region", number_limit);
    const std::string claim = "region " + quoted(of.name) + " has " + counted(recorded, "recorded iteration");
    if (recorded > of.iterations)
      from.refuse_at(began, claim + " of " + std::to_string(of.iterations) + " that there were; " + contradiction());
    if (recorded > sections_)
      from.refuse_at(
          began, claim + ", and " + counted(sections_, "section") + " after it; the file is damaged: record it again");
    return recorded;
  }

  iteration read_iteration(byte_reader from, const region& of) {
    const std::uint64_t began = from.offset();
    iteration made;
    made.number = from.number("the number of an iteration", number_limit);
    if (const std::string fault = fault_of(made.number, of); !fault.empty())
      from.refuse_at(began, "region " + quoted(of.name) + " has an iteration " + std::to_string(made.number) + fault +
                                "; " + contradiction());
    made.duration_ns = from.number("the duration of an iteration", number_limit);
    if (!add_within_limit(sums_.duration_ns, made.duration_ns))
      from.refuse_at(began, "all iterations up to number " + std::to_string(made.number) + " of region " +
                                quoted(of.name) + " take more than " + std::to_string(number_limit) +
                                " ns, which is 146 years; the file is damaged: record it again");
    made.graph = read_graph(from, made_.blocks, sums_);
    must_end(from);
    return made;
  }

  void read_setup(byte_reader from) {
    const std::uint64_t began = from.offset();
    read_allocations(from);
    read_order(from);
    must_end(from);
    if (version_ == setup_format_version && !says_setup(made_))
      from.refuse_at(began, "it says nothing, and then the file's version is " + std::to_string(first_format_version) +
                                "; " + contradiction());
  }

  void read_allocations(byte_reader& from) {
    std::vector<bool> is_listed(made_.blocks.size(), false);
    for (std::uint64_t left = from.count("the number of allocations", 2); left > 0; --left) {
      const std::uint64_t began = from.offset();
      const std::uint64_t block = from.number("the block of an allocation", number_limit);
      if (block >= made_.blocks.size())
        from.refuse_at(began, "an allocation of block " + std::to_string(block) + ", and there are " +
                                  counted(made_.blocks.size(), "block") + "; " + contradiction());
      if (is_listed[block])
        from.refuse_at(began,
                       "a second allocation of block " + quoted(made_.blocks[block].name) + "; " + contradiction());
      is_listed[block] = true;
      const auto how = static_cast<array_placing>(from.number("the placing of an allocation", most_placing));
      made_.allocations.push_back({static_cast<std::uint32_t>(block), how});
    }
  }

  void read_order(byte_reader& from) {
    const std::uint64_t began = from.offset();
    const std::uint64_t count = from.count("the number of regions in order", 2);
    if (count != 0 && count != made_.regions.size())
      from.refuse_at(began, "the order of " + counted(count, "region") + ", and there are " +
                                std::to_string(made_.regions.size()) + "; " + contradiction());
    std::vector<bool> is_taken(2 * count + 1, false);
    const auto place = [&](const char* what) {
      const std::uint64_t at = from.offset();
      const std::uint64_t found = from.number(what, 2 * count);
      if (found == 0 || is_taken[found])
        from.refuse_at(at, "place " + std::to_string(found) + " in the order of regions, " +
                               (found == 0 ? "which is counted from 1" : "twice") + "; " + contradiction());
      is_taken[found] = true;
      return found;
    };
    for (std::uint64_t i = 0; i < count; ++i) {
      region& one = made_.regions[i];
      one.began = place("the beginning of a region");
      const std::uint64_t at = from.offset();
      one.ended = place("the end of a region");
      if (one.ended < one.began)
        from.refuse_at(at, "region " + quoted(one.name) + " ended before it began; " + contradiction());
    }
  }

  void read_flows(byte_reader from) {
    const std::uint64_t began = from.offset();
    read_buffers(from);
    for (region& one : made_.regions)
      for (iteration& recorded : one.recorded) recorded.graph.order_by(read_flow(from, recorded.graph));
    must_end(from);
    if (!says_flow(made_))
      from.refuse_at(began, "no dataflow task and no buffer, and then the file's version is " +
                                std::to_string(setup_format_version) + " at most; " + contradiction());
  }

  void read_buffers(byte_reader& from) {
    std::uint64_t next = 0;
    for (std::uint64_t left = from.count("the number of buffers", 1); left > 0; --left) {
      const std::uint64_t began = from.offset();
      const std::uint64_t block = next + from.number("the block of a buffer", number_limit);
      if (block >= made_.blocks.size())
        from.refuse_at(began, "block " + std::to_string(block) + " is a buffer, and there are " +
                                  counted(made_.blocks.size(), "block") + "; " + contradiction());
      made_.buffers.push_back(static_cast<std::uint32_t>(block));
      next = block + 1;
    }
  }

  /// What is wrong with the next iteration's number; empty: nothing.
  std::string fault_of(std::uint64_t number, const region& of) {
    if (number == 0) return ", and they are counted from 1";
    if (number > of.iterations) return " of " + std::to_string(of.iterations) + " that there were";
    return numbers_.insert(number).second ? "" : " twice";
  }

  static std::string contradiction() {
    return "the file contradicts itself: record it again, or correct the program that wrote it";
  }

  static void must_end(const byte_reader& section) {
    if (section.left() > 0)
      section.refuse(std::to_string(section.left()) +
                     " bytes more than the section needs; the file is damaged: record it again");
  }

  static constexpr std::uint64_t most_blocks = std::uint64_t{1} << 30;  // an access's head has 32 bits for them

  byte_reader from_;
  std::uint32_t version_ = 0;
  std::uint32_t sections_ = 0;
  recording made_;
  recording_sums sums_;
  std::unordered_set<std::string> names_;      // of regions so far
  std::unordered_set<std::uint64_t> numbers_;  // of this region's iterations so far
};

}  // namespace

recording from_bytes(std::string_view bytes, std::string_view name) {
  return file_reader(bytes, name).read();
}

recording load_recording(const std::string& path) {
  try {
    recording made = from_bytes(read_whole_file(path, recording_magic), path);
    made.from.file = path;
    return made;
  } catch (const std::bad_alloc&) {
    refuse_for_memory(path);
  } catch (const std::length_error&) {  // longer than a string can be
    refuse_for_memory(path);
  }
}

}  // namespace nearfork::recordings
