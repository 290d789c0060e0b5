// A film that is decoded, filtered, searched for motion and encoded again, frame by frame: a pipeline over streams.
//
//     coded frame -> decode -> blur -> edges  -> encode -> film, in order
//                                 \--> motion --/
//
// Edges and motion read the same blurred frame, and motion looks one frame ahead. At most `ahead` frames are between
// decode and encode at a time.
#pragma once

#include <vector>

#include "workloads/instance.hpp"
#include "workloads/video/video_kernel.hpp"
#include "workloads/workload.hpp"

namespace nearfork::workloads {

struct video_size {
  std::uint64_t frames;
  std::uint64_t width;
  std::uint64_t height;
  std::uint64_t ahead;
};

class video_instance final : public instance {
 public:
  video_instance(const video_size& size, std::uint64_t seed);
  [[nodiscard]] static std::uint64_t bytes(const video_size& size);

  void reset() override;
  void run_serial() override;
  void run_nearfork() override;
  [[nodiscard]] std::string fault() const override;
  void corrupt(std::uint64_t where) override;

  // --- for contenders ---
  [[nodiscard]] const video_size& size() const { return size_; }
  [[nodiscard]] frame_shape shape() const { return {size_.width, size_.height}; }
  [[nodiscard]] std::span<const std::uint8_t> coded(std::size_t frame) const { return coded_[frame]; }
  void append(std::uint64_t frame) { film_ = appended(film_, frame); }

 private:
  video_size size_;
  std::vector<std::vector<std::uint8_t>> coded_;
  std::uint64_t right_ = 0;
  std::uint64_t film_ = 0;
};

[[nodiscard]] workload video_workload();

}  // namespace nearfork::workloads
