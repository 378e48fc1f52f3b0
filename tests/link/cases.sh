# One way to use the package each. Read by run.sh, which runs case_<name> in an empty folder; CMakeLists.txt makes a test of
# every line that begins so; case_cuda_* and case_cpu_* are for builds with and without CUDA.

# ---- find_package, each project with its own language only ----
case_cmake_c() { check_cmake find_c -DCMAKE_PREFIX_PATH="$prefix"; }
case_cmake_cxx() { check_cmake find_cxx -DCMAKE_PREFIX_PATH="$prefix"; }
case_cmake_c_clang() {
  need clang
  check_cmake find_c -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER=clang
}
case_cuda_language() {
  check_cmake find_cuda -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CUDA_COMPILER="$nvcc" -DCMAKE_CUDA_ARCHITECTURES=90
}
case_cmake_gc_sections() {
  check_cmake find_c -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_FLAGS="-ffunction-sections -fdata-sections" \
    -DCMAKE_EXE_LINKER_FLAGS=-Wl,--gc-sections
}
case_cmake_ipo() {
  check_cmake find_cxx -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON
}

# ---- gpuopt::dist: a target of its own, and what it links is linked by nobody else ----
case_dist() {
  [ "$dist" = TRUE ] || skip "this build has no gpuopt::dist"
  build_cmake find_dist -DCMAKE_PREFIX_PATH="$prefix"
  check_program out/consumer "$expected"
  rm -rf out
  check_cmake find_c -DCMAKE_PREFIX_PATH="$prefix"
  readelf -d out/consumer | grep -i 'NEEDED.*mpi' && fail "gpuopt::gpuopt links MPI"
  need pkg-config gcc
  PKG_CONFIG_PATH=$prefix/$libdir/pkgconfig
  export PKG_CONFIG_PATH
  say gcc $(pkg-config --cflags gpuopt-dist) "$source_dir/dist.c" -o consumer $(pkg-config --libs gpuopt-dist) || fail "link"
  check_program ./consumer "$expected"
}
case_component_unknown() {
  sed 's/COMPONENTS dist/COMPONENTS dits/' "$source_dir/find_dist/CMakeLists.txt" >CMakeLists.txt
  "$cmake" -G "$generator" -S . -B out -DCMAKE_PREFIX_PATH="$prefix" >configure.log 2>&1 && fail "the component dits was found"
  tr -s ' \n' ' ' <configure.log | grep -q "gpuopt has no component 'dits'; it has dist" ||
    { cat configure.log; fail "the message does not name the component"; }
}

# ---- what is installed beside it ----
# Links of the pages lead to pages, drawings and examples that are there; those to sources, tests and records are the source tree's.
case_installed_docs() {
  doc=$prefix/share/doc/gpuopt
  [ -f "$doc/docs/build.md" ] || fail "no docs are installed"
  for page in "$doc"/*.md "$doc"/docs/*.md; do
    tr '\n' ' ' <"$page" | grep -o '](\([^)]*\))' | sed 's/^](//; s/)$//; s/#.*//; s/ //g' | sort -u |
      grep -v -e '^$' -e '://' -e '^\(\.\./\)*\(src\|tests\|include\|bench\|tools\|packaging\)/' >links
    while read -r link; do
      [ -e "${page%/*}/$link" ] || echo "${page#"$doc/"}: $link"
    done <links
  done >dead
  [ ! -s dead ] || { cat dead; fail "links of installed pages"; }
}

# Another minor version is another interface before 1.0.
case_version() {
  for wanted in 0.2 1.0 9.9; do
    "$cmake" -G "$generator" -S "$source_dir/find_c" -B out$wanted -DCMAKE_PREFIX_PATH="$prefix" -DWANTED=$wanted \
      >configure.log 2>&1 && fail "version $wanted was found, the package is $version"
    grep -q "version: $version" configure.log || { cat configure.log; fail "the message does not name the version"; }
  done
  check_cmake find_c -DCMAKE_PREFIX_PATH="$prefix" -DWANTED="${version%.*}"
}

# Without a toolkit to link the CUDA runtime from, the configure step says what to do.
case_cuda_missing_toolkit() {
  "$cmake" -G "$generator" -S "$source_dir/find_c" -B out -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON >configure.log 2>&1 && fail "configured without a toolkit"
  tr '\n' ' ' <configure.log | tr -s ' ' | grep -q 'cuda-cudart-dev.*GPUOPT_CUDA=OFF' ||
    { cat configure.log; fail "the message does not say what to do"; }
}

# ---- pkg-config and the plain compilers ----
case_pc_gcc() { check_pc gcc main.c; }
case_pc_gxx() { check_pc g++ main.cpp; }
case_pc_clang() { check_pc clang main.c; }
case_pc_clangxx() { check_pc clang++ main.cpp; }
case_pc_static_flag() {
  need pkg-config gcc
  PKG_CONFIG_PATH=$prefix/$libdir/pkgconfig
  export PKG_CONFIG_PATH
  say gcc $(pkg-config --cflags gpuopt) "$source_dir/main.c" -o consumer $(pkg-config --static --libs gpuopt) || fail "link"
  check_program ./consumer "$expected"
}
case_gc_sections() { check_pc gcc main.c -ffunction-sections -fdata-sections -Wl,--gc-sections -s; }
case_gc_start_stop() { check_pc gcc main.c -ffunction-sections -fdata-sections -Wl,--gc-sections -Wl,-z,start-stop-gc; }
case_gold() {
  need ld.gold
  check_pc g++ main.cpp -fuse-ld=gold -ffunction-sections -fdata-sections -Wl,--gc-sections -Wl,--icf=all
}
case_lld() {
  need ld.lld
  check_pc clang main.c -fuse-ld=lld
}
case_lld_gc_sections() {
  need ld.lld
  check_pc clang++ main.cpp -fuse-ld=lld -ffunction-sections -fdata-sections -Wl,--gc-sections -Wl,--icf=all
}
case_lto_gcc() { check_pc gcc main.c -O2 -flto -Wl,--gc-sections; }
case_lto_clang_lld() {
  need ld.lld
  check_pc clang main.c -O2 -flto -fuse-ld=lld -Wl,--gc-sections
}
case_thinlto_clang_lld() {
  need ld.lld
  check_pc clang++ main.cpp -O2 -flto=thin -fuse-ld=lld -Wl,--gc-sections
}

# ---- two shared objects that embed the archive ----
case_two_shared() { check_two gcc; }
case_two_shared_hidden() { check_two gcc -Wl,--exclude-libs,ALL; }
case_two_shared_gc() { check_two gcc -Wl,--gc-sections -Wl,-Bsymbolic; }
case_two_shared_lld() {
  need ld.lld
  check_two clang -fuse-ld=lld -Wl,--gc-sections -Wl,--exclude-libs,ALL
}

# ---- add_subdirectory: the library itself is compiled for link-time optimisation ----
# Of few kernels, which GPUOPT_OPS and GPUOPT_KERNELS name: the build itself compiles them all, and what must not be lost on the
# way into another project, and through its optimiser, is the same for each. With CUDA, a file of every class that the build
# has, and one of another library; without, code for each instruction set.
case_subdir_c() {
  if [ "$cuda" = FALSE ]; then
    check_selection subdir_c 'gemm,transpose' '!gemm_cpu_blocked,!transpose_cpu_reference' \
      'gemm_cpu_reference transpose_cpu_blocked' -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON -DGPUOPT_CUDA=OFF \
      -DCMAKE_UNITY_BUILD=ON
    return
  fi
  files='gemm_naive gemm_corner_turn'
  [ "${archs%%-*}" -lt 89 ] || files="$files gemm_mma_fp8_unaligned"
  case $archs in *90a*) files="$files gemm_f64_dmma_tma" ;; esac
  [ "$cublas" = OFF ] || files="$files gemm_cublaslt"
  check_selection subdir_c gemm "$(echo $files | tr ' ' ,),!gemm_cpu_blocked" "$files gemm_cpu_reference" \
    -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON -DGPUOPT_CUBLAS="$cublas" -DGPUOPT_CUDA=ON \
    -DCMAKE_CUDA_ARCHITECTURES="$archs" -DCMAKE_CUDA_COMPILER="$nvcc" -DCMAKE_CUDA_FLAGS="$cuda_flags"
}
case_cpu_subdir_cxx() {
  need clang++ ld.lld llvm-ar
  check_selection subdir_cxx 'gemm,transpose' '!gemm_cpu_blocked,!transpose_cpu_reference' \
    'gemm_cpu_reference transpose_cpu_blocked' -DGPUOPT_CUDA=OFF -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON \
    -DCMAKE_UNITY_BUILD=ON -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ \
    -DCMAKE_EXE_LINKER_FLAGS="-fuse-ld=lld -Wl,--gc-sections"
}
# A name that is none is an error that names the nearest; with tests, which need every kernel, there is no selection.
case_selection_refused() {
  refuse() {
    said=$1
    shift
    "$cmake" -G "$generator" -S "$root" -B refused -DGPUOPT_CUDA=OFF -DGPUOPT_BUILD_TOOLS=OFF "$@" >configure.log 2>&1 &&
      fail "configured with $*"
    tr -s ' \n' ' ' <configure.log | grep -q "$said" || { cat configure.log; fail "does not say: $said"; }
    rm -rf refused
  }
  refuse "GPUOPT_OPS has 'gem', which is none of .*nearest: gemm" -DGPUOPT_OPS=gem
  refuse "GPUOPT_KERNELS has 'gemm_niave', which matches no kernel file; nearest: gemm_naive" -DGPUOPT_KERNELS=gemm_niave
  refuse "the tests need every kernel, and GPUOPT_OPS=gemm: set GPUOPT_BUILD_TESTS=OFF" -DGPUOPT_OPS=gemm \
    -DGPUOPT_BUILD_TESTS=ON
}

# A project around the library that enables CUDA itself: its choice of architectures counts, CMake's own default does not.
case_cuda_archs() {
  configured() { # configured <what gpuopt must say> <cmake arguments ...>
    said=$1
    shift
    "$cmake" -G "$generator" -S "$source_dir/subdir_cuda" -B out -DGPUOPT_SOURCE="$root" -DCMAKE_CUDA_COMPILER="$nvcc" "$@" \
      >configure.log 2>&1 || { cat configure.log; fail "configure with $*"; }
    tr -s ' \n' ' ' <configure.log | grep -q "$said" || { cat configure.log; fail "does not say '$said': $*"; }
  }
  unset CUDAARCHS
  configured '(sm 75, 80, 90,.* 90a'
  rm -rf out
  configured '(sm 80)' -DOWN_ARCHS=80-real
  rm -rf out
  configured '(sm 75, 80, 90,.*-virtual, 90a)' -DCMAKE_CUDA_ARCHITECTURES=all-major
  rm -rf out
  command -v nvidia-smi >/dev/null || configured 'there is no GPU that works on this machine' -DOWN_ARCHS=native
  rm -rf out
  CUDAARCHS=90-real
  export CUDAARCHS
  configured '(sm 90, 90a)'
  unset CUDAARCHS
  configured '(sm 90, 90a)'  # once more, of the same folder
}

# ---- packages ----
# The TGZ works from wherever it is unpacked; so do the DEBs, and they say who stands for them and what they depend on.
case_package() {
  need cpack pkg-config
  installed=$prefix
  (cd "$build" && cpack -G TGZ -B "$work/package/tgz") >cpack.log 2>&1 || { cat cpack.log; fail "cpack TGZ"; }
  mkdir unpacked
  tar -xzf tgz/*.tar.gz -C unpacked --strip-components=1 || fail "tar"
  prefix=$PWD/unpacked
  check_cmake find_c -DCMAKE_PREFIX_PATH="$prefix"
  check_pc gcc main.c
  command -v dpkg-deb >/dev/null || return 0
  (cd "$build" && cpack -G DEB -B "$work/package/deb") >cpack.log 2>&1 || { cat cpack.log; fail "cpack DEB"; }
  mkdir root
  for deb in deb/*.deb; do
    dpkg-deb -x "$deb" root || fail "dpkg-deb -x $deb"
    package=$(dpkg-deb -f "$deb" Package)
    echo "$package: $(dpkg-deb -f "$deb" Depends)"
    dpkg-deb -f "$deb" Depends | grep -q libc6 || fail "$package states no dependencies"
    dpkg-deb -f "$deb" Maintainer | grep -q '<.*@.*>' || fail "$package has no maintainer"
    [ "$(dpkg-deb -f "$deb" Description | wc -l)" -gt 5 ] || fail "$package has no description"
    grep -q '^License: Apache-2.0' "root/usr/share/doc/$package/copyright" || fail "$package has no copyright file"
    gzip -dc "root/usr/share/doc/$package/changelog.Debian.gz" | grep -q "^gpuopt ($version-" || fail "$package: changelog"
  done
  ls deb | grep -q '^libgpuopt-dev_' || fail "no package libgpuopt-dev"
  rm -rf out
  prefix=$PWD/root/usr
  check_cmake find_c -DCMAKE_PREFIX_PATH="$prefix"
  check_pc gcc main.c
  for file in README.md docs/build.md docs/api-tour.md examples/hello_c.c; do
    [ -s "root/usr/share/doc/gpuopt/$file" ] || fail "$file is not installed"
  done
  if ! ls deb | grep -q '^gpuopt-tools_'; then
    [ ! -e "$installed/bin/gpuopt" ] || fail "no package gpuopt-tools"
    return 0
  fi
  root/usr/bin/gpuopt list >/dev/null || fail "the packaged command"
  for file in bash-completion/completions/gpuopt zsh/vendor-completions/_gpuopt man/man1/gpuopt.1.gz; do
    [ -s "root/usr/share/$file" ] || fail "$file is not in gpuopt-tools"
  done
}

# The examples are installed too, as a project of their own.
case_examples() {
  say "$cmake" -G "$generator" -S "$prefix/share/doc/gpuopt/examples" -B out -DCMAKE_PREFIX_PATH="$prefix" >configure.log 2>&1 ||
    { cat configure.log; fail "configure"; }
  say "$cmake" --build out --target example_hello_c example_raii >build.log 2>&1 || { cat build.log; fail "build"; }
  out/hello_c | grep -q 'by gemm_' || fail "hello_c"
  out/raii | grep -q 'y = 10 2 by 2 layers' || fail "raii"
}

# ---- a machine without CUDA ----
# With every CUDA library hidden from it, the program starts and computes on the CPU.
case_no_cuda() {
  need gcc pkg-config
  say gcc -shared -fPIC "$source_dir/hide_cuda.c" -o hide_cuda.so -ldl || fail "hide_cuda.so"
  check_pc gcc main.c
  LD_PRELOAD=$PWD/hide_cuda.so
  export LD_PRELOAD
  ./consumer "$expected" >names.txt 2>messages.txt
  status=$?
  unset LD_PRELOAD
  cat messages.txt
  [ $status -eq 0 ] || fail "exit status $status without CUDA libraries"
  diff "$work/expected.txt" names.txt || fail "the kernels differ without CUDA libraries"
  if [ "$cuda" = TRUE ]; then
    grep -q 'refused libcuda' messages.txt || fail "the driver was never looked for: the case proves nothing"
  fi
}

# ---- the archive's symbols, and that these checks can fail ----
case_symbols() { check_symbols "$prefix/$libdir/libgpuopt.a"; }
case_cpu_size() {
  bytes=$(wc -c <"$prefix/$libdir/libgpuopt.a")
  [ "$bytes" -le 8388608 ] || fail "the archive without CUDA has $bytes bytes, more than 8 MiB"
}

must_fail() {
  words=$1
  shift
  ("$@") >must_fail.txt 2>&1 && fail "passed, though it must not: $*"
  grep -q "$words" must_fail.txt || { cat must_fail.txt; fail "failed for another reason than '$words': $*"; }
}
case_controls() {
  need g++ pkg-config
  check_pc g++ main.cpp
  must_fail 'the build tree has' check_program ./consumer $((expected + 1))
  must_fail 'the build tree has' check_program ./consumer 0
  sed 1d "$work/expected.txt" >fewer.names
  must_fail 'kernels differ' check_names fewer.names

  echo 'int cudaPlanted(void) { return 1; }' >planted.c
  gcc -shared -fPIC -Wl,-soname,libcudart.so.99 planted.c -o libcudart.so.99 || fail "plant a library"
  echo 'int cudaPlanted(void); int main(void) { return cudaPlanted(); }' >needs.c
  gcc needs.c -o needs ./libcudart.so.99 || fail "plant a need"
  must_fail 'needs CUDA libraries' check_needed needs

  mkdir plant && cd plant || exit 1
  echo '#include <cstdlib>
static int value = std::atoi("7"); namespace gpuopt { int planted() { return value; } }' >constructor.cpp
  echo 'extern "C" int planted(void) { return 1; }' >foreign.cpp
  echo 'template <class T> T twice(T x) { return x + x; } template int twice<int>(int);' >weak.cpp
  echo 'namespace gpuopt { template <class T> T twice(T x) { return x + x; } template int twice<int>(int); }' >gemm_avx2.cpp
  for plant in constructor foreign weak gemm_avx2; do
    cp "$prefix/$libdir/libgpuopt.a" planted.a
    g++ -c $plant.cpp -o $plant.o && ar q planted.a $plant.o || fail "plant $plant"
    case $plant in
      constructor) words='static constructor' ;;
      foreign) words='foreign symbol planted' ;;
      weak) words='foreign weak symbol' ;;
      *) words='one instruction set' ;;
    esac
    must_fail "$words" check_symbols "$PWD/planted.a"
  done
}
