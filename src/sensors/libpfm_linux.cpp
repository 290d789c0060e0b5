// libpfm4 is opened where it is needed, not linked: programs that count nothing need not have it. So the few things we use
// of it are declared here, as its interface of 2010 fixes them: pfm_perf_encode_arg_t carries its size for that purpose.
#include "sensors/libpfm.hpp"

#include <dlfcn.h>
#include <linux/perf_event.h>

#include <cstddef>

#include "base/made_once.hpp"

namespace nearfork {
namespace {

constexpr const char* library_file = "libpfm.so.4";
/// Its version number says "4.0" in each release, so we cannot name the one that is there.
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

libpfm load() {
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
  if (const int refused = made.initialize(); refused != success)
    made.refused = {"libpfm4 does not start: " + std::string(made.message_of(refused)), newer_one};
  return made;
}

}  // namespace

event_encoding encode_by_libpfm(const std::string& event) {
  static constinit made_once<const libpfm> loaded;
  const libpfm& library = loaded.get(load);
  if (!library.refused.why.empty()) return {std::nullopt, library.refused};
  perf_event_attr attributes{};
  attributes.size = PERF_ATTR_SIZE_VER1;  // it fills in no more than that, however many fields it knows
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

}  // namespace nearfork
