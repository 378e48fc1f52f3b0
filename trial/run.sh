#!/bin/bash
# Scales of blocks: naive kernels, then wgmma in turns (one tiny problem first), then times beside F8_FAST of the same run.
exec > $OUT_DIR/log 2>&1
P='gemm a=256x256:e4m3:scale=1x128 b=256x128:e4m3:col:scale=128x128:scale_col d=256x128:bf16'
for k in gemm_naive gemm_wgmma_fp8_promoting_128x128 gemm_wgmma_fp8_promoting_256x128; do
  timeout 60 ./gpuopt run --problem "$P" --device 0 --force $k || { echo TINY FAILED $k $?; exit 1; }
done
for k in gemm_naive gemm_grouped_naive gemm_wgmma_fp8_promoting_128x128 gemm_wgmma_fp8_promoting_256x128 gemm_grouped_wgmma_fp8_128x128; do
  timeout 60 ./gpuopt check --device 0 --kernel $k --problems 40 || { echo CHECK FAILED $k $?; exit 1; }
done
for k in gemm_wgmma_fp8_promoting_256x128 gemm_grouped_wgmma_fp8_128x128; do
  timeout 60 ./gpuopt check --device 0 --kernel $k --problems 20 --size large --random-only || { echo CHECK FAILED $k $?; exit 1; }
done
for s in 4096x7168x16384 4096x4096x4096 8192x8192x8192 128x7168x16384; do
  IFS=x read m n k <<< $s
  timeout 20 ./gpuopt_bench --suite gemm --no-peers --quick --kernels 'gemm_wgmma_fp8*' --shape ${s}:e4m3:bf16:f8_fast:nt
  timeout 20 ./gpuopt bench --device 0 --kernel 'gemm_wgmma*' --problem "gemm a=${m}x${k}:e4m3:scale=1x128 b=${k}x${n}:e4m3:col:scale=128x128:scale_col d=${m}x${n}:bf16"
done
for g in '2048 8' '8192 8' '65536 64'; do
  set -- $g
  timeout 20 ./gpuopt bench --device 0 --kernel 'gemm_grouped*' --problem "gemm_grouped groups=$2 a=${1}x7168:e4m3:scale=1x128 b=7168x4096:e4m3:col:scale=128x128:scale_col d=${1}x4096:bf16 offsets=1x$(($2+1)):i64"
done
