#!/bin/bash
# Correctness first; then rows (main) against rows-gpu (new) in turn, weights in registers and in shared memory.
tar -xJf b.tar.xz
timeout 15 ./cli check --device 0 --kernel norm_block_row,norm_warp_row --threads 4 --problems 100 --size tiny > $OUT_DIR/check.txt 2>&1 || { echo check failed; tail -30 $OUT_DIR/check.txt; exit 1; }
timeout 15 ./cli check --device 0 --kernel norm_block_row --threads 8 --random-only --problems 150 --size large --seed 5 > $OUT_DIR/check2.txt 2>&1 || { echo check failed; tail -30 $OUT_DIR/check2.txt; exit 1; }
ROWS_SHARED=1 timeout 10 ./cli check --device 0 --kernel norm_block_row --threads 8 --problems 20 --size small > $OUT_DIR/check3.txt 2>&1 || { echo check failed; tail -30 $OUT_DIR/check3.txt; exit 1; }
echo checks $SECONDS
S=32768x4097:bf16:layernorm,32768x4097:bf16:rmsnorm,32768x1025:f16:layernorm,4096x5119:bf16:layernorm,65536x769:bf16:layernorm,16384x8191:bf16:layernorm,32768x1537:bf16:rmsnorm
b() { timeout 10 ./$1 --suite norm --kernels norm_block_row --quick --commit x --shape $2 --json $OUT_DIR/$3.json > $OUT_DIR/$3.txt 2>&1; echo $3 $? $SECONDS; }
b main $S main
b new $S kept
ROWS_SHARED=1 b new $S shared
ROWS_EACH=32 b new 32768x4097:bf16:layernorm,32768x4097:bf16:rmsnorm,32768x1025:f16:layernorm kept32
A=32768x2047:f32:rmsnorm,32768x2879:bf16:add_rmsnorm,100000x511:bf16:layernorm_gelu,32768x4097:bf16:layernorm_gelu,4096x12283:bf16:layernorm,100000x253:bf16:rmsnorm
b main $A main-other
ROWS_ALL=1 b new $A all
timeout 12 ./new --suite model_rows --count 150 --seed 991 --filter norm --quick --commit x --json $OUT_DIR/model-new.json > $OUT_DIR/model-new.txt 2>&1; echo new $? $SECONDS
timeout 12 ./main --suite model_rows --count 150 --seed 991 --filter norm --quick --commit x --json $OUT_DIR/model-main.json > $OUT_DIR/model-main.txt 2>&1; echo main $? $SECONDS
for t in memcheck racecheck; do timeout 12 compute-sanitizer --tool $t ./cli check --device 0 --kernel norm_block_row --random-only --problems 8 --size tiny > $OUT_DIR/$t.txt 2>&1; echo $t $? $SECONDS; done
