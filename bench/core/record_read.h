// Records as files: any valid JSON with their fields is read, of this schema and of the first.
#pragma once
#include <string>

#include "record.h"

namespace gpuopt_bench {

// Throws std::runtime_error where the file is missing, no JSON, or no record.
Record read_record(const std::string &path);
// For a run that continues a record: an empty one where there is no file; throws when it is of another device or commit.
Record read_earlier(const std::string &path, const Record &now);
// What an earlier run measured of other cases joins the record.
void continue_record(const Record &earlier, Record *record);

}  // namespace gpuopt_bench
