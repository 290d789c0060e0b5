#pragma once

#include <nearfork/detail/language.hpp>

#include <cstddef>
#include <limits>
#include <ranges>
#include <span>
#include <type_traits>

#include <nearfork/mpi/error.hpp>

namespace nearfork::mpi {

/// MPI's type for an arithmetic T. Complexity: a constant. Thread-safety: any thread.
template <class T>
  requires std::is_arithmetic_v<T>
[[nodiscard]] MPI_Datatype type_of() noexcept {
  if constexpr (std::is_same_v<T, bool>) return MPI_CXX_BOOL;
  else if constexpr (std::is_same_v<T, float>) return MPI_FLOAT;
  else if constexpr (std::is_same_v<T, double>) return MPI_DOUBLE;
  else if constexpr (std::is_same_v<T, long double>) return MPI_LONG_DOUBLE;
  else if constexpr (std::is_signed_v<T>) {
    if constexpr (sizeof(T) == 1) return MPI_INT8_T;
    else if constexpr (sizeof(T) == 2) return MPI_INT16_T;
    else if constexpr (sizeof(T) == 4) return MPI_INT32_T;
    else return MPI_INT64_T;
  } else {
    if constexpr (sizeof(T) == 1) return MPI_UINT8_T;
    else if constexpr (sizeof(T) == 2) return MPI_UINT16_T;
    else if constexpr (sizeof(T) == 4) return MPI_UINT32_T;
    else return MPI_UINT64_T;
  }
}

namespace detail {

/// The size of a range as MPI counts. Throws mpi::error if MPI cannot count so far.
[[nodiscard]] int count_of(std::size_t items, const char* call, const call_site& where);

template <class Data>
concept number = std::is_arithmetic_v<std::remove_cvref_t<Data>>;
template <class Data>
concept row_of_numbers = std::ranges::contiguous_range<Data> && std::ranges::sized_range<Data> &&
                         std::is_arithmetic_v<std::ranges::range_value_t<Data>>;
template <class Data>
concept writable_row = row_of_numbers<Data> && std::ranges::borrowed_range<Data> &&
                       !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<Data>>>;
/// What is sent: a number, or a vector, an array, a span, ... of numbers.
template <class Data>
concept numbers = number<Data> || row_of_numbers<const Data&>;
/// What is received into: the same, but no temporary object, which would be gone.
template <class Data>
concept room_for_numbers =
    (number<Data> && std::is_lvalue_reference_v<Data> && !std::is_const_v<std::remove_reference_t<Data>>) ||
    writable_row<Data>;

/// Numbers as MPI takes them.
template <class Pointer>
struct message_part {
  Pointer data;       // of the first number
  int count;          // of numbers
  MPI_Datatype type;  // of each
};
/// Of a number or a row of numbers. Throws: error if there are more than MPI counts; `call` and `where` are for its
/// text.
template <class Data>
[[nodiscard]] auto part_of(Data& data, const char* call, const call_site& where) {
  if constexpr (number<Data>) {
    return message_part<Data*>{&data, 1, type_of<std::remove_cv_t<Data>>()};
  } else {
    using item = std::remove_cv_t<std::ranges::range_value_t<Data&>>;
    return message_part<decltype(std::ranges::data(data))>{
        std::ranges::data(data), count_of(std::ranges::size(data), call, where), type_of<item>()};
  }
}

}  // namespace detail

// Messages. Each call begins the non-blocking call of its name and waits for it as mpi::wait() does: the task is
// suspended. Arguments, matching and order are MPI's (MPI 3.1, chapter 3). What wait() says of threads, cancellation
// and errors holds; a task that was cancelled before the call sends and receives nothing.

/// As MPI_Send: goes on when `data` may be written again.
void send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
          call_site where = {__builtin_FILE(), __builtin_LINE()});
/// As MPI_Ssend: goes on when the receive has begun.
void ssend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
           call_site where = {__builtin_FILE(), __builtin_LINE()});
/// As MPI_Recv. Returns: the status. Throws: mpi::error, also if the message is longer than `count` items.
MPI_Status recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                call_site where = {__builtin_FILE(), __builtin_LINE()});
/// One half of sendrecv(): what is sent or received, and with whom.
struct message_out {
  const void* data;   // may be nullptr if count is 0
  int count;          // items of type
  MPI_Datatype type;  // of an item
  int to;             // the receiver's rank, or MPI_PROC_NULL
  int tag;            // of the message
};
/// The other half.
struct message_in {
  void* data;         // may be nullptr if count is 0
  int count;          // items that there is room for
  MPI_Datatype type;  // of an item
  int from;           // the sender's rank, MPI_ANY_SOURCE or MPI_PROC_NULL
  int tag;            // of the message, or MPI_ANY_TAG
};
/// As MPI_Sendrecv. Returns: the status of what was received.
MPI_Status sendrecv(const message_out& out, const message_in& in, MPI_Comm comm,
                    call_site where = {__builtin_FILE(), __builtin_LINE()});

/// send() of a number, or of a vector, an array, a span, ... of numbers.
template <detail::numbers Data>
void send(const Data& data, int to, int tag, MPI_Comm comm, call_site where = {__builtin_FILE(), __builtin_LINE()}) {
  const auto part = detail::part_of(data, "MPI_Isend", where);
  send(part.data, part.count, part.type, to, tag, comm, where);
}
/// ssend() of the same.
template <detail::numbers Data>
void ssend(const Data& data, int to, int tag, MPI_Comm comm, call_site where = {__builtin_FILE(), __builtin_LINE()}) {
  const auto part = detail::part_of(data, "MPI_Issend", where);
  ssend(part.data, part.count, part.type, to, tag, comm, where);
}
/// recv() into a number, or into a vector, an array, a span, ... of numbers as it is: it may be longer than the
/// message.
template <detail::room_for_numbers Data>
MPI_Status recv(Data&& data, int from, int tag, MPI_Comm comm, call_site where = {__builtin_FILE(), __builtin_LINE()}) {
  const auto part = detail::part_of(data, "MPI_Irecv", where);
  return recv(part.data, part.count, part.type, from, tag, comm, where);
}

}  // namespace nearfork::mpi
