#!/bin/bash
# Tiny shapes first, then the oracle, then memory and races, then times before and after in turn.
G=gemm_grouped_wgmma_16bit_128x256
stop() { echo "$1" >> "$OUT_DIR/fail"; exit 1; }
timeout 60 ./gpuopt check --device 0 --kernel $G --size tiny --problems 5 --random-only > "$OUT_DIR/tiny.txt" 2>&1 || stop "tiny $?"
timeout 60 ./gpuopt check --device 0 --kernel 'gemm_grouped_*' --problems 40 > "$OUT_DIR/check.txt" 2>&1 || stop "check $?"
timeout 60 ./gpuopt check --device 0 --kernel $G --size large --problems 8 --random-only --runs 3 > "$OUT_DIR/large.txt" 2>&1 || stop "large $?"
if command -v compute-sanitizer > /dev/null; then
  for tool in memcheck synccheck racecheck; do
    timeout 60 compute-sanitizer --tool $tool ./gpuopt check --device 0 --kernel $G --size tiny --problems 3 --random-only > "$OUT_DIR/$tool.txt" 2>&1 || echo "$tool $?" >> "$OUT_DIR/fail"
  done
fi
start=$(date +%s)
for shape in " 8x256x2048" " 8x128x2048" " 8x256x14336" " 8x64x2048" " 8x64x14336" " 64x128x2048" " 64x16x2048"; do
  [ $(( $(date +%s) - start )) -gt 60 ] && break
  for b in bench_before bench; do
    [ -x ./$b ] && timeout 20 ./$b --suite gemm_grouped --filter "$shape" --json "$OUT_DIR/$b.json" --continue --markdown "$OUT_DIR/$b${shape// /_}.md" > "$OUT_DIR/$b${shape// /_}.txt" 2>&1
  done
done
true
