#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <nearfork/error.hpp>

#include "base/files/descriptor.hpp"
#include "base/text/message_text.hpp"
#include "malloc/shared_counts.hpp"
#include "tools/recordings/program_rights.hpp"
#include "tools/run/placed_malloc.hpp"

namespace nearfork::tools {
namespace {

constexpr const char* library_name = "libnearfork-malloc.so";

/// Where the build and the installation put it, seen from the command.
std::vector<std::string> library_places() {
  char resolved[PATH_MAX];
  std::vector<std::string> places;
  if (::realpath("/proc/self/exe", resolved) != nullptr) {
    const std::filesystem::path folder = std::filesystem::path(resolved).parent_path();
    places = {(folder / library_name).string(),
              (folder.parent_path() / NEARFORK_LIBRARY_FOLDER / library_name).string()};
  }
  return places;
}

bool is_file(const std::string& path) {
  struct stat facts{};
  return ::stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode);
}

}  // namespace

std::string malloc_library_path() {
  std::string tried;
  for (const std::string& path : library_places()) {
    if (!is_file(path)) {
      tried += (tried.empty() ? "" : " and ") + path;
      continue;
    }
    if (path.find_first_of(": \t\n$") != path.npos)
      throw error("nearfork: LD_PRELOAD cannot name " + nearfork::quoted(path) +
                  ": a path with a space, a colon or a dollar sign; move nearfork to another folder");
    return path;
  }
  throw error(std::string("nearfork: ") + library_name + " is not installed with this command: there is no " + tried +
              "; build and install nearfork with CMake (builds with sanitizers have no such library)");
}

void expect_preloadable(const std::string& program) {
  const std::string path = path_of_program(program);
  struct stat facts{};
  if (path.empty() || ::stat(path.c_str(), &facts) != 0)
    throw error("nearfork: cannot start " + program + ": there is no such " +
                (program.find('/') != program.npos
                     ? "file; see ls -l " + program
                     : "program in PATH; give a path with a slash, such as ./" + program));
  if (!S_ISREG(facts.st_mode) || ::access(path.c_str(), X_OK) != 0)
    throw error("nearfork: cannot start " + path + ": it is no file that this user may execute; see ls -l " + path);
  if (const std::string rights = added_rights(path); !rights.empty())
    throw error("nearfork: cannot place the blocks of " + path + ": " + rights +
                ", and the system ignores LD_PRELOAD there; run a copy without them");
}

bool loads_address_sanitizer(const std::string& program) {
  std::ifstream file(path_of_program(program), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  return bytes.starts_with("\177ELF") &&
         (bytes.find("libasan.so") != bytes.npos || bytes.find("libclang_rt.asan") != bytes.npos);
}

malloc_counts_file::malloc_counts_file() {
  std::error_code failed;
  std::filesystem::path temporary = std::filesystem::temp_directory_path(failed);
  // Processes that count open it wherever their folder is by then.
  if (!failed) temporary = std::filesystem::absolute(temporary, failed);
  path_ = (temporary / "nearfork-malloc-XXXXXX").string();
  const descriptor file(failed ? -1 : ::mkostemp(path_.data(), O_CLOEXEC));
  if (!file.is_open() || ::ftruncate(file.number(), sizeof(preloaded::shared_counts)) != 0) {
    const int why = errno;
    if (file.is_open()) ::unlink(path_.c_str());
    throw error("nearfork: cannot make a temporary file for counts" + (failed ? "" : " in " + temporary.string()) +
                ": " + with_number(why) + "; set TMPDIR to a folder that may be written");
  }
}

malloc_counts_file::~malloc_counts_file() {
  ::unlink(path_.c_str());
}

std::vector<std::pair<std::string, std::string>> malloc_counts_file::environment(const std::string& library) const {
  const char* const before = ::getenv("LD_PRELOAD");
  const std::string others = before != nullptr && *before != '\0' ? std::string(":") + before : "";
  return {{"LD_PRELOAD", library + others}, {preloaded::counts_variable, path_}};
}

malloc_counts malloc_counts_file::counts() const {
  std::array<std::uint64_t, 4> read{};
  static_assert(sizeof read == sizeof(preloaded::shared_counts));
  const descriptor file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  const ssize_t got = file.is_open() ? ::read(file.number(), read.data(), sizeof read) : -1;
  const int why = errno;
  if (got != static_cast<ssize_t>(sizeof read))
    throw error("nearfork: the counts of libnearfork-malloc.so are lost: " + path_ + ": " + with_number(why) +
                "; the program removed or changed the file");
  return {.processes = read[0], .offers = read[1], .blocks = read[2], .bytes = read[3]};
}

}  // namespace nearfork::tools
