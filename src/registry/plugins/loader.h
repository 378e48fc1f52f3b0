// Loading plugins into the process: which files, whether they may be loaded, and what of them was refused and why.
#pragma once
#include <string>

#include "log.h"

namespace gpuopt {

// Loads the file, or the plugins of the folder, that path names. Each load and each refusal is a line of the log. On failure
// the message begins with `where`, "gpuopt_load_plugin: path". What is loaded already is no failure and no line.
gpuopt_status load_plugins(const std::string &where, const std::string &path, Log *log);

// The same for each path of a list, colons between them, as GPUOPT_PLUGIN_PATH has it.
gpuopt_status load_plugin_list(const std::string &where, const std::string &list, Log *log);

}  // namespace gpuopt
