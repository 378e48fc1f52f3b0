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

# Configures and builds a CMake consumer.  build_cmake <source folder> <cmake arguments ...>
build_cmake() {
  consumer=$1
  shift
  say "$cmake" -G "$generator" -S "$source_dir/$consumer" -B "out" -DCMAKE_BUILD_TYPE=Release "$@" >configure.log 2>&1 ||
    { cat configure.log; fail "configure"; }
  say "$cmake" --build out -j 2 >build.log 2>&1 || { cat build.log; fail "build"; }
}

# And runs it.
check_cmake() {
  build_cmake "$@"
  check_program out/consumer "$expected"
  check_needed out/consumer
}

# Builds and runs a consumer that adds the library's folder, of some of its kernel files.
#   check_selection <source folder> <GPUOPT_OPS> <GPUOPT_KERNELS> <stems that must be left> <cmake arguments ...>
check_selection() {
  consumer=$1 ops=$2 globs=$3 stems=$4
  shift 4
  build_cmake "$consumer" -DGPUOPT_SOURCE="$root" -DGPUOPT_OPS="$ops" -DGPUOPT_KERNELS="$globs" "$@"
  sed -n 's/^extern const.* gpuopt_kernels_\(.*\);/\1/p' out/gpuopt/generated/manifest.cpp | sort >built
  echo "$stems" | tr ' ' '\n' | sort | diff - built >&2 || fail "other kernel files (< selected, > compiled)"
  out/consumer 0 >names 2>/dev/null  # not yet the right count
  count=$(wc -l <names)
  [ "$count" -ge "$(wc -l <built)" ] || fail "$count kernels of $(wc -l <built) files"
  sort "$work/expected.txt" >all
  sort names | comm -23 - all >foreign
  [ ! -s foreign ] || { cat foreign; fail "kernels that the build tree does not have"; }
  say out/consumer "$count" "GPUOPT_OPS=$ops, GPUOPT_KERNELS=$globs" >/dev/null || fail "out/consumer: exit status $?"
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
# - no unique symbols outside our own hidden ones: they would keep a shared object that holds the archive from being unloaded;
# - files compiled for AVX2 or AVX-512 have no weak symbols at all: the linker might take their copy for everybody's.
check_symbols() {
  archive=$1
  readelf -SW "$archive" >sections.txt && nm "$archive" >symbols.txt 2>nm.txt &&
    nm -g --defined-only "$archive" >globals.txt 2>nm.txt || fail "the archive cannot be read"
  awk '
    # Three listings, each member by member in the same order.
    FNR == 1 { ++listing; member = 0 }
    listing == 1 && /^File: / {
      name[++member] = $2
      next
    }
    listing > 1 && NF == 1 && /:$/ {
      ++member
      next
    }
    # Each entry of such a section is one 8-byte address.
    listing == 1 && / \.(init_array|ctors|preinit_array)/ {
      for (i = 1; $i !~ /^\.(init_array|ctors|preinit_array)/;) ++i
      size = $(i + 4)
      sub(/^0+/, "", size)
      if (size == "8") one_constructor[member] = 1
      else print name[member] ": static constructor"
    }
    listing == 2 && /__sti____cudaRegisterAll/ { registers[member] = 1 }
    listing == 2 && /_GLOBAL__sub_I/ { print name[member] ": static constructor: " $0 }
    listing == 3 && NF == 3 {
      # nvcc names the stub of a kernel that is no template after the kernel, outside any namespace.
      symbol = $3
      sub(/^DW\.ref\./, "", symbol)  # a hidden pointer at what a catch clause or an unwind table names
      ours = symbol ~ /^gpuopt_/ || symbol ~ /^_Z[0-9]+__device_stub__ZN6gpuopt/ || symbol ~ /^_Z(TV|TI|TS|TT|GV|GR|Z)*(NK?)?(6gpuopt|[0-9]+gpuopt_)/
      ours = ours || symbol ~ /^_Z(TV|TI|TS|TT|GV|GR|Z)*(NK?)?4cuda([0-9]+[a-z]+)*11gpuopt_cccl/
      library = symbol ~ /^_Z(TV|TI|TS|GV|Z)*(NK?)?(St|S[absiod]|9__gnu_cxx|10__cxxabiv)/ || symbol == "__gxx_personality_v0"
      if ($2 ~ /[WVu]/) {
        if (name[member] ~ /_avx(2|512)\./) print name[member] ": weak symbol in code for one instruction set: " $3
        else if ($2 == "u" && !ours) print name[member] ": unique symbol " $3
        else if (!ours && !library) print name[member] ": foreign weak symbol " $3
      } else if (!ours) print name[member] ": foreign symbol " $3
    }
    { members[listing] = member }
    END {
      for (member in one_constructor)
        if (!(member in registers)) print name[member] ": static constructor"
      print members[1], members[2], members[3] >"members.txt"
    }' sections.txt symbols.txt globals.txt >problems.txt || fail "awk"
  count=$(ar t "$archive" | wc -l)
  [ "$count" -gt 0 ] && [ "$(cat members.txt)" = "$count $count $count" ] ||
    fail "of $count members, $(cat members.txt) were read"
  if [ -s problems.txt ]; then
    sort -u problems.txt | head -60 >&2
    fail "$(sort -u problems.txt | wc -l) symbols break the rules"
  fi
  echo "$count members are clean"
}
