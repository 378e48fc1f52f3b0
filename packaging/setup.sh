# What demo.sh and test.sh share: finding or installing the tools. Sourced, not run; POSIX sh.
#   setup_tools build|test   installs what is missing of it; sets cmake, ctest, jobs, build_root, have_nvcc, have_gpu

say() { printf '%s\n' "$*"; }
die() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# True when $1 (words like "cmake version 3.25.1") holds a version of at least $2.
version_at_least() {
  printf '%s\n' "$1" | sed -n 's/^[^0-9]*\([0-9]*\)\.\([0-9]*\).*/\1 \2/p' | {
    read -r major minor || exit 1
    [ "$major" -gt "${2%.*}" ] || { [ "$major" -eq "${2%.*}" ] && [ "$minor" -ge "${2#*.}" ]; }
  }
}

find_cmake() {
  # The wheel's own program: its wrapper script does not start where the path holds a quote or a $.
  for candidate in cmake "$cache"/venv/lib/python3*/site-packages/cmake/data/bin/cmake; do
    if command -v "$candidate" >/dev/null 2>&1 && version_at_least "$("$candidate" --version | head -n 1)" 3.25; then
      cmake=$(command -v "$candidate")
      ctest=${cmake%cmake}ctest
      PATH=${cmake%/*}:$PATH
      return 0
    fi
  done
  return 1
}

# Names of the packages that are missing, in $missing. A tool that is there in any way counts.
missing_packages() {
  missing=
  want() {
    package=$1
    shift
    "$@" >/dev/null 2>&1 || missing="$missing $package"
  }
  header() { printf '#include <%s>\n' "$1" | g++ -std=c++17 -x c++ -fsyntax-only -; }
  want g++ command -v g++
  want ninja-build command -v ninja
  want libcli11-dev header CLI/CLI.hpp
  want nlohmann-json3-dev header nlohmann/json.hpp # records and lists of the tools and the bench
  if [ "$1" = test ]; then
    want doctest-dev header doctest/doctest.h
    want libopenblas-dev header cblas.h
    want libopenmpi-dev command -v mpicc
    want openmpi-bin command -v mpirun
    want clang command -v clang++
    want lld command -v ld.lld
    want llvm command -v llvm-ar # clang -flto archives with it
    want pkg-config command -v pkg-config
    want python3 command -v python3 # gpu.sh
    want clang-format-14 command -v clang-format-14
    want locales test -e /usr/share/i18n/locales/de_DE # localedef makes a locale with a decimal comma from it
    want make command -v make # gcc -flto links in parallel with it
    want doxygen command -v doxygen # the API reference
    want zsh command -v zsh # completion
    want chromium-headless-shell has_browser # the page of `gpuopt report`
    want ccache command -v ccache # the presets share most of their C++ files
    if command -v clang >/dev/null 2>&1; then
      want libclang-rt-dev has_sanitizers
    fi
  fi
  missing=${missing# }
}

has_browser() {
  command -v chromium-headless-shell || command -v chromium || command -v chromium-browser || command -v google-chrome
}

# Into a file of its own: a linker that fails as root may take /dev/null with it.
has_sanitizers() {
  echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char *, unsigned long) { return 0; }' |
    clang++ -x c++ -fsanitize=fuzzer,address,undefined - -o "$build_root/has_sanitizers" &&
    echo 'int main() {}' | clang++ -x c++ -fsanitize=thread - -o "$build_root/has_sanitizers"
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null 2>&1; then
    sudo "$@"
  else
    return 126
  fi
}

# Dies with the command that a user who may install has to run: all that is missing at once.
ask_root() {
  die "missing, and this user may not install: $*
As root (su -, sudo -i, docker exec -u 0 ...) run
  apt-get update && apt-get install -y --no-install-recommends $*
and then start again as this user."
}

may_install() { [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null 2>&1; }

# The packages that bring a cmake of 3.25 or newer: apt's own where that is new enough, else what one from PyPI needs.
cmake_packages() {
  offered=$(apt-cache show cmake 2>/dev/null | sed -n 's/^Version: //p' | head -n 1)
  if may_install && [ -n "$offered" ] && version_at_least "$offered" 3.25; then
    say cmake
  elif python3 -c 'import ensurepip, venv' >/dev/null 2>&1; then
    : # PyPI's needs nobody's leave
  elif [ -z "$offered" ]; then
    say cmake python3-venv # apt knows nothing before its first update
  elif version_at_least "$offered" 3.25; then
    say cmake
  else
    say python3-venv
  fi
}

apt_install() {
  command -v apt-get >/dev/null 2>&1 || die "these are missing, and there is no apt-get to install them: $*"
  may_install || ask_root "$@"
  if [ -z "${apt_is_fresh:-}" ]; then
    as_root apt-get update -qq || {
      [ "$(id -u)" -eq 0 ] || ask_root "$@"
      die "apt-get update failed"
    }
    apt_is_fresh=1
  fi
  # What this release of the system does not have is left out, and found missing later if it matters.
  known=
  for package in "$@"; do
    if apt-cache show "$package" >/dev/null 2>&1; then known="$known $package"; else say "apt has no $package"; fi
  done
  [ -n "$known" ] || return 0
  say "installing:$known"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $known >/dev/null ||
    die "apt-get install$known failed"
}

# Which tool cannot work in these folders, if any: tried with each character, CMake 3.25, Ninja 1.11 and nvcc 13.
check_paths() {
  for path in "$root" "$build_root"; do
    case $path in
      *\;* | *\"* | *\\* | *'
'*) die "CMake cannot build in a path with a semicolon, a double quote, a backslash or a line break: $path" ;;
      *\$*) [ "$have_nvcc" = 0 ] || die "nvcc cannot compile in a path with a \$: $path
Move it or give another BUILD_ROOT." ;;
    esac
  done
}

setup_tools() {
  build_root=${BUILD_ROOT:-$root/build}
  if ! mkdir -p "$build_root" 2>/dev/null || ! [ -w "$build_root" ]; then
    die "cannot write to $build_root: give a folder of yours, as in
  BUILD_ROOT=\$HOME/gpuopt-build $0"
  fi
  build_root=$(cd "$build_root" && pwd)
  cache=${BUILD_ROOT:+$build_root}
  cache=${cache:-$root}/.cache
  [ -x /usr/local/cuda/bin/nvcc ] && PATH=$PATH:/usr/local/cuda/bin
  export PATH
  have_nvcc=0
  command -v nvcc >/dev/null 2>&1 && have_nvcc=1
  check_paths
  missing_packages "$1"
  find_cmake || {
    more=$(cmake_packages)
    missing="$missing${more:+${missing:+ }$more}"
  }
  # A second turn: a package may bring the compiler that the search for another one needs.
  for turn in 1 2; do
    [ -n "$missing" ] || break
    apt_install $missing
    missing_packages "$1"
  done
  for package in $missing; do
    case $package in
      clang-format-14 | doxygen | zsh | chromium-headless-shell) ;; # what needs it is skipped, and says so
      libopenblas-dev) ;; # only compared with
      libopenmpi-dev | openmpi-bin) ;; # gpuopt::dist is built, and tested, without MPI
      *) die "$package is still missing after the installation" ;;
    esac
  done
  if ! find_cmake; then
    say "cmake here is older than 3.25: getting one from PyPI into $cache/venv"
    python3 -c 'import ensurepip, venv' >/dev/null 2>&1 || apt_install python3-venv
    python3 -m venv "$cache/venv" && "$cache/venv/bin/python3" -m pip install -q 'cmake>=3.25,<4' ||
      die "no cmake >= 3.25: install one (https://cmake.org/download, or pip install cmake) and start again"
    find_cmake || die "the cmake of $cache/venv does not work"
  fi

  have_gpu=0
  if command -v nvidia-smi >/dev/null 2>&1 && nvidia-smi -L 2>/dev/null | grep -q '^GPU 0'; then have_gpu=1; fi
  jobs=${JOBS:-$(nproc)}
}
