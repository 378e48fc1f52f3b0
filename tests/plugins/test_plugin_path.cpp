// From where plugins are loaded, from where never, and what the log says.
#include <sys/wait.h>

#include <thread>

#include "folder.h"

using namespace gpuopt_test;

namespace {

constexpr uid_t kOther = 65534;

std::string load_error(const std::string &path) {
  const ScopedEnv quiet("GPUOPT_VERBOSE", "none");
  return gpuopt_load_plugin(path.c_str()) == GPUOPT_OK ? "" : last_error();
}

// A handle made with GPUOPT_PLUGIN_PATH set, and the lines that this wrote; error: of gpuopt_create.
struct Created {
  std::string error;
  std::vector<std::string> lines;
  explicit Created(const std::string &list, const char *verbose = "warn") {
    const Folder folder;
    const std::string log = folder / "log";
    const ScopedEnv path("GPUOPT_PLUGIN_PATH", list.c_str()), file("GPUOPT_LOG_FILE", log.c_str()),
        words("GPUOPT_VERBOSE", verbose);
    gpuopt_options o = GPUOPT_OPTIONS_INIT;
    o.device = GPUOPT_DEVICE_CPU;
    gpuopt_handle *h = nullptr;
    if (gpuopt_create(&h, &o) != GPUOPT_OK) error = last_error();
    gpuopt_destroy(h);
    std::ifstream in(log);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
  }
};

// A plugin that nobody has loaded yet; its one kernel is plugin:<name>/gemm_first.
std::string fresh(const Folder &folder, const std::string &name, const std::string &as = "") {
  return folder.copy(GPUOPT_TEST_HOSTILE_PLUGIN, (as.empty() ? name : as) + ".so");
}

}  // namespace

TEST_CASE("plugin path: only absolute paths, never the current folder") {
  for (const char *path : {"plugin.so", "./plugin.so", "", "a/b.so", "~/plugin.so"})
    CHECK_MESSAGE(contains(load_error(path), "is not an absolute path: nothing is loaded from the current folder"),
                  last_error());
  CHECK(gpuopt_load_plugin(nullptr) == GPUOPT_INVALID_ARGUMENT);
  CHECK(last_error() == "gpuopt_load_plugin: path is NULL");
  CHECK(contains(load_error(std::string(20000, '/')), "is 20000 bytes long, the limit is 16384"));
  for (const char *list : {":", "/nowhere:", ":/nowhere", "/a::/b"}) {
    const Created made(list);
    CHECK_MESSAGE(contains(made.error, std::string("gpuopt_create: GPUOPT_PLUGIN_PATH='") + list +
                                           "' has an empty path: nothing is loaded from the current folder"),
                  made.error);
  }
  CHECK(contains(Created("plugins").error, "'plugins' is not an absolute path"));
  CHECK(contains(load_error("/nowhere/plugin.so"), "/nowhere/plugin.so: /nowhere: No such file or directory"));
  const Folder folder;
  REQUIRE(mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CHECK(contains(load_error(folder / "pipe"), "/pipe is neither a file nor a folder"));
  CHECK(contains(load_error("/etc/passwd/x.so"), "/etc/passwd is no folder"));
}

TEST_CASE("plugin path: nothing that everybody could have put there is loaded") {
  const Folder folder;
  const ScopedEnv name("GPUOPT_TEST_PLUGIN_NAME", "world");
  fs::create_directories(folder / "open/inner");
  fs::create_directories(folder / "sticky/mine");
  const std::string file = fresh(folder, "world"), inner = folder.copy(file, "open/inner/world.so"),
                    sticky = folder.copy(file, "sticky/world.so"), mine = folder.copy(file, "sticky/mine/world.so");
  allow(file, 0666);
  CHECK(contains(load_error(file), file + " is writable by everybody"));
  CHECK(contains(Created(file).error, file + " is writable by everybody"));
  // A folder anywhere on the way, its links followed.
  allow(folder / "open", 0777);
  CHECK(contains(load_error(inner), "the folder " + (folder / "open") + " is writable by everybody"));
  fs::create_symlink(inner, folder / "link.so");
  CHECK(contains(load_error(folder / "link.so"), "the folder " + (folder / "open") + " is writable by everybody"));
  CHECK(contains(load_error(folder / "open/inner/../inner/world.so"), "is writable by everybody"));
  CHECK(contains(Created(folder / "open").error, "the folder " + (folder / "open") + " is writable by everybody"));
  // Where only owners may remove, as in /tmp, one's own folder is safe, but not a file that lies there.
  allow(folder / "sticky", 01777);
  CHECK(contains(load_error(sticky), "the folder " + (folder / "sticky") + " is writable by everybody"));
  CHECK(contains(load_error(folder / "sticky"), "the folder " + (folder / "sticky") + " is writable by everybody"));
  fs::create_symlink("loop", folder / "loop");
  CHECK(contains(load_error(folder / "loop"), "has more than 40 links on the way"));
  if (geteuid() == 0) {
    fs::create_directories(folder / "sticky/theirs");
    const std::string theirs = folder.copy(file, "sticky/theirs/world.so");
    allow(theirs, 0644);
    REQUIRE(chown((folder / "sticky/theirs").c_str(), kOther, kOther) == 0);
    CHECK(contains(load_error(theirs), (folder / "sticky/theirs") + " belongs to another user and lies in " +
                                           (folder / "sticky") + ", where everybody may put it"));
    fs::create_symlink(mine, folder / "sticky/link.so");
    REQUIRE(lchown((folder / "sticky/link.so").c_str(), kOther, kOther) == 0);
    CHECK(contains(load_error(folder / "sticky/link.so"), "belongs to another user"));
  }
  allow(mine, 0644);
  CHECK(load_error(mine) == "");
  CHECK(gpuopt_kernel_find("plugin:world/gemm_first") != nullptr);
}

TEST_CASE("plugin path: files and folders of GPUOPT_PLUGIN_PATH, each load and each refusal a line") {
  const Folder folder;
  fs::create_directory(folder / "many");
  const std::string one = fresh(folder, "one"), many = folder / "many";
  fresh(folder, "two", "many/b");
  folder.write("many/a.so", "a text");
  folder.write("many/.hidden.so", "a text");
  folder.write("many/readme.txt", "a text");
  const ScopedEnv name("GPUOPT_TEST_PLUGIN_NAME", "one");
  {
    const Created made(one);
    CHECK(made.error == "");
    REQUIRE(made.lines.size() == 1);
    CHECK(made.lines[0] == "gpuopt,v2,plugin," + one + ",loaded,one 1 with 1 kernel");
  }
  CHECK(Created(one).lines.empty());
  const ScopedEnv other("GPUOPT_TEST_PLUGIN_NAME", "two");
  {
    const Created made(one + ":" + many);
    CHECK_MESSAGE(
        contains(made.error, "gpuopt_create: GPUOPT_PLUGIN_PATH: refused: " + many + "/a.so: it cannot be loaded: "),
        made.error);
    REQUIRE(made.lines.size() == 2);
    CHECK(contains(made.lines[0], "gpuopt,v2,plugin," + many + "/a.so,refused,it cannot be loaded: "));
    CHECK(made.lines[1] == "gpuopt,v2,plugin," + many + "/b.so,loaded,two 1 with 1 kernel");
  }
  CHECK(gpuopt_kernel_find("plugin:two/gemm_first") != nullptr);
  CHECK(Created(many, "none").lines.empty());
  CHECK(Created(many, "error").lines.empty());
  fs::remove(folder / "many/a.so");
  CHECK(Created(many).error == "");
  // A forced kernel of a plugin that the same environment names.
  const ScopedEnv forced("GPUOPT_KERNEL", "plugin:two/gemm_first"), disabled("GPUOPT_DISABLE", "plugin:one/*");
  CHECK(Created(one + ":" + many).lines.empty());
}

TEST_CASE("plugin path: gpuopt_load_plugin writes to the log that the environment describes") {
  const Folder folder;
  const std::string log = folder / "log", path = fresh(folder, "logged");
  const ScopedEnv name("GPUOPT_TEST_PLUGIN_NAME", "logged"), file("GPUOPT_LOG_FILE", log.c_str());
  CHECK(gpuopt_load_plugin(path.c_str()) == GPUOPT_OK);
  CHECK(gpuopt_load_plugin((folder / "gone.so").c_str()) == GPUOPT_INVALID_ARGUMENT);
  std::ifstream in(log);
  std::string first, second;
  std::getline(in, first);
  std::getline(in, second);
  CHECK(first == "gpuopt,v2,plugin," + path + ",loaded,logged 1 with 1 kernel");
  CHECK(second == "gpuopt,v2,plugin," + (folder / "gone.so") + ",refused,No such file or directory");
}

TEST_CASE("plugin path: a child loads plugins while a thread of its parent is in a plugin that never returns") {
  const Folder folder;
  const ScopedEnv quiet("GPUOPT_VERBOSE", "none");
  const std::string stuck = fresh(folder, "stuck"), other = fresh(folder, "other");
  // All of it in a child: the thread never comes back.
  const pid_t parent = fork();
  REQUIRE(parent >= 0);
  if (parent == 0) {
    alarm(20);
    setenv("GPUOPT_TEST_FAULT", "query hangs", 1);
    std::thread([&] { gpuopt_load_plugin(stuck.c_str()); }).detach();
    usleep(200000);
    unsetenv("GPUOPT_TEST_FAULT");
    setenv("GPUOPT_TEST_PLUGIN_NAME", "forked", 1);
    if (!gpuopt_kernel_find("gemm_cpu_reference")) _exit(2);  // the rest of the library works on
    const pid_t child = fork();
    if (child == 0) {
      alarm(10);
      if (gpuopt_load_plugin(other.c_str()) != GPUOPT_OK) _exit(3);
      _exit(gpuopt_kernel_find("plugin:forked/gemm_first") ? 0 : 4);
    }
    int status = 0;
    waitpid(child, &status, 0);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 5);
  }
  int status = 0;
  REQUIRE(waitpid(parent, &status, 0) == parent);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}
