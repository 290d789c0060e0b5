// expect: static.*the callable of a dataflow task takes nothing, a std::span for each access
#include <nearfork/dataflow.hpp>

// Accesses do not keep their types, so nobody could say what `auto` is.
void wrong(nearfork::dataflow& graph, double& value) {
  graph.task({nearfork::out(value)}, [](auto to) { to[0] = 1; });
}
