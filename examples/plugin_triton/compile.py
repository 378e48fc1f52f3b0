"""Compiles the twins ahead of time, for sm_80 and sm_90, and writes the manifest beside them. Needs no GPU.

    python3 compile.py FOLDER
"""
import hashlib
import pathlib
import re
import sys

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from twins import TWINS

ARCHS = (80, 90)


def compile_for(twin, cc):
    names = list(twin.parameters)
    signature = {name: type for name, (type, _, _) in twin.parameters.items()}
    signature.update({name: "constexpr" for name in twin.constants})
    multiples = {(names.index(name),): [["tt.divisibility", multiple]]
                 for name, (_, _, multiple) in twin.parameters.items() if multiple > 1}
    source = ASTSource(fn=twin.kernel, signature=signature, constexprs=twin.constants, attrs=multiples)
    compiled = triton.compile(source, target=GPUTarget("cuda", cc, 32),
                              options={"num_warps": twin.warps, "num_stages": twin.stages, "enable_fp_fusion": True})
    if compiled.metadata.global_scratch_size or compiled.metadata.num_ctas != 1:
        sys.exit(f"{names}: scratch memory and clusters are not in the manifest")
    return compiled


def parameters_of(ptx):
    """How many the entry has: Triton adds pointers of its own, which are null where nothing uses them."""
    return len(re.findall(r"\.param", re.search(r"\.entry\s+\w+\((.*?)\)", ptx, re.S).group(1)))


def target_of(ptx):
    """sm_90a for 90: what tl.dot becomes is Hopper's alone."""
    return re.search(r"^\.target (sm_\w+)", ptx, re.M).group(1)


def section(twin, folder):
    built = [compile_for(twin, cc) for cc in ARCHS]
    name = built[0].metadata.name
    hidden = parameters_of(built[0].asm["ptx"]) - len(twin.parameters)
    arguments = [argument for _, argument, _ in twin.parameters.values()] + ["null"] * hidden
    lines = [f"[{name}]", twin.section.rstrip("\n"), f"entry = {name}", f"block = {32 * twin.warps}",
             f"shared = {max(one.metadata.shared for one in built)}", f"args = {', '.join(arguments)}"]
    for one in built:
        arch, code = target_of(one.asm["ptx"]), one.asm["cubin"]
        file = f"{name}.{arch}.cubin"
        (folder / file).write_bytes(code)
        lines += [f"image.{arch} = {file}", f"sha256.{arch} = {hashlib.sha256(code).hexdigest()}"]
    return "\n".join(lines) + "\n"


def manifest(folder):
    """Writes the images into the folder; the text of the manifest that names them."""
    head = f"# Made by compile.py with Triton {triton.__version__}.\ngpuopt = 1\nplugin = triton\nversion = 1\n\n"
    return head + "\n".join(section(twin, folder) for twin in TWINS)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "triton.gpuopt").write_text(manifest(folder))
    print(f"{len(TWINS)} kernels for {', '.join(f'sm_{cc}' for cc in ARCHS)} in {folder}")


if __name__ == "__main__":
    main()
