// hwloc loads all of its plugins before it reads a machine, with the libraries that these need: for XML, PCI devices,
// OpenCL and displays. Reading the live machine needs none of them.
#pragma once

namespace nearfork {

/// While it lives, hwloc finds no plugins, where the environment may be changed: the process has no other thread that
/// could read it, and the program's user has not said where plugins are. Starting a runtime takes 2.6 ms so, and 4.4
/// else.
class hwloc_plugins_hidden {
 public:
  hwloc_plugins_hidden() noexcept;
  ~hwloc_plugins_hidden();
  hwloc_plugins_hidden(const hwloc_plugins_hidden&) = delete;
  hwloc_plugins_hidden& operator=(const hwloc_plugins_hidden&) = delete;

 private:
  bool hidden_ = false;
};

}  // namespace nearfork
