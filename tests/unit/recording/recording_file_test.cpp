#include "recording/recording_file.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include <nearfork/error.hpp>

#include "random_recording.hpp"
#include "recording/checksum.hpp"
#include "recording/graph_code.hpp"

namespace nearfork::recordings {
namespace {

namespace fs = std::filesystem;

/// What from_bytes() says of them; empty if it reads them.
std::string complaint(std::string_view bytes) {
  try {
    (void)from_bytes(bytes, "g.nfg");
    return {};
  } catch (const error& refused) {
    return refused.what();
  }
}

void expect_says(const std::string& said, const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    EXPECT_NE(said.find(part), std::string::npos) << "no \"" << part << "\" in: " << said;
}

/// A sound file with one byte changed, and, where the format has them, the checksums as they should be.
std::string with_payload(const recording& made, const std::function<void(std::string&)>& change) {
  std::string bytes = to_bytes(made);
  change(bytes);
  const auto number_at = [&](std::size_t at, int count) {
    std::uint64_t value = 0;
    for (int i = 0; i < count; ++i)
      value |= std::uint64_t{static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)])} << (8 * i);
    return value;
  };
  const auto set_crc = [&](std::size_t at, std::uint32_t crc) {
    for (int i = 0; i < 4; ++i) bytes[at + static_cast<std::size_t>(i)] = static_cast<char>(crc >> (8 * i));
  };
  set_crc(28, crc32c(std::string_view(bytes).substr(0, 28)));
  for (std::size_t at = 32; at + 16 <= bytes.size();) {
    const std::uint64_t size = number_at(at + 4, 8);
    const std::string_view all = bytes;
    set_crc(at + 12, crc32c(all.substr(at + 16, size), crc32c(all.substr(at, 12))));
    at += 16 + size;
  }
  return bytes;
}

recording small_recording() {
  recording made{
      .program = "p", .policy = "random", .machine = "m", .workers = 2, .blocks = {{"grid", 1000}}, .regions = {}};
  task_graph graph;
  graph.add_task(std::vector<std::uint32_t>{2});
  const data_access read{.begin_byte = 10, .size_bytes = 20};
  graph.add_stretch(100, std::span(&read, 1));
  graph.add_stretch(5, {});
  for (int i = 0; i < 2; ++i) {
    graph.add_task({});
    graph.add_stretch(70, {});
  }
  made.regions.push_back({.name = "r", .input_bytes = 0, .iterations = 3, .recorded = {{2, 300, graph}}});
  return made;
}

RC_GTEST_PROP(recording_file, reads_what_it_wrote, (std::uint64_t seed)) {
  const recording made = any_recording(seed);
  const std::string bytes = to_bytes(made);
  const recording read = from_bytes(bytes, "g.nfg");
  RC_ASSERT(read == made);
  RC_ASSERT(to_bytes(read) == bytes);
}

TEST(recording_file, refuses_every_beginning_of_itself) {
  const std::string bytes = to_bytes(small_recording());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const std::string said = complaint(std::string_view(bytes).substr(0, size));
    expect_says(said, {"g.nfg", "byte "});
    if (size >= 32) expect_says(said, {"truncated", "claims " + std::to_string(bytes.size())});
  }
}

TEST(recording_file, refuses_every_byte_that_was_changed) {
  const std::string bytes = to_bytes(small_recording());
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (const int bit : {0, 3, 7}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      EXPECT_NE(complaint(damaged), "") << "byte " << at << ", bit " << bit;
    }
}

TEST(recording_file, says_that_a_foreign_file_is_none) {
  expect_says(complaint("#!/bin/sh\necho this is a script and long enough to have a header\n"),
              {"byte 0", "no task-graph recording", "nearfork record"});
  expect_says(complaint(""), {"no task-graph recording"});
}

TEST(recording_file, of_a_later_version_says_which_one_it_is) {
  expect_says(complaint(with_payload(small_recording(), [](std::string& bytes) { bytes[8] = 9; })),
              {"version 9", "reads version 1", "byte 8"});
}

TEST(recording_file, says_where_the_checksum_is_wrong) {
  std::string bytes = to_bytes(small_recording());
  bytes[32 + 16] ^= 1;
  expect_says(complaint(bytes), {"byte 32", "checksum", "facts"});
}

TEST(recording_file, refuses_what_comes_after_its_end) {
  expect_says(complaint(to_bytes(small_recording()) + "x"), {"added"});
}

/// The graph is the last section; its numbers are single bytes here: number, duration (2), tasks, forks, accesses, ...
std::string with_graph_byte(std::size_t place, int value) {
  return with_payload(small_recording(), [&](std::string& bytes) {
    const std::size_t graph = bytes.size() - 19;
    bytes[graph + place] = static_cast<char>(value);
  });
}

TEST(recording_file, names_the_byte_of_what_is_wrong_in_a_graph) {
  ASSERT_EQ(complaint(with_graph_byte(0, 2)), "") << "unchanged but for the number of the iteration";
  expect_says(complaint(with_graph_byte(3, 100)), {"number of tasks", "100"});
  expect_says(complaint(with_graph_byte(3, 0)), {"a root at least"});
  expect_says(complaint(with_graph_byte(3, 4)), {"nobody forked"});
  expect_says(complaint(with_graph_byte(4, 2)), {"claimed 3, 2 and 1"});
  expect_says(complaint(with_graph_byte(7, 3)), {"branching"});
  expect_says(complaint(with_graph_byte(7, 0)), {"without children"});
  expect_says(complaint(with_graph_byte(10, 4)), {"data block 1 of 1"});
  expect_says(complaint(with_graph_byte(12, 0)), {"no byte"});
  expect_says(complaint(with_graph_byte(11, 1)), {"outside its data block"});
}

// --- facts that cannot be ---

struct impossible {
  const char* what;
  std::function<void(recording&)> change;
  std::vector<std::string> said;
};

/// Root with a fork of one child; the times as given.
task_graph graph_of_times(std::uint64_t root_ns, std::uint64_t child_ns) {
  task_graph graph;
  graph.add_task(std::vector<std::uint32_t>{1});
  graph.add_stretch(root_ns, {});
  graph.add_stretch(0, {});
  graph.add_task({});
  graph.add_stretch(child_ns, {});
  return graph;
}

task_graph graph_of_access(const data_access& one) {
  task_graph graph;
  graph.add_task({});
  graph.add_stretch(1, std::span(&one, 1));
  return graph;
}

constexpr std::uint64_t half = number_limit / 2;

const std::vector<impossible> impossible_facts{
    {"iteration 0",
     [](recording& made) { made.regions[0].recorded[0].number = 0; },
     {"\"r\"", "iteration 0", "from 1"}},
    {"iteration beyond",
     [](recording& made) { made.regions[0].recorded[0].number = 4; },
     {"\"r\"", "iteration 4 of 3", "contradicts itself"}},
    {"iteration twice",
     [](recording& made) { made.regions[0].recorded.push_back(made.regions[0].recorded[0]); },
     {"\"r\"", "iteration 2 twice"}},
    {"one of zero", [](recording& made) { made.regions[0].iterations = 0; }, {"\"r\"", "1 recorded iteration of 0"}},
    {"no workers", [](recording& made) { made.workers = 0; }, {"0 workers"}},
    {"many workers", [](recording& made) { made.workers = number_limit; }, {"number of workers", "4294967295"}},
    {"many left out", [](recording& made) { made.left_out = number_limit + 1; }, {"left out", "more than"}},
    {"many iterations",
     [](recording& made) { made.regions[0].iterations = ~std::uint64_t{0}; },
     {"iterations of a region"}},
    {"large input", [](recording& made) { made.regions[0].input_bytes = number_limit + 1; }, {"input of a region"}},
    {"duration", [](recording& made) { made.regions[0].recorded[0].duration_ns = number_limit + 1; }, {"duration"}},
    {"sum of durations",
     [](recording& made) {
       made.regions[0].recorded = {{1, half, graph_of_times(1, 1)}, {2, half + 1, graph_of_times(1, 1)}};
     },
     {"\"r\"", "number 2", "146 years"}},
    {"time",
     [](recording& made) { made.regions[0].recorded[0].graph = graph_of_times(number_limit + 1, 0); },
     {"time"}},
    {"sum of times",
     [](recording& made) { made.regions[0].recorded[0].graph = graph_of_times(half + 1, half); },
     {"work more than", "146 years"}},
    {"sum that wraps",
     [](recording& made) {
       made.regions[0].recorded = {
           {1, 1, graph_of_times(half, 0)}, {2, 1, graph_of_times(half, 0)}, {3, 1, graph_of_times(1, 0)}};
     },
     {"work more than"}},
    {"sum of accesses",
     [](recording& made) {
       made.regions[0].recorded[0].graph =
           graph_of_access({.begin_byte = 0, .size_bytes = 1000, .count = number_limit / 1000 + 1, .stride_bytes = 0});
     },
     {"touch more than"}},
    {"many pieces",
     [](recording& made) {
       made.regions[0].recorded[0].graph =
           graph_of_access({.begin_byte = 0, .size_bytes = 1, .count = number_limit + 1, .stride_bytes = 0});
     },
     {"pieces of an access"}},
    {"an end that wraps",
     [](recording& made) {
       made.regions[0].recorded[0].graph =
           graph_of_access({.begin_byte = 0, .size_bytes = 8, .count = 5, .stride_bytes = number_limit});
     },
     {"outside its data block"}},
    {"a beginning below 0",
     [](recording& made) {
       made.regions[0].recorded[0].graph = graph_of_access({.begin_byte = ~std::uint64_t{0}, .size_bytes = 2});
     },
     {"outside its data block"}},
    {"all data",
     [](recording& made) { made.blocks = {{"grid", half}, {"other", half + 1}}; },
     {"up to \"other\"", "more than"}},
};

TEST(recording_file, refuses_facts_that_contradict_each_other_and_sums_that_overflow) {
  ASSERT_EQ(complaint(to_bytes(small_recording())), "");
  for (const impossible& one : impossible_facts) {
    SCOPED_TRACE(one.what);
    recording made = small_recording();
    one.change(made);
    const std::string said = complaint(to_bytes(made));
    expect_says(said, {"nearfork: recording g.nfg, byte ", "record it again"});
    expect_says(said, one.said);
  }
}

TEST(recording_file, has_room_up_to_its_limits) {
  recording made = small_recording();
  made.workers = ~std::uint32_t{0};
  made.left_out = number_limit;
  made.blocks = {{"grid", number_limit - 1}, {"grid", 1}, {"", 0}};
  made.regions[0].input_bytes = number_limit;
  made.regions[0].iterations = number_limit;
  made.regions[0].recorded = {
      {number_limit, number_limit, graph_of_times(number_limit - 1, 0)},
      {1, 0,
       graph_of_access({.begin_byte = number_limit - 2, .size_bytes = 1, .count = number_limit, .stride_bytes = 0})}};
  EXPECT_EQ(complaint(to_bytes(made)), "");
  EXPECT_EQ(from_bytes(to_bytes(made), "g.nfg"), made);
}

TEST(recording_file, refuses_a_second_region_of_one_name) {
  recording made = small_recording();
  made.regions.push_back({.name = "q", .input_bytes = 0, .iterations = 1, .recorded = {}});
  std::string bytes = with_payload(made, [](std::string& all) { all[all.size() - 4] = 'r'; });
  expect_says(complaint(bytes), {"second region", "\"r\"", "contradicts itself"});
}

TEST(recording_file, gives_regions_whose_names_became_the_same_a_number) {
  recording made = small_recording();
  const std::string longest(byte_reader::most_text, 'x');
  for (const char* name : {"a\n", "a\t", "a?"})
    made.regions.push_back({.name = name, .input_bytes = 0, .iterations = 1, .recorded = {}});
  for (const char* rest : {"1", "2"})
    made.regions.push_back({.name = longest + rest, .input_bytes = 0, .iterations = 1, .recorded = {}});
  const recording read = from_bytes(to_bytes(made), "g.nfg");
  ASSERT_EQ(read.regions.size(), 6U);
  EXPECT_EQ(read.regions[1].name, "a?");
  EXPECT_EQ(read.regions[2].name, "a? (2)");
  EXPECT_EQ(read.regions[3].name, "a? (3)");
  EXPECT_EQ(read.regions[4].name, longest);
  EXPECT_EQ(read.regions[5].name, longest.substr(4) + " (2)");
}

TEST(recording_file, takes_no_memory_for_sizes_that_the_file_cannot_hold) {
  // Ten bytes that claim 2^62 tasks.
  byte_writer graph;
  graph.number(1);
  graph.number(1);
  graph.number(std::uint64_t{1} << 62);
  graph.number(std::uint64_t{1} << 62);
  byte_reader from(graph.bytes(), "g.nfg");
  (void)from.number("", 1);
  (void)from.number("", 1);
  recording_sums sums;
  EXPECT_THROW((void)read_graph(from, {}, sums), error);
}

TEST(recording_file, takes_twelve_bytes_a_task_where_leaves_touch_two_ranges) {
  task_graph graph;
  constexpr std::uint32_t tasks = 65535;
  for (std::uint32_t task = 0; task < tasks; ++task) {
    const bool leaf = task >= tasks / 2;
    if (!leaf) {
      graph.add_task(std::vector<std::uint32_t>{2});
      graph.add_stretch(120, {});
      graph.add_stretch(80, {});
      continue;
    }
    const std::uint64_t row = task - tasks / 2;
    const data_access accesses[] = {
        {.block = 0, .begin_byte = row * 8192, .size_bytes = 3 * 8192},
        {.block = 1, .kind = access_kind::write, .begin_byte = row * 8192 + 8192, .size_bytes = 8192}};
    graph.add_task({});
    graph.add_stretch(20'000 + row % 999, accesses);
  }
  byte_writer to;
  write_graph(to, graph);
  EXPECT_LT(to.bytes().size(), 12 * tasks);
}

TEST(recording_file, cleans_names) {
  recording made = small_recording();
  made.regions[0].name = "bell\a and " + std::string(5000, 'x');
  const recording read = from_bytes(to_bytes(made), "g.nfg");
  EXPECT_EQ(read.regions[0].name.substr(0, 10), "bell? and ");
  EXPECT_EQ(read.regions[0].name.size(), 4096U);
  made.regions[0].name = std::string(4095, 'x') + "\xe2\x82\xac";
  EXPECT_EQ(from_bytes(to_bytes(made), "g.nfg").regions[0].name, std::string(4095, 'x')) << "no part of a character";
}

// --- files ---

struct scratch_folder {
  scratch_folder() : path(fs::temp_directory_path() / ("nearfork-nfg-" + std::to_string(::getpid()))) {
    fs::remove_all(path);
    fs::create_directories(path);
  }
  ~scratch_folder() { fs::remove_all(path); }
  [[nodiscard]] std::string file(const std::string& name) const { return (path / name).string(); }
  [[nodiscard]] std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), fs::directory_iterator()));
  }
  fs::path path;
};

TEST(recording_file, goes_to_disk_and_back_and_replaces_what_was_there) {
  const scratch_folder folder;
  std::ofstream(folder.file("g.nfg")) << "old";
  save_recording(small_recording(), folder.file("g.nfg"));
  EXPECT_EQ(load_recording(folder.file("g.nfg")), small_recording());
  EXPECT_EQ(folder.entries(), 1U);
}

TEST(recording_file, on_a_full_disk_is_an_error_and_leaves_the_old_file) {
  const scratch_folder folder;
  std::ofstream(folder.file("g.nfg")) << "old";
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit tight = before;
  tight.rlim_cur = 100;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
  std::string said;
  try {
    save_recording(any_recording(7, 500), folder.file("g.nfg"));
  } catch (const error& refused) {
    said = refused.what();
  }
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, old_handler);
  expect_says(said, {"cannot write", "g.nfg", "File too large", "bytes free"});
  EXPECT_EQ(folder.entries(), 1U);
  std::string content;
  std::ifstream(folder.file("g.nfg")) >> content;
  EXPECT_EQ(content, "old");
}

TEST(recording_file, of_foreign_bytes_is_refused_by_its_beginning_however_large) {
  const scratch_folder folder;
  std::ofstream(folder.file("g.nfg")) << "foreign bytes";
  constexpr std::uintmax_t tera = std::uintmax_t{1} << 40;  // with a hole
  std::error_code failed;
  fs::resize_file(folder.file("g.nfg"), tera, failed);
  if (failed) GTEST_SKIP() << "no files of that size here: " << failed.message();
  try {
    (void)load_recording(folder.file("g.nfg"));
    ADD_FAILURE() << "it was read";
  } catch (const error& refused) {
    expect_says(refused.what(), {"g.nfg", "byte 0", "no task-graph recording"});
  }
}

TEST(recording_file, is_refused_where_it_cannot_be_read_or_is_no_file) {
  const scratch_folder folder;
  const auto said = [](const std::string& path) {
    try {
      (void)load_recording(path);
      return std::string();
    } catch (const error& refused) {
      return std::string(refused.what());
    }
  };
  expect_says(said(folder.file("none.nfg")), {"cannot read", "No such file"});
  expect_says(said(folder.path.string()), {"no regular file"});
  expect_says(said("/dev/zero"), {"no regular file"});
  ASSERT_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0);
  expect_says(said(folder.file("pipe")), {"no regular file"});
}

TEST(checksum, is_crc32c) {
  EXPECT_EQ(crc32c("123456789"), 0xe3069283U);
  EXPECT_EQ(crc32c(std::string_view("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 32)),
            0x8a9136aaU)
      << "RFC 3720, B.4";
  EXPECT_EQ(crc32c("6789", crc32c("12345")), 0xe3069283U);
}

}  // namespace
}  // namespace nearfork::recordings
