#!/bin/sh
# packaging/setup.sh with pretended tools: what it says to a user who may not install works, it writes nothing into the
# tree where BUILD_ROOT is given, and it names the tool that cannot work in a path. Usage: test_setup.sh <source folder>
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

fail() {
  echo "FAIL $*"
  failed=1
}

# pretend <name> <body>: a tool of that name in $tools
pretend() {
  printf '#!/bin/sh\n%s\n' "$2" >"$tools/$1"
  chmod +x "$tools/$1"
}

# fresh: a tree, and a PATH with nothing but what every Debian has and a user who may not install
fresh() {
  rm -rf "$work/tree" "$work/tools" "$work/build"
  tree="$work/tree" tools="$work/tools" build="$work/build"
  mkdir -p "$tree/packaging" "$tools"
  cp "$source/packaging/setup.sh" "$tree/packaging/"
  for tool in sh cat sed head mkdir printf tr dirname nproc ls test env; do
    ln -s "$(command -v $tool)" "$tools/$tool"
  done
  pretend id 'echo 1000'
  pretend apt-get 'exit 100'
  pretend apt-cache 'case $2 in cmake) echo "Version: 3.25.1-1" ;; *) echo "Package: $2" ;; esac'
}

# all_tools: every tool that the build needs
all_tools() {
  pretend g++ 'exit 0'
  pretend ninja 'exit 0'
  pretend cmake 'echo cmake version 3.25.1'
}

# setup: what setup_tools says, ended by "status N"
setup() {
  output=$(
    env -i PATH="$tools" HOME=/nonexistent BUILD_ROOT="$build" root="$tree" sh -euc \
      '. "$root/packaging/setup.sh"; setup_tools build; echo "cmake $cmake, nvcc $have_nvcc"' demo.sh 2>&1
    echo "status $?"
  )
}

# holds <text ...>: every text is in the output
holds() {
  for text in "$@"; do
    case $output in
      *"$text"*) ;;
      *) fail "'$text' is not in: $output" ;;
    esac
  done
}

asked='apt-get update && apt-get install -y --no-install-recommends'
newline='
'

# Everything is there: no package is wanted and nothing is written into the tree.
fresh
all_tools
setup
holds "cmake $tools/cmake" "status 0"
[ "$(cd "$tree" && find . | sort | tr '\n' ' ')" = ". ./packaging ./packaging/setup.sh " ] || fail "the tree was written to"

# A folder that cannot be written: another one is asked for.
build=/dev/null/build
setup
holds "cannot write to /dev/null/build" 'BUILD_ROOT=$HOME/gpuopt-build' "status 1"

# Nothing is there: one command that brings all of it, cmake included.
fresh
setup
holds "$asked g++ ninja-build libcli11-dev nlohmann-json3-dev cmake$newline" "then start again as this user" "status 1"
# Having it run, and nothing else, is enough.
all_tools
setup
holds "status 0"

# A sudo that does not let him is as none, and no better advice than that is lost.
fresh
all_tools
rm "$tools/ninja"
pretend sudo 'echo "sorry" >&2; exit 1'
setup
holds "$asked ninja-build$newline" "status 1"

# A system whose cmake is too old: the command brings what one from PyPI needs, and that one is then used, in BUILD_ROOT.
fresh
all_tools
pretend cmake 'echo cmake version 3.22.1'
pretend apt-cache 'case $2 in cmake) echo "Version: 3.22.1-1" ;; *) echo "Package: $2" ;; esac'
setup
holds "$asked python3-venv$newline" "status 1"
pretend python3 'case "$1 $2" in
  "-m venv") mkdir -p "$3/bin" && cp "$0" "$3/bin/python3" ;;
  "-m pip")
    data=${0%/bin/python3}/lib/python3.11/site-packages/cmake/data/bin
    mkdir -p "$data" && printf "#!/bin/sh\necho cmake version 3.31.0\n" >"$data/cmake" && chmod +x "$data/cmake" ;;
  esac'
ln -s "$(command -v cp)" "$tools/cp"
ln -s "$(command -v chmod)" "$tools/chmod"
setup
holds "cmake $build/.cache/venv/lib/python3.11/site-packages/cmake/data/bin/cmake" "status 0"
[ ! -e "$tree/.cache" ] || fail "a cache in the tree"
# apt knows of nothing before its first update: both ways are asked for.
rm "$tools/python3" "$build/.cache" -r
pretend apt-cache 'exit 100'
setup
holds "$asked cmake python3-venv$newline" "status 1"

# Paths: what works, and what names the tool that does not.
fresh
all_tools
for name in "it's" 'a b' '(a) & b' '#1' 'at@x'; do
  build="$work/$name"
  setup
  holds "status 0"
done
for name in 'a;b' 'a"b' 'a\b' "a${newline}b"; do
  build="$work/$name"
  setup
  holds "CMake cannot build in a path with" "status 1"
done
build="$work/a\$b"
if [ ! -x /usr/local/cuda/bin/nvcc ]; then
  setup
  holds "nvcc 0" "status 0"
fi
pretend nvcc 'exit 0'
setup
holds 'nvcc cannot compile in a path with a $' "status 1"

[ $failed -eq 0 ] && echo "all cases passed"
exit $failed
