// A system whose files, marks of pages and clock of the calling thread tests set; and a source of hotness that is told
// what it sees.
#pragma once

#include <atomic>
#include <cerrno>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sensors/hotness/hotness.hpp"
#include "sensors/hotness/hotness_system.hpp"

namespace nearfork::test {

class fake_hotness_files final : public system_files {
 public:
  mutable std::map<std::string, std::string> content;
  std::map<std::string, int> refuse_read;
  std::map<std::string, int> refuse_write;
  mutable std::vector<std::pair<std::string, std::string>> written;
  std::function<void(const std::string& path, const std::string& text)> on_write = [](const auto&, const auto&) {};

  file_text read(const std::string& path) const override {
    if (const auto refused = refuse_read.find(path); refused != refuse_read.end())
      return {.error_number = refused->second};
    const auto found = content.find(path);
    return found == content.end() ? file_text{.error_number = ENOENT} : file_text{.text = found->second};
  }
  int write(const std::string& path, const std::string& text) const override {
    if (const int refused = try_to_open(path); refused != 0) return refused;
    written.emplace_back(path, text);
    content[path] = text;
    on_write(path, text);
    return 0;
  }
  int try_to_open(const std::string& path) const override {
    if (const auto refused = refuse_write.find(path); refused != refuse_write.end()) return refused->second;
    return content.contains(path) ? 0 : ENOENT;
  }
  std::vector<std::string> names_in(const std::string& folder) const override {
    std::set<std::string> names;
    for (const auto& [path, text] : content)
      if (path.starts_with(folder + "/"))
        names.insert(path.substr(folder.size() + 1, path.find('/', folder.size() + 1) - folder.size() - 1));
    return {names.begin(), names.end()};
  }
  std::string real_path(const std::string& path) const override { return path; }
};

class fake_hotness_system final : public hotness_system {
 public:
  static constexpr std::size_t page = 4096;
  using words = std::map<std::uint64_t, std::uint64_t>;

  fake_hotness_files file;
  std::map<std::string, words> word_files;
  std::map<std::string, int> refuse_open;
  int refuse_word = 0;
  int refuse_name = 0;
  int refuse_dump = 0;
  int refuse_forgetting = 0;
  std::set<int> running{};
  std::vector<address_range> named{};     // now
  std::vector<address_range> undumped{};  // now
  std::atomic<unsigned> forgotten = 0;
  std::uint64_t time_ns = 0;

  const system_files& files() const noexcept override { return file; }
  word_file_opening open_words(const std::string& path, file_use) override {
    if (const auto refused = refuse_open.find(path); refused != refuse_open.end()) return {nullptr, refused->second};
    const auto found = word_files.find(path);
    if (found == word_files.end()) return {nullptr, ENOENT};
    return {std::make_unique<fake_words>(found->second, refuse_word), 0};
  }
  int name_pages(address_range pages, const char* name) noexcept override {
    return mark(named, pages, name != nullptr, refuse_name);
  }
  int keep_from_dumps(address_range pages, bool out) noexcept override {
    return mark(undumped, pages, out, refuse_dump);
  }
  int forget_translations() noexcept override {
    ++forgotten;
    return refuse_forgetting;
  }
  address_range own_page() const noexcept override { return {page, 2 * page}; }
  std::size_t page_bytes() const noexcept override { return page; }
  int process() const noexcept override { return 77; }
  bool is_running(int process) const noexcept override { return running.contains(process); }
  std::uint64_t thread_time_ns() const noexcept override { return time_ns; }

 private:
  class fake_words final : public word_file {
   public:
    fake_words(words& all, const int& refused) : all_(all), refused_(refused) {}
    int read(std::uint64_t index, std::uint64_t& word) override {
      if (refused_ != 0) return refused_;
      const auto found = all_.find(index);
      if (found == all_.end()) return EIO;  // a short read
      word = found->second;
      return 0;
    }
    int write(std::uint64_t index, std::uint64_t word) override {
      if (refused_ != 0) return refused_;
      const auto found = all_.find(index);
      if (found == all_.end()) return EIO;
      found->second |= word;
      return 0;
    }

   private:
    words& all_;
    const int& refused_;
  };

  static int mark(std::vector<address_range>& all, address_range pages, bool set, int refused) noexcept {
    if (refused != 0) return refused;
    if (set) all.push_back(pages);
    else std::erase(all, pages);
    return 0;
  }
};

/// Sees `sees`, by chunk from the first on, in each window.
class fake_source final : public heat_source {
 public:
  struct script {
    std::string name = "clear_refs";
    std::optional<heat_refusal> refused_at_once{};
    std::optional<heat_refusal> refused_at_begin{};
    std::optional<heat_refusal> refused_in_window{};
    std::function<double(std::size_t chunk, address_range where)> sees = [](std::size_t, address_range) { return 1.0; };
    std::uint64_t cost_ns = 0;
    unsigned begun = 0;
    unsigned ended = 0;
    unsigned windows = 0;
  };
  explicit fake_source(script& by) : by_(by) {}

  std::string_view name() const noexcept override { return by_.name; }
  std::optional<heat_refusal> try_out() override { return by_.refused_at_once; }
  std::optional<heat_refusal> begin(std::span<const address_range> chunks) override {
    if (by_.refused_at_begin) return by_.refused_at_begin;
    ++by_.begun;
    chunks_.assign(chunks.begin(), chunks.end());
    return std::nullopt;
  }
  std::optional<heat_refusal> open_window() override { return std::nullopt; }
  std::optional<heat_refusal> close_window(std::span<double> heat) override {
    if (by_.refused_in_window) return by_.refused_in_window;
    ++by_.windows;
    for (std::size_t i = 0; i < heat.size(); ++i) heat[i] += by_.sees(i, chunks_[i]);
    return std::nullopt;
  }
  void end() noexcept override { ++by_.ended; }
  std::uint64_t cost_elsewhere_ns() override { return by_.cost_ns; }

 private:
  script& by_;
  std::vector<address_range> chunks_;
};

}  // namespace nearfork::test
