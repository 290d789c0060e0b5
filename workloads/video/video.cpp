#include "workloads/video/video.hpp"

#include <algorithm>
#include <random>
#include <utility>

#include <nearfork/dataflow.hpp>

#include "workloads/difference.hpp"

namespace nearfork::workloads {
namespace {

using frame = std::vector<pixel>;

const size_table<video_size>& video_sizes() {
  static const size_table<video_size> table{
      {{&video_size::frames, {"frames", "frames of the film", 1, 1'000'000}},
       {&video_size::width, {"width", "pixels of a line", 16, 8192}},
       {&video_size::height, {"height", "lines of a frame", 16, 8192}},
       {&video_size::ahead, {"ahead", "frames that may be in the pipeline at a time", 2, 1024}}},
      {{"default", {120, 640, 360, 16}}, {"small", {24, 160, 96, 8}}, {"test", {9, 48, 40, 4}}}};
  return table;
}

/// Some shapes that move over a background with a little noise.
class film_maker {
 public:
  film_maker(frame_shape shape, std::uint64_t seed) : shape_(shape), random_(seed) {
    for (int i = 0; i < 5; ++i)
      boxes_.push_back({random_() % shape.width, random_() % shape.height, 8 + random_() % 40});
  }

  [[nodiscard]] frame next() {
    frame made(shape_.pixels());
    for (std::size_t y = 0; y < shape_.height; ++y)
      for (std::size_t x = 0; x < shape_.width; ++x)
        made[y * shape_.width + x] = static_cast<pixel>((x / 8 + y / 4) % 96);
    for (box& each : boxes_) {
      for (std::size_t y = 0; y < each.side; ++y)
        for (std::size_t x = 0; x < each.side; ++x)
          made[(each.y + y) % shape_.height * shape_.width + (each.x + x) % shape_.width] =
              static_cast<pixel>(100 + 2 * each.side + y / 8);
      each.x = (each.x + random_() % 3) % shape_.width;
      each.y = (each.y + random_() % 3) % shape_.height;
    }
    for (std::size_t i = 0; i < made.size() / 50; ++i) made[random_() % made.size()] ^= pixel{31};
    return made;
  }

 private:
  struct box {
    std::size_t x, y, side;
  };
  frame_shape shape_;
  std::mt19937_64 random_;
  std::vector<box> boxes_;
};

/// The stages for one frame after the other. The next frame is needed for the motion.
class one_by_one {
 public:
  explicit one_by_one(frame_shape shape) : shape_(shape), edges_(shape.pixels()), moves_(shape.blocks()) {}

  void add(const frame& decoded) {
    frame blurred(shape_.pixels());
    blur(shape_, decoded, blurred);
    if (!before_.empty()) finish(before_, blurred);
    before_ = std::move(blurred);
  }
  /// The last frame has none behind it, and is compared with itself.
  [[nodiscard]] std::uint64_t film() {
    finish(before_, before_);
    return film_;
  }

 private:
  void finish(const frame& now, const frame& next) {
    find_edges(shape_, now, edges_);
    find_motion(shape_, now, next, moves_);
    film_ = appended(film_, encode(edges_, moves_));
  }

  frame_shape shape_;
  frame edges_;
  std::vector<motion> moves_;
  frame before_;
  std::uint64_t film_ = 0;
};

/// The tasks of one film.
class pipeline {
 public:
  pipeline(dataflow& graph, video_instance& film)
      : graph_(graph),
        film_(film),
        shape_(film.shape()),
        free_(graph.stream<char>()),
        raw_(graph.stream<pixel>()),
        blurred_(graph.stream<pixel>()),
        edges_(graph.stream<pixel>()),
        moves_(graph.stream<motion>()),
        coded_(graph.stream<std::uint64_t>()) {
    graph.task({out(free_, film.size().ahead)}, [](std::span<char> all) { std::ranges::fill(all, char{1}); });
  }

  void add_frame(std::size_t index) {
    const frame_shape shape = shape_;
    const std::size_t pixels = shape.pixels();
    graph_.task({in(free_), out(raw_, pixels)},
                [this, index](std::span<const char>, std::span<pixel> to) { decode(film_.coded(index), to); });
    graph_.task({in(raw_, pixels), out(blurred_, pixels)},
                [shape](std::span<const pixel> from, std::span<pixel> to) { blur(shape, from, to); });
    graph_.task({peek(blurred_, pixels), out(edges_, pixels)},
                [shape](std::span<const pixel> from, std::span<pixel> to) { find_edges(shape, from, to); });
    if (index + 1 < film_.size().frames) add_motion();
    else add_last_motion();
    graph_.task({in(edges_, pixels), in(moves_, shape.blocks()), out(coded_)},
                [](std::span<const pixel> edges, std::span<const motion> moves, std::span<std::uint64_t> to) {
                  to[0] = encode(edges, moves);
                });
    graph_.task({in(coded_), inout(order_), out(free_)},
                [this](std::span<const std::uint64_t> one, std::span<char>, std::span<char> next) {
                  film_.append(one[0]);
                  next[0] = 1;
                });
  }

 private:
  /// Reads a frame, and the one behind it.
  void add_motion() {
    const frame_shape shape = shape_;
    graph_.task({in(blurred_, shape.pixels()), peek(blurred_, shape.pixels()), out(moves_, shape.blocks())},
                [shape](std::span<const pixel> now, std::span<const pixel> next, std::span<motion> to) {
                  find_motion(shape, now, next, to);
                });
  }
  void add_last_motion() {
    const frame_shape shape = shape_;
    graph_.task({in(blurred_, shape.pixels()), out(moves_, shape.blocks())},
                [shape](std::span<const pixel> now, std::span<motion> to) { find_motion(shape, now, now, to); });
  }

  dataflow& graph_;
  video_instance& film_;
  const frame_shape shape_;
  stream<char> free_;  // an element for each frame that may enter
  stream<pixel> raw_;
  stream<pixel> blurred_;
  stream<pixel> edges_;
  stream<motion> moves_;
  stream<std::uint64_t> coded_;
  char order_ = 0;
};

}  // namespace

video_instance::video_instance(const video_size& size, std::uint64_t seed) : size_(size) {
  film_maker maker(shape(), seed);
  one_by_one stages(shape());
  for (std::size_t i = 0; i < size.frames; ++i) {
    const frame made = maker.next();
    coded_.push_back(run_lengths_of(made));
    stages.add(made);
  }
  right_ = stages.film();
  reset();
}

/// Coded frames are at most twice as large as others.
std::uint64_t video_instance::bytes(const video_size& size) {
  const std::uint64_t pixels = size.width * size.height;
  return 2 * pixels * size.frames + 4 * pixels * std::min(size.ahead, size.frames);
}

void video_instance::reset() {
  film_ = 0;
}

void video_instance::run_serial() {
  one_by_one stages(shape());
  frame decoded(shape().pixels());
  for (const auto& each : coded_) {
    decode(each, decoded);
    stages.add(decoded);
  }
  film_ = stages.film();
}

void video_instance::run_nearfork() {
  dataflow graph;
  pipeline tasks(graph, *this);
  for (std::size_t i = 0; i < size_.frames; ++i) tasks.add_frame(i);
  graph.sync();
}

std::string video_instance::fault() const {
  return difference("the number of the encoded film", film_, right_);
}

void video_instance::corrupt(std::uint64_t where) {
  film_ ^= std::uint64_t{1} << where % 64;
}

workload video_workload() {
  return workload_of<video_instance>(
      "video", "a film through decode, blur, edges, motion and encode: a pipeline of dataflow tasks over streams",
      video_sizes());
}

}  // namespace nearfork::workloads
