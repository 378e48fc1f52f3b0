#!/bin/bash
timeout 25 ./micro > $OUT_DIR/micro.txt 2>&1 || { echo MICRO FAILED $? >> $OUT_DIR/micro.txt; timeout 25 compute-sanitizer --tool memcheck ./micro > $OUT_DIR/mem.txt 2>&1; timeout 15 ./micro time > $OUT_DIR/time.txt 2>&1; exit 1; }
timeout 15 ./micro time > $OUT_DIR/time.txt 2>&1
timeout 12 ./gpuopt check --device 0 --kernel 'gemm_wgmma_f32_tensor*' --problems 20 --size small > $OUT_DIR/check.txt 2>&1
K='gemm_wgmma_f32*,gemm_warptile_packed'
for s in 4096x4096x4096 4097x4099x4101 2048x2048x2048 4096x4096x16384 8192x8192x8192; do
timeout 12 ./gpuopt_bench --suite gemm --no-peers --quick --kernels "$K" --shape $s:f32:f32:f32_tensor:nn --commit x --json $OUT_DIR/b$s.json > $OUT_DIR/bench$s.txt 2>&1
done
timeout 8 compute-sanitizer --tool racecheck ./gpuopt check --device 0 --kernel gemm_wgmma_f32_tensor_128x128 --problems 2 --size tiny --random-only > $OUT_DIR/race.txt 2>&1
