// The video pipeline by tasks with depend. Frame i uses slot i % ahead of each stage, so the next frame of a slot waits
// for the readers of the one before.
#include <vector>

#include "workloads/contenders/by_workload.hpp"
#include "workloads/contenders/openmp/crew.hpp"

namespace nearfork::workloads {

namespace {

struct video_slot {
  std::vector<pixel> raw;
  std::vector<pixel> blurred;
  std::vector<pixel> edges;
  std::vector<motion> moves;
  std::uint64_t coded = 0;
};

void video_film(video_instance& film) {
  const frame_shape shape = film.shape();
  const std::size_t frames = film.size().frames;
  const std::size_t slots = film.size().ahead;
  const video_slot empty{std::vector<pixel>(shape.pixels()), std::vector<pixel>(shape.pixels()),
                         std::vector<pixel>(shape.pixels()), std::vector<motion>(shape.blocks())};
  std::vector<video_slot> all(slots, empty);
  video_slot* const slot = all.data();
  // Motion looks one frame ahead, so a frame's last stages come when the next one is blurred.
  for (std::size_t i = 0; i <= frames; ++i) {
    if (i < frames) {
      video_slot& own = slot[i % slots];
#pragma omp task default(shared) firstprivate(i) depend(out : own.raw)
      decode(film.coded(i), slot[i % slots].raw);
#pragma omp task default(shared) firstprivate(i) depend(in : own.raw) depend(out : own.blurred)
      blur(shape, slot[i % slots].raw, slot[i % slots].blurred);
#pragma omp task default(shared) firstprivate(i) depend(in : own.blurred) depend(out : own.edges)
      find_edges(shape, slot[i % slots].blurred, slot[i % slots].edges);
    }
    if (i == 0) continue;
    const std::size_t last = i - 1;
    const std::size_t next = i < frames ? i : last;
    video_slot& own = slot[last % slots];
    video_slot& behind = slot[next % slots];
#pragma omp task default(shared) firstprivate(last, next) depend(in : own.blurred, behind.blurred) \
    depend(out : own.moves)
    find_motion(shape, slot[last % slots].blurred, slot[next % slots].blurred, slot[last % slots].moves);
#pragma omp task default(shared) firstprivate(last) depend(in : own.edges, own.moves) depend(out : own.coded)
    slot[last % slots].coded = encode(slot[last % slots].edges, slot[last % slots].moves);
#pragma omp task default(shared) firstprivate(last) depend(in : own.coded) depend(inout : film)
    film.append(slot[last % slots].coded);
  }
#pragma omp taskwait
}

}  // namespace

void video_omp_tasks(video_instance& film, unsigned workers) {
  with_omp_crew(workers, [&] { video_film(film); });
}

}  // namespace nearfork::workloads
