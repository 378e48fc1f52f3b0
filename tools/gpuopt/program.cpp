#include "program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "text.h"

extern char **environ;

namespace gpuopt_cli {
namespace {

// Starts it with its stdout, and where asked its stderr, as that file. 0: it could not be.
pid_t start(const std::vector<std::string> &words, int output, bool errors_too) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  if (errors_too) posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  std::vector<char *> arguments;
  for (const std::string &word : words) arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int spawned = posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return spawned == 0 ? child : 0;
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

std::string find_program(const std::string &name) {
  std::vector<std::string> folders;
  if (const char *path = std::getenv("PATH")) folders = split(path, ':');
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char *home = std::getenv(variable)) folders.push_back(std::string(home) + "/bin");
  folders.push_back("/usr/local/cuda/bin");
  for (const std::string &folder : folders) {
    const std::string program = folder + "/" + name;
    if (!folder.empty() && access(program.c_str(), X_OK) == 0) return program;
  }
  return "";
}

std::string found_nowhere(const std::string &what) {
  return what + " is in no folder of PATH, nor in CUDA_HOME/bin, CUDA_PATH/bin or /usr/local/cuda/bin";
}

// By its name, for the link of that name would be the other program there.
std::string own_program() {
  std::error_code unknown;
  return std::filesystem::read_symlink("/proc/self/exe", unknown).string();
}

int run_lines(const std::vector<std::string> &words, const std::function<void(const std::string &line)> &take) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  const pid_t child = start(words, ends[1], true);
  close(ends[1]);
  FILE *const lines = child ? fdopen(ends[0], "r") : nullptr;
  if (!lines) {
    close(ends[0]);
    return -1;
  }
  char *line = nullptr;
  size_t room = 0;
  for (ssize_t length; (length = getline(&line, &room, lines)) >= 0;) {
    if (length > 0 && line[length - 1] == '\n') line[length - 1] = 0;
    take(line);
  }
  std::free(line);
  std::fclose(lines);
  return wait_for(child);
}

int run_beside(const std::vector<std::string> &words) {
  std::fflush(stdout);
  const pid_t child = start(words, STDERR_FILENO, false);
  return child ? wait_for(child) : -1;
}

}  // namespace gpuopt_cli
