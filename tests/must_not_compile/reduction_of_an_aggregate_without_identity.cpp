// expect: static.*a reduction of aggregates needs an operator with a static identity
#include <functional>
#include <span>

#include <nearfork/dataflow.hpp>

struct point {
  double x, y;
  friend point operator*(const point& a, const point& b) { return {a.x * b.x, a.y * b.y}; }
};

void wrong(nearfork::dataflow& graph, point& product) {
  graph.task({nearfork::reduction(product, std::multiplies<>())}, [](std::span<point>) {});
}
