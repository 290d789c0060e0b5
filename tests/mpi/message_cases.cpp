// Tasks that wait for messages: more than workers, in any order, each message exactly once.
#include <array>
#include <atomic>
#include <chrono>
#include <numeric>
#include <random>
#include <thread>

#include "mpi/cases.hpp"

namespace cases {
namespace {

namespace mpi = nearfork::mpi;

/// A task per message waits before any is sent; they are sent in the opposite order. More than a deque holds, too.
void thousand_waits(const arguments& given) {
  const initialised here;
  const int many = given.empty() ? 1000 : std::stoi(given[0]);
  const int from = (here.rank + 1) % here.ranks;
  const int to = (here.rank + here.ranks - 1) % here.ranks;
  std::vector<int> got(static_cast<std::size_t>(many), -1);
  nearfork::run([&] {
    nearfork::task_group all;
    for (int i = 0; i < many; ++i)
      all.spawn([&, i] { mpi::recv(std::span(&got[static_cast<std::size_t>(i)], 1), from, i, MPI_COMM_WORLD); });
    all.spawn([&] {
      mpi::barrier(MPI_COMM_WORLD);
      for (int i = many; i-- > 0;) {
        const int value = 7 * i + here.rank;
        mpi::send(std::span(&value, 1), to, i, MPI_COMM_WORLD);
      }
    });
    all.sync();
  });
  for (int i = 0; i < many; ++i)
    expect(got[static_cast<std::size_t>(i)] == 7 * i + from, "message " + std::to_string(i));
}

/// Rank 0 has a task per question; the others answer in the opposite order.
void reversed_answers(const arguments&) {
  const initialised here;
  constexpr int many = 200;
  nearfork::run([&] {
    if (here.rank == 0) {
      std::atomic<int> right{0};
      nearfork::parallel_for(0, many * (here.ranks - 1), [&](int i) {
        const int worker = 1 + i / many;
        int value = i;
        mpi::send(std::span<const int>(&value, 1), worker, i % many, MPI_COMM_WORLD);
        mpi::recv(std::span(&value, 1), worker, many + i % many, MPI_COMM_WORLD);
        if (value == i * i) ++right;
      });
      expect(right == many * (here.ranks - 1), "all answers are right");
      return;
    }
    std::vector<int> questions(many);
    nearfork::parallel_for(0, many, [&](int i) {
      mpi::recv(std::span(&questions[static_cast<std::size_t>(i)], 1), 0, i, MPI_COMM_WORLD);
    });
    for (int i = many; i-- > 0;) {
      const int question = questions[static_cast<std::size_t>(i)];
      const int answer = question * question;
      mpi::send(std::span(&answer, 1), 0, many + i, MPI_COMM_WORLD);
    }
  });
}

void random_delays(const arguments&) {
  const initialised here;
  constexpr int rounds = 40;
  std::atomic<int> right{0};
  nearfork::run([&] {
    nearfork::parallel_for(0, rounds * here.ranks, [&](int i) {
      const int peer = i % here.ranks;
      const int round = i / here.ranks;
      std::minstd_rand random(static_cast<unsigned>(i * here.ranks + here.rank + 1));
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
      std::vector<int> out(1 + static_cast<std::size_t>(round) * 700, here.rank * 1000 + round);
      std::vector<int> in(out.size());
      const int items = static_cast<int>(out.size());
      mpi::sendrecv({out.data(), items, MPI_INT, peer, round}, {in.data(), items, MPI_INT, peer, round},
                    MPI_COMM_WORLD);
      if (in == std::vector<int>(in.size(), peer * 1000 + round)) ++right;
    });
  });
  expect(right == rounds * here.ranks, "all blocks are right");
}

void nested_waits(const arguments&) {
  const initialised here;
  constexpr int outer = 8;
  constexpr int inner = 16;
  const int to = (here.rank + 1) % here.ranks;
  const int from = (here.rank + here.ranks - 1) % here.ranks;
  for (int iteration = 0; iteration < 6; ++iteration) {
    std::atomic<long> sum{0};
    nearfork::region("ring", [&] {
      nearfork::parallel_for(0, outer, [&](int i) {
        nearfork::region("inner", [&] {
          nearfork::parallel_for(0, inner, [&](int j) {
            const int tag = i * inner + j;
            int value = here.rank + tag;
            int got = -1;
            nearfork::fork_join([&] { mpi::recv(std::span(&got, 1), from, tag, MPI_COMM_WORLD); },
                                [&] { mpi::send(std::span<const int>(&value, 1), to, tag, MPI_COMM_WORLD); });
            sum += got - from;
          });
        });
      });
    });
    const long all = outer * inner;
    expect(sum == all * (all - 1) / 2, "sum of iteration " + std::to_string(iteration));
  }
}

/// Tasks of all ranks send numbered messages to all ranks; whoever receives one marks it.
void exactly_once(const arguments& given) {
  const initialised here;
  const int each = (given.empty() ? 20'000 : std::stoi(given[0])) / here.ranks;
  std::vector<std::atomic<unsigned char>> seen(static_cast<std::size_t>(each) * static_cast<std::size_t>(here.ranks));
  constexpr int lanes = 32;  // of tasks that receive and of tasks that send
  nearfork::run([&] {
    nearfork::task_group all;
    for (int lane = 0; lane < lanes; ++lane) {
      // This lane's messages from each rank: those whose number is `lane` modulo lanes.
      all.spawn([&, lane] {
        const int of_each = (each - lane + lanes - 1) / lanes;
        for (int i = 0; i < of_each * here.ranks; ++i) {
          int id = -1;
          const MPI_Status status = mpi::recv(std::span(&id, 1), MPI_ANY_SOURCE, lane, MPI_COMM_WORLD);
          ++seen[static_cast<std::size_t>(status.MPI_SOURCE * each + id)];
        }
      });
      all.spawn([&, lane] {
        for (int id = lane; id < each; id += lanes)
          for (int step = 0; step < here.ranks; ++step) {
            // Every now and then the receiver has to be there: MPICH goes through all messages that nobody has received
            // yet, so a flood of them takes quadratic time.
            const int to = (here.rank + step) % here.ranks;
            if (id / lanes % 8 == 7) mpi::ssend(&id, 1, MPI_INT, to, lane, MPI_COMM_WORLD);
            else mpi::send(std::span<const int>(&id, 1), to, lane, MPI_COMM_WORLD);
          }
      });
    }
    all.sync();
    mpi::barrier(MPI_COMM_WORLD);
  });
  long wrong = 0;
  for (const auto& one : seen) wrong += one != 1;
  expect(wrong == 0, std::to_string(wrong) + " messages did not come exactly once");
}

void check_collectives(MPI_Comm comm, int rank, int ranks) {
  const auto n = static_cast<std::size_t>(ranks);
  const int total = ranks * (ranks - 1) / 2;
  mpi::barrier(comm);
  expect(mpi::allreduce(rank, MPI_SUM, comm) == total, "allreduce");
  expect(mpi::allreduce(1.5 * rank, MPI_MAX, comm) == 1.5 * (ranks - 1), "allreduce of doubles");
  int word = rank == ranks - 1 ? 42 : 0;
  mpi::bcast(&word, 1, MPI_INT, ranks - 1, comm);
  expect(word == 42, "bcast");
  int sum = -1;
  mpi::reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, 0, comm);
  expect(sum == (rank == 0 ? total : -1), "reduce");
  mpi::scan(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  expect(sum == rank * (rank + 1) / 2, "scan");
  sum = -1;
  mpi::exscan(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  expect(sum == (rank == 0 ? -1 : rank * (rank - 1) / 2), "exscan");
  std::array<double, 2> pair{1.0 * rank, 2};
  mpi::allreduce(pair, MPI_SUM, comm);
  expect(pair[0] == total && pair[1] == 2 * ranks, "allreduce of an array");
  mpi::bcast(pair, ranks - 1, comm);
  std::vector<long> shares(n, rank);
  long share = -1;
  mpi::reduce_scatter(shares.data(), &share, 1, MPI_LONG, MPI_SUM, comm);
  expect(share == total, "reduce_scatter");
  bool flag = rank == 0;
  mpi::bcast(flag, 0, comm);
  expect(flag, "bcast of a number");
  std::vector<int> all(n, -1);
  std::vector<int> ids(n);
  std::iota(ids.begin(), ids.end(), 0);
  mpi::allgather({&rank, 1, MPI_INT}, {all.data(), 1, MPI_INT}, comm);
  expect(all == ids, "allgather");
  const std::vector<int> ones(n, 1);
  std::vector<int> back(ids.rbegin(), ids.rend());
  mpi::allgatherv({&rank, 1, MPI_INT}, {all.data(), ones.data(), back.data(), MPI_INT}, comm);
  expect(all == back, "allgatherv");
  mpi::gather({&rank, 1, MPI_INT}, {all.data(), 1, MPI_INT}, 0, comm);
  expect(all == (rank == 0 ? ids : back), "gather");
  mpi::gatherv({&rank, 1, MPI_INT}, {all.data(), ones.data(), back.data(), MPI_INT}, 0, comm);
  expect(all == back, "gatherv");
  mpi::scatter({ids.data(), 1, MPI_INT}, {&word, 1, MPI_INT}, 0, comm);
  expect(word == rank, "scatter");
  mpi::scatterv({ids.data(), ones.data(), back.data(), MPI_INT}, {&word, 1, MPI_INT}, 0, comm);
  expect(word == ranks - 1 - rank, "scatterv");
  const std::vector<int> mine(n, rank);
  mpi::alltoall({mine.data(), 1, MPI_INT}, {all.data(), 1, MPI_INT}, comm);
  expect(all == ids, "alltoall");
  mpi::alltoallv({mine.data(), ones.data(), ids.data(), MPI_INT}, {all.data(), ones.data(), back.data(), MPI_INT},
                 comm);
  expect(all == back, "alltoallv");
}

/// Independent tasks with a communicator each.
void collectives(const arguments&) {
  const initialised here;
  std::vector<MPI_Comm> comms(8);
  for (auto& one : comms) MPI_Comm_dup(MPI_COMM_WORLD, &one);
  nearfork::run([&] {
    nearfork::task_group all;
    for (const MPI_Comm comm : comms) all.spawn([&, comm] { check_collectives(comm, here.rank, here.ranks); });
    all.sync();
  });
  for (auto& one : comms) MPI_Comm_free(&one);
}

void kinds_of_waits(const arguments&) {
  const initialised here;
  const int to = (here.rank + 1) % here.ranks;
  const int from = (here.rank + here.ranks - 1) % here.ranks;
  const auto waits = [&] {
    std::vector<int> got(3000, -1);
    std::vector<int> sent(got.size());
    std::iota(sent.begin(), sent.end(), 0);
    std::vector<MPI_Request> requests;
    for (std::size_t i = 0; i < got.size(); ++i)
      MPI_Irecv(&got[i], 1, MPI_INT, from, static_cast<int>(i), MPI_COMM_WORLD, &requests.emplace_back());
    for (std::size_t i = got.size(); i-- > 0;)
      MPI_Isend(&sent[i], 1, MPI_INT, to, static_cast<int>(i), MPI_COMM_WORLD, &requests.emplace_back());
    requests.push_back(MPI_REQUEST_NULL);
    std::vector<MPI_Status> statuses(requests.size());
    mpi::wait_all(requests, statuses.data());
    expect(got == sent, "wait_all");
    expect(statuses[5].MPI_TAG == 5 && statuses[5].MPI_SOURCE == from, "statuses of wait_all");
    expect(requests == std::vector<MPI_Request>(requests.size(), MPI_REQUEST_NULL), "requests are null afterwards");

    std::vector<int> words(4, -1);
    std::vector<MPI_Request> any(words.size());
    for (std::size_t i = 0; i < any.size(); ++i)
      MPI_Irecv(&words[i], 1, MPI_INT, from, static_cast<int>(i), MPI_COMM_WORLD, &any[i]);
    const int order[] = {2, 0, 3, 1};
    for (const int tag : order) {
      mpi::send(std::span<const int>(&tag, 1), to, tag, MPI_COMM_WORLD);
      MPI_Status status;
      const std::size_t which = mpi::wait_any(any, &status);
      expect(which == static_cast<std::size_t>(tag) && status.MPI_TAG == tag, "wait_any");
      expect(words[which] == tag && any[which] == MPI_REQUEST_NULL, "what wait_any left");
      mpi::barrier(MPI_COMM_WORLD);
    }
    expect(mpi::wait_any(any) == any.size(), "wait_any without active requests");

    int again = here.rank;
    int word = -1;
    MPI_Request both[2];
    MPI_Send_init(&again, 1, MPI_INT, to, 7, MPI_COMM_WORLD, &both[0]);
    MPI_Recv_init(&word, 1, MPI_INT, from, 7, MPI_COMM_WORLD, &both[1]);
    mpi::wait_all(both);  // inactive
    for (int round = 0; round < 3; ++round) {
      MPI_Startall(2, both);
      mpi::wait_all(both);
      expect(word == from && both[0] != MPI_REQUEST_NULL && both[1] != MPI_REQUEST_NULL, "persistent requests");
    }
    mpi::wait(both[0]);  // inactive
    for (auto& one : both) MPI_Request_free(&one);

    MPI_Request none = MPI_REQUEST_NULL;
    mpi::wait(none);
    expect(mpi::test(none), "test of no request");
    mpi::send(nullptr, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    mpi::barrier(MPI_COMM_WORLD);
  };
  nearfork::run(waits);
  waits();  // on a thread that is no worker
}

/// One thread in MPI at a time.
void serialized(const arguments&) {
  const initialised here(MPI_THREAD_SERIALIZED);
  std::atomic<int> right{0};
  nearfork::run([&] {
    nearfork::parallel_for(0, 500, [&](int i) {
      int value = i + here.rank;
      const int peer = here.ranks - 1 - here.rank;
      MPI_Request request;
      mpi::call([&] { MPI_Isend(&value, 1, MPI_INT, peer, i, MPI_COMM_WORLD, &request); });
      int got = -1;
      mpi::recv(std::span(&got, 1), peer, i, MPI_COMM_WORLD);
      mpi::wait(request);
      if (got == i + peer) ++right;
    });
  });
  expect(right == 500, "all messages are right");
}

}  // namespace

table message_cases() {
  return {{"thousand_waits", thousand_waits}, {"reversed_answers", reversed_answers},
          {"random_delays", random_delays},   {"nested_waits", nested_waits},
          {"exactly_once", exactly_once},     {"collectives", collectives},
          {"kinds_of_waits", kinds_of_waits}, {"serialized", serialized}};
}

}  // namespace cases
