#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>

#include <nearfork/error.hpp>

#include "tools/mpi_ranks/rank_calls.hpp"
#include "tools/sim/ranks/rank_exchange.hpp"

namespace nearfork::tools {
namespace {

/// Beside the command, as built, or in libexec, as installed.
std::string ranks_library(const std::string& kind) {
  const std::string name = "nearfork-ranks-" + kind + ".so";
  std::error_code failed;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", failed).parent_path();
  for (const auto& path : {folder / name, folder.parent_path() / NEARFORK_LIBEXEC_FOLDER / "nearfork" / name})
    if (std::filesystem::is_regular_file(path, failed)) return path.string();
  throw error("nearfork: " + kind + "'s launcher started this process as one of several, but this build has no " +
              name + "; configure and build nearfork where " + kind +
              " and its headers are installed, or start it alone");
}

/// Of the library, which stays: MPI ends at the process's end.
class ranks_of_library final : public rank_exchange {
 public:
  explicit ranks_of_library(const std::string& kind) {
    const std::string path = ranks_library(kind);
    // Global: Open MPI loads parts of its own, which look for its symbols.
    library_ = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (library_ == nullptr) throw error(std::string("nearfork: ") + ::dlerror());
    const auto begin = call<nearfork_ranks_begin_call>("nearfork_ranks_begin");
    gather_ = call<nearfork_ranks_gather_call>("nearfork_ranks_gather");
    end_ = call<nearfork_ranks_end_call>("nearfork_ranks_end");
    if (begin(&rank_, &ranks_) != 0) throw error("nearfork: " + kind + " does not start");
  }
  /// After an error the others would wait in vain: without MPI_Finalize() the launcher ends them.
  ~ranks_of_library() override {
    if (gathered_) (void)end_();
  }

  [[nodiscard]] int rank() const noexcept override { return rank_; }
  [[nodiscard]] int ranks() const noexcept override { return ranks_; }
  [[nodiscard]] std::vector<std::string> gathered(const std::string& mine) override {
    std::vector<std::string> all;
    const auto take = [](void* data, int, const char* bytes, std::size_t size) {
      static_cast<std::vector<std::string>*>(data)->emplace_back(bytes, size);
    };
    if (gather_(mine.data(), mine.size(), take, &all) != 0)
      throw error("nearfork: the results of the ranks could not be gathered");
    gathered_ = true;
    return all;
  }

 private:
  template <class Call>
  Call* call(const char* name) const {
    void* const found = ::dlsym(library_, name);
    if (found == nullptr) throw error(std::string("nearfork: ") + ::dlerror());
    return reinterpret_cast<Call*>(found);
  }

  void* library_ = nullptr;
  nearfork_ranks_gather_call* gather_ = nullptr;
  nearfork_ranks_end_call* end_ = nullptr;
  bool gathered_ = false;
  int rank_ = 0;
  int ranks_ = 1;
};

}  // namespace

std::optional<std::string> launcher_from(const std::function<const char*(const char*)>& variable) {
  const auto is_number_above_1 = [](const char* text) { return text != nullptr && std::atoi(text) > 1; };
  if (is_number_above_1(variable("OMPI_COMM_WORLD_SIZE"))) return "openmpi";
  if (is_number_above_1(variable("PMI_SIZE"))) return "mpich";
  return std::nullopt;
}

std::unique_ptr<rank_exchange> exchange_among_ranks() {
  const auto kind = launcher_from([](const char* name) { return std::getenv(name); });
  if (!kind) return nullptr;
  return std::make_unique<ranks_of_library>(*kind);
}

}  // namespace nearfork::tools
