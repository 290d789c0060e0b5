#include "base/output/standard_streams.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include <nearfork/error.hpp>

#include "base/text/message_text.hpp"

namespace nearfork {
namespace {

bool is_closed(int stream) noexcept {
  return ::fcntl(stream, F_GETFD) < 0 && errno == EBADF;
}

/// Opens it for reading, so that writing fails as on the closed stream. But messages to a stderr that was closed on
/// purpose are dropped. Programs that we start find the stream closed.
void stand_in_for(int stream) noexcept {
  const int made = ::open("/dev/null", (stream == STDERR_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
  if (made < 0 || made == stream) return;
  ::dup3(made, stream, O_CLOEXEC);
  ::close(made);
}

}  // namespace

void secure_standard_streams() noexcept {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (is_closed(stream)) stand_in_for(stream);
  ::signal(SIGXFSZ, SIG_IGN);
}

std::string lost_output_text(int error_number) {
  std::string why = with_number(error_number);
  if (error_number == 0) why = "an earlier write failed";
  if (error_number == EBADF) why = "it is closed, or open for reading alone";
  return "nearfork: cannot write to standard output: " + why + "; give it an open stream with room for all of it";
}

void tell(const std::string& line) noexcept {
  std::fprintf(stderr, "%s\n", line.c_str());
}

void expect_standard_output() {
  const int flags = ::fcntl(STDOUT_FILENO, F_GETFL);
  if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) throw error(lost_output_text(EBADF));
}

void flush_standard_output() {
  errno = 0;
  const bool flushed = std::fflush(stdout) == 0;
  if (!flushed) throw error(lost_output_text(errno));
  if (std::ferror(stdout) != 0) throw error(lost_output_text(0));
}

}  // namespace nearfork
