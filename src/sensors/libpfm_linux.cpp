// libpfm4 is opened where it is needed and not linked, so that programs that count nothing need not have it. So the few
// things that we use of it are declared here, as its interface of 2010 fixes them: pfm_perf_encode_arg_t carries its
// size for that purpose.
#include "sensors/libpfm.hpp"

#include <dlfcn.h>
#include <linux/perf_event.h>

#include <cerrno>
#include <cstddef>

#include "base/made_once.hpp"
#include "base/privileged.hpp"
#include "base/text/message_text.hpp"
#include "base/value_bytes.hpp"
#include "machine/described/trial_run.hpp"

namespace nearfork {

namespace {

constexpr const char* library_file = "libpfm.so.4";
/// Each release says version "4.0", so we cannot name the installed one.
constexpr const char* newer_one = "install a newer libpfm4";
constexpr int success = 0;                   // PFM_SUCCESS
constexpr int user_mode = 8;                 // PFM_PLM3
constexpr int all_attributes_of_the_os = 2;  // PFM_OS_PERF_EVENT_EXT

/// pfm_perf_encode_arg_t
struct encode_argument {
  perf_event_attr* attributes;
  char** full_name;
  std::size_t bytes;
  int index;
  int cpu;
  int flags;
  int padding;
};
static_assert(sizeof(void*) != 8 || sizeof(encode_argument) == 40, "PFM_PERF_ENCODE_ABI0");

constexpr unsigned most_seconds = 20;

struct libpfm {
  int (*initialize)() = nullptr;                          // pfm_initialize
  const char* (*message_of)(int) = nullptr;               // pfm_strerror
  int (*encode)(const char*, int, int, void*) = nullptr;  // pfm_get_os_event_encoding
  counting_refusal refused{};
};

template <class Function>
bool find(void* library, const char* name, Function& found) {
  found = reinterpret_cast<Function>(::dlsym(library, name));
  return found != nullptr;
}

libpfm open_library() {
  libpfm made;
  void* const library = ::dlopen(library_file, RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) {
    made.refused = {"libpfm4 is not installed (" + std::string(library_file) + " is not found)", "apt install libpfm4"};
    return made;
  }
  if (!find(library, "pfm_initialize", made.initialize) || !find(library, "pfm_strerror", made.message_of) ||
      !find(library, "pfm_get_os_event_encoding", made.encode)) {
    made.refused = {std::string(library_file) + " lacks a function that libpfm4 has",
                    "apt install --reinstall libpfm4"};
    return made;
  }
  return made;
}

/// An empty refusal: it has started, now or before. It reads its environment variables here.
counting_refusal start(const libpfm& library) {
  const int refused = library.initialize();
  if (refused == success) return {};
  return {"libpfm4 does not start: " + std::string(library.message_of(refused)), newer_one};
}

event_encoding encode(const libpfm& library, const std::string& event) {
  perf_event_attr attributes{};
  attributes.size = PERF_ATTR_SIZE_VER1;  // it fills in no more than this, however many fields it knows
  encode_argument argument{};
  argument.attributes = &attributes;
  argument.bytes = sizeof argument;
  const int refused = library.encode(event.c_str(), user_mode, all_attributes_of_the_os, &argument);
  if (refused != success)
    return {
        std::nullopt,
        {"the installed libpfm4 does not know " + event + " on this processor (" + library.message_of(refused) + ")",
         newer_one}};
  return {event_code{attributes.type, attributes.config, attributes.config1, attributes.config2}, {}};
}

event_encoding start_and_encode(const libpfm& library, const std::string& event) {
  static constinit made_once<const counting_refusal> started;
  const counting_refusal& refused = started.get([&] { return start(library); });
  return refused.why.empty() ? encode(library, event) : event_encoding{std::nullopt, refused};
}

/// In a child process without environment: libpfm4 obeys LIBPFM_* variables, and cannot be told not to.
event_encoding encode_without_environment(const libpfm& library, const std::string& event) {
  const child_answer answer = ask_child([&] { return bytes_of_value(start_and_encode(library, event)); }, most_seconds,
                                        child_environment::none);
  if (answer.outcome == trial_outcome::returned && !answer.threw) return value_of_bytes<event_encoding>(answer.text);
  const std::string why = answer.outcome == trial_outcome::not_tried ? with_number(errno) : "it fails";
  return {std::nullopt,
          {"a privileged program has libpfm4 run in a process of its own, and that cannot be had: " + why,
           "allow more processes (ulimit -u)"}};
}

}  // namespace

event_encoding encode_by_libpfm(const std::string& event) {
  static constinit made_once<const libpfm> loaded;
  const libpfm& library = loaded.get(open_library);
  if (!library.refused.why.empty()) return {std::nullopt, library.refused};
  return is_privileged() ? encode_without_environment(library, event) : start_and_encode(library, event);
}

}  // namespace nearfork
