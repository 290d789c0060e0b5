// What a policy asks of the runtime or simulator that drives it.
#pragma once

namespace nearfork {

struct policy_needs {
  bool pinned_workers = true;
  bool profile = false;       // a profiling iteration per region; without one first() is the only plan
  bool task_sizes = false;    // the profile's bytes; without them plans are poorer
  bool core_domains = false;  // on a machine of one cache domain, each core is to be a domain of its own
};

}  // namespace nearfork
