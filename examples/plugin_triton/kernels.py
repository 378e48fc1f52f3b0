"""Five kernels in Triton: vector add, matmul by tl.dot, bias + ReLU in one pass, softmax and layer norm of rows.

A NaN stays one in all of them, sums are in fp32, and what is computed in fp32 is rounded once: what gpuopt asks of every
kernel. The last two keep a row in registers, so BLOCK is the longest row that they can do.
"""
import triton
import triton.language as tl


@triton.jit
def vector_add(x, y, out, count, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < count
    tl.store(out + i, tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside), mask=inside)


@triton.jit
def matmul(a, b, d, m, n, k, lda, ldb, ldd, alpha, TILE_M: tl.constexpr, TILE_N: tl.constexpr, TILE_K: tl.constexpr,
           GROUP: tl.constexpr):
    # Neighbouring programs take the tiles of GROUP rows column by column: they share what they read in L2.
    tiles_m, tiles_n = tl.cdiv(m, TILE_M), tl.cdiv(n, TILE_N)
    in_group = GROUP * tiles_n
    first_m = tl.program_id(0) // in_group * GROUP
    rows_here = tl.minimum(tiles_m - first_m, GROUP)
    tile_m = first_m + tl.program_id(0) % in_group % rows_here
    tile_n = tl.program_id(0) % in_group // rows_here
    i = tile_m * TILE_M + tl.arange(0, TILE_M)
    j = tile_n * TILE_N + tl.arange(0, TILE_N)
    sum = tl.zeros((TILE_M, TILE_N), dtype=tl.float32)
    for at in range(0, k, TILE_K):
        p = at + tl.arange(0, TILE_K)
        left = tl.load(a + i[:, None].to(tl.int64) * lda + p[None, :], mask=(i[:, None] < m) & (p[None, :] < k), other=0.0)
        right = tl.load(b + p[:, None].to(tl.int64) * ldb + j[None, :], mask=(p[:, None] < k) & (j[None, :] < n), other=0.0)
        sum = tl.dot(left, right, sum)
    inside = (i[:, None] < m) & (j[None, :] < n)
    tl.store(d + i[:, None].to(tl.int64) * ldd + j[None, :], (alpha * sum).to(tl.float16), mask=inside)


@triton.jit
def bias_relu(x, bias, out, cols, ldx, ldout, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    j = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = j < cols
    value = tl.load(x + row * ldx + j, mask=inside).to(tl.float32) + tl.load(bias + j, mask=inside).to(tl.float32)
    tl.store(out + row * ldout + j, tl.where(value < 0, 0.0, value).to(tl.float16), mask=inside)


@triton.jit
def softmax(x, out, cols, ldx, ldout, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    j = tl.arange(0, BLOCK)
    value = tl.load(x + row * ldx + j, mask=j < cols, other=-float("inf"))
    power = tl.exp(value - tl.max(value, axis=0))
    tl.store(out + row * ldout + j, power / tl.sum(power, axis=0), mask=j < cols)


@triton.jit
def layernorm(x, gamma, beta, out, cols, ldx, ldout, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    j = tl.arange(0, BLOCK)
    inside = j < cols
    value = tl.load(x + row * ldx + j, mask=inside, other=0.0)
    mean = tl.sum(value, axis=0) / cols
    off = tl.where(inside, value - mean, 0.0)
    scale = 1 / tl.sqrt_rn(tl.sum(off * off, axis=0) / cols + eps)
    result = off * scale * tl.load(gamma + j, mask=inside) + tl.load(beta + j, mask=inside)
    tl.store(out + row * ldout + j, result, mask=inside)
