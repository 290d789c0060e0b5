#include "tools/bench/mpi/mpi_launch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <nearfork/error.hpp>

#include "tests/message_of.hpp"
#include "tools/bench/mpi/mpi_bench.hpp"

namespace nearfork::tools {
namespace {

using test::message_of;
using testing::ElementsAre;
using testing::HasSubstr;

std::string joined(const mpi_start& start) {
  std::string text;
  for (const std::string& one : start.words) text += (text.empty() ? "" : " ") + one;
  return text;
}

TEST(mpi_contenders, have_as_many_threads_in_all) {
  for (const mpi_contender& one : mpi_contenders(3, 4)) EXPECT_EQ(one.ranks * one.threads, 12U) << one.label;
  EXPECT_EQ(mpi_contenders(3, 4)[1].ranks, 12U) << "MPI alone has a rank for each core";
}

TEST(mpi_starts, bind_where_there_are_cores_enough) {
  const mpi_here open_mpi{"openmpi", "/bin/mpirun.openmpi", "/bin/work"};
  const mpi_here mpich{"mpich", "/bin/mpirun.mpich", "/bin/work"};
  const auto all = mpi_contenders(2, 2);
  EXPECT_EQ(joined(start_of(open_mpi, all[0], 4, {"a", "b"})), "/bin/mpirun.openmpi -n 2 --bind-to none /bin/work a b");
  EXPECT_EQ(joined(start_of(open_mpi, all[1], 4, {})),
            "/bin/mpirun.openmpi -n 4 --map-by slot:PE=1 --bind-to core /bin/work");
  EXPECT_EQ(joined(start_of(open_mpi, all[2], 4, {})),
            "/bin/mpirun.openmpi -n 2 --map-by slot:PE=2 --bind-to core /bin/work");
  EXPECT_EQ(joined(start_of(open_mpi, all[2], 2, {})),
            "/bin/mpirun.openmpi -n 2 --oversubscribe --bind-to none /bin/work");
  EXPECT_EQ(joined(start_of(mpich, all[2], 4, {})), "/bin/mpirun.mpich -n 2 -bind-to core:2 /bin/work");
  EXPECT_EQ(joined(start_of(mpich, all[2], 2, {})), "/bin/mpirun.mpich -n 2 -bind-to none /bin/work");
  const auto environment = start_of(mpich, all[0], 4, {}).environment;
  EXPECT_THAT(environment, testing::Contains(testing::Pair("NEARFORK_WORKERS", "2")));
  EXPECT_THAT(environment, testing::Contains(testing::Pair("OMP_NUM_THREADS", "2")));
}

TEST(mpi_outcomes, are_complete_with_their_last_line) {
  const std::string text = "mpi Open MPI v4\nserial_ns 12\ntime_ns 7\ntime_ns 8\nfault \nend\n";
  const mpi_outcome whole = mpi_outcome_from(text);
  EXPECT_TRUE(whole.complete);
  EXPECT_EQ(whole.serial_ns, 12U);
  EXPECT_THAT(whole.times_ns, ElementsAre(7U, 8U));
  EXPECT_EQ(whole.fault, "");
  EXPECT_FALSE(mpi_outcome_from(text.substr(0, text.size() - 5)).complete);
  EXPECT_EQ(mpi_outcome_from("fault value 3 is 1, should be 2\nend\n").fault, "value 3 is 1, should be 2");
  EXPECT_FALSE(mpi_outcome_from("").complete);
}

TEST(an_mpi, is_used_where_its_program_and_its_launcher_are) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() /
                          ("nearfork_mpi_launch." + std::to_string(::testing::UnitTest::GetInstance()->random_seed()));
  fs::create_directories(folder / "bin");
  const auto touch = [](const fs::path& path) { std::ofstream(path) << '\n'; };
  const auto choose = [&](const std::string& wanted) {
    return mpi_to_use(wanted, {folder.string()}, "/nowhere:" + (folder / "bin").string());
  };
  EXPECT_THAT(message_of([&] { (void)choose(""); }), HasSubstr("openmpi: this build has no nearfork-mpi-work-openmpi"));
  touch(folder / "nearfork-mpi-work-mpich");
  EXPECT_THAT(message_of([&] { (void)choose("mpich"); }), HasSubstr("mpich: there is no mpirun.mpich in PATH"));
  touch(folder / "bin" / "mpirun.mpich");
  EXPECT_EQ(choose("").kind, "mpich");
  EXPECT_EQ(choose("").launcher, (folder / "bin" / "mpirun.mpich").string());
  EXPECT_THAT(message_of([&] { (void)choose("openmpi"); }), HasSubstr("install openmpi-bin or mpich"));
  fs::remove_all(folder);
}

TEST(mpi_requests, name_programs_sizes_and_ways_that_there_are) {
  bench_request request;
  EXPECT_EQ(mpi_workloads(request).size(), 2U);
  request.workloads = {"heat-mpi"};
  request.sizes = {"small", "heat-mpi:rows=100"};
  request.iterations = 7;
  const auto heat = mpi_workloads(request);
  ASSERT_EQ(heat.size(), 1U);
  EXPECT_THAT(heat[0].size_text, HasSubstr("rows=100"));
  EXPECT_THAT(heat[0].size_text, HasSubstr("iterations=7"));
  EXPECT_THAT(message_of([&] { refuse_mpi_programs(request); }), HasSubstr("heat-mpi runs on ranks of MPI alone"));
  request.workloads = {"heat"};
  EXPECT_THAT(message_of([&] { refuse_mpi_programs(request); }), HasSubstr("--mpi N")) << "a size is for heat-mpi";
  request.sizes = {"heat:rows=100,iterations=3"};
  refuse_mpi_programs(request);
  EXPECT_THAT(message_of([&] { (void)mpi_workloads(request); }), HasSubstr("heat-mpi, pagerank-mpi"));
  request.workloads = {};
  request.setup = "parallel";
  EXPECT_THAT(message_of([&] { (void)mpi_workloads(request); }), HasSubstr("--setup is not for runs with --mpi"));
  request.contenders = {"serial", "mpi"};
  EXPECT_EQ(mpi_contenders_for(request, 2, 8).size(), 1U);
  EXPECT_EQ(mpi_contenders_for(request, 2, 8)[0].ranks, 8U);
  request.contenders = {"tbb"};
  EXPECT_THAT(message_of([&] { (void)mpi_contenders_for(request, 2, 8); }), HasSubstr("does not run on MPI"));
}

}  // namespace
}  // namespace nearfork::tools
