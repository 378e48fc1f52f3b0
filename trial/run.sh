#!/bin/bash
# Correctness first: one tiny problem, the oracle, then a sanitizer; then both builds on the same problems.
# gpuopt: this branch; gpuopt_before: the commit it began at.
T='gemm a=40x72:bf16 b=72x270:bf16 d=40x270:bf16:ld=271'
for k in gemm_wgmma_skinny_16bit gemm_wgmma_16bit_128x256 gemm_wgmma_16bit_pingpong_128x192; do
  timeout 30 ./gpuopt run --problem "$T" --force $k >> $OUT_DIR/tiny.txt 2>&1 || exit 1
done
timeout 60 ./gpuopt check --device 0 --kernel 'gemm_wgmma_skinny_*' --problems 200 --seconds 6 > $OUT_DIR/check.txt 2>&1 || { tail -5 $OUT_DIR/check.txt; exit 1; }
timeout 60 ./gpuopt check --device 0 --kernel 'gemm_wgmma_16bit_*,gemm_wgmma_fp8_*' --problems 200 --seconds 8 >> $OUT_DIR/check.txt 2>&1 || { tail -5 $OUT_DIR/check.txt; exit 1; }
for tool in memcheck racecheck; do
  timeout 40 compute-sanitizer --tool $tool ./gpuopt run --problem "$T" --force gemm_wgmma_skinny_16bit > $OUT_DIR/$tool.txt 2>&1
  timeout 40 compute-sanitizer --tool $tool ./gpuopt run --problem "$T" --force gemm_wgmma_16bit_128x256 >> $OUT_DIR/$tool.txt 2>&1
done
for b in gpuopt_before gpuopt gpuopt_before gpuopt; do
  timeout 15 ./$b bench --problems dense.txt --kernel 'gemm_wgmma_16bit*' --within 1.6 --algorithms none --seconds 0.06 --noise 2 --json >> $OUT_DIR/dense-$b.json
  timeout 15 ./$b bench --problems skinny.txt --kernel 'gemm_wgmma_skinny*' --algorithms none --seconds 0.05 --noise 2 --json >> $OUT_DIR/skinny-$b.json
done
timeout 20 ./gpuopt bench --problems skinny.txt --kernel 'gemm_wgmma_skinny*,gemm_cublaslt' --seconds 0.06 --noise 2 --json > $OUT_DIR/peers.json
