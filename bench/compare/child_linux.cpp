#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>

#include "bench/compare/child.hpp"

extern char** environ;  // POSIX leaves its declaration to the program

namespace bench {
namespace {

struct child {
  pid_t process;
  int output;
};

child start(const std::filesystem::path& program, const std::vector<std::string>& arguments) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe2");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::vector<char*> texts;
  std::string name = program.string();
  std::vector<std::string> kept = arguments;
  texts.push_back(name.data());
  for (std::string& one : kept) texts.push_back(one.data());
  texts.push_back(nullptr);
  pid_t process = 0;
  const int failed = ::posix_spawn(&process, name.c_str(), &actions, nullptr, texts.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (failed != 0) {
    ::close(ends[0]);
    throw std::system_error(failed, std::generic_category(), "cannot start " + name);
  }
  return {process, ends[0]};
}

std::string read_all(int from) {
  std::string text;
  char piece[4096];
  for (ssize_t got = 0; (got = ::read(from, piece, sizeof piece)) != 0;) {
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) break;
    text.append(piece, static_cast<std::size_t>(got));
  }
  ::close(from);
  return text;
}

outcome parse(const std::string& text, int status) {
  outcome result;
  if (WIFSIGNALED(status)) {
    result.failure = std::string("ended by signal: ") + ::strsignal(WTERMSIG(status));
    return result;
  }
  const auto said = nlohmann::json::parse(text, nullptr, false);
  bool right = false;
  try {
    result.seconds = said.at("seconds").get<std::vector<double>>();
    result.operations = said.at("operations").get<double>();
    result.operation = said.at("operation").get<std::string>();
    result.peak_bytes = said.at("peak_kib").get<double>() * 1024;
    right = said.at("right").get<bool>();
  } catch (const nlohmann::json::exception&) {
    result.failure = "exit status " + std::to_string(WEXITSTATUS(status)) + " and no result";
    return result;
  }
  if (!right) result.failure = "wrong answer";
  else if (WEXITSTATUS(status) != 0) result.failure = "exit status " + std::to_string(WEXITSTATUS(status));
  return result;
}

int status_of(const child& one) {
  int status = 0;
  while (::waitpid(one.process, &status, 0) < 0)
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "waitpid");
  return status;
}

outcome finish(const child& one) {
  const std::string text = read_all(one.output);
  return parse(text, status_of(one));
}

}  // namespace

std::vector<outcome> run_copies(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                                unsigned copies) {
  std::vector<child> started;
  for (unsigned i = 0; i < copies; ++i) started.push_back(start(program, arguments));
  std::vector<outcome> results;
  for (const child& one : started) results.push_back(finish(one));
  return results;
}

std::string output_of(const std::filesystem::path& program, const std::vector<std::string>& arguments) {
  const child one = start(program, arguments);
  std::string text = read_all(one.output);
  if (const int status = status_of(one); status != 0)
    throw std::runtime_error(program.string() + (WIFSIGNALED(status) ? " was ended by a signal" : " failed"));
  return text;
}

}  // namespace bench
