// What a policy needs from the runtime or simulator that drives it.
#pragma once

namespace nearfork {

struct policy_needs {
  bool pinned_workers = true;
  bool profile = false;       // one profiling iteration per region; without it first() is the only plan
  bool task_sizes = false;    // sizes of tasks in the profile; without them plans are poorer
  bool core_domains = false;  // on a machine of one cache domain, each core as a domain of its own
  bool all_data = false;      // all data of a program follow its plans; without it only what the program has placed
  bool heat = false;          // how hot data are, gauged in the profiling iteration
};

}  // namespace nearfork
