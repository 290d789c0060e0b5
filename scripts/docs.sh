#!/usr/bin/env bash
# Writes the API pages: HTML, one page for each public header, from the docstrings. A public name without a docstring is an error.
# Status 77: doxygen is not installed.
# usage: scripts/docs.sh [FOLDER]   (build/docs)
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-build/docs}
if ! command -v doxygen >/dev/null; then
  echo "The API pages need doxygen. On Debian: sudo apt-get install --no-install-recommends doxygen" >&2
  exit 77
fi
rm -rf "$folder"
mkdir -p "$folder"
version=$(sed -nE 's/#define NEARFORK_VERSION_[A-Z]+ ([0-9]+)/\1/p' include/nearfork/version.hpp | paste -sd .)
if ! { cat docs/Doxyfile; printf 'OUTPUT_DIRECTORY = "%s"\nPROJECT_NUMBER = %s\n' "$folder" "$version"; } | doxygen - >"$folder/messages" 2>&1; then
  cat "$folder/messages" >&2
  echo "Give each of these names a docstring (///), or a comment behind it on its line." >&2
  exit 1
fi

# Doxygen leaves out a header without saying so if it cannot read it.
pages=$(find include/nearfork -name '*.hpp' -not -path '*/detail/*' | while read -r header; do
  page=$(basename "$header" .hpp)
  [ -e "$folder/${page//_/__}_8hpp.html" ] || echo "$header"
done)
[ -z "$pages" ] || { echo "No page was written for: $pages" >&2; exit 1; }
echo "$folder/files.html"
