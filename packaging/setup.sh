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
  for candidate in cmake "$cache/venv/bin/cmake"; do
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
  if [ "$1" = test ]; then
    want doctest-dev header doctest/doctest.h
    want libopenblas-dev header cblas.h
    want clang command -v clang++
    want lld command -v ld.lld
    want llvm command -v llvm-ar # clang -flto archives with it
    want pkg-config command -v pkg-config
    want clang-format-14 command -v clang-format-14
    want make command -v make # gcc -flto links in parallel with it
    if command -v clang >/dev/null 2>&1; then
      want libclang-rt-dev has_sanitizers
    fi
  fi
  missing=${missing# }
}

has_sanitizers() {
  echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char *, unsigned long) { return 0; }' |
    clang++ -x c++ -fsanitize=fuzzer,address,undefined - -o /dev/null &&
    echo 'int main() {}' | clang++ -x c++ -fsanitize=thread - -o /dev/null
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

apt_install() {
  command -v apt-get >/dev/null 2>&1 || die "these are missing, and there is no apt-get to install them: $*"
  if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null 2>&1; then
    die "missing, and neither root nor sudo is at hand. Run as root, then start again:
  apt-get update && apt-get install -y --no-install-recommends $*"
  fi
  if [ -z "${apt_is_fresh:-}" ]; then
    as_root apt-get update -qq || die "apt-get update failed"
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

setup_tools() {
  cache=$root/.cache
  build_root=${BUILD_ROOT:-$root/build}
  mkdir -p "$cache" "$build_root"
  missing_packages "$1"
  find_cmake || missing="$missing cmake"
  # A second turn: a package may bring the compiler that the search for another one needs.
  for turn in 1 2; do
    [ -n "$missing" ] || break
    apt_install $missing
    missing_packages "$1"
  done
  for package in $missing; do
    case $package in
      clang-format-14) ;; # the check is skipped, and says so
      libopenblas-dev) ;; # only compared with
      *) die "$package is still missing after the installation" ;;
    esac
  done
  if ! find_cmake; then
    say "cmake here is older than 3.25: getting one from PyPI into .cache/venv"
    apt_install python3-venv
    python3 -m venv "$cache/venv" && "$cache/venv/bin/pip" install -q 'cmake>=3.25,<4' ||
      die "no cmake >= 3.25: install one (https://cmake.org/download, or pip install cmake) and start again"
    find_cmake || die "the cmake of .cache/venv does not work"
  fi

  [ -x /usr/local/cuda/bin/nvcc ] && PATH=$PATH:/usr/local/cuda/bin
  export PATH
  have_nvcc=0
  command -v nvcc >/dev/null 2>&1 && have_nvcc=1
  have_gpu=0
  if command -v nvidia-smi >/dev/null 2>&1 && nvidia-smi -L 2>/dev/null | grep -q '^GPU 0'; then have_gpu=1; fi
  jobs=${JOBS:-$(nproc)}
}
