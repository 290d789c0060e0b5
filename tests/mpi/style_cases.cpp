// Programs as people write them for MPI, with tasks of nearfork in place of ranks' main threads.
#include <algorithm>
#include <array>
#include <atomic>
#include <numeric>
#include <random>
#include <thread>

#include <nearfork/dataflow.hpp>

#include "mpi/cases.hpp"

namespace cases {
namespace {

namespace mpi = nearfork::mpi;

constexpr int work_tag = 1;
constexpr int answer_tag = 2;
constexpr int no_more = -1;

long square_sum(int n) {
  return nearfork::parallel_reduce(0, n, 0L, [](int i) { return long{i} * i; }, [](long a, long b) { return a + b; });
}

long square_sum_by_formula(long n) {
  return (n - 1) * n * (2 * n - 1) / 6;
}

/// The master hands out one question after the other to whoever asks. A worker collects several and answers the last
/// one first.
void farm(const arguments&) {
  const initialised here;
  constexpr int questions = 300;
  constexpr int lanes = 7;  // tasks of a worker, and of the master for each worker
  std::atomic<int> next{0};
  std::atomic<int> right{0};
  const auto serve = [&](int worker, int lane) {
    for (;;) {
      std::array<int, 3> batch;
      batch.fill(no_more);
      for (int& one : batch)
        if (const int mine = next++; mine < questions) one = mine;
      mpi::send(batch, worker, 10 * lane + work_tag, MPI_COMM_WORLD);
      if (batch[0] == no_more) return;
      for (std::size_t i = batch.size(); i-- > 0;) {
        if (batch[i] == no_more) continue;
        long answer = 0;
        mpi::recv(answer, worker, 10 * lane + answer_tag, MPI_COMM_WORLD);
        if (answer == square_sum_by_formula(batch[i])) ++right;
      }
    }
  };
  const auto work = [&](int lane) {
    for (;;) {
      std::array<int, 3> batch;
      mpi::recv(batch, 0, 10 * lane + work_tag, MPI_COMM_WORLD);
      if (batch[0] == no_more) return;
      for (std::size_t i = batch.size(); i-- > 0;) {
        if (batch[i] == no_more) continue;
        const long answer = square_sum(batch[i]);
        mpi::send(answer, 0, 10 * lane + answer_tag, MPI_COMM_WORLD);
      }
    }
  };
  nearfork::run([&] {
    if (here.ranks == 1) right = questions;
    else if (here.rank > 0) nearfork::parallel_for(0, lanes, work);
    else nearfork::parallel_for(0, lanes * (here.ranks - 1), [&](int i) { serve(1 + i / lanes, i % lanes); });
    mpi::barrier(MPI_COMM_WORLD);
  });
  if (here.rank == 0) expect(right == questions, std::to_string(right) + " right answers");
}

/// Each task makes communicators of its own out of one that it alone uses.
void split_communicators(const arguments&) {
  const initialised here;
  constexpr int many = 6;
  std::vector<MPI_Comm> bases(many);
  for (auto& one : bases) MPI_Comm_dup(MPI_COMM_WORLD, &one);
  nearfork::run([&] {
    nearfork::parallel_for(0, many, [&](int i) {
      MPI_Comm base = bases[static_cast<std::size_t>(i)];
      MPI_Comm part = MPI_COMM_NULL;
      MPI_Comm_split(base, here.rank % 2, here.rank, &part);
      int rank = 0;
      int ranks = 0;
      MPI_Comm_rank(part, &rank);
      MPI_Comm_size(part, &ranks);
      for (int round = 0; round < 20; ++round) {
        const int sum = mpi::allreduce(here.rank + round, MPI_SUM, part);
        int wanted = 0;
        for (int r = here.rank % 2; r < here.ranks; r += 2) wanted += r + round;
        expect(sum == wanted, "a sum over half of the ranks");
        const int token = i * 1000 + round;
        int got = -1;
        mpi::sendrecv({&token, 1, MPI_INT, (rank + 1) % ranks, i}, {&got, 1, MPI_INT, (rank + ranks - 1) % ranks, i},
                      part);
        expect(got == token, "a token of the part's ring");
      }
      MPI_Comm_free(&part);
      mpi::barrier(base);
    });
  });
  for (auto& one : bases) MPI_Comm_free(&one);
}

/// Tasks own a pair of persistent requests each, and go round in a ring with them.
void persistent_rings(const arguments&) {
  const initialised here;
  constexpr int rings = 50;
  constexpr int laps = 30;
  const int to = (here.rank + 1) % here.ranks;
  const int from = (here.rank + here.ranks - 1) % here.ranks;
  std::atomic<int> right{0};
  nearfork::run([&] {
    nearfork::parallel_for(0, rings, [&](int ring) {
      int out = here.rank;
      int in = -1;
      std::array<MPI_Request, 2> pair{};
      MPI_Send_init(&out, 1, MPI_INT, to, ring, MPI_COMM_WORLD, &pair[0]);
      MPI_Recv_init(&in, 1, MPI_INT, from, ring, MPI_COMM_WORLD, &pair[1]);
      for (int lap = 0; lap < laps; ++lap) {
        MPI_Startall(2, pair.data());
        if (lap % 3 == 0) {
          std::size_t first = mpi::wait_any(pair);
          mpi::wait(pair[1 - first]);
        } else if (lap % 3 == 1) {
          mpi::wait_all(pair);
        } else {
          while (!mpi::test(pair[1])) {
          }
          mpi::wait(pair[0]);
        }
        out = in + 1;
      }
      // Each message has gone `laps` steps, and gained 1 in each.
      if (out == (here.rank + laps * (here.ranks - 1)) % here.ranks + laps) ++right;
      for (auto& one : pair) MPI_Request_free(&one);
    });
  });
  expect(right == rings, std::to_string(right) + " rings are right");
}

/// Tasks take messages from whichever request is ready.
void any_loops(const arguments&) {
  const initialised here;
  constexpr int tasks = 10;
  constexpr int each = 40;
  std::atomic<int> right{0};
  const int to = (here.rank + 1) % here.ranks;
  const int from = (here.rank + here.ranks - 1) % here.ranks;
  nearfork::run([&] {
    nearfork::parallel_for(0, 2 * tasks, [&](int i) {
      const int task = i / 2;
      std::minstd_rand random(static_cast<unsigned>(i + 77 * here.rank + 1));
      if (i % 2 == 1) {
        std::array<int, each> order;
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), random);
        for (const int one : order) {
          const int value = one * 3 + from;
          mpi::send(value, to, task * each + one, MPI_COMM_WORLD);
        }
        return;
      }
      std::array<int, each> words;
      std::array<MPI_Request, each> requests;
      for (int k = 0; k < each; ++k)
        MPI_Irecv(&words[static_cast<std::size_t>(k)], 1, MPI_INT, from, task * each + k, MPI_COMM_WORLD,
                  &requests[static_cast<std::size_t>(k)]);
      int seen = 0;
      for (;; ++seen) {
        MPI_Status status;
        const std::size_t which = mpi::wait_any(requests, &status);
        if (which == requests.size()) break;
        const int sender = (from + here.ranks - 1) % here.ranks;
        if (words[which] == static_cast<int>(which) * 3 + sender && status.MPI_SOURCE == from) ++right;
      }
      expect(seen == each, "each request once");
    });
  });
  expect(right == tasks * each, std::to_string(right) + " messages are right");
}

/// A dataflow graph on each rank, whose tasks receive what the graph of the rank before sends.
void graph_pipeline(const arguments&) {
  const initialised here;
  constexpr int blocks = 24;
  constexpr int steps = 6;
  constexpr std::size_t items = 500;
  const int to = (here.rank + 1) % here.ranks;
  const int from = (here.rank + here.ranks - 1) % here.ranks;
  std::vector<std::vector<double>> data(blocks, std::vector<double>(items));
  for (int b = 0; b < blocks; ++b)
    std::fill(data[static_cast<std::size_t>(b)].begin(), data[static_cast<std::size_t>(b)].end(), 100 * here.rank + b);
  nearfork::run([&] {
    nearfork::dataflow graph;
    for (int step = 0; step < steps; ++step)
      for (int b = 0; b < blocks; ++b) {
        auto& block = data[static_cast<std::size_t>(b)];
        auto came = graph.buffer<double>(items);
        graph.task({nearfork::in(block), nearfork::out(came)},
                   [&, step, b](std::span<const double> mine, std::span<double> in) {
                     const int tag = step * blocks + b;
                     const int count = static_cast<int>(items);
                     mpi::sendrecv({mine.data(), count, MPI_DOUBLE, to, tag}, {in.data(), count, MPI_DOUBLE, from, tag},
                                   MPI_COMM_WORLD);
                   });
        graph.task({nearfork::in(came), nearfork::inout(block)},
                   [](std::span<const double> in, std::span<double> mine) {
                     for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = in[i] + 1;
                   });
      }
    graph.sync();
  });
  const int source = ((here.rank - steps) % here.ranks + here.ranks) % here.ranks;
  for (int b = 0; b < blocks; ++b)
    for (const double one : data[static_cast<std::size_t>(b)])
      if (one != 100 * source + b + steps) return expect(false, "block " + std::to_string(b));
}

/// Threads that are no workers call beside tasks, some of them in run(), while all wait for each other.
void outside_threads(const arguments&) {
  const initialised here;
  constexpr int threads = 6;
  constexpr int rounds = 100;
  const int to = (here.rank + 1) % here.ranks;
  const int from = (here.rank + here.ranks - 1) % here.ranks;
  std::atomic<int> right{0};
  const auto exchange = [&](int tag) {
    const int value = here.rank * 7 + tag;
    int got = -1;
    mpi::sendrecv({&value, 1, MPI_INT, to, tag}, {&got, 1, MPI_INT, from, tag}, MPI_COMM_WORLD);
    if (got == from * 7 + tag) ++right;
  };
  nearfork::runtime other(nearfork::config::from_environment());
  std::vector<std::jthread> crowd;
  for (int t = 0; t < threads; ++t)
    crowd.emplace_back([&, t] {
      for (int i = 0; i < rounds; ++i) {
        const int tag = (t * rounds + i) * 4;
        if (t % 3 == 0) exchange(tag);
        else if (t % 3 == 1) nearfork::run([&] { exchange(tag); });
        else other.run([&] { nearfork::fork_join([&] { exchange(tag); }, [&] { exchange(tag + 1); }); });
      }
    });
  crowd.clear();
  expect(right == threads * rounds + threads / 3 * rounds, std::to_string(right) + " messages are right");
}

/// Halves of a tree of forks exchange at each node, leaves with large messages.
void exchange_in_tree(int depth, int index, const initialised& here, std::atomic<int>& right) {
  const int peer = here.ranks - 1 - here.rank;
  const std::size_t items = depth == 0 ? 40'000 : 1;
  std::vector<int> out(items, index);
  std::vector<int> in(items, -1);
  const int count = static_cast<int>(items);
  mpi::sendrecv({out.data(), count, MPI_INT, peer, index}, {in.data(), count, MPI_INT, peer, index}, MPI_COMM_WORLD);
  if (in == out) ++right;
  if (depth == 0) return;
  nearfork::fork_join([&] { exchange_in_tree(depth - 1, 2 * index, here, right); },
                      [&] { exchange_in_tree(depth - 1, 2 * index + 1, here, right); });
}

void tree_of_exchanges(const arguments&) {
  const initialised here;
  std::atomic<int> right{0};
  nearfork::run([&] { exchange_in_tree(7, 1, here, right); });
  expect(right == 255, std::to_string(right) + " exchanges are right");
}

/// One task fails while others wait: the group waits for them, and throws what the one threw.
void failure_beside_waits(const arguments&) {
  const initialised here;
  const int peer = here.ranks - 1 - here.rank;
  std::atomic<int> done{0};
  std::string message;
  nearfork::run([&] {
    nearfork::future<void> sends;
    message = message_of([&] {
      nearfork::task_group all;
      for (int i = 0; i < 20; ++i)
        all.spawn([&, i] {
          int word = -1;
          mpi::recv(std::span(&word, 1), peer, i, MPI_COMM_WORLD);
          done += word == i;
        });
      all.spawn([&] {
        // The peer has begun its waits: then this fails, and only then their messages are sent.
        mpi::barrier(MPI_COMM_WORLD);
        sends = nearfork::async([&] {
          for (int i = 20; i-- > 0;) mpi::send(i, peer, i, MPI_COMM_WORLD);
        });
        int word = 0;
        mpi::send(word, here.ranks + 5, 0, MPI_COMM_WORLD);
      });
      all.sync();
    });
    sends.get();
    mpi::barrier(MPI_COMM_WORLD);
  });
  expect_says(message, "MPI_Isend on MPI_COMM_WORLD, rank " + std::to_string(here.ranks + 5));
  expect_says(message, "style_cases.cpp:");
  // Tasks that had not begun when the group failed do not begin; those that waited got their messages.
  expect(done <= 20, "each at most once");
}

/// As many requests as the issue of all waits at once names, in one task each, spawned into a group.
void many_tasks_wait(const arguments& given) {
  const initialised here;
  const int many = given.empty() ? 10'000 : std::stoi(given[0]);
  const int from = (here.rank + 1) % here.ranks;
  const int to = (here.rank + here.ranks - 1) % here.ranks;
  std::vector<int> got(static_cast<std::size_t>(many), -1);
  nearfork::run([&] {
    nearfork::parallel_for(0, many + 1, [&](int i) {
      if (i < many) return (void)mpi::recv(std::span(&got[static_cast<std::size_t>(i)], 1), from, i, MPI_COMM_WORLD);
      mpi::barrier(MPI_COMM_WORLD);
      for (int k = many; k-- > 0;) {
        const int value = 3 * k + here.rank;
        mpi::send(std::span(&value, 1), to, k, MPI_COMM_WORLD);
      }
    });
  });
  int wrong = 0;
  for (int i = 0; i < many; ++i) wrong += got[static_cast<std::size_t>(i)] != 3 * i + from;
  expect(wrong == 0, std::to_string(wrong) + " messages are wrong");
}

/// Messages whose length the receiver does not know.
void unknown_lengths(const arguments&) {
  const initialised here;
  constexpr int many = 60;
  const int to = (here.rank + 1) % here.ranks;
  const int from = (here.rank + here.ranks - 1) % here.ranks;
  std::atomic<int> items{0};
  nearfork::run([&] {
    nearfork::parallel_for(0, 2 * many, [&](int i) {
      const int length = i % many * 100;
      if (i >= many) return mpi::send(std::vector<short>(static_cast<std::size_t>(length), 7), to, 1, MPI_COMM_WORLD);
      MPI_Status status;
      MPI_Message message = mpi::mprobe(from, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      int count = 0;
      MPI_Get_count(&status, MPI_SHORT, &count);
      std::vector<short> in(static_cast<std::size_t>(count));
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Imrecv(in.data(), count, MPI_SHORT, &message, &request);
      mpi::wait(request);
      items += count;
      expect(in == std::vector<short>(in.size(), 7), "what came");
    });
    // One task alone receives: it may ask first.
    nearfork::fork_join(
        [&] {
          const MPI_Status status = mpi::probe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD);
          double value = 0;
          mpi::recv(value, status.MPI_SOURCE, 2, MPI_COMM_WORLD);
          expect(value == 1.5 * status.MPI_SOURCE && status.MPI_SOURCE == from, "after a probe");
        },
        [&] { mpi::send(1.5 * here.rank, to, 2, MPI_COMM_WORLD); });
  });
  expect(items == 100 * many * (many - 1) / 2, "all items");
}

}  // namespace

table style_cases() {
  return {{"farm", farm},
          {"split_communicators", split_communicators},
          {"persistent_rings", persistent_rings},
          {"any_loops", any_loops},
          {"graph_pipeline", graph_pipeline},
          {"outside_threads", outside_threads},
          {"tree_of_exchanges", tree_of_exchanges},
          {"failure_beside_waits", failure_beside_waits},
          {"many_tasks_wait", many_tasks_wait},
          {"unknown_lengths", unknown_lengths}};
}

}  // namespace cases
