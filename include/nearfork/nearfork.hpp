/// Includes all public headers of nearfork.
#pragma once

#include <nearfork/allocator.hpp>
#include <nearfork/array.hpp>
#include <nearfork/cancellation.hpp>
#include <nearfork/config.hpp>
#include <nearfork/error.hpp>
#include <nearfork/fork_join.hpp>
#include <nearfork/hints.hpp>
#include <nearfork/loop_options.hpp>
#include <nearfork/memory_map.hpp>
#include <nearfork/memory_options.hpp>
#include <nearfork/memory_resource.hpp>
#include <nearfork/parallel_for.hpp>
#include <nearfork/parallel_reduce.hpp>
#include <nearfork/parallel_scan.hpp>
#include <nearfork/region.hpp>
#include <nearfork/run.hpp>
#include <nearfork/run_report.hpp>
#include <nearfork/runtime.hpp>
#include <nearfork/task_group.hpp>
