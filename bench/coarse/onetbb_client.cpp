#include "bench/coarse/client.hpp"

#ifdef COARSE_ONETBB
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

namespace coarse {
namespace {

void halve_with_tbb(std::size_t first, std::size_t last, const body& act) {
  if (last - first == 1) return act(first);
  const std::size_t middle = first + (last - first) / 2;
  tbb::parallel_invoke([&] { halve_with_tbb(first, middle, act); }, [&] { halve_with_tbb(middle, last, act); });
}

class with_onetbb final : public client {
 public:
  explicit with_onetbb(unsigned workers)
      : limit_(tbb::global_control::max_allowed_parallelism, workers), arena_(static_cast<int>(workers)) {}

  void inside(const std::function<void()>& work) override { arena_.execute(work); }
  void wide_fork(std::size_t tasks, const body& act) override {
    with_width(tasks, [&]<std::size_t... I>(std::index_sequence<I...>) { tbb::parallel_invoke([&] { act(I); }...); });
  }
  void group(std::size_t tasks, const body& act) override {
    tbb::task_group all;
    for (std::size_t i = 0; i < tasks; ++i) all.run([&act, i] { act(i); });
    all.wait();
  }
  void tree(std::size_t tasks, const body& act) override { halve_with_tbb(0, tasks, act); }
  void loop(std::size_t tasks, const body& act) override { tbb::parallel_for(std::size_t{0}, tasks, act); }

 private:
  tbb::global_control limit_;
  tbb::task_arena arena_;
};

}  // namespace

std::unique_ptr<client> onetbb_client(unsigned workers) {
  return std::make_unique<with_onetbb>(workers);
}

}  // namespace coarse
#else
std::unique_ptr<coarse::client> coarse::onetbb_client(unsigned /*workers*/) {
  return nullptr;
}
#endif
