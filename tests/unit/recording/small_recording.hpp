// A small recording, a change of its bytes, and the reader's complaint about the bytes.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <nearfork/error.hpp>

#include "recording/checksum.hpp"
#include "recording/recording_file.hpp"

namespace nearfork::recordings {

/// The error of from_bytes() for `bytes`; empty if from_bytes() reads them.
inline std::string complaint(std::string_view bytes) {
  try {
    (void)from_bytes(bytes, "g.nfg");
    return {};
  } catch (const error& refused) {
    return refused.what();
  }
}

inline void expect_says(const std::string& said, const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    EXPECT_NE(said.find(part), std::string::npos) << "no \"" << part << "\" in: " << said;
}

/// A sound file after `change`, with correct checksums where the format has them.
inline std::string with_payload(const recording& made, const std::function<void(std::string&)>& change) {
  std::string bytes = to_bytes(made);
  change(bytes);
  const auto number_at = [&](std::size_t at, int count) {
    std::uint64_t value = 0;
    for (int i = 0; i < count; ++i)
      value |= std::uint64_t{static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)])} << (8 * i);
    return value;
  };
  const auto set_crc = [&](std::size_t at, std::uint32_t crc) {
    for (int i = 0; i < 4; ++i) bytes[at + static_cast<std::size_t>(i)] = static_cast<char>(crc >> (8 * i));
  };
  set_crc(28, crc32c(std::string_view(bytes).substr(0, 28)));
  for (std::size_t at = 32; at + 16 <= bytes.size();) {
    const std::uint64_t size = number_at(at + 4, 8);
    const std::string_view all = bytes;
    set_crc(at + 12, crc32c(all.substr(at + 16, size), crc32c(all.substr(at, 12))));
    at += 16 + size;
  }
  return bytes;
}

inline recording small_recording() {
  recording made{
      .program = "p", .policy = "random", .machine = "m", .workers = 2, .blocks = {{"grid", 1000}}, .regions = {}};
  task_graph graph;
  graph.add_task(std::vector<std::uint32_t>{2});
  const data_access read{.begin_byte = 10, .size_bytes = 20};
  graph.add_stretch(100, std::span(&read, 1));
  graph.add_stretch(5, {});
  for (int i = 0; i < 2; ++i) {
    graph.add_task({});
    graph.add_stretch(70, {});
  }
  made.regions.push_back({.name = "r", .input_bytes = 0, .iterations = 3, .recorded = {{2, 300, graph}}});
  return made;
}

}  // namespace nearfork::recordings
