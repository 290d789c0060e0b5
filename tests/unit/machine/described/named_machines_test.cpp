#include "machine/described/named_machines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <nearfork/error.hpp>

#include "base/privileged.hpp"
#include "tests/message_of.hpp"

namespace nearfork {
namespace {

using test::message_of;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
namespace fs = std::filesystem;

const std::string sources = NEARFORK_SOURCE_DIR "/machines";

/// A folder of machines that the destructor removes.
struct own_folder {
  fs::path path = fs::temp_directory_path() /
                  ("nearfork_machines_" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) + "_" +
                   ::testing::UnitTest::GetInstance()->current_test_info()->name());
  own_folder() {
    fs::remove_all(path);
    fs::create_directories(path);
  }
  ~own_folder() { fs::remove_all(path); }
};

TEST(named_machines, are_found_from_a_build_tree_without_installing) {
  EXPECT_EQ(fs::canonical(machine_folder()), fs::canonical(sources));
  EXPECT_THAT(machine_names(), Contains("opteron-8380"));
  EXPECT_EQ(load_machine("opteron-8380")->cores().size(), 16U);
}

TEST(named_machines, know_their_name_and_their_model) {
  const auto made = named_machine("xeon-x7560", sources);
  EXPECT_EQ(made->known_as(), "xeon-x7560");
  EXPECT_EQ(made->provenance(), "machine xeon-x7560");
  EXPECT_EQ(made->model_file(), sources + "/xeon-x7560.model");
  EXPECT_THAT(text_of_model_file(made->model_file()), HasSubstr("core_ghz big = 2.0"));
  EXPECT_EQ(load_machine("package:1 core:2 pu:1")->model_file(), "");
  EXPECT_EQ(load_machine(sources + "/grace.xml")->model_file(), sources + "/grace.model") << "beside an XML file, too";
}

TEST(named_machines, list_what_is_known_for_a_name_that_is_not) {
  const std::string said = message_of([] { (void)load_machine("opteron-8381"); });
  EXPECT_THAT(said, AllOf(HasSubstr("opteron-8381"), HasSubstr("opteron-8380"), HasSubstr("sgi-uv2000"),
                          HasSubstr("package:2")));
}

TEST(named_machines, leave_synthetic_descriptions_alone) {
  for (const char* const synthetic : {"pu:1", "2 4", "8192", "package:2 core:4", "[numa] core:2", "", "Opteron", "a b"})
    EXPECT_FALSE(looks_like_machine_name(synthetic)) << synthetic;
  for (const char* const name : {"grace", "opteron-8380", "box_2.old"})
    EXPECT_TRUE(looks_like_machine_name(name)) << name;
}

TEST(named_machines, come_from_the_folder_that_is_named) {
  const own_folder own;
  fs::copy_file(sources + "/grace.xml", own.path / "mine.xml");
  EXPECT_EQ(machine_names(own.path), std::vector<std::string>{"mine"});
  EXPECT_THAT(message_of([&] { (void)named_machine("mine", own.path); }), HasSubstr("mine.model is missing"));
  std::ofstream(own.path / "mine.model") << "x";
  EXPECT_EQ(load_machine("mine", own.path)->cores().size(), 72U);
  EXPECT_THAT(message_of([&] { (void)load_machine("mine", (own.path / "nowhere").string()); }),
              HasSubstr("is no folder"));
}

TEST(named_machines, refuse_a_model_that_is_a_link_to_nothing) {
  const own_folder own;
  const std::string path = own.path / "box.xml";
  fs::copy_file(sources + "/grace.xml", path);
  EXPECT_EQ(load_machine(path)->model_file(), "");
  fs::create_symlink(own.path / "nothing", own.path / "box.model");
  EXPECT_THAT(message_of([&] { (void)load_machine(path); }), AllOf(HasSubstr("box.model"), HasSubstr("link to none")));
}

TEST(named_machines, come_from_the_folder_that_the_environment_names) {
  const own_folder own;
  ::setenv("NEARFORK_MACHINE_FOLDER", own.path.c_str(), 1);
  EXPECT_EQ(machine_folder(), own.path);
  EXPECT_TRUE(machine_names().empty());
  EXPECT_EQ(machine_folder(sources), sources) << "what the program says goes before";
  ::setenv("NEARFORK_MACHINE_FOLDER", "/nowhere", 1);
  EXPECT_THAT(message_of([] { (void)load_machine("grace"); }),
              AllOf(HasSubstr("/nowhere"), HasSubstr("NEARFORK_MACHINE_FOLDER")));
  ::unsetenv("NEARFORK_MACHINE_FOLDER");
}

TEST(named_machines, come_from_where_they_were_installed_in_a_privileged_process) {
  const own_folder own;
  ::setenv("NEARFORK_MACHINE_FOLDER", own.path.c_str(), 1);
  {
    const pretended_privileges privileged;
    EXPECT_EQ(machine_folder(sources), sources) << "what the program says is its own";
    // The library's machine folder may or may not be installed here.
    try {
      EXPECT_NE(machine_folder(), own.path);
    } catch (const error& refused) {
      EXPECT_THAT(refused.what(), HasSubstr("machine_folder in the program"));
    }
  }
  ::unsetenv("NEARFORK_MACHINE_FOLDER");
}

TEST(named_machines, have_model_files_that_can_be_read_or_say_why_not) {
  const own_folder own;
  EXPECT_THAT(message_of([&] { (void)text_of_model_file(own.path / "none"); }), HasSubstr("No such file"));
  std::ofstream(own.path / "empty");
  EXPECT_THAT(message_of([&] { (void)text_of_model_file(own.path / "empty"); }), HasSubstr("is empty"));
  std::ofstream(own.path / "large") << std::string((1 << 20) + 1, '#');
  EXPECT_THAT(message_of([&] { (void)text_of_model_file(own.path / "large"); }), HasSubstr("more than 1 MiB"));
}

}  // namespace
}  // namespace nearfork
