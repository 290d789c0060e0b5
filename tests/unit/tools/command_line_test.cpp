// Every option of every command, found by walking CLI11's tree, so that a new option cannot escape.
#include "tools/command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "bench/compare/request.hpp"
#include "command_run.hpp"
#include "tools/options.hpp"

namespace nearfork::tools {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

struct application {
  CLI::App app{"under test", "nearfork"};
  bench::request asked;  // what compare is asked for
};

std::unique_ptr<application> made(const std::string& which) {
  auto fresh = std::make_unique<application>();
  if (which == "compare") bench::add_options(fresh->app, fresh->asked);
  else add_commands(fresh->app);
  return fresh;
}

/// Takes a name such as "nearfork bench --reps", and the option itself.
using visitor = std::function<void(const std::string& name, CLI::Option& option)>;

void walk(CLI::App& app, const std::string& above, const visitor& visit) {
  for (CLI::Option* const one : app.get_options())
    if (one->get_items_expected_max() > 0) visit(above + one->get_name(), *one);
  for (CLI::App* const one : app.get_subcommands({})) walk(*one, above + one->get_name() + " ", visit);
}

std::vector<std::string> names_of_options(const std::string& which) {
  std::vector<std::string> names;
  const auto whole = made(which);
  walk(whole->app, which + " ", [&](const std::string& name, CLI::Option&) { names.push_back(name); });
  return names;
}

std::vector<std::string> all_options() {
  auto names = names_of_options("nearfork");
  for (std::string& one : names_of_options("compare")) names.push_back(std::move(one));
  return names;
}

/// The error of an option for a value; empty if the option takes the value. Uses a fresh application, since options
/// remember values. No command runs.
std::string refusal(const std::string& name, const std::string& value) {
  const std::string which = name.substr(0, name.find(' '));
  const auto whole = made(which);
  std::string said = "there is no " + name;
  walk(whole->app, which + " ", [&](const std::string& found, CLI::Option& option) {
    if (found != name) return;
    try {
      option.add_result(value);
      option.run_callback();
      said.clear();
    } catch (const CLI::ParseError& refused) {
      said = refused.what();
      EXPECT_GE(refused.get_exit_code(), 100);
    }
  });
  return said;
}

std::string type_of(const std::string& name) {
  const std::string which = name.substr(0, name.find(' '));
  const auto whole = made(which);
  std::string type;
  walk(whole->app, which + " ", [&](const std::string& found, CLI::Option& option) {
    if (found == name) type = option.get_type_name();
  });
  return type;
}

class every_option : public testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] static std::string own_name() { return GetParam().substr(GetParam().rfind(' ') + 1); }
};

/// CLI11's own conversion reads 010 as 8 and -1 as 18446744073709551615.
TEST_P(every_option, is_no_number_by_cli11s_own_conversion) {
  for (const char* const type : {"INT", "FLOAT", "ENUM"}) EXPECT_THAT(type_of(GetParam()), Not(HasSubstr(type)));
}

TEST_P(every_option, with_a_number_takes_numbers_alone) {
  const bool is_list = type_of(GetParam()) == numbers_type;
  if (type_of(GetParam()) != number_type && !is_list) return;
  EXPECT_EQ(refusal(GetParam(), "1"), "");
  EXPECT_EQ(refusal(GetParam(), "0x1"), "");
  EXPECT_EQ(refusal(GetParam(), "1,2").empty(), is_list);
  for (const std::string wrong : {"-1",
                                  "+1",
                                  " 1",
                                  "1 ",
                                  "\t1",
                                  "1\n",
                                  "010",
                                  "00",
                                  "-0",
                                  "1e3",
                                  "1.5",
                                  "0x",
                                  "0X10",
                                  "0x-1",
                                  "18446744073709551616",
                                  "-18446744073709551615",
                                  "-9223372036854775808",
                                  "99999999999999999999999999999999999999999999",
                                  "inf",
                                  "nan",
                                  "one",
                                  "1K",
                                  "1;2",
                                  "true"})
    EXPECT_THAT(refusal(GetParam(), wrong),
                AllOf(HasSubstr(own_name()), HasSubstr("bad value"), HasSubstr("allowed: ")))
        << wrong;
  for (const std::string wrong : {"1,", ",1", ",", "1,,2"})
    EXPECT_THAT(refusal(GetParam(), wrong), AllOf(HasSubstr(own_name()), HasSubstr("bad value"))) << wrong;
  EXPECT_THAT(refusal(GetParam(), "010"), HasSubstr("without leading zeros"));
}

TEST_P(every_option, refuses_an_empty_value) {
  if (type_of(GetParam()) == may_be_empty) return;
  EXPECT_THAT(refusal(GetParam(), ""), HasSubstr(own_name()));
}

INSTANTIATE_TEST_SUITE_P(of_all_commands, every_option, testing::ValuesIn(all_options()),
                         [](const testing::TestParamInfo<std::string>& one) {
                           std::string name;
                           for (const char c : one.param)
                             name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
                           return name;
                         });

/// The walk finds options, and options with numbers among them.
TEST(options, of_several_commands_are_numbers) {
  std::set<std::string> numbers;
  for (const std::string& name : all_options())
    if (type_of(name) == number_type || type_of(name) == numbers_type) numbers.insert(name);
  EXPECT_THAT(numbers, AllOf(Contains("nearfork bench --reps"), Contains("nearfork bench --workers"),
                             Contains("nearfork sim --iterations"), Contains("nearfork reproduce --seed"),
                             Contains("compare --workers"), Contains("compare --reps")));
}

TEST(options, with_pairs_read_the_number_strictly) {
  EXPECT_EQ(refusal("compare --size", "fib=40"), "");
  for (const std::string wrong : {"fib", "fib=", "fib=-1", "fib=010", "fib= 1", "fib=1 ", "fib=1e3",
                                  "fib=18446744073709551616", "nosuch=1", "=1", "fib=1,"})
    EXPECT_THAT(refusal("compare --size", wrong), HasSubstr("--size")) << wrong;
}

TEST(options, say_what_is_allowed) {
  EXPECT_THAT(refusal("nearfork bench --reps", "0"),
              HasSubstr("--reps: bad value \"0\"; allowed: whole numbers from 1 to 10000"));
  EXPECT_THAT(refusal("nearfork bench --workers", "1,4097"),
              HasSubstr("bad value \"4097\"; allowed: whole numbers from 0 to 4096"));
  EXPECT_THAT(refusal("nearfork reproduce paper", "acab"), HasSubstr("(did you mean a-cab?); allowed: a-cab, laws"));
  EXPECT_THAT(refusal("nearfork record --iterations", "al"), HasSubstr("(did you mean all?)"));
  EXPECT_THAT(refusal("compare problem", "fibb"), HasSubstr("(did you mean fib?)"));
}

// --- unknown words ---

command_run::ending nearfork_ends(const std::string& arguments) {
  return command_run::run_command("-u NEARFORK_MACHINE", NEARFORK_COMMAND " " + arguments);
}

struct misspelled {
  const char* line;
  const char* said;
};
void PrintTo(const misspelled& one, std::ostream* out) {
  *out << one.line;
}

class misspelled_line : public testing::TestWithParam<misspelled> {};

TEST_P(misspelled_line, is_told_what_was_meant) {
  const auto ended = nearfork_ends(GetParam().line);
  EXPECT_EQ(ended.status, static_cast<int>(CLI::ExitCodes::ExtrasError)) << ended.output;
  EXPECT_THAT(ended.output, AllOf(HasSubstr(GetParam().said), HasSubstr("allowed: "), HasSubstr("--help")));
}

INSTANTIATE_TEST_SUITE_P(
    each, misspelled_line,
    testing::Values(
        misspelled{"nosuch", "nearfork has no command \"nosuch\"; allowed: topo, doctor, bench, sim"},
        misspelled{"benhc heat", "has no command \"benhc\" (did you mean bench?)"},
        misspelled{"reproduc a-cab --quick", "(did you mean reproduce?)"},
        misspelled{"graph inf x.nfg",
                   "nearfork graph has no command \"inf\" (did you mean info?); allowed: info, dump, check"},
        misspelled{"--versio", "nearfork has no option \"--versio\" (did you mean --version?)"},
        misspelled{"bench --itertions 3", "nearfork bench has no option \"--itertions\" (did you mean --iterations?)"},
        misspelled{"bench --itertions=3 fib", "has no option \"--itertions\" (did you mean --iterations?)"},
        misspelled{"sim --machin grace", "(did you mean --machine?)"},
        misspelled{"topo --jsn", "(did you mean --json?)"},
        misspelled{"graph dump --regoin heat x.nfg",
                   "nearfork graph dump has no option \"--regoin\" (did you mean --region?)"},
        misspelled{"record -o x.nfg --itreations all heat", "(did you mean --iterations?)"},
        misspelled{"run --from x -- /bin/true", "nearfork run has no option \"--from\""},
        misspelled{"doctor --xyzzy", "nearfork doctor has no option \"--xyzzy\"; allowed: "}));

TEST(command_line, that_lacks_an_argument_is_told_of_which_command) {
  for (const auto& [line, said] : {std::pair{"report", "nearfork report: files is required"},
                                   std::pair{"graph dump", "nearfork graph dump: file is required"}}) {
    const auto ended = nearfork_ends(line);
    EXPECT_EQ(ended.status, static_cast<int>(CLI::ExitCodes::RequiredError)) << ended.output;
    EXPECT_THAT(ended.output, AllOf(HasSubstr(said), HasSubstr("--help")));
  }
}

TEST(command_line, that_is_wrong_before_a_program_is_told_what_is_wrong) {
  for (const auto& [line, said] : {std::pair{"record --runs x -o g.nfg -- ./program", "--runs"},
                                   std::pair{"record -- ./program", "--output is required"},
                                   std::pair{"advise --json --csv -- ./program", "--json excludes --csv"}}) {
    const auto ended = nearfork_ends(line);
    EXPECT_GE(ended.status, 100) << ended.output;
    EXPECT_THAT(ended.output, AllOf(HasSubstr(said), Not(HasSubstr("has no option"))));
  }
}

struct unknown_name {
  const char* line;
  const char* said;
};
void PrintTo(const unknown_name& one, std::ostream* out) {
  *out << one.line;
}

class line_with_unknown_name : public testing::TestWithParam<unknown_name> {};

TEST_P(line_with_unknown_name, is_told_what_was_meant) {
  const auto ended = nearfork_ends(GetParam().line);
  EXPECT_EQ(ended.status, 1) << ended.output;
  EXPECT_THAT(ended.output, HasSubstr(GetParam().said));
}

INSTANTIATE_TEST_SUITE_P(each, line_with_unknown_name,
                         testing::Values(unknown_name{"bench haet",
                                                      "no workload is called \"haet\" (did you mean heat?)"},
                                         unknown_name{"bench heat --policy lows", "(did you mean laws?)"},
                                         unknown_name{"bench heat --contender nearfrok", "(did you mean nearfork?)"},
                                         unknown_name{"bench heat --size smal", "(did you mean small?)"},
                                         unknown_name{"bench heat --size row=3", "(did you mean rows?)"},
                                         unknown_name{"sim hat --machine grace", "(did you mean heat?)"},
                                         unknown_name{"sim heat --policy lows --machine grace", "(did you mean laws?)"},
                                         unknown_name{"sim heat --machine grase", "(did you mean grace?)"},
                                         unknown_name{"topo grase", "(did you mean grace?)"},
                                         unknown_name{"topo sgi", "(did you mean sgi-uv2000?)"}));

TEST(command_line, names_an_argument_too_many) {
  const auto ended = nearfork_ends("doctor everything");
  EXPECT_EQ(ended.status, static_cast<int>(CLI::ExitCodes::ExtrasError));
  EXPECT_THAT(ended.output, HasSubstr("nearfork doctor does not expect \"everything\""));
}

TEST(command_line, says_how_it_ends) {
  EXPECT_THAT(nearfork_ends("--help").output, AllOf(HasSubstr("Exit status: "), HasSubstr("100 and up")));
  EXPECT_GE(nearfork_ends("").status, 100);
}

TEST(topo_command, takes_a_machine_as_its_argument) {
  const auto by_option = nearfork_ends("topo --machine opteron-8380");
  const auto by_place = nearfork_ends("topo opteron-8380");
  EXPECT_EQ(by_place.status, 0) << by_place.output;
  EXPECT_EQ(by_place.output, by_option.output);
  EXPECT_EQ(nearfork_ends("topo 'package:2 core:2 pu:1' --json").status, 0);
  EXPECT_GE(nearfork_ends("topo grace --machine grace").status, 100);
  EXPECT_GE(nearfork_ends("topo grace --synthetic pu:1").status, 100);
  EXPECT_THAT(nearfork_ends("topo --measure grace").output, HasSubstr("only this machine can be measured"));
}

TEST(command_line, refuses_empty_names) {
  for (const char* const line :
       {"topo --xml ''", "topo --synthetic ''", "topo --machine ''", "topo ''", "topo --measure -o ''",
        "sim '' --machine grace", "sim heat --machine ''", "bench ''", "bench heat --size ''", "bench heat --policy ''",
        "record -o '' heat", "graph info ''", "reproduce a-cab --svg ''"}) {
    const auto ended = nearfork_ends(line);
    EXPECT_GE(ended.status, 100) << line << ": " << ended.output;
    EXPECT_THAT(ended.output, HasSubstr("empty")) << line;
  }
}

}  // namespace
}  // namespace nearfork::tools
