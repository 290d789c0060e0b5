// A program that knows nothing of placed memory: do the pages of its malloc and its vector lie where the plan says once
// libnearfork-malloc.so is there? Asks the kernel for the node of each page.
// usage: malloced_pages LEAST_PERCENT   of the pages that must lie on the node of their domain
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "numa_lab/kernel_view/page_nodes.hpp"
#include "numa_lab/lab_verdict.hpp"
#include "numa_lab/placed_heat.hpp"
#include "plan/plans/domain_share.hpp"

namespace nearfork::lab {
namespace {

/// Also with huge pages each domain has whole ones.
constexpr std::size_t pages_per_domain = 512;
constexpr unsigned iterations = 8;
/// As for placed_heat: emulation makes times longer.
constexpr std::uint64_t input_bytes = std::uint64_t{1} << 43;

/// Each page counts the iterations: a byte of the malloced block, and a byte of the vector.
class counted_pages {
 public:
  explicit counted_pages(std::size_t pages)
      : pages_(pages),
        fresh_(static_cast<unsigned char*>(std::malloc(pages * page_bytes())), &std::free),
        touched_(pages * page_bytes()) {}

  void iterate(runtime& on) {
    on.run([&] { region({.name = "counts", .input_bytes = input_bytes}, [&] { count(0, pages_); }); });
    ++iterations_;
  }
  void check_answer(verdict& result) const {
    for (std::size_t i = 0; i < pages_; ++i)
      if (fresh_.get()[i * page_bytes()] != iterations_ || touched_[i * page_bytes()] != iterations_)
        result.fault("page {} was not counted {} times", i, iterations_);
  }
  [[nodiscard]] std::vector<page_node> nodes_of_malloc() const {
    return nodes_of_pages(fresh_.get(), pages_ * page_bytes());
  }
  [[nodiscard]] std::vector<page_node> nodes_of_vector() const {
    return nodes_of_pages(touched_.data(), pages_ * page_bytes());
  }

 private:
  void count(std::size_t first, std::size_t last) {
    if (last - first > 16) {
      const std::size_t middle = first + (last - first) / 2;
      fork_join([&] { count(first, middle); }, [&] { count(middle, last); });
      return;
    }
    for (std::size_t i = first; i < last; ++i) {
      // The vector's pages were touched by one thread; these are touched here for the first time, and not zero.
      unsigned char& fresh = fresh_.get()[i * page_bytes()];
      fresh = static_cast<unsigned char>(iterations_ == 0 ? 1 : fresh + 1);
      ++touched_[i * page_bytes()];
    }
  }

  std::size_t pages_;
  std::unique_ptr<unsigned char[], void (*)(void*)> fresh_;
  std::vector<unsigned char> touched_;
  unsigned iterations_ = 0;
};

void judge(const char* name, const std::vector<page_node>& found, const std::vector<unsigned>& planned,
           double least_percent, verdict& result) {
  const std::size_t right = pages_as_planned(found, planned);
  const double percent = 100 * static_cast<double>(right) / static_cast<double>(found.size());
  fmt::print("{}: {} of {} pages ({:.1f} %) on the node of their domain, {}; ", name, right, found.size(), percent,
             counted(found));
  if (percent < least_percent) result.fault("{}: at least {:.1f} % must lie there", name, least_percent);
}

int run(const std::string& least_percent) {
  verdict result;
  runtime rt;
  counted_pages pages(pages_per_domain * rt.report().domains);
  for (unsigned i = 0; i < iterations; ++i) pages.iterate(rt);
  pages.check_answer(result);
  const auto found = pages.nodes_of_malloc();
  const auto planned = planned_nodes(found.size(), even_borders(rt.report().domains), first_touch_nodes(rt));
  judge("malloc", found, planned, std::stod(least_percent), result);
  judge("vector", pages.nodes_of_vector(), planned, std::stod(least_percent), result);
  fmt::print("moved {} bytes\n", rt.report().regions.at(0).moved_bytes);
  return result.status();
}

}  // namespace
}  // namespace nearfork::lab

int main(int count, char** arguments) {
  if (count != 2) {
    fmt::print("usage: malloced_pages LEAST_PERCENT\n");
    return 2;
  }
  return nearfork::lab::exit_status_of([&] { return nearfork::lab::run(arguments[1]); });
}
