// `gpuopt plugin check`: everything that is wrong with a plugin; and the option --plugin of the other verbs.
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "commands.h"
#include "gpuopt/kernel.h"
#include "numbers.h"

namespace gpuopt_cli {
namespace {

// The library takes no path that depends on the current folder; on a command line everyone knows what it means.
std::string absolute(const std::string &file) { return std::filesystem::absolute(file).lexically_normal().string(); }

void print_fault(void *count, const char *fault) {
  ++*static_cast<int *>(count);
  std::printf("FAULT  %s\n", fault);
}

void print_kernels(const std::string &path) {
  for (size_t i = 0; const gpuopt_kernel *k = gpuopt_kernel_get(i); ++i)
    if (gpuopt_kernel_origin(k) == path) std::printf("kernel  %s: %s\n", k->name, k->summary ? k->summary : "");
}

// Runs in a process of its own: what is looked at may never return, or end it.
int look_at(const std::string &file) {
  int faults = 0;
  if (gpuopt_check_plugin(file.c_str(), print_fault, &faults) == GPUOPT_OK) {
    if (gpuopt_load_plugin(file.c_str()) == GPUOPT_OK) {
      std::error_code error;
      print_kernels(std::filesystem::canonical(file, error).string());
    } else {
      print_fault(&faults, gpuopt_last_error());
    }
  } else if (faults == 0) {
    print_fault(&faults, gpuopt_last_error());
  }
  return std::fflush(stdout) == 0 && faults == 0 ? kOk : kFailure;
}

// In the child: the byte says that it looked at the plugin to the end, for any exit status may be the plugin's own.
[[noreturn]] void look_and_end(const std::string &file, int alive) {
  const int exit_code = look_at(file);
  while (write(alive, "", 1) < 0 && errno == EINTR) {
  }
  _exit(exit_code);
}

// Waits for the child as long as that; what became of it, or "" where it looked at the plugin to the end.
std::string wait_for(pid_t child, int alive, int seconds, int *exit_code) {
  pollfd end = {alive, POLLIN, 0};  // it closes when the child has gone, without a byte where it was ended
  int ready;
  do ready = poll(&end, 1, seconds * 1000);
  while (ready < 0 && errno == EINTR);
  if (ready == 0) kill(child, SIGKILL);
  char byte;
  ssize_t bytes = 0;
  while (ready > 0 && (bytes = read(alive, &byte, 1)) < 0 && errno == EINTR) {
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (ready == 0)
    return "it did not return within " + std::to_string(seconds) +
           " s from being loaded: its start-up code or its query hangs, and would hang whoever loads it";
  if (WIFSIGNALED(status))
    return "it ended the process that loaded it: signal " + std::to_string(WTERMSIG(status)) + ", " +
           strsignal(WTERMSIG(status));
  *exit_code = WEXITSTATUS(status);
  if (bytes != 1) return "it ended the process that loaded it: exit status " + std::to_string(*exit_code);
  return "";
}

int check(const std::vector<std::string> &files, int seconds) {
  int worst = kOk;
  for (const std::string &file : files) {
    std::printf("%s\n", file.c_str());
    std::fflush(stdout);
    int alive[2];
    const pid_t child = pipe(alive) == 0 ? fork() : -1;
    if (child < 0) {
      std::fprintf(stderr, "gpuopt plugin check: no process to load it in: %s\n", std::strerror(errno));
      return kFailure;
    }
    if (child == 0) {
      close(alive[0]);
      look_and_end(absolute(file), alive[1]);
    }
    close(alive[1]);
    int exit_code = kFailure;
    const std::string fate = wait_for(child, alive[0], seconds, &exit_code);
    close(alive[0]);
    if (!fate.empty()) std::printf("FAULT  %s\n", fate.c_str());
    if (fate.empty() && exit_code == kOk)
      std::printf("ok\n");
    else
      worst = kFailure;
  }
  return worst;
}

}  // namespace

void add_plugin_option(CLI::App *verb, std::vector<std::string> *loaded) {
  verb->add_option_function<std::vector<std::string>>(
          "--plugin",
          [loaded](const std::vector<std::string> &files) {
            for (const std::string &file : files) {
              if (gpuopt_load_plugin(absolute(file).c_str()) != GPUOPT_OK)
                throw CLI::ValidationError("--plugin", gpuopt_last_error());
              if (loaded) loaded->push_back(absolute(file));
            }
          },
          "Load this plugin first: a shared object, an image manifest, or a folder of them; repeatable")
      ->type_name("FILE")
      ->allow_extra_args(false);
}

void add_plugin(CLI::App &app, int *exit_code) {
  CLI::App *verb = app.add_subcommand("plugin", "Kernels that others bring: is a plugin sound?");
  verb->require_subcommand(1);
  CLI::App *check_verb = verb->add_subcommand("check", "Everything that is wrong with a plugin, and what it brings");
  const auto files = std::make_shared<std::vector<std::string>>();
  const auto seconds = std::make_shared<int>(10);
  check_verb->add_option("FILE", *files, "Shared objects and image manifests")->required();
  add_integer(check_verb, "--seconds", seconds.get(), 1, 3600, "How long loading one may take (10)");
  check_verb->callback([=] { *exit_code = check(*files, *seconds); });
}

}  // namespace gpuopt_cli
