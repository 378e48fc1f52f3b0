"""What gpuopt must know of each kernel: types, needs, grid, and what becomes of each parameter.

A parameter is its type in Triton and the argument of the manifest. Pointers and leading dimensions that are marked 16 are
compiled as multiples of 16, which vector loads need: the manifest then demands it of every call. No twin predicts its time:
until somebody has measured it, it runs only when it is forced or tuned.
"""
from dataclasses import dataclass

import kernels


@dataclass
class Twin:
    kernel: object
    parameters: dict  # name: (type, argument, multiple)
    constants: dict
    warps: int
    stages: int
    section: str


def pointer(type, argument, multiple=16):
    return ("*" + type, argument + ".ptr", multiple)


def number(argument, type="i32", multiple=1):
    return (type, argument + ":" + {"fp32": "f32"}.get(type, type), multiple)


TWINS = [
    Twin(kernels.vector_add,
         dict(x=pointer("fp32", "x"), y=pointer("fp32", "stage0.a"), out=pointer("fp32", "out"),
              count=number("rows * cols", multiple=16)),
         dict(BLOCK=1024), 4, 1, """\
op = fused_act
summary = x + y in Triton, 1024 packed elements a program
types = f32,f32
stages = add:matrix:f32
align.x = 16
align.stage0.a = 16
align.out = 16
multiple.cols = 16
grid = ceil_div(rows * cols, 1024)
"""),
    Twin(kernels.matmul,
         dict(a=pointer("fp16", "a"), b=pointer("fp16", "b"), d=pointer("fp16", "d"), m=number("m"), n=number("n", multiple=16),
              k=number("k", multiple=16), lda=number("a.ld", multiple=16), ldb=number("b.ld", multiple=16),
              ldd=number("d.ld", multiple=16), alpha=number("alpha", "fp32")),
         dict(TILE_M=128, TILE_N=128, TILE_K=64, GROUP=8), 8, 3, """\
op = gemm
summary = tl.dot in Triton, tiles of 128 x 128 x 64, 3 stages
types = f16,f16,f16,f16:f32
align.a = 16
align.b = 16
align.d = 16
ld_align.a = 32
ld_align.b = 32
ld_align.d = 32
multiple.n = 16
multiple.k = 16
grid = ceil_div(m, 128) * ceil_div(n, 128)
"""),
    Twin(kernels.bias_relu,
         dict(x=pointer("fp16", "x"), bias=pointer("fp16", "stage0.a"), out=pointer("fp16", "out"), cols=number("cols", multiple=16),
              ldx=number("x.ld", multiple=16), ldout=number("out.ld", multiple=16)),
         dict(BLOCK=1024), 4, 1, """\
op = fused_act
summary = relu(x + bias) in Triton, 1024 elements of a row a program
types = f16,f16
stages = add:per_col:f16 relu
align.x = 16
align.stage0.a = 16
align.out = 16
ld_align.x = 32
ld_align.out = 32
multiple.cols = 16
grid = rows, ceil_div(cols, 1024)
"""),
    Twin(kernels.softmax,
         dict(x=pointer("fp32", "x"), out=pointer("fp32", "out"), cols=number("cols", multiple=16),
              ldx=number("x.ld", multiple=16), ldout=number("out.ld", multiple=16)),
         dict(BLOCK=4096), 8, 1, """\
op = norm
summary = softmax in Triton, a row of up to 4096 in registers
types = f32,f32
norm = softmax
limit.cols = 4096
align.x = 16
align.out = 16
ld_align.x = 64
ld_align.out = 64
multiple.cols = 16
grid = rows
"""),
    Twin(kernels.layernorm,
         dict(x=pointer("fp32", "x"), gamma=pointer("fp32", "gamma", 1), beta=pointer("fp32", "beta", 1),
              out=pointer("fp32", "out"), cols=number("cols", multiple=16), ldx=number("x.ld", multiple=16),
              ldout=number("out.ld", multiple=16), eps=number("eps", "fp32")),
         dict(BLOCK=4096), 8, 1, """\
op = norm
summary = layer norm in Triton, a row of up to 4096 in registers
types = f32,f32
norm = layernorm
type.gamma = f32
type.beta = f32
limit.cols = 4096
align.x = 16
align.out = 16
ld_align.x = 64
ld_align.out = 64
multiple.cols = 16
grid = rows
"""),
]
