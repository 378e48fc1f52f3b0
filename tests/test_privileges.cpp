// Under raised privileges (setuid, setgid, file capabilities) the environment is somebody else's: no variable of it has a
// say. Needs root, to make a copy of this program that runs as another user.
#include "support.h"

#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

using namespace gpuopt_test;
namespace fs = std::filesystem;

namespace {
constexpr int kNotRaised = 77;
constexpr uid_t kOther = 65534;
}  // namespace

// LeakSanitizer, where the program is built with it, needs ptrace, which a privileged program does not get.
extern "C" __attribute__((visibility("default"))) int __lsan_is_turned_off();
extern "C" int __lsan_is_turned_off() { return getauxval(AT_SECURE) != 0; }

// The case below runs it as the privileged program, whose working folder is writable; by itself it tells that the same
// variable has a say where privileges are not raised.
TEST_CASE("privileges: inside a program that has raised ones") {
  if (getauxval(AT_SECURE) == 0) {
    if (fs::read_symlink("/proc/self/exe").filename() == "program") _exit(kNotRaised);
    const ScopedEnv kernel("GPUOPT_KERNEL", "no_such_kernel");
    const Handle h = cpu_handle();
    SmallGemm g;
    CHECK(gpuopt_gemm(h.get(), &g.args) == GPUOPT_KERNEL_NOT_FOUND);
    return;
  }
  const ScopedEnv kernel("GPUOPT_KERNEL", "no_such_kernel"), file("GPUOPT_LOG_FILE", "log_of_environment"),
      verbose("GPUOPT_VERBOSE", "all"), device("GPUOPT_DEVICE", "nonsense"), plugins("GPUOPT_PLUGIN_PATH", "/tmp"),
      unknown("GPUOPT_UNKNOWN", "1"), tuned("GPUOPT_TUNE_CACHE", "target");
  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  o.cpu_fallback = GPUOPT_FALLBACK_ALWAYS;
  gpuopt_handle *h = nullptr;
  REQUIRE_MESSAGE(gpuopt_create(&h, &o) == GPUOPT_OK, last_error());
  SmallGemm g;
  CHECK_MESSAGE(gpuopt_gemm(h, &g.args) == GPUOPT_OK, last_error());
  gpuopt_destroy(h);
  CHECK(gpuopt_load_plugin("/usr/lib/plugin.so") == GPUOPT_INVALID_ARGUMENT);
  CHECK_MESSAGE(contains(last_error(), "refused: this program has privileges that its user has not"), last_error());
  CHECK(!fs::exists("log_of_environment"));
  // A file that the application names is opened, but not through a link that another user may have put there.
  o.verbose = "exec";
  for (const char *name : {"log", "link"}) {
    o.log_file = name;
    REQUIRE(gpuopt_create(&h, &o) == GPUOPT_OK);
    CHECK(gpuopt_gemm(h, &g.args) == GPUOPT_OK);
    gpuopt_destroy(h);
  }
  CHECK(fs::file_size("log") > 0);
  CHECK(fs::file_size("target") == 0);
  // Nor is a tuned-choice file read through one. The empty one is read without a word.
  o.verbose = "warn";
  for (const char *name : {"target", "link"}) {
    o.log_file = "log_of_tuned";
    o.tune_cache = name;
    REQUIRE(gpuopt_create(&h, &o) == GPUOPT_OK);
    gpuopt_destroy(h);
    CHECK((fs::file_size("log_of_tuned") > 0) == (std::string(name) == "link"));
  }
  CHECK(mkdir("ended", 0777) == 0);
}

TEST_CASE("privileges: raised ones take the environment's say") {
  if (geteuid() != 0) {
    MESSAGE("SKIP: needs root, to make a program with raised privileges");
    return;
  }
  char folder[] = "gpuopt_privileges_XXXXXX";
  REQUIRE(mkdtemp(folder));
  const fs::path path = fs::absolute(folder);
  const fs::path program = path / "program";
  fs::copy_file("/proc/self/exe", program);
  REQUIRE(chown(program.c_str(), kOther, static_cast<gid_t>(-1)) == 0);
  REQUIRE(chmod(program.c_str(), 04755) == 0);
  REQUIRE(chmod(path.c_str(), 0777) == 0);
  const int target = open((path / "target").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0666);
  REQUIRE(target >= 0);
  REQUIRE(fchmod(target, 0666) == 0);
  close(target);
  fs::create_symlink("target", path / "link");
  const pid_t child = fork();
  if (child == 0) {
    if (chdir(path.c_str()) != 0) _exit(kNotRaised);
    execl("./program", "program", "-tc=privileges: inside a program that has raised ones", nullptr);
    _exit(kNotRaised);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  const bool ended = fs::exists(path / "ended");
  fs::remove_all(path);
  REQUIRE(WIFEXITED(status));
  if (WEXITSTATUS(status) == kNotRaised)
    MESSAGE("SKIP: the system runs no setuid program here");
  else
    CHECK((WEXITSTATUS(status) == 0 && ended));  // a name that matches no case is 0, too
}
