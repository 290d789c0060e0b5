#include "tools/report/inputs/json_views.hpp"

namespace nearfork::tools {

report_view view_of_bench(const json_fields& of, const std::string& file) {
  of.require_version(1);
  const json_fields conditions = of.object("conditions");
  report_view made{.file = file, .kind = "benchmark", .machine = conditions.text("machine")};
  for (const char* const name : {"started", "workers", "governor", "compiler", "build"})
    made.facts.push_back({name, conditions.text(name)});
  for (const std::string& warning : conditions.texts("warnings")) made.facts.push_back({"warning", warning});
  for (const json_fields& workload : of.objects("workloads")) {
    const std::string name = workload.text("name");
    made.facts.push_back({name, workload.text("size")});
    for (const std::string& warning : workload.texts("warnings")) made.facts.push_back({"warning, " + name, warning});
    for (const json_fields& one : workload.objects("contenders"))
      made.contenders.push_back({.workload = name,
                                 .name = one.text("name"),
                                 .workers = one.whole("workers"),
                                 .median_ns = one.number("median_ns"),
                                 .least_ns = one.number("min_ns"),
                                 .most_ns = one.number("max_ns"),
                                 .wrong = one.whole("wrong_answers")});
  }
  return made;
}

}  // namespace nearfork::tools
