#include "tools/sim/ranks/shared_campaign.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>
#include <vector>

#include <nearfork/error.hpp>

#include "base/value_bytes.hpp"

namespace nearfork::tools {
namespace {

/// One rank after the other in one thread: rank 0 comes last, and gets what the others gave.
class ranks_in_turn final : public rank_exchange {
 public:
  ranks_in_turn(int rank, int ranks, std::vector<std::string>& given) : rank_(rank), ranks_(ranks), given_(given) {}
  [[nodiscard]] int rank() const noexcept override { return rank_; }
  [[nodiscard]] int ranks() const noexcept override { return ranks_; }
  [[nodiscard]] std::vector<std::string> gathered(const std::string& mine) override {
    given_[static_cast<std::size_t>(rank_)] = mine;
    return rank_ == 0 ? given_ : std::vector<std::string>();
  }

 private:
  int rank_;
  int ranks_;
  std::vector<std::string>& given_;
};

class shared_campaigns : public testing::Test {
 protected:
  simulated_machine where_ = machine_to_simulate("package:2 [numa] l3:1(size=256KiB) l1:2(size=16KiB) core:1 pu:1");
  sim::program what_ = sim::regular_grid({.rows = 64, .row_bytes = 2048, .leaf_rows = 8, .halo_rows = 1});

  [[nodiscard]] std::vector<simulation_job> jobs() const {
    std::vector<simulation_job> made;
    for (const char* const policy : {"random", "acab", "laws", "bats", "auto"})
      made.push_back({.title = policy,
                      .what = &what_,
                      .where = &where_,
                      .policy = policy,
                      .iterations = 20,
                      .most_events = policy == std::string("laws") ? std::size_t{1000} : 0});
    return made;
  }
  static std::vector<simulation_outcome> by_ranks(int ranks, const std::vector<simulation_job>& all) {
    std::vector<std::string> given(static_cast<std::size_t>(ranks));
    for (int rank = ranks; --rank > 0;) {
      ranks_in_turn exchange(rank, ranks, given);
      EXPECT_TRUE(simulate_among(&exchange, all, 1).empty());
    }
    ranks_in_turn exchange(0, ranks, given);
    return simulate_among(&exchange, all, 1);
  }
};

TEST_F(shared_campaigns, give_what_one_process_gives) {
  const auto alone = simulate_all(jobs(), 1);
  for (const int ranks : {1, 2, 3, 7}) {
    const auto shared = by_ranks(ranks, jobs());
    ASSERT_EQ(shared.size(), alone.size());
    for (std::size_t i = 0; i < alone.size(); ++i) {
      EXPECT_EQ(shared[i].policy, alone[i].policy);
      EXPECT_EQ(shared[i].wanted_iterations, alone[i].wanted_iterations);
      EXPECT_EQ(shared[i].run.iterations, alone[i].run.iterations) << alone[i].policy;
      EXPECT_EQ(shared[i].run.why, alone[i].run.why) << alone[i].policy;
      EXPECT_EQ(shared[i].run.settled, alone[i].run.settled);
      EXPECT_EQ(shared[i].traced.names, alone[i].traced.names);
      ASSERT_EQ(shared[i].traced.workers.size(), alone[i].traced.workers.size());
      for (std::size_t w = 0; w < alone[i].traced.workers.size(); ++w)
        EXPECT_EQ(shared[i].traced.workers[w].events, alone[i].traced.workers[w].events);
    }
  }
}

TEST_F(shared_campaigns, with_a_goal_are_simulated_by_rank_0) {
  auto all = jobs();
  for (simulation_job& one : all) one.goal = run_goal::energy;
  const auto alone = simulate_all(all, 1);
  const auto shared = by_ranks(3, all);
  for (std::size_t i = 0; i < alone.size(); ++i) {
    EXPECT_EQ(shared[i].run.iterations, alone[i].run.iterations);
    EXPECT_EQ(shared[i].run.clocks.line(), alone[i].run.clocks.line());
  }
}

TEST_F(shared_campaigns, that_fail_on_a_rank_say_so_on_rank_0) {
  auto all = jobs();
  all[1].policy = "no such policy";
  try {
    (void)by_ranks(2, all);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const error& failed) {
    EXPECT_NE(std::string(failed.what()).find("no such policy"), std::string::npos) << failed.what();
  }
}

TEST(value_bytes, that_are_cut_short_are_refused) {
  value_writer writer;
  writer.add(std::vector<std::string>{"one", "two"});
  const std::string bytes = std::move(writer).taken();
  std::vector<std::string> into;
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(value_reader(std::string_view(bytes).substr(0, size)).read(into), error) << size;
  value_reader whole(bytes);
  whole.read(into);
  EXPECT_EQ(into, (std::vector<std::string>{"one", "two"}));
  EXPECT_TRUE(whole.at_end());
}

TEST(launchers, are_known_by_their_variables) {
  const auto seen = [](const std::map<std::string, std::string>& variables) {
    return launcher_from([&](const char* name) {
      const auto found = variables.find(name);
      return found == variables.end() ? nullptr : found->second.c_str();
    });
  };
  EXPECT_EQ(seen({}), std::nullopt);
  EXPECT_EQ(seen({{"OMPI_COMM_WORLD_SIZE", "1"}}), std::nullopt) << "alone";
  EXPECT_EQ(seen({{"OMPI_COMM_WORLD_SIZE", "4"}}), "openmpi");
  EXPECT_EQ(seen({{"PMI_SIZE", "2"}, {"PMI_RANK", "0"}}), "mpich");
  EXPECT_EQ(seen({{"PMI_SIZE", "many"}}), std::nullopt);
}

}  // namespace
}  // namespace nearfork::tools
