#include <nearfork/nearfork.hpp>

#include "bench/harness/problem.hpp"

void bench::inside(unsigned workers, const std::function<void()>& work) {
  nearfork::config settings = nearfork::config::from_environment();
  settings.workers = workers;
  nearfork::runtime runtime(settings);
  runtime.run(work);
}
