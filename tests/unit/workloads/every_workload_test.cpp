// What holds for each workload, whichever contender runs it: right answers pass; wrong and missing answers do not.
#include <gtest/gtest.h>

#include <ostream>

#include <nearfork/nearfork.hpp>

#include "tools/workload_words.hpp"
#include "workloads/contenders/contenders.hpp"
#include "workloads/workload.hpp"

namespace nearfork::workloads {

void PrintTo(const workload& one, std::ostream* out) {
  *out << one.name;
}

namespace {

constexpr std::uint64_t seed = 7;
constexpr std::uint64_t corruptions = 50;

class every_workload : public testing::TestWithParam<workload> {
 protected:
  [[nodiscard]] static std::unique_ptr<instance> test_instance(std::uint64_t with_seed = seed) {
    return prepare(GetParam(), GetParam().sizes.named_values("test"), {.seed = with_seed});
  }
};
INSTANTIATE_TEST_SUITE_P(registry, every_workload, testing::ValuesIn(all_workloads()), [](const auto& tested) {
  std::string name(tested.param.name);
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
});

config with_workers(unsigned workers) {
  config settings;
  settings.workers = workers;
  settings.pin = pinning::off;
  return settings;
}

TEST_P(every_workload, has_the_usual_sizes_and_they_can_be_read_back) {
  const size_rules& rules = GetParam().sizes;
  for (const char* const name : {"default", "small", "test"})
    EXPECT_EQ(tools::size_of_workload("it", rules, name), rules.named_values(name));
  for (const named_size& one : rules.named) {
    std::string text = size_text(rules, one.values);
    for (char& c : text) c = c == ' ' ? ',' : c;
    EXPECT_EQ(tools::size_of_workload("it", rules, text), one.values) << text;
  }
}

TEST_P(every_workload, is_right_serially_and_again_after_a_reset) {
  const auto problem = test_instance();
  for (int times = 0; times < 2; ++times) {
    problem->reset();
    problem->run_serial();
    EXPECT_EQ(problem->fault(), "");
  }
}

TEST_P(every_workload, is_right_on_nearfork_with_any_number_of_workers) {
  const auto problem = test_instance();
  for (const unsigned workers : {1U, 2U, 5U}) {
    runtime crew(with_workers(workers));
    problem->reset();
    crew.run([&] { problem->run_nearfork(); });
    EXPECT_EQ(problem->fault(), "") << workers;
  }
}

TEST_P(every_workload, is_right_under_each_contender) {
  const auto problem = test_instance();
  for (const contender& other : contenders_of(GetParam().name))
    for (const unsigned workers : {1U, 2U, 3U}) {
      problem->reset();
      other.run(*problem, workers);
      EXPECT_EQ(problem->fault(), "") << other.label << ", " << workers;
    }
}

TEST_P(every_workload, finds_that_nothing_ran) {
  const auto problem = test_instance();
  problem->reset();
  EXPECT_NE(problem->fault(), "");
  problem->run_serial();
  problem->reset();
  EXPECT_NE(problem->fault(), "") << "an old answer must not pass for a new one";
}

TEST_P(every_workload, finds_each_small_corruption_of_its_answer) {
  const auto problem = test_instance();
  for (std::uint64_t where = 0; where < corruptions; ++where) {
    problem->reset();
    problem->run_serial();
    problem->corrupt(where * where * 7919);
    EXPECT_NE(problem->fault(), "") << "corruption " << where;
  }
}

TEST_P(every_workload, is_right_for_every_seed) {
  for (std::uint64_t each = 1; each <= 5; ++each) {
    const auto problem = test_instance(each);
    problem->reset();
    nearfork::run([&] { problem->run_nearfork(); });
    EXPECT_EQ(problem->fault(), "") << "seed " << each;
  }
}

TEST_P(every_workload, is_right_at_the_least_size) {
  size_values least;
  for (const size_field& field : GetParam().sizes.fields) least.push_back(field.least);
  const auto problem = prepare(GetParam(), least, {.seed = seed});
  problem->reset();
  problem->run_nearfork();
  EXPECT_EQ(problem->fault(), "");
  for (const contender& other : contenders_of(GetParam().name)) {
    problem->reset();
    other.run(*problem, 2);
    EXPECT_EQ(problem->fault(), "") << other.label;
  }
}

TEST_P(every_workload, is_refused_where_memory_does_not_suffice) {
  const size_values size = GetParam().sizes.named_values("test");
  const std::uint64_t needed = GetParam().bytes(size, {});
  EXPECT_NO_THROW(check_memory(GetParam(), size, {}, needed));
  try {
    (void)prepare(GetParam(), size, {.seed = seed}, needed - 1);
    FAIL() << "nothing was thrown";
  } catch (const error& refused) {
    EXPECT_NE(std::string(refused.what()).find("choose a smaller size"), std::string::npos) << refused.what();
  }
}

/// The greatest size must not wrap around to a small one.
TEST_P(every_workload, needs_no_less_for_more) {
  size_values most;
  for (const size_field& field : GetParam().sizes.fields) most.push_back(field.most);
  EXPECT_GE(GetParam().bytes(most, {}), GetParam().bytes(GetParam().sizes.named_values("default"), {}));
}

TEST(registry, lists_the_names_when_one_is_unknown) {
  try {
    (void)find_workload("haet");
    FAIL() << "nothing was thrown";
  } catch (const error& refused) {
    const std::string text = refused.what();
    EXPECT_NE(text.find("haet"), std::string::npos);
    for (const workload& one : all_workloads()) EXPECT_NE(text.find(one.name), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace nearfork::workloads
