// What a policy needs from the runtime or simulator that drives it.
#pragma once

namespace nearfork {

struct policy_needs {
  bool pinned_workers = true;
  bool profile = false;       // one profiling iteration per region; without it first() is the only plan
  bool task_sizes = false;    // sizes of tasks in the profile; without them plans are poorer
  bool core_domains = false;  // on a machine of one cache domain, each core as a domain of its own
};

}  // namespace nearfork
