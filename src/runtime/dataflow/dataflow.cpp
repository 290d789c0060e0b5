#include <nearfork/dataflow.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include <nearfork/detail/seam.hpp>
#include <nearfork/error.hpp>

#include "runtime/dataflow/dataflow_engine.hpp"
#include "runtime/webs/call_site_text.hpp"

namespace nearfork {

using detail::dataflow_engine;

dataflow::dataflow(cancellation_token token) : engine_(new dataflow_engine(nullptr, std::move(token))) {}

dataflow::dataflow(runtime& home, cancellation_token token) : engine_(new dataflow_engine(&home, std::move(token))) {}

void dataflow::wait() {
  engine_->wait(dataflow_engine::afterwards::open);
}

void dataflow::sync() {
  engine_->wait(dataflow_engine::afterwards::closed);
}

void dataflow::keep(call_site where) {
  engine_->keep(where);
}

void dataflow::replay(call_site where) {
  engine_->replay(where);
}

void dataflow::cancel() noexcept {
  engine_->cancel();
}

bool dataflow::cancelled() const noexcept {
  return engine_->cancelled();
}

detail::buffer_state& dataflow::make_buffer(std::size_t count, std::size_t size, std::size_t alignment,
                                            const call_site& where) {
  if (count > std::numeric_limits<std::size_t>::max() / size) throw std::bad_array_new_length();
  return engine_->make_buffer(count * size, alignment, where);
}

namespace detail {

graph_id dataflow_engine::next_id() noexcept {
  static constinit seam::atomic<std::uint64_t> last{0};
  return graph_id{last.fetch_add(1, seam::memory_order_relaxed) + 1};  // only the number counts
}

void end_dataflow_engine::operator()(dataflow_engine* ended) const noexcept {
  // In a child made by fork() nobody runs the tasks, and a thread of the parent may have had the graph's lock: what the
  // graph has is left alone.
  if (ended->is_of_this_process()) delete ended;
}

task_block::task_block(const task_place& to, std::size_t bytes, std::span<const access> accesses)
    : to_(to), bytes_(to.engine.block_bytes(bytes, accesses)), memory_(to.engine.take_block(bytes_, to)) {}

task_block::~task_block() {
  if (memory_ != nullptr) to_.engine.give_block(memory_, bytes_);
}

void task_block::add(dataflow_task& made, std::span<const access> accesses) {
  to_.engine.add(made, accesses, to_.parent, memory_);
}

void refuse_priority(unsigned priority, const call_site& where) {
  throw error("nearfork: the task of " + to_text(where) + " has priority " + std::to_string(priority) +
              "; priorities are from 0 to " + std::to_string(highest_priority));
}

void refuse_if_called_again(const task_place& to) {
  if (to.engine.is_kept())
    throw error("nearfork: the task of " + to_text(to.where) +
                " has a callable that can be called once only (its operator() has &&), but its graph keeps it for "
                "replay(); leave out the &&");
}

void refuse_many_accesses(std::size_t accesses, const call_site& where) {
  throw error("nearfork: the task of " + to_text(where) + " has " + std::to_string(accesses) +
              " accesses; a task whose callable takes task_data has at most " + std::to_string(most_listed_accesses));
}

void refuse_use(std::span<const dataflow_argument> given, const void* const* elements, std::size_t i, data_use use,
                const call_site& where) {
  const std::string asks = "nearfork: the task of " + to_text(where) + " asks for its access " + std::to_string(i);
  if (i >= given.size())
    throw error(asks + ", but has " + std::to_string(given.size()) + (given.size() == 1 ? " access" : " accesses") +
                ", numbered from 0");
  if (elements[i] == nullptr) throw error(asks + ", which is a tile: its elements are in no one span");
  if (use == data_use::write && !given[i].writes) throw error(asks + " by out(), but only reads it");
  throw error(asks + " with elements of another type than the access has");
}

namespace {

std::string wrong_parameter(const access_parts& given, const expected_element& wanted) {
  if (given.element != wanted.element) return "has elements of another type than the access";
  if (given.pieces != 1)
    return "is one span, but the access is a tile of several pieces: use a callable without parameters, or one that "
           "takes task_data";
  if (wanted.writable && given.kind == access_kind::read)
    return "is a span of elements that may change, but the access is in(): use std::span<const T>";
  if (wanted.count != std::dynamic_extent && wanted.count * wanted.size != given.bytes)
    return "is a span of " + std::to_string(wanted.count) + " elements, but the access has " +
           std::to_string(given.bytes / wanted.size);
  return {};
}

}  // namespace

void check_parameters(std::span<const access> accesses, std::span<const expected_element> expected,
                      const call_site& where) {
  const auto task = [&] { return "nearfork: the callable of the task of " + to_text(where); };
  if (accesses.size() != expected.size())
    throw error(task() + " takes " + std::to_string(expected.size()) + (expected.size() == 1 ? " span" : " spans") +
                ", but the task has " + std::to_string(accesses.size()) +
                (accesses.size() == 1 ? " access" : " accesses"));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::string wrong = wrong_parameter(accesses[i].parts(), expected[i]);
    if (wrong.empty()) continue;
    const buffer_state* const buffer = accesses[i].parts().buffer;
    std::string text = task().append(": parameter ").append(std::to_string(i + 1)).append(" ").append(wrong);
    if (buffer != nullptr) text.append(" (the buffer of ").append(to_text(buffer->where())).append(")");
    throw error(text);
  }
}

std::byte* written_data(const buffer_state* of) {
  if (of == nullptr) throw error("nearfork: this handle has no buffer; get one from dataflow::buffer()");
  if (of->state != buffer_state::content::written)
    throw error("nearfork: the buffer of " + to_text(of->where()) +
                " was not written; call view() when the graph was waited for and no task of it failed");
  return of->data;
}

}  // namespace detail
}  // namespace nearfork
