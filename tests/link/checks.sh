# Checks that cases.sh is made of. Read by run.sh.

# Runs a consumer; its list of kernels must be the build tree's, and its own checks must pass.
check_program() {
  program=$1
  shift
  say "$program" "$@" >"${program##*/}.names" || fail "$program: exit status $?"
  check_names "${program##*/}.names"
}

check_names() {
  diff "$work/expected.txt" "$1" >&2 || fail "the kernels differ from the build tree's (< build tree, > consumer)"
}

# No CUDA library may be needed to start a program: it would stop before any fallback.
check_needed() {
  for file in "$@"; do
    readelf -d "$file" >needed.txt || fail "readelf $file"
    grep -q 'Dynamic section' needed.txt || fail "$file has no dynamic section"
    if [ "$cublas" = LINK ]; then
      grep -v 'libcublas' needed.txt >needed.tmp
      mv needed.tmp needed.txt
    fi
    grep 'NEEDED' needed.txt | grep -E 'libcuda|libcublas|libnv' >&2 && fail "$file needs CUDA libraries to start"
    ldd "$file" | grep -E 'not found|libcudart' >&2 && fail "$file needs what may be missing"
  done
  return 0
}

# Configures, builds and runs a CMake consumer.  check_cmake <source folder> <cmake arguments ...>
check_cmake() {
  consumer=$1
  shift
  say "$cmake" -G "$generator" -S "$source_dir/$consumer" -B "out" -DCMAKE_BUILD_TYPE=Release "$@" >configure.log 2>&1 ||
    { cat configure.log; fail "configure"; }
  say "$cmake" --build out -j 2 >build.log 2>&1 || { cat build.log; fail "build"; }
  check_program out/consumer "$expected"
  check_needed out/consumer
}

# Compiles a consumer with the flags that pkg-config gives.  check_pc <compiler> <main file> <flags ...>
check_pc() {
  compiler=$1
  file=$2
  shift 2
  need "$compiler" pkg-config
  PKG_CONFIG_PATH=$prefix/$libdir/pkgconfig
  export PKG_CONFIG_PATH
  say "$compiler" "$@" $(pkg-config --cflags gpuopt) "$source_dir/$file" -o consumer $(pkg-config --libs gpuopt) ||
    fail "compile or link"
  check_program ./consumer "$expected"
  check_needed consumer
}

# Two shared objects that embed the archive, in one program.  check_two <compiler> <link flags ...>
check_two() {
  compiler=$1
  shift
  need "$compiler" pkg-config
  PKG_CONFIG_PATH=$prefix/$libdir/pkgconfig
  export PKG_CONFIG_PATH
  for half in first second; do
    say "$compiler" -fPIC -shared -DLINK_NAME=$half $(pkg-config --cflags gpuopt) "$source_dir/shared.c" \
      -o lib$half.so "$@" $(pkg-config --libs gpuopt) || fail "link lib$half.so"
  done
  say "$compiler" "$source_dir/load_two.c" -o load_two -ldl || fail "link load_two"
  for scope in local global; do
    check_program ./load_two "$expected" $scope ./libfirst.so ./libsecond.so
  done
  check_needed libfirst.so libsecond.so
}

# The archive's symbols:
# - no static constructors, but for CUDA's registration of each file's device code;
# - strong global symbols are gpuopt_*, in namespace gpuopt, or members of a type gpuopt_*;
# - weak ones too, or instantiations of the C++ library's templates, or the compiler's reference to its unwinder; libcu++
#   counts as ours in the inline namespace gpuopt_cccl, into which we compile it where it leaves symbols;
# - files compiled for AVX2 or AVX-512 have no weak symbols at all: the linker might take their copy for everybody's.
check_symbols() {
  archive=$1
  rm -rf members && mkdir members
  # Members may share a name: each is taken out by its turn.
  ar t "$archive" | sort | uniq -c >members.txt
  while read -r times member; do
    turn=1
    while [ $turn -le "$times" ]; do
      (mkdir -p members/$turn && cd members/$turn && ar xN $turn "$archive" "$member") || fail "ar x $member"
      turn=$((turn + 1))
    done
  done <members.txt
  find members -name '*.o' | sort >objects.txt
  [ "$(wc -l <objects.txt)" -eq "$(ar t "$archive" | wc -l)" ] || fail "not every member was taken out"
  while read -r object; do symbols_of "$object"; done <objects.txt >problems.txt
  if [ -s problems.txt ]; then
    sort -u problems.txt | head -60 >&2
    fail "$(sort -u problems.txt | wc -l) symbols break the rules"
  fi
  echo "$(wc -l <objects.txt) members are clean"
}

symbols_of() {
  constructors=$(readelf -SW "$1" | grep -cE ' \.(init_array|ctors|preinit_array)')
  nm "$1" >symbols.txt
  if [ "$constructors" -gt 0 ]; then
    # Each entry is one 8-byte address.
    entries=$(readelf -SW "$1" | sed -n 's/.* \.\(init_array\|ctors\|preinit_array\)[^ ]* *[A-Z_]* *[0-9a-f]* *[0-9a-f]* *\([0-9a-f]*\) .*/\2/p')
    for size in $entries; do
      [ "$((0x$size))" -eq 8 ] && grep -q '__sti____cudaRegisterAll' symbols.txt || echo "$1: static constructor"
    done
  fi
  grep '_GLOBAL__sub_I' symbols.txt | sed "s|^|$1: static constructor: |"
  nm -g --defined-only "$1" | awk -v object="$1" '
    NF == 3 {
      # nvcc names the stub of a kernel that is no template after the kernel, outside any namespace.
      ours = $3 ~ /^gpuopt_/ || $3 ~ /^_Z[0-9]+__device_stub__ZN6gpuopt/ || $3 ~ /^_Z(TV|TI|TS|TT|GV|GR|Z)*(NK?)?(6gpuopt|[0-9]+gpuopt_)/
      ours = ours || $3 ~ /^_Z(TV|TI|TS|TT|GV|GR|Z)*(NK?)?4cuda([0-9]+[a-z]+)*11gpuopt_cccl/
      library = $3 ~ /^_Z(TV|TI|TS|GV|Z)*(NK?)?(St|S[absiod]|9__gnu_cxx|10__cxxabiv)/ || $3 == "DW.ref.__gxx_personality_v0"
      if ($2 ~ /[WVu]/) {
        if (object ~ /_avx(2|512)\./) print object ": weak symbol in code for one instruction set: " $3
        else if (!ours && !library) print object ": foreign weak symbol " $3
      } else if (!ours) print object ": foreign symbol " $3
    }'
}
