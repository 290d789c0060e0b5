#include <array>

#include "mpi/awaited.hpp"

namespace nearfork::mpi {
namespace {

std::string text_of_code(int code) {
  std::array<char, MPI_MAX_ERROR_STRING + 1> text{};
  int length = 0;
  if (MPI_Error_string(code, text.data(), &length) != MPI_SUCCESS) return "MPI error " + std::to_string(code);
  return {text.data(), static_cast<std::size_t>(length)};
}

std::string peer_text(int peer) {
  if (peer == MPI_ANY_SOURCE) return "any rank";
  if (peer == MPI_PROC_NULL) return "no rank";
  return "rank " + std::to_string(peer);
}

}  // namespace

std::string name_of(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return {};
  std::array<char, MPI_MAX_OBJECT_NAME + 1> text{};
  int length = 0;
  if (MPI_Comm_get_name(comm, text.data(), &length) != MPI_SUCCESS) return {};
  if (length == 0) return "a communicator without a name";
  return {text.data(), static_cast<std::size_t>(length)};
}

std::string text_of(const call_site& where) {
  return std::string(where.file) + ":" + std::to_string(where.line);
}

std::string text_of(const called& what) {
  std::string text = what.call;
  if (const std::string name = name_of(what.comm); !name.empty()) text += " on " + name;
  if (what.peer == no_peer) return text;
  return text + ", " + peer_text(what.peer) + ", tag " +
         (what.tag == MPI_ANY_TAG ? std::string("any") : std::to_string(what.tag));
}

void throw_error(const called& what, int code) {
  int kind = MPI_ERR_OTHER;
  (void)MPI_Error_class(code, &kind);
  called shown = what;
  if (kind == MPI_ERR_COMM) shown.comm = MPI_COMM_NULL;
  throw error("nearfork: " + text_of(shown) + " failed: " + text_of_code(code) + "; called at " + text_of(what.where),
              what.call, name_of(shown.comm), code);
}

void refuse(const called& what, const std::string& why) {
  throw error("nearfork: " + std::string(what.call) + " at " + text_of(what.where) + ": " + why, what.call, {},
              MPI_ERR_OTHER);
}

}  // namespace nearfork::mpi
