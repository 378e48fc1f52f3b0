// Does explain tell the truth? For one problem, every candidate that explain shows is forced: an accepted one must run
// and match the oracle, a rejected one must fail with the very reason given and write nothing; the automatic call must
// run the chosen one, in a stream capture too, with the status that explain gave; and no registered kernel of the op may be
// missing.
#pragma once
#include <string>
#include <vector>

#include "session.h"

namespace gpuopt_check {

struct Agreement {
  int ran = 0, refused = 0;
  std::vector<std::string> failures;
};

Agreement agree(Session &session, const Problem &problem);

}  // namespace gpuopt_check
