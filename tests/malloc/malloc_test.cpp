// libnearfork-malloc.so in programs that have nearfork, and in others, which it must leave alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "sandbox/child_program.hpp"
#include "sandbox/privileges.hpp"

namespace {

using nearfork::test::become_nobody;
using nearfork::test::give_capability;
using nearfork::test::program_end;
using nearfork::test::run_program;
using nearfork::test::why_no_privileges_in;
using testing::HasSubstr;
using testing::Not;

const std::string preload = "LD_PRELOAD=" NEARFORK_MALLOC_LIBRARY;
const std::string all_is_well = "all is as it should be\n";

std::string path_of(const std::string& program) {
  for (const std::string folder : {"/usr/bin/", "/bin/", "/usr/local/bin/"})
    if (std::filesystem::exists(folder + program)) return folder + program;
  return {};
}

program_end with_library(const std::string& mode, const std::vector<std::string>& more = {}) {
  std::vector<std::string> environment{preload, "NEARFORK_PIN=off", "NEARFORK_WORKERS=2"};
  environment.insert(environment.end(), more.begin(), more.end());
  return run_program({NEARFORK_MALLOCED_PROGRAM, mode}, environment);
}

// --- programs that have nearfork ---

class placed_malloc : public testing::TestWithParam<const char*> {};

TEST_P(placed_malloc, serves_preloaded_programs) {
  const program_end ran = with_library(GetParam());
  EXPECT_EQ(ran.status, 0) << ran.signal << ran.output;
  EXPECT_THAT(ran.output, HasSubstr(all_is_well));
}

TEST_P(placed_malloc, serves_linked_programs) {
  const program_end ran = run_program({NEARFORK_LINKED_PROGRAM, GetParam()}, {"NEARFORK_WORKERS=2"});
  EXPECT_EQ(ran.status, 0) << ran.signal << ran.output;
  EXPECT_THAT(ran.output, HasSubstr(all_is_well));
}

INSTANTIATE_TEST_SUITE_P(modes, placed_malloc,
                         testing::Values("forms", "refusals", "regions", "threads", "fork", "many", "kept"),
                         [](const auto& one) { return std::string(one.param); });

TEST(placed_malloc_in_domains, belongs_to_the_region_that_uses_it) {
  for (const char* const machine : {"package:1 core:2 pu:1", "package:2 l3:1 core:1 pu:1", "package:4 core:2 pu:1"})
    for (const char* const policy : {"auto", "laws", "bats", "random"}) {
      const program_end ran = with_library(
          "regions", {std::string("NEARFORK_MACHINE=") + machine, std::string("NEARFORK_POLICY=") + policy});
      EXPECT_EQ(ran.status, 0) << machine << ' ' << policy << ran.output;
    }
}

TEST(placed_malloc_report, says_how_much_was_placed) {
  const program_end ran = with_library("regions", {"NEARFORK_REPORT=stderr"});
  EXPECT_THAT(ran.output, HasSubstr(" of these blocks are malloc's or operator new's, with "));
}

TEST(placed_malloc_settings, that_are_wrong_are_an_error_of_the_runtime) {
  const program_end ran = with_library("runtime", {"NEARFORK_MALLOC_FROM=1"});
  EXPECT_NE(ran.status, 0);
  EXPECT_THAT(ran.output, HasSubstr("NEARFORK_MALLOC_FROM"));
}

TEST(placed_malloc_settings, leave_smaller_blocks_alone) {
  const program_end ran = with_library("forms", {"NEARFORK_MALLOC_FROM=4M"});  // the program expects 3 MiB to be placed
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.output, HasSubstr("not so: is_placed"));
}

// --- programs without nearfork ---

TEST(foreign_programs, are_left_alone) {
  const program_end ran = run_program({NEARFORK_FOREIGN_PROGRAM}, {preload});
  EXPECT_EQ(ran.status, 0) << ran.output;
}

TEST(foreign_programs, may_load_and_unload_the_library) {
  for (const std::vector<std::string>& environment : {std::vector<std::string>{}, std::vector<std::string>{preload}}) {
    const program_end ran = run_program({NEARFORK_FOREIGN_PROGRAM, NEARFORK_MALLOC_LIBRARY}, environment);
    EXPECT_EQ(ran.status, 0) << ran.output;
  }
}

/// The same output and end with the library and without.
void expect_same(const std::vector<std::string>& command) {
  const std::string path = std::string("PATH=") + std::getenv("PATH");
  const program_end alone = run_program(command, {path});
  const program_end with = run_program(command, {path, preload});
  EXPECT_EQ(alone.status, 0) << alone.output;
  EXPECT_EQ(with.status, alone.status);
  EXPECT_EQ(with.output, alone.output);
  EXPECT_FALSE(alone.output.empty());
}

TEST(foreign_programs, compilers_make_the_same_object) {
  expect_same({NEARFORK_COMPILER, "-std=c++20", "-O2", "-I" NEARFORK_SOURCE_DIR "/include",
               "-I" NEARFORK_SOURCE_DIR "/src", "-x", "c++", "-S", "-o", "/dev/stdout",
               NEARFORK_SOURCE_DIR "/src/base/text/number_text.cpp"});
}

TEST(foreign_programs, python_with_threads_computes_the_same) {
  const std::string python = path_of("python3");
  if (python.empty()) GTEST_SKIP() << "python3 is not installed";
  expect_same({python, "-c", R"(
import hashlib, json, threading, zlib
results = [None] * 8
def work(i):
    data = bytearray()
    for j in range(200):
        data += str(i * j).encode() * (j + 1)
    table = {str(k): [k] * (k % 17) for k in range(3000)}
    text = json.dumps(table) + data.hex()
    results[i] = hashlib.sha256(zlib.compress(text.encode())).hexdigest()
threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
for t in threads: t.start()
for t in threads: t.join()
print(*results, sep='\n')
)"});
}

TEST(foreign_programs, sqlite_answers_the_same) {
  const std::string statements =
      "create table t(a integer primary key, b text); with recursive n(i) as (select 1 union all select i + 1 from n "
      "where i < 20000) insert into t select i, hex(i * 7919) || zeroblob(i % 300) from n; create index x on t(b); "
      "select count(*), sum(a), max(b), group_concat(substr(b, 1, 2), '') from t;";
  if (const std::string shell = path_of("sqlite3"); !shell.empty()) return expect_same({shell, ":memory:", statements});
  const std::string python = path_of("python3");
  if (python.empty()) GTEST_SKIP() << "neither sqlite3 nor python3 is installed";
  expect_same({python, "-c",
               "import sqlite3\nc = sqlite3.connect(':memory:')\nfor s in '''" + statements +
                   "'''.split(';'): print(c.execute(s).fetchall())"});
}

/// Without refusals, which are the other one's: tcmalloc does not set errno, and mimalloc's operator new aborts.
void expect_works_before(const std::string& other) {
  EXPECT_EQ(run_program({NEARFORK_FOREIGN_PROGRAM}, {preload + ":" + other}).status, 0);
  for (const char* const mode : {"forms", "regions", "threads", "fork"}) {
    const program_end ran =
        run_program({NEARFORK_MALLOCED_PROGRAM, mode}, {preload + ":" + other, "NEARFORK_WORKERS=2"});
    EXPECT_EQ(ran.status, 0) << mode << ran.signal << ran.output;
  }
}

/// Blocks of operator new must come back to the operator delete of the same library.
TEST(placed_malloc_chain, has_operators_of_another_allocator_next) {
  expect_works_before(NEARFORK_OTHER_MALLOC);
}

class known_malloc : public testing::TestWithParam<const char*> {};

TEST_P(known_malloc, may_be_next) {
  const std::string library = std::string("/usr/lib/x86_64-linux-gnu/") + GetParam();
  if (!std::filesystem::exists(library)) GTEST_SKIP() << library << " is not installed";
  expect_works_before(library);
}

INSTANTIATE_TEST_SUITE_P(of_debian, known_malloc,
                         testing::Values("libjemalloc.so.2", "libmimalloc.so.2.0", "libtcmalloc_minimal.so.4"));

// --- nearfork run ---

#ifdef NEARFORK_COMMAND

program_end nearfork_run(std::vector<std::string> words, const std::vector<std::string>& environment = {}) {
  words.insert(words.begin(), {NEARFORK_COMMAND, "run"});
  std::vector<std::string> all{"PATH=/usr/bin:/bin", "NEARFORK_WORKERS=2"};
  all.insert(all.end(), environment.begin(), environment.end());
  return run_program(words, all);
}

/// A copy of cat that runs with root's rights, whoever starts it, and shows which libraries it has.
class setuid_cat : public testing::Test {
 protected:
  setuid_cat() {
    std::string made = "/tmp/nearfork_setuid_XXXXXX";
    if (::mkdtemp(made.data()) == nullptr) throw std::runtime_error("no folder in /tmp");
    folder_ = made;
    std::filesystem::permissions(folder_, std::filesystem::perms(0755));
    std::filesystem::copy_file(path_of("cat"), program());
  }
  ~setuid_cat() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string program() const { return folder_ / "cat"; }

  std::filesystem::path folder_;
};

TEST_F(setuid_cat, is_left_alone) {
  const std::vector<std::string> command{program(), "/proc/self/maps"};
  EXPECT_THAT(run_program(command, {preload}).output, HasSubstr("libnearfork-malloc"));
  if (const std::string why = why_no_privileges_in(folder_); !why.empty()) GTEST_SKIP() << why;
  ASSERT_EQ(::chmod(program().c_str(), 04755), 0);
  const program_end ran = run_program(command, {preload}, become_nobody);
  EXPECT_EQ(ran.status, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("/cat"));
  EXPECT_THAT(ran.output, Not(HasSubstr("libnearfork-malloc")));
}

TEST_F(setuid_cat, is_refused_by_the_run_command) {
  if (const std::string why = why_no_privileges_in(folder_); !why.empty()) GTEST_SKIP() << why;
  ASSERT_EQ(::chmod(program().c_str(), 04755), 0);
  const std::vector<std::string> command{NEARFORK_COMMAND, "run", "--place-malloc", "--", program(), "/dev/null"};
  const program_end ran = run_program(command, {"PATH=/usr/bin:/bin"}, become_nobody);
  if (ran.status == 126) GTEST_SKIP() << "nobody may not execute " NEARFORK_COMMAND;
  EXPECT_EQ(ran.status, 1) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("it runs with the rights of another user (setuid)"));
  EXPECT_EQ(run_program(command, {"PATH=/usr/bin:/bin"}).status, 0) << "root gains no rights by it";
}

TEST_F(setuid_cat, with_capabilities_is_refused_by_the_run_command) {
  if (const std::string why = why_no_privileges_in(folder_); !why.empty()) GTEST_SKIP() << why;
  if (!give_capability(program())) GTEST_SKIP() << "the file system or the system keeps no capabilities";
  const std::vector<std::string> command{NEARFORK_COMMAND, "run", "--place-malloc", "--", program(), "/dev/null"};
  const program_end ran = run_program(command, {"PATH=/usr/bin:/bin"}, become_nobody);
  if (ran.status == 126) GTEST_SKIP() << "nobody may not execute " NEARFORK_COMMAND;
  EXPECT_EQ(ran.status, 1) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("it has capabilities of its own"));
  EXPECT_EQ(run_program(command, {"PATH=/usr/bin:/bin"}).status, 0) << "root gains no rights by it";
}

TEST(run_command, says_what_was_placed) {
  const program_end ran = nearfork_run({"--place-malloc", "--", NEARFORK_MALLOCED_PROGRAM, "regions"});
  EXPECT_EQ(ran.status, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr(all_is_well));
  EXPECT_THAT(ran.output,
              HasSubstr("nearfork: placed 4 blocks of malloc and operator new, with 12.0 MiB, in 1 process"));
}

TEST(run_command, counts_in_processes_of_any_folder) {
  const program_end ran =
      nearfork_run({"--place-malloc", "--", "sh", "-c", "cd / && " NEARFORK_MALLOCED_PROGRAM " regions"}, {"TMPDIR=."});
  EXPECT_THAT(ran.output, HasSubstr("nearfork: placed 4 blocks of malloc and operator new"));
}

TEST(run_command, hands_on_how_the_program_ends) {
  EXPECT_EQ(nearfork_run({"--place-malloc", "--", NEARFORK_MALLOCED_PROGRAM, "status", "7"}).status, 7);
  const program_end killed = nearfork_run({"--place-malloc", "--", NEARFORK_MALLOCED_PROGRAM, "killed"});
  EXPECT_EQ(killed.status, 128 + 9);
  EXPECT_THAT(killed.output, HasSubstr("nearfork: placed 2 blocks"));
}

TEST(run_command, says_why_nothing_was_placed) {
  EXPECT_THAT(nearfork_run({"--place-malloc", "--", "true"}).output,
              HasSubstr("nearfork: nothing was placed: true has no nearfork in it (1 process"));
  EXPECT_THAT(
      nearfork_run({"--place-malloc", "--", NEARFORK_MALLOCED_PROGRAM, "status", "0"}, {"NEARFORK_MALLOC_FROM=1G"})
          .output,
      HasSubstr("nearfork: nothing was placed: " NEARFORK_MALLOCED_PROGRAM " uses nearfork, and no block was"));
  EXPECT_THAT(nearfork_run({"--place-malloc", "--", "env", "-u", "LD_PRELOAD", "-u", "PATH", "/bin/true"}).output,
              HasSubstr("nothing was placed: env has no nearfork in it (1 process"));
}

TEST(run_command, says_that_the_address_sanitizer_wants_to_be_first) {
  const std::string source = testing::TempDir() + "/nearfork_sanitized_" + std::to_string(::getpid()) + ".c";
  const std::string program = source + ".out";
  std::ofstream(source) << "int main() {}\n";
  const bool made =
      run_program({path_of("gcc"), "-fsanitize=address", source, "-o", program}, {"PATH=/usr/bin:/bin"}).status == 0;
  const program_end ran = made ? nearfork_run({"--place-malloc", "--", program}) : program_end{};
  std::filesystem::remove(source);
  std::filesystem::remove(program);
  if (!made) GTEST_SKIP() << "no gcc, or it has no address sanitizer";
  EXPECT_NE(ran.status, 0) << "place such blocks if it learns to be second";
  EXPECT_THAT(ran.output, HasSubstr("nothing was placed: " + program + " is linked with the address sanitizer"));
}

TEST(run_command, refuses_what_cannot_be_run) {
  for (const std::string program : {"/no/such/program", "no-such-program", "/etc/passwd", "/usr"}) {
    const program_end ran = nearfork_run({"--place-malloc", "--", program});
    EXPECT_EQ(ran.status, 1) << ran.output;
    EXPECT_THAT(ran.output, HasSubstr("nearfork: cannot start " + program));
  }
  EXPECT_THAT(nearfork_run({"--", "true"}).output, HasSubstr("give --place-malloc"));
}

#endif

}  // namespace
