// Dataflow tasks whose number of accesses is known when they are created.
#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "tests/message_of.hpp"
#include "tests/runtime_settings.hpp"

namespace {

using nearfork::access;
using nearfork::in;
using nearfork::inout;
using nearfork::out;
using nearfork::task_data;
using nearfork::test::with_workers;

class listed_tasks : public testing::TestWithParam<unsigned> {
 protected:
  nearfork::runtime runtime_{with_workers(GetParam())};
};
INSTANTIATE_TEST_SUITE_P(workers, listed_tasks, testing::Values(1U, 4U));

std::vector<nearfork::buffer<long>> numbers(nearfork::dataflow& graph, long count) {
  std::vector<nearfork::buffer<long>> made;
  for (long i = 0; i < count; ++i) {
    made.push_back(graph.buffer<long>(2));
    graph.task({out(made.back())}, [i](std::span<long> to) { to[0] = to[1] = i; });
  }
  return made;
}

long sum_of(task_data data, std::size_t from) {
  long sum = 0;
  for (std::size_t i = from; i < data.size(); ++i)
    for (const long each : data.in<long>(i)) sum += each;
  return sum;
}

TEST_P(listed_tasks, read_any_number_of_buffers) {
  for (const long count : {0L, 1L, 2L, 3L, 4L, 5L, 8L, 9L, 63L, 64L, 65L, 1000L}) {
    long sum = -1;
    runtime_.run([&] {
      nearfork::dataflow graph;
      const auto parts = numbers(graph, count);
      std::vector<access> reads{out(sum)};
      for (const auto& part : parts) reads.push_back(in(part));
      graph.task(reads, [](task_data data) { data.out<long>(0)[0] = sum_of(data, 1); });
      graph.sync();
    });
    EXPECT_EQ(sum, count * (count - 1)) << count;
  }
}

TEST_P(listed_tasks, may_be_created_before_what_they_read) {
  long sum = 0;
  runtime_.run([&] {
    nearfork::dataflow graph;
    std::vector<nearfork::buffer<long>> parts;
    std::vector<access> reads{out(sum)};
    for (int i = 0; i < 100; ++i) reads.push_back(in(parts.emplace_back(graph.buffer<long>(1))));
    graph.task(reads, [](const task_data& data) { data.out<long>(0)[0] = sum_of(data, 1); });
    for (const auto& part : parts) graph.task({out(part)}, [](std::span<long> to) { to[0] = 3; });
    graph.sync();
  });
  EXPECT_EQ(sum, 300);
}

TEST_P(listed_tasks, name_a_tile_beside_a_buffer) {
  constexpr std::size_t side = 8;
  std::vector<long> matrix(side * side);
  runtime_.run([&] {
    nearfork::dataflow graph;
    const auto added = numbers(graph, 6);
    graph.task({inout(std::span(matrix).subspan(9, 3), 4, side), in(added[5])}, [&](task_data data) {
      for (std::size_t row = 1; row < 5; ++row)
        for (std::size_t column = 1; column < 4; ++column) matrix[row * side + column] += data.in<long>(1)[0];
    });
    graph.sync();
  });
  EXPECT_EQ(std::accumulate(matrix.begin(), matrix.end(), 0L), 4 * 3 * 5);
}

TEST_P(listed_tasks, take_part_in_streams) {
  std::vector<long> sums(10);
  runtime_.run([&] {
    nearfork::dataflow graph;
    std::vector<nearfork::stream<long>> streams;
    std::vector<access> writes;
    for (int i = 0; i < 20; ++i) streams.push_back(graph.stream<long>());
    for (long& sum : sums) {
      std::vector<access> reads{out(sum)};
      for (const auto& each : streams) reads.push_back(in(each, 2));
      graph.task(reads, [](task_data data) { data.out<long>(0)[0] = sum_of(data, 1); });
    }
    for (const auto& each : streams) writes.push_back(out(each, 5));
    for (long i = 0; i < 4; ++i)
      graph.task(writes, [i](task_data data) {
        for (std::size_t at = 0; at < data.size(); ++at)
          for (long& one : data.out<long>(at)) one = i;
      });
    graph.sync();
  });
  EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), 0L), 20 * 5 * (0 + 1 + 2 + 3));
}

TEST_P(listed_tasks, update_in_any_order_and_by_copies) {
  std::vector<long> counts(12);
  double sum = 0;
  runtime_.run([&] {
    nearfork::dataflow graph;
    for (int i = 0; i < 50; ++i) {
      std::vector<access> all{nearfork::reduction(sum, std::plus<>())};
      for (long& each : counts) all.push_back(nearfork::commutative(each));
      graph.task(all, [](task_data data) {
        data.out<double>(0)[0] += 0.5;
        for (std::size_t at = 1; at < data.size(); ++at) ++data.out<long>(at)[0];
      });
    }
    graph.sync();
  });
  EXPECT_EQ(counts, std::vector<long>(12, 50));
  EXPECT_EQ(sum, 25);
}

TEST_P(listed_tasks, are_replayed) {
  long sum = 0;
  const auto counter = std::make_shared<int>(0);
  runtime_.run([&] {
    nearfork::dataflow graph;
    graph.keep();
    const auto parts = numbers(graph, 30);
    std::vector<access> reads{inout(sum)};
    for (const auto& part : parts) reads.push_back(in(part));
    graph.task(reads, [counter](task_data data) {
      ++*counter;
      data.out<long>(0)[0] += sum_of(data, 1);
    });
    graph.wait();
    for (int i = 0; i < 3; ++i) graph.replay();
  });
  EXPECT_EQ(sum, 4 * 30 * 29);
  EXPECT_EQ(*counter, 4);
  EXPECT_EQ(counter.use_count(), 1);
}

TEST_P(listed_tasks, drop_their_closures_however_they_end) {
  const auto counter = std::make_shared<int>(0);
  runtime_.run([&] {
    nearfork::dataflow graph;
    long one = 0;
    const auto never = graph.buffer<long>(1);
    const std::vector<access> wrong(2, in(never));
    EXPECT_THROW(graph.task(wrong, [counter](task_data) { ++*counter; }), nearfork::error);
    graph.task(std::vector<access>{in(never), out(one)}, [counter](task_data) { ++*counter; });
    EXPECT_THROW(graph.wait(), nearfork::error);
    graph.task({out(one)}, [] { throw std::string("fails"); });
    graph.task({in(one)}, [counter](task_data) { ++*counter; });
    EXPECT_THROW(graph.sync(), std::string);
  });
  EXPECT_EQ(*counter, 0);
  EXPECT_EQ(counter.use_count(), 1);
}

TEST_P(listed_tasks, may_be_over_aligned_and_nested) {
  struct alignas(64) scale {
    double by[8] = {2};
  };
  std::vector<double> all(4, 1);
  runtime_.run([&] {
    nearfork::dataflow graph;
    graph.task({nearfork::weak_inout(all)}, [&all](nearfork::nested_tasks& inner) {
      std::vector<access> elements;
      for (double& each : all) elements.push_back(inout(each));
      inner.task(elements, [given = scale()](task_data data) {
        for (std::size_t i = 0; i < data.size(); ++i) data.out<double>(i)[0] *= given.by[0];
      });
    });
    graph.sync();
  });
  EXPECT_EQ(all, std::vector<double>(4, 2));
}

void add_one(task_data data) {
  ++data.out<long>(0)[0];
}
void add_two(const task_data& data) noexcept {
  data.out<long>(0)[0] += 2;
}

TEST_P(listed_tasks, may_be_functions_and_objects_of_any_kind) {
  struct adds_four {
    void operator()(task_data data) { data.out<long>(0)[0] += 4; }
  };
  long sum = 0;
  runtime_.run([&] {
    nearfork::dataflow graph;
    graph.task({inout(sum)}, add_one);
    graph.task({inout(sum)}, &add_two);
    graph.task({inout(sum)}, adds_four());
    graph.task({inout(sum)}, std::function<void(task_data)>(add_one));
    graph.task({inout(sum)}, [calls = 0](task_data data) mutable noexcept {
      data.out<long>(0)[0] += 8;
      return ++calls;
    });
    graph.sync();
  });
  EXPECT_EQ(sum, 16);
}

// Each error names the line of the task, and what is wrong with which access.
TEST_P(listed_tasks, are_told_what_they_may_not_use) {
  std::vector<int> data(16);
  const auto text_of = [&](auto use) {
    std::string text;
    runtime_.run([&] {
      nearfork::dataflow graph;
      graph.task(std::vector<access>{in(data), in(std::span(data).first(2), 2, 4)}, use);
      text = nearfork::test::message_of([&] { graph.sync(); });
    });
    return text;
  };
  const auto says = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find("task_data_test.cpp:"), std::string::npos) << text;
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  says(text_of([](task_data all) { (void)all.in<int>(2); }), "its access 2, but has 2 accesses");
  says(text_of([](task_data all) { (void)all.out<int>(0); }), "its access 0 by out(), but only reads it");
  says(text_of([](task_data all) { (void)all.in<float>(0); }), "its access 0 with elements of another type");
  says(text_of([](task_data all) { (void)all.in<int>(1); }), "its access 1, which is a tile");
}

TEST_P(listed_tasks, have_a_largest_number_of_accesses) {
  runtime_.run([] {
    nearfork::dataflow graph;
    const char data[2] = {1, 1};
    long sum = 0;
    std::vector<access> many{out(sum)};
    many.resize(std::size_t{1} << 16, in(data));
    graph.task(many, [](task_data all) {
      for (std::size_t i = 1; i < all.size(); ++i) all.out<long>(0)[0] += all.in<char>(i)[0];
    });
    many.push_back(in(data));
    const std::string text = nearfork::test::message_of([&] { graph.task(many, [](task_data) {}); });
    EXPECT_NE(text.find("has 65537 accesses"), std::string::npos) << text;
    graph.sync();
    EXPECT_EQ(sum, 65535);
  });
}

}  // namespace
