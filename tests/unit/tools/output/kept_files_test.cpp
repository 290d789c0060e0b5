// No output of the command replaces what the command reads, nor another output.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tools/report/page_writer.hpp"
#include "unit/tools/command_run.hpp"

namespace {

namespace fs = std::filesystem;

using command_run::ending;

class kept_files : public testing::Test {
 protected:
  kept_files() {
    std::string pattern = (fs::temp_directory_path() / "nearfork-kept-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    fs::copy_file(NEARFORK_SOURCE_DIR "/machines/opteron-8380.xml", folder_ / "box.xml");
    fs::copy_file(NEARFORK_SOURCE_DIR "/machines/opteron-8380.model", folder_ / "box.model");
    std::ofstream(folder_ / "edges.txt") << "0 1\n";
    std::ofstream(folder_ / "program") << "#!/bin/sh\n";
    fs::permissions(folder_ / "program", fs::perms(0755));
    EXPECT_EQ(run("record -o g.nfg fib --size test").status, 0);
    fs::create_symlink("g.nfg", folder_ / "link.nfg");
  }
  void SetUp() override {
    if (nearfork::tools::page_part("d3.min.js").empty()) GTEST_SKIP() << "built without D3 (Debian's node-d3)";
  }
  ~kept_files() override { fs::remove_all(folder_); }

  [[nodiscard]] ending run(const std::string& arguments) const {
    return command_run::run_command("-u NEARFORK_RECORD -u NEARFORK_REPORT NEARFORK_WORKERS=2 NEARFORK_PIN=off",
                                    "sh -c 'cd " + folder_.string() + " && " NEARFORK_COMMAND " " + arguments + "'");
  }
  [[nodiscard]] std::string content_of(const std::string& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void expect_keeps(const std::string& name, const std::string& arguments) const {
    const std::string before = content_of(name);
    const ending ran = run(arguments);
    EXPECT_EQ(ran.status, 1) << arguments << ": " << ran.output;
    EXPECT_NE(ran.output.find("would replace"), std::string::npos) << arguments << ": " << ran.output;
    EXPECT_EQ(content_of(name), before) << arguments;
  }
  fs::path folder_;
};

TEST_F(kept_files, are_recordings_traces_and_graphs) {
  expect_keeps("g.nfg", "report g.nfg --no-simulation -o g.nfg");
  expect_keeps("g.nfg", "report g.nfg --no-simulation -o link.nfg");
  expect_keeps("g.nfg", "sim g.nfg --seeds 1 --sweep 0 --policy random --html ./g.nfg");
  expect_keeps("g.nfg", "sim link.nfg --seeds 1 --sweep 0 --policy random --trace g.nfg");
  expect_keeps("edges.txt", "sim pagerank --graph edges.txt --policy random --html edges.txt");
  expect_keeps("edges.txt", "bench pagerank --graph edges.txt --contender serial --reps 1 --html edges.txt");
  expect_keeps("edges.txt", "trace recover edges.txt -o edges.txt");
}

TEST_F(kept_files, are_machines_and_their_models) {
  expect_keeps("box.xml", "sim fib --size test --policy random --machine ./box.xml --html box.xml");
  expect_keeps("box.model", "report g.nfg --machine box.xml -o ./box.model");
}

TEST_F(kept_files, are_programs_that_are_to_run) {
  expect_keeps("program", "record -o program -- ./program");
  expect_keeps("program", "trace -o program -- ./program");
  expect_keeps("program", "advise --html program -- ./program");
}

TEST_F(kept_files, are_the_other_outputs) {
  const ending ran = run("sim fib --size test --policy random --trace one --html ./one");
  EXPECT_EQ(ran.status, 1) << ran.output;
  EXPECT_NE(ran.output.find("name two files"), std::string::npos) << ran.output;
  EXPECT_FALSE(fs::exists(folder_ / "one"));
}

TEST_F(kept_files, are_not_files_that_have_the_name_of_a_workload_or_machine) {
  EXPECT_EQ(run("sim fib --size test --policy random --machine grace --html fib").status, 0);
  EXPECT_EQ(run("sim fib --size test --policy random --machine grace --html grace").status, 0);
  EXPECT_EQ(run("sim fib --size test --policy random --trace /dev/null --html /dev/null").status, 0);
}

}  // namespace
