#!/usr/bin/env bash
# Programs in a mode of the standard library in which its containers have another layout than in the installed nearfork: those that
# hand none over work, and the others do not link, with a message that names the mode. Also newer language versions, which change no
# layout.
# usage: standard_modes.sh PREFIX BUILD_DIR; needs CXX and LIBDIR
set -euo pipefail
prefix=$1 build=$2
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$build"
link=(-L"$prefix/$LIBDIR" -lnearfork -Wl,-rpath,"$prefix/$LIBDIR")

build_program() {  # NAME SOURCE FLAG...
  printf '#include <vector>\n#include <nearfork/nearfork.hpp>\n%s\n' "$2" >"$build/$1.cpp"
  "$CXX" -std=c++20 "${@:3}" -I"$prefix/include" "$build/$1.cpp" -o "$build/$1" "${link[@]}"
}
refuses_to_link() {  # NAME SOURCE FLAG...
  local output
  if output=$(build_program "$@" 2>&1) || ! grep -q 'undefined reference.*needs_a_library_with_GLIBCXX_DEBUG' <<<"$output"; then
    printf '%s should not link, and say why:\n%s\n' "$1" "$output" >&2
    exit 1
  fi
}

debug=-D_GLIBCXX_DEBUG
refuses_to_link own_config 'int main() { nearfork::config mine; nearfork::runtime own(mine); }' $debug
refuses_to_link report 'int main() { return nearfork::process_runtime().report().workers.empty(); }' $debug
refuses_to_link array 'int main() { nearfork::array<double> row(100); return row[0] > 0; }' $debug
refuses_to_link names 'int main() { return nearfork::policy_names().empty(); }' $debug

build_program tasks 'int main() {
  std::vector<int> row(1000);
  nearfork::parallel_for(std::size_t{0}, row.size(), [&](std::size_t i) { row[i] = 1; });
  const auto [a, b] = nearfork::fork_join([&] { return row[0]; }, [&] { return row[1]; });
  return nearfork::region("sum", [&] { return a + b == 2 ? 0 : 1; });
}' $debug
"$build/tasks"

for version in c++20 c++23; do
  "$CXX" -std=$version -D_GLIBCXX_ASSERTIONS -I"$prefix/include" "$here/project/main.cpp" -o "$build/$version" "${link[@]}"
  "$build/$version"
done
