#include "base/output/numbered_path.hpp"

#include <filesystem>
#include <map>
#include <mutex>

#include "base/output/output_file.hpp"

namespace nearfork {

std::string numbered_path(const std::string& path, const std::string& option) {
  // Never destroyed: the process's own runtime may outlive static objects.
  static std::mutex& mutex = *new std::mutex;
  static auto& taken = *new std::map<std::string, unsigned>;
  if (output_file(path, option).way() != output_way::replaced) return path;
  const std::filesystem::path whole(path);
  const std::lock_guard lock(mutex);
  const unsigned number = ++taken[whole.lexically_normal().string()];
  if (number == 1) return path;
  return (whole.parent_path() / (whole.stem().string() + "-" + std::to_string(number) + whole.extension().string()))
      .string();
}

}  // namespace nearfork
