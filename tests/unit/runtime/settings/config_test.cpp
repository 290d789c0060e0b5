#include <nearfork/config.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include <nearfork/error.hpp>

#include "base/privileged.hpp"

namespace nearfork {
namespace {

using entries = std::vector<environment_entry>;

std::string refusal(const entries& environment) {
  try {
    (void)config_from(environment);
    return "";
  } catch (const error& wrong) {
    return wrong.what();
  }
}

testing::AssertionResult contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "\"" << part << "\" is not in \"" << text << "\"";
}

const config_option& option_called(const std::vector<config_option>& options, const std::string& name) {
  return *std::find_if(options.begin(), options.end(), [&](const auto& option) { return option.name == name; });
}

/// For each option, values that it takes and values that it refuses.
struct sample {
  const char* name;
  std::vector<std::string> good;
  std::vector<std::string> bad;
};
const std::vector<sample> samples{
    {"policy", {"random", "random-unpinned"}, {"", "Random", "cilk", "random "}},
    {"workers", {"0", "1", "4096", "0x10"}, {"", "4097", "-1", "two", "1.0"}},
    {"machine", {"", "box.xml", "package:2 l3:1 core:4 pu:1"}, {std::string("a\0b", 3)}},
    {"machine_folder", {"", "/opt/machines"}, {std::string("a\0b", 3)}},
    {"pin", {"auto", "on", "off", "1", "0"}, {"", "maybe", "ON"}},
    {"pin_waits", {"on", "off", "1", "0"}, {"", "maybe", "ON"}},
    {"strict", {"on", "off", "true", "false"}, {"", "2"}},
    {"power", {"off", "report", "manage"}, {"", "on", "Manage", "off "}},
    {"goal", {"time", "energy", "edp"}, {"", "speed", "EDP", "energy "}},
    {"report", {"", "stderr", "/tmp/r.json"}, {std::string("\0", 1)}},
    {"stack_bytes",
     {"16K", "16384", "15M", "1024k", "16M", "1G", "1g"},
     {"", "15K", "1025M", "16383", "2G", "17179869185G"}},
    {"spin_us", {"0", "50", "10000"}, {"", "10001", "50us"}},
    {"profile_tasks", {"0", "1000", "100000000"}, {"", "100000001", "1e6"}},
    {"move_bytes", {"0", "64M", "1048576M", "64G", "1024G"}, {"", "1048577M", "1025G", "-1"}},
    {"malloc_from", {"64K", "1M", "65536", "1024G"}, {"", "63K", "1025G", "-1", "1.5M"}},
    {"malloc_blocks", {"initial", "all"}, {"", "none", "All", "1"}},
    {"hotness",
     {"auto", "hints", "samples", "damon", "clear_refs", "page_idle", "none"},
     {"", "Auto", "clear-refs", "pebs"}},
    {"trace", {"", "/tmp/t.pftrace"}, {std::string("\0", 1)}},
    {"trace_events", {"64", "65536", "0x1000000"}, {"", "63", "16777217", "1M", "-1"}},
    {"trace_tasks", {"0", "1", "0x100000"}, {"", "1048577", "all", "-1"}},
    {"hotness_cost", {"1", "15", "1000"}, {"", "0", "1001", "1.5", "2%"}},
    {"record", {"", "g.nfg", "/tmp/g.nfg"}, {std::string("g\0", 2)}},
    {"record_iterations", {"one", "all"}, {"", "two", "All", "1"}},
    {"record_tasks", {"1", "1000000000"}, {"", "0", "1000000001"}},
    {"push", {"none", "input"}, {"", "both", "Input", "1"}},
    {"alloc", {"immediate", "deferred"}, {"", "late", "Deferred"}},
    {"push_threshold", {"0", "64K", "65536", "1024G"}, {"", "1025G", "-1", "1.5K"}},
    {"mpi_poll_us", {"0", "500", "1000000"}, {"", "1000001", "1ms", "-1"}},
    {"mpi_stall_s", {"0", "60", "1000000"}, {"", "1000001", "60s", "-1"}},
    {"push_input_weight", {"0", "1", "1.25", "1000"}, {"", "-1", "1001", "nan", "inf", "much"}},
    {"push_output_weight", {"0", "1.75", "1e2"}, {"", "-0.5", "1000.5", "1,5"}},
    {"mailbox_tasks", {"1", "128", "65536"}, {"", "0", "65537", "-1"}},
    {"seed", {"0", "18446744073709551615", "0xdead"}, {"", "18446744073709551616", "-1"}},
    {"name", {"x", "my runtime"}, {"", "a\nb", std::string(65, 'x')}},
};

TEST(config_options, each_has_samples_here_and_documentation) {
  const auto options = config_options();
  ASSERT_EQ(options.size(), samples.size());
  for (const auto& option : options) {
    EXPECT_TRUE(std::any_of(samples.begin(), samples.end(), [&](const auto& s) { return s.name == option.name; }))
        << option.name;
    EXPECT_FALSE(option.meaning.empty() || option.allowed.empty() || option.type.empty()) << option.name;
  }
}

TEST(config_options, names_follow_one_rule_and_are_distinct) {
  std::set<std::string> seen;
  for (const auto& option : config_options()) {
    std::string upper = option.name, dashed = option.name;
    std::transform(upper.begin(), upper.end(), upper.begin(),
                   [](char c) { return static_cast<char>(c >= 'a' ? c - 'a' + 'A' : c); });
    std::replace(dashed.begin(), dashed.end(), '_', '-');
    EXPECT_EQ(option.environment, "NEARFORK_" + upper);
    EXPECT_EQ(option.flag, "--" + dashed);
    EXPECT_TRUE(seen.insert(option.name).second);
  }
}

TEST(config_options, keep_away_from_the_names_of_build_and_tests) {
  for (const auto& option : config_options()) {
    EXPECT_FALSE(option.environment.starts_with("NEARFORK_BUILD_")) << option.environment;
    EXPECT_FALSE(option.environment.starts_with("NEARFORK_TEST_")) << option.environment;
  }
}

TEST(config_set, takes_every_good_sample_and_shows_it_again) {
  for (const auto& sample : samples)
    for (const auto& value : sample.good) {
      config one;
      one.set(sample.name, value);
      config other;
      other.set(sample.name, one.text_of(sample.name));
      EXPECT_EQ(one.text_of(sample.name), other.text_of(sample.name)) << sample.name << "=" << value;
      EXPECT_NO_THROW(one.check());
    }
}

TEST(config_set, refuses_every_bad_sample_lists_what_is_allowed_and_changes_nothing) {
  for (const auto& sample : samples)
    for (const auto& value : sample.bad) {
      config one;
      const std::string before = one.text_of(sample.name);
      try {
        one.set(sample.name, value, "flag --x");
        FAIL() << sample.name << " took \"" << value << '"';
      } catch (const error& wrong) {
        EXPECT_TRUE(contains(wrong.what(), "flag --x"));
        EXPECT_TRUE(contains(wrong.what(), option_called(config_options(), sample.name).allowed));
      }
      EXPECT_EQ(one.text_of(sample.name), before);
      EXPECT_EQ(one.source_of(sample.name), "default");
    }
}

TEST(config_set, fills_the_fields) {
  config c;
  c.set("policy", "random-unpinned");
  c.set("workers", "7");
  c.set("machine", "core:4");
  c.set("pin", "off");
  c.set("strict", "yes");
  c.set("report", "stderr");
  c.set("stack_bytes", "1M");
  c.set("spin_us", "12");
  c.set("seed", "99");
  c.set("name", "mine");
  EXPECT_EQ(c.policy, "random-unpinned");
  EXPECT_EQ(c.workers, 7U);
  EXPECT_EQ(c.machine, "core:4");
  EXPECT_EQ(c.pin, pinning::off);
  EXPECT_TRUE(c.strict);
  EXPECT_EQ(c.report, "stderr");
  EXPECT_EQ(c.stack_bytes, std::size_t{1} << 20);
  EXPECT_EQ(c.spin_us, 12U);
  EXPECT_EQ(c.seed, 99U);
  EXPECT_EQ(c.name, "mine");
}

TEST(config_check, refuses_outputs_that_have_no_node_when_they_are_asked_for) {
  for (const push_by how : {push_by::output, push_by::weighted}) {
    config c;
    c.push = how;
    try {
      c.check();
      FAIL() << "deferred buffers have no node";
    } catch (const error& wrong) {
      EXPECT_TRUE(contains(wrong.what(), "alloc=immediate"));
    }
    c.alloc = buffer_memory::immediate;
    EXPECT_NO_THROW(c.check());
  }
}

TEST(config_set, refuses_what_is_no_enumerator) {
  const auto refused = [](auto config::* field) -> bool {
    config c;
    c.*field = static_cast<std::remove_reference_t<decltype(c.*field)>>(77);
    try {
      c.check();
    } catch (const error& wrong) {
      return std::string_view(wrong.what()).find("enumerator 77") != std::string_view::npos;
    }
    return false;
  };
  EXPECT_TRUE(refused(&config::pin));
  EXPECT_TRUE(refused(&config::push));
  EXPECT_TRUE(refused(&config::power));
  EXPECT_TRUE(refused(&config::goal));
  EXPECT_TRUE(refused(&config::hotness));
}

TEST(config_set, says_that_a_mailbox_holds_at_least_one_task) {
  config c;
  try {
    c.set("mailbox_tasks", "0");
    FAIL() << "a mailbox without room";
  } catch (const error& wrong) {
    EXPECT_TRUE(contains(wrong.what(), "allowed: 1 to 65536"));
  }
}

TEST(config_set, names_the_option_that_was_meant) {
  config c;
  try {
    c.set("worker", "1");
    FAIL() << "there is no option \"worker\"";
  } catch (const error& wrong) {
    EXPECT_TRUE(contains(wrong.what(), "did you mean workers?"));
    EXPECT_TRUE(contains(wrong.what(), "stack_bytes"));
  }
}

TEST(config_from, of_nothing_is_the_default) {
  const config read = config_from({});
  for (const auto& option : config_options()) {
    EXPECT_EQ(read.text_of(option.name), option.default_value);
    EXPECT_EQ(read.source_of(option.name), "default");
  }
}

TEST(config_from, reads_the_variables_of_the_table) {
  const config read =
      config_from(entries{{"NEARFORK_WORKERS", "3"}, {"NEARFORK_STACK_BYTES", "64K"}, {"PATH", "/bin"}});
  EXPECT_EQ(read.workers, 3U);
  EXPECT_EQ(read.stack_bytes, std::size_t{64} << 10);
  EXPECT_EQ(read.source_of("workers"), "environment variable NEARFORK_WORKERS");
}

TEST(config_from, takes_an_empty_variable_for_unset) {
  const config read = config_from(entries{{"NEARFORK_WORKERS", ""}, {"NEARFORK_POLICY", ""}});
  EXPECT_EQ(read.workers, 0U);
  EXPECT_EQ(read.source_of("policy"), "default");
}

TEST(config_from, passes_over_what_belongs_to_build_and_tests) {
  EXPECT_EQ(refusal({{"NEARFORK_BUILD_TESTS", "ON"},
                     {"NEARFORK_TEST_SEED", "1"},
                     {"NEARFORKISH", "1"},
                     {"nearfork_policy", "x"}}),
            "");
}

TEST(config_from, refuses_unknown_names_and_says_which_are_near_and_which_exist) {
  const std::string message = refusal({{"NEARFORK_POLCY", "random"}});
  EXPECT_TRUE(contains(message, "\"NEARFORK_POLCY\""));
  EXPECT_TRUE(contains(message, "did you mean NEARFORK_POLICY?"));
  for (const auto& option : config_options()) EXPECT_TRUE(contains(message, option.environment));
}

TEST(config_from, names_no_neighbour_where_there_is_none) {
  const std::string message = refusal({{"NEARFORK_COMPLETELY_DIFFERENT", "1"}});
  EXPECT_FALSE(contains(message, "did you mean"));
  EXPECT_TRUE(contains(message, "NEARFORK_POLICY"));
}

TEST(config_from, refuses_bad_values_and_says_where_they_stand) {
  const std::string message = refusal({{"NEARFORK_POLICY", "cilk"}});
  EXPECT_TRUE(contains(message, "environment variable NEARFORK_POLICY"));
  EXPECT_TRUE(contains(message, "\"cilk\""));
  for (const auto& name : policy_names()) EXPECT_TRUE(contains(message, name));
}

TEST(config_from, tells_all_that_is_wrong_at_once) {
  const std::string message =
      refusal({{"NEARFORK_WORKERS", "many"}, {"NEARFORK_SPIN_US", "-1"}, {"NEARFORK_TYPO", "1"}});
  for (const char* part : {"NEARFORK_WORKERS", "NEARFORK_SPIN_US", "NEARFORK_TYPO"})
    EXPECT_TRUE(contains(message, part));
}

TEST(config_from, keeps_messages_readable_whatever_the_value) {
  const std::string message =
      refusal({{"NEARFORK_WORKERS", std::string(100000, 'x') + "\x1b[31m"}, {"NEARFORK_SEED", "\x1b[31m\n"}});
  EXPECT_LT(message.size(), 2000U);
  EXPECT_EQ(message.find('\x1b'), std::string::npos);
}

TEST(config_source_of, tells_default_environment_flag_and_program_apart) {
  config c = config_from(entries{{"NEARFORK_SEED", "5"}, {"NEARFORK_WORKERS", "2"}, {"NEARFORK_SPIN_US", "7"}});
  c.set("seed", "6", "flag --seed");
  c.workers = 9;
  c.strict = true;
  EXPECT_EQ(c.source_of("seed"), "flag --seed");
  EXPECT_EQ(c.source_of("spin_us"), "environment variable NEARFORK_SPIN_US");
  EXPECT_EQ(c.source_of("workers"), "program");
  EXPECT_EQ(c.source_of("strict"), "program");
  EXPECT_EQ(c.source_of("policy"), "default");
}

TEST(config_check, finds_a_field_out_of_range) {
  config c;
  c.workers = 5000;
  try {
    c.check();
    FAIL() << "5000 workers are too many";
  } catch (const error& wrong) {
    EXPECT_TRUE(contains(wrong.what(), "field workers"));
    EXPECT_TRUE(contains(wrong.what(), "0 to 4096"));
  }
  EXPECT_NO_THROW(config{}.check());
}

TEST(config_from_environment, is_not_obeyed_by_a_privileged_process) {
  ASSERT_EQ(setenv("NEARFORK_SPIN_US", "77", 1), 0);
  ASSERT_EQ(setenv("NEARFORK_REPORT", "/root/report", 1), 0);
  ASSERT_EQ(setenv("NEARFORK_RECORD", "", 1), 0);
  ASSERT_EQ(setenv("NEARFORK_NO_SUCH_THING", "1", 1), 0);
  {
    const pretended_privileges privileged;
    const config made = config::from_environment();
    EXPECT_EQ(made.spin_us, config{}.spin_us);
    EXPECT_EQ(made.report, "");
    EXPECT_EQ(made.ignored_variables, (std::vector<std::string>{"NEARFORK_REPORT", "NEARFORK_SPIN_US"}));
    EXPECT_NO_THROW(made.check());
  }
  unsetenv("NEARFORK_NO_SUCH_THING");
  EXPECT_TRUE(config::from_environment().ignored_variables.empty());
  for (const char* const one : {"NEARFORK_SPIN_US", "NEARFORK_REPORT", "NEARFORK_RECORD"}) unsetenv(one);
}

TEST(config_from_environment, reads_this_process) {
  ASSERT_EQ(setenv("NEARFORK_SPIN_US", "77", 1), 0);
  EXPECT_EQ(config::from_environment().spin_us, 77U);
  ASSERT_EQ(setenv("NEARFORK_NO_SUCH_THING", "1", 1), 0);
  EXPECT_THROW((void)config::from_environment(), error);
  unsetenv("NEARFORK_NO_SUCH_THING");
  unsetenv("NEARFORK_SPIN_US");
}

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

const std::filesystem::path source{NEARFORK_SOURCE_DIR};

// A user may put a build option into the environment.
TEST(config_options, are_not_called_like_a_build_option) {
  std::string build = contents(source / "CMakeLists.txt");
  for (const auto& file : std::filesystem::directory_iterator(source / "cmake")) build += contents(file.path());
  ASSERT_NE(build.find("option(NEARFORK_"), std::string::npos);
  for (const auto& option : config_options())
    EXPECT_EQ(build.find("option(" + option.environment + " "), std::string::npos) << option.environment;
}

TEST(config_markdown, is_what_the_documentation_says) {
  EXPECT_EQ(contents(source / "docs/CONFIGURATION.md"), config_markdown())
      << "the table of options has changed: nearfork config --markdown > docs/CONFIGURATION.md";
}

// Any environment is accepted, or refused with a message. Accepted settings pass check().
RC_GTEST_PROP(config_from, survives_any_environment, ()) {
  const auto options = config_options();
  entries environment;
  for (int i = *rc::gen::inRange(0, 6); i > 0; --i) {
    const auto known = *rc::gen::elementOf(options);
    const auto name =
        *rc::gen::oneOf(rc::gen::just(known.environment), rc::gen::just("NEARFORK_" + *rc::gen::string<std::string>()));
    const auto value = *rc::gen::oneOf(rc::gen::string<std::string>(), rc::gen::just(known.default_value),
                                       rc::gen::just(std::string("1")));
    environment.push_back({name, value});
  }
  try {
    config_from(environment).check();
  } catch (const error& wrong) {
    RC_ASSERT(std::string(wrong.what()).find("allowed:") != std::string::npos);
  }
}

}  // namespace
}  // namespace nearfork
