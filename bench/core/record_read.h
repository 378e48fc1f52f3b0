// Reads back what Record::json() wrote, so that a record can be made in several runs.
#pragma once
#include <string>

#include "record.h"

namespace gpuopt_bench {

// The rows, checks and arguments of the file; nothing where there is none. Throws when it is another GPU's or commit's than
// the record about to be made.
Record read_record(const std::string &path, const Record &about_to_be_made);

// Puts the rows and checks of an earlier record in front of the record's own, which replace those of the same case,
// contender, mode and cache. Suites stay together.
void continue_record(const Record &earlier, Record *record);

}  // namespace gpuopt_bench
