// Names for cuBLASLt's algorithms: what the library tells of the configuration of each, so that a name of one process says the
// same in another. "id66.tile20.stages36.split1.reduce0.swizzle0.custom3.inner0.cluster2"; of algorithms of one offer that
// differ in nothing that it tells, the second has ".2" behind it.
//
// A name is only ever compared with those of what the heuristic offers for the problem at hand. So one that is stale, of another
// release of cuBLASLt or made up is not found, and no bytes of a file reach the library.
#pragma once

#include "gemm/library/common/cublaslt_plan.h"

namespace gpuopt {

// The place of the algorithm in the offer; -1: it is not there.
int find_cublaslt_algorithm(const CublasLtApi &api, const CublasLtOffer &offer, const char *name);

// Their names with blanks between, in the order of the offer. text: GPUOPT_ALGORITHMS_BYTES.
void write_cublaslt_algorithms(const CublasLtApi &api, const CublasLtOffer &offer, char *text);

}  // namespace gpuopt
