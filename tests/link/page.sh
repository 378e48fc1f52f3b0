# Follows docs/build.md to the letter, a section a case, and the sections of docs/writing-a-kernel.md that use the installed
# package; tests/writing_a_kernel.sh has its others. Read by run.sh.
#
# Where a page is followed, `gpuopt` is the source tree, app.c the first program of the README, and $HOME/gpuopt the
# installation. The machine has settings of its own, which the page cannot know: few kernels and one architecture, or each
# section would take minutes; the tools are those of the build tree. The page's own words come before them.

case_page_build_and_install() {
  page_small
  mkdir -p home/gpuopt/bin && cp "$prefix/bin/gpuopt" home/gpuopt/bin || fail "the command is not installed"
  page_run "Build and install"
  grep -q gemm_cpu_reference said.txt || fail "gpuopt list shows nothing"
}
case_page_find_package() { page_installed && page_run find_package; }
case_page_pkg_config() {
  need pkg-config
  page_installed && page_run pkg-config
}
case_page_add_subdirectory() { page_small && page_run add_subdirectory; }
# Its own folder of sources shares nothing that was compiled before: a unity build, unoptimised, which nothing else here is.
case_page_fetch_content() {
  page_small 'set(CMAKE_UNITY_BUILD ON CACHE BOOL "")'
  CMAKE_BUILD_TYPE=Debug
  export CMAKE_BUILD_TYPE
  page_run FetchContent
}
case_page_flags() { page_installed && page_run "A compiler and its flags"; }
# Stripped and with CUDA kernels, one operation and two kernels have at most 1.5 MB.
case_page_small_build() {
  page_machine
  page_run "A small build"
  [ "$cuda" = FALSE ] || [ "$(wc -c <app)" -le 1500000 ] || fail "the program has $(wc -c <app) bytes"
  [ "$cuda" = TRUE ] || [ "$(wc -c <app-cpu)" -le 800000 ] || fail "the program has $(wc -c <app-cpu) bytes"
  if [ "$cuda" = FALSE ]; then
    GPUOPT_PLUGIN_PATH=/nowhere ./app-cpu >said.tmp 2>&1 && fail "a build without plugins takes GPUOPT_PLUGIN_PATH"
    grep -q 'GPUOPT_PLUGIN_PATH: this build loads no plugins (GPUOPT_PLUGINS=OFF)' said.tmp || { cat said.tmp; fail "no reason"; }
  fi
}
case_page_shared_library() {
  need pkg-config
  page_small && page_run "A shared library"
  readelf -d app build/app | grep -c 'NEEDED.*libgpuopt.so.[0-9]' | grep -qx 2 || fail "the programs need no libgpuopt.so"
  readelf -d app build/app | grep 'NEEDED.*libstdc++' && fail "the programs need what is the library's affair"
  return 0
}
# The README's own lines for CMake, which name no project.
case_page_readme() {
  page_installed
  { printf 'cmake_minimum_required(VERSION 3.25)\nproject(app C)\n' && fenced cmake "$root/README.md" 1; } >lists.txt
  sed 's/^target_link/add_executable(app app.c)\n&/' lists.txt >CMakeLists.txt
  "$cmake" -S . -B build -DCMAKE_PREFIX_PATH="$HOME/gpuopt" >log 2>&1 && "$cmake" --build build >>log 2>&1 ||
    { cat log; fail "the README's lines"; }
  build/app >said.txt || fail "the README's program"
  page_right
}
case_page_kernel_of_an_application() {
  need c++ pkg-config
  page_kernel "In an application"
  grep -q 'forced: gemm_sum_of_rows' said.txt || { cat said.txt; fail "the kernel did not run"; }
}
case_page_kernel_of_a_plugin() {
  page_kernel "As a plugin"
  [ "$(cat "$root"/examples/plugin_c/* | wc -l)" -lt 120 ] || fail "examples/plugin_c has 120 lines or more"
  for text in '^ok$' '^kernel  plugin:relu/fused_act_relu_loop' 'plugin:relu/fused_act_relu_loop.*CHOSEN' \
    'ok  *plugin:relu/fused_act_relu_loop' 'plugin:relu/fused_act_relu_loop.*host'; do
    grep -q "$text" said.txt || { cat said.txt; fail "no '$text'"; }
  done
  readelf -d plugin/relu.so | grep -E 'NEEDED.*(gpuopt|libcuda)' && fail "the plugin needs what a program brings"
  return 0
}
# Where Triton cannot be had, from PyPI or a folder, there is nothing to follow.
case_page_kernel_from_triton() {
  need python3
  requirements=$root/examples/plugin_triton/requirements.txt
  if [ ! -f "$work/wheels/complete" ]; then
    python3 -m venv probe >log 2>&1 || skip "python3 makes no venv"
    timeout 200 probe/bin/pip download -q -d "$work/wheels" -r "$requirements" >log 2>&1 ||
      skip "pip finds no $(cat "$requirements"): $(tail -n 1 log)"
    : >"$work/wheels/complete"
  fi
  PIP_NO_INDEX=1 PIP_FIND_LINKS=$work/wheels PYTHONDONTWRITEBYTECODE=1
  export PIP_NO_INDEX PIP_FIND_LINKS PYTHONDONTWRITEBYTECODE
  page_kernel "From Triton"
  for name in vector_add matmul bias_relu softmax layernorm; do
    grep -q "^kernel  plugin:triton/$name: " said.txt && grep -q "\(ok\|skip\) *plugin:triton/$name .*declared" said.txt ||
      { cat said.txt; fail "plugin:triton/$name was not brought or checked"; }
  done
  grep -q 'plugin:triton/matmul  *CHOSEN.*forced' said.txt || { cat said.txt; fail "the product was not accepted"; }
  # Images as a compiler makes them: cut short anywhere, or changed, they are refused.
  for code in twins/*.cubin; do
    size=$(wc -c <"$code")
    cp "$code" whole
    head -c $((size * 2 / 3)) whole >"$code"
    "$prefix/bin/gpuopt" plugin check twins/triton.gpuopt >said.tmp && fail "$code was cut short and is taken"
    grep -q "FAULT  line [0-9]*, column [0-9]*: the sha256 of '${code#twins/}' is " said.tmp ||
      { cat said.tmp; fail "$code"; }
    sed "s/$(sha256sum <whole | cut -d ' ' -f 1)/$(sha256sum <"$code" | cut -d ' ' -f 1)/" twins/triton.gpuopt >twins/lie.gpuopt
    "$prefix/bin/gpuopt" plugin check twins/lie.gpuopt >said.tmp && fail "$code was cut short and is taken"
    grep -q "FAULT  .*'${code#twins/}': no machine code: it was cut short" said.tmp || { cat said.tmp; fail "$code"; }
    cp whole "$code"
  done
}
page_kernel() {
  page_installed
  [ -x "$prefix/bin/gpuopt" ] || skip "the command is not installed"
  page_run "$1" docs/writing-a-kernel.md
}
# Every option is in the table of the page, and nothing else is.
case_page_options() {
  sed -n 's/^ *\(option\|set\)(\(GPUOPT_[A-Z0-9_]*\) .*/\1 \2 &/p' "$root/CMakeLists.txt" "$root"/packaging/cmake/*.cmake \
    "$root/tools/gpuopt/CMakeLists.txt" | awk '$1 == "option" || /CACHE/ { print $2 }' | sort -u >have.txt
  sed -n 's/^| `\(GPUOPT_[A-Z0-9_]*\)` .*/\1/p' "$root/docs/build.md" | sort >told.txt
  [ -s have.txt ] && diff have.txt told.txt || fail "options (< CMake's, > the page's)"
}

# fenced <language> <file> <n>: the n-th block of that language.
fenced() {
  awk -v language="$1" -v wanted="$3" '
    /^```/ { inside = !inside && $0 == "```" language && ++seen == wanted; next_line = 1 }
    inside && !/^```/' "$2"
}

# page_machine [<lines of CMake>]: the folder in which the page is followed, on a machine with these settings.
page_machine() {
  need cc
  ln -s "$root" gpuopt || fail "link to the source tree"
  mkdir -p home
  HOME=$PWD/home
  fenced c "$root/README.md" 1 >app.c
  {
    echo 'set(GPUOPT_BUILD_TOOLS OFF CACHE BOOL "")'
    if [ "$cuda" = TRUE ]; then
      printf 'set(CMAKE_CUDA_COMPILER "%s")\nset(CMAKE_CUDA_ARCHITECTURES 90-real CACHE STRING "")\n' "$nvcc"
    else
      echo 'set(GPUOPT_CUDA OFF CACHE STRING "")'
    fi
    printf '%s\n' "$@"
  } >machine.cmake
  CMAKE_TOOLCHAIN_FILE=$PWD/machine.cmake CMAKE_GENERATOR=$generator CMAKE_BUILD_PARALLEL_LEVEL=2
  # The sections compile much the same.
  if command -v ccache >/dev/null 2>&1; then
    CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
    CCACHE_DIR=${CCACHE_DIR:-$work/ccache} CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
    export CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER CCACHE_DIR CCACHE_BASEDIR CCACHE_NOHASHDIR
  fi
  export HOME CMAKE_TOOLCHAIN_FILE CMAKE_GENERATOR CMAKE_BUILD_PARALLEL_LEVEL
  PATH=${cmake%/*}:$PATH
}
page_installed() {
  page_machine
  ln -s "$prefix" home/gpuopt
}
# page_small [<lines of CMake>]
page_small() {
  page_machine "$@" 'set(GPUOPT_OPS gemm CACHE STRING "")' 'set(GPUOPT_KERNELS "gemm_naive;!*_cpu_blocked" CACHE STRING "")'
}

# page_run <heading> [page]: writes the files of a section ("Put this into `name`:") and runs its commands, in order; those after a
# line that ends in "With CUDA ...:" or "Without CUDA ...:" only in such a build. A program that is run must say what is right.
page_run() {
  page=${2:-docs/build.md}
  awk -v heading="$1" '
    /^```/ {
      if (!inside && here) { file = name ? name : sprintf("%d.sh", 100 + ++blocks); if (skip) file = file ".skipped"; printf "" >file }
      inside = !inside; name = ""
      if (!inside) skip = 0
      next
    }
    inside { if (here) print >file; next }
    /^#/ { here = $0 ~ "^#+ " && substr($0, index($0, " ") + 1) == heading; found += here; next }
    /Put this into `[A-Za-z.]*`:$/ { match($0, /`[A-Za-z.]*`:$/); name = substr($0, RSTART + 1, RLENGTH - 3) }
    /With CUDA[^.]*:$/ { skip = "'"$cuda"'" == "FALSE" }
    /Without CUDA[^.]*:$/ { skip = "'"$cuda"'" == "TRUE" }
    END { exit found != 1 }' "$root/$page" || fail "$page has not one section '$1'"
  : >said.txt
  for commands in 1??.sh; do
    [ -s "$commands" ] || fail "the section has no commands"
    cat "$commands" >&2
    sh -eu "$commands" >said.tmp 2>&1 || { cat said.tmp; fail "the commands above"; }
    cat said.tmp >>said.txt
  done
  for program in app app-cpu build/app; do
    [ ! -f "$program" ] || page_right
  done
}
# What the README's program prints.
page_right() {
  tr '\n' ' ' <said.txt | grep -q '4 5 10 11 ' || { cat said.txt; fail "the program did not say 4 5, 10 11"; }
}
