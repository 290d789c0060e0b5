#include <nearfork/nearfork.hpp>

#include "bench/coarse/client.hpp"

namespace coarse {
namespace {

nearfork::config with_workers(unsigned workers) {
  nearfork::config settings = nearfork::config::from_environment();
  settings.workers = workers;
  return settings;
}

void halve(std::size_t first, std::size_t last, const body& act) {
  if (last - first == 1) return act(first);
  const std::size_t middle = first + (last - first) / 2;
  nearfork::fork_join([&] { halve(first, middle, act); }, [&] { halve(middle, last, act); });
}

class with_nearfork final : public client {
 public:
  explicit with_nearfork(unsigned workers) : runtime_(with_workers(workers)) {}

  void inside(const std::function<void()>& work) override { runtime_.run(work); }
  void wide_fork(std::size_t tasks, const body& act) override {
    with_width(tasks, [&]<std::size_t... I>(std::index_sequence<I...>) { nearfork::fork_join([&] { act(I); }...); });
  }
  void group(std::size_t tasks, const body& act) override {
    nearfork::task_group all;
    for (std::size_t i = 0; i < tasks; ++i) all.spawn([&act, i] { act(i); });
    all.sync();
  }
  void tree(std::size_t tasks, const body& act) override { halve(0, tasks, act); }
  void loop(std::size_t tasks, const body& act) override { nearfork::parallel_for(std::size_t{0}, tasks, act); }

 private:
  nearfork::runtime runtime_;
};

}  // namespace

std::unique_ptr<client> nearfork_client(unsigned workers) {
  return std::make_unique<with_nearfork>(workers);
}

}  // namespace coarse
