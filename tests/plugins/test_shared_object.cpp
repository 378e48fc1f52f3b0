// Plugins that are shared objects: loaded, listed, run, and refused with everything that is wrong with them.
#include "folder.h"
#include "tuned.h"

using namespace gpuopt_test;

namespace {

constexpr const char *kName = "plugin:sound/transpose_plain";

// The sound plugin, loaded once.
std::string sound() {
  static const std::string path = GPUOPT_TEST_SOUND_PLUGIN;
  REQUIRE_MESSAGE(gpuopt_load_plugin(path.c_str()) == GPUOPT_OK, last_error());
  return fs::canonical(path);
}

struct SmallTranspose {
  float src[6] = {1, 2, 3, 4, 5, 6}, dst[6] = {};
  gpuopt_transpose_args args = GPUOPT_TRANSPOSE_ARGS_INIT;
  SmallTranspose() {
    args.src = gpuopt_mat(src, 2, 3, GPUOPT_F32);
    args.dst = gpuopt_mat(dst, 3, 2, GPUOPT_F32);
  }
  SmallTranspose(const SmallTranspose &) = delete;
  bool is_right() const { return dst[0] == 1 && dst[1] == 4 && dst[2] == 2 && dst[5] == 6; }
};

// What is wrong with the hostile plugin that has this fault; loading it is refused for the same reason.
std::vector<std::string> faults_with(const Folder &folder, const char *fault) {
  CAPTURE(std::string(fault));
  const ScopedEnv chosen("GPUOPT_TEST_FAULT", fault), quiet("GPUOPT_VERBOSE", "none");
  const std::string path = folder.copy(GPUOPT_TEST_HOSTILE_PLUGIN, std::string(fault) + ".so");
  const std::vector<std::string> faults = faults_of_file(path);
  REQUIRE(!faults.empty());
  const size_t kernels = gpuopt_kernel_count();
  CHECK(gpuopt_load_plugin(path.c_str()) == GPUOPT_INVALID_ARGUMENT);
  CHECK_MESSAGE(contains(last_error(), "gpuopt_load_plugin: path: refused: " + path + ": "), last_error());
  CHECK_MESSAGE(contains(last_error(), faults[0].substr(0, 60)), last_error());
  CHECK(gpuopt_kernel_count() == kernels);
  return faults;
}

}  // namespace

TEST_CASE("plugins: a shared object's kernels are listed, found, forced, disabled, chosen and counted like any other") {
  const std::string path = sound();
  const size_t before = gpuopt_kernel_count();
  CHECK(gpuopt_load_plugin(path.c_str()) == GPUOPT_OK);
  CHECK(gpuopt_kernel_count() == before);
  const gpuopt_kernel *k = gpuopt_kernel_find(kName);
  REQUIRE(k != nullptr);
  CHECK(gpuopt_kernel_find("plugin:sound/transpose_loop") == k);
  CHECK(gpuopt_kernel_find("transpose_plain") == nullptr);
  CHECK(std::string(gpuopt_kernel_origin(k)) == path);
  CHECK(std::string(gpuopt_kernel_origin(gpuopt_kernel_find("gemm_cpu_reference"))) == "built-in");

  LogLines log;
  const Handle h = cpu_handle();
  gpuopt_set_log(h.get(), LogLines::add, &log);
  gpuopt_set_verbose(h.get(), "exec,dispatch");
  SmallTranspose t;
  REQUIRE(gpuopt_transpose(h.get(), &t.args) == GPUOPT_OK);
  CHECK(t.is_right());
  gpuopt_run_info info = GPUOPT_RUN_INFO_INIT;
  REQUIRE(gpuopt_last_kernel(h.get(), &info) == GPUOPT_OK);
  CHECK(std::string(info.kernel) == kName);
  CHECK(info.how == GPUOPT_HOW_PREDICTED);

  for (const char *name : {"plugin:sound/transpose_taught", "transpose=plugin:sound/transpose_taught"}) {
    REQUIRE(gpuopt_set_kernel(h.get(), name) == GPUOPT_OK);
    CHECK(gpuopt_transpose(h.get(), &t.args) == GPUOPT_OK);
    gpuopt_last_kernel(h.get(), &info);
    CHECK(std::string(info.kernel) == "plugin:sound/transpose_taught");
    CHECK(info.how == GPUOPT_HOW_FORCED);
  }
  gpuopt_set_kernel(h.get(), "plugin:sound/transpose_plane");
  CHECK(gpuopt_transpose(h.get(), &t.args) == GPUOPT_KERNEL_NOT_FOUND);
  CHECK_MESSAGE(contains(last_error(), std::string("nearest: ") + kName), last_error());
  gpuopt_set_kernel(h.get(), nullptr);

  for (const char *glob : {"plugin:*", "plugin:sound/*", "*/transpose_p*", "plugin:sound/transpose_first"}) {
    REQUIRE(gpuopt_set_disabled(h.get(), glob) == GPUOPT_OK);
    Candidates seen;
    CHECK(gpuopt_explain(h.get(), &t.args, nullptr, Candidates::add, &seen) == GPUOPT_OK);
    REQUIRE(seen.find(kName) != nullptr);
    CHECK(seen.find(kName)->reject == GPUOPT_REJECT_DISABLED);
  }
  gpuopt_counter counters[8];
  size_t count = 0;
  REQUIRE(gpuopt_counters(h.get(), counters, 8, &count) == GPUOPT_OK);
  CHECK(count == 2);
  CHECK(std::string(counters[0].kernel) == kName);
  bool executed = false, chosen = false;
  for (const std::string &line : log.lines) {
    executed = executed || contains(line, std::string("gpuopt,v2,exec,transpose,") + kName + ",cpu,");
    chosen = chosen || contains(line, std::string("gpuopt,v2,dispatch,transpose,") + kName + ",chosen,NONE,");
  }
  CHECK(executed);
  CHECK(chosen);
}

TEST_CASE("plugins: a tuned entry makes a kernel the choice that predicts nothing") {
  sound();
  constexpr const char *kTaught = "plugin:sound/transpose_taught";
  const Folder folder;
  SmallTranspose t;
  const std::string key = tune_key(cpu_handle().get(), &t.args),
                    file = folder.write("choices", kHeaderLine + entry(key, kTaught));
  const ScopedEnv cache("GPUOPT_TUNE_CACHE", file.c_str());
  const Handle h = cpu_handle();
  REQUIRE_MESSAGE(gpuopt_transpose(h.get(), &t.args) == GPUOPT_OK, last_error());
  gpuopt_run_info ran = GPUOPT_RUN_INFO_INIT;
  gpuopt_last_kernel(h.get(), &ran);
  CHECK(std::string(ran.kernel) == kTaught);
  CHECK(ran.how == GPUOPT_HOW_TUNED);
  CHECK(t.is_right());
}

TEST_CASE("plugins: an application cannot take a plugin's kind of name") {
  static const gpuopt_kernel *const k = gpuopt_kernel_get(0);
  for (const char *name : {"plugin:x/gemm_y", "plugin:x", "x/gemm_y"}) {
    gpuopt_kernel own = *k;
    own.name = name;
    CHECK(gpuopt_register_kernel(&own) == GPUOPT_INVALID_ARGUMENT);
    CHECK(contains(last_error(), "character outside [a-z0-9_]"));
  }
  CHECK(gpuopt_kernel_origin(nullptr) == nullptr);
  const gpuopt_kernel copy = *k;
  CHECK(gpuopt_kernel_origin(&copy) == nullptr);
}

TEST_CASE("plugins: a table that lies is refused with what is wrong, and nothing of it is registered") {
  const Folder folder;
  const auto refused = [&](const char *fault, const char *why) {
    const std::vector<std::string> faults = faults_with(folder, fault);
    CHECK_MESSAGE(contains(faults[0], why), faults[0]);
    CHECK_MESSAGE(faults.size() == 1, faults.back());
  };
  refused("query throws", "gpuopt_plugin_query_v1: it threw std::runtime_error: from the query");
  refused("query throws what is no exception", "it threw something that is no std::exception");
  refused("query is out of memory", "gpuopt_plugin_query_v1: out of host memory");
  refused("refuses without a word", "gpuopt_plugin_query_v1 refuses this host, without a word");
  refused("refuses", "gpuopt_plugin_query_v1 refuses this host: it wants gpuopt 9");
  refused("refuses with words that never end", "refuses this host: xxx");
  refused("table nowhere", "the plugin's table cannot be read");
  refused("table too small", "the plugin's table.struct_size=16 is smaller than");
  refused("table too large", "the plugin's table.struct_size=100000 is larger than any struct");
  refused("wrong ABI", "its abi_major is 2, this library's is 1");
  refused("plugin without a name", "the plugin's name is NULL");
  refused("plugin's name has blanks", "the plugin's name 'a b' has a character outside [a-z0-9_]");
  refused("plugin's name nowhere", "the plugin's name cannot be read");
  refused("version does not print", "the plugin's version has characters that do not print");
  refused("kernels are NULL", "kernels is NULL");
  refused("kernels nowhere", "kernel 0 cannot be read");
  refused("no kernels", "kernel_count=0 is not within 1 and 4096");
  refused("ten thousand kernels", "kernel_count=10000 is not within 1 and 4096");
  refused("stride of nothing", "kernel_stride=0 is not the size of a gpuopt_kernel");
  refused("stride of 13", "kernel_stride=13 is not the size of a gpuopt_kernel");
}

TEST_CASE("plugins: a descriptor that lies is refused with what is wrong") {
  const Folder folder;
  const auto refused = [&](const char *fault, const char *why) {
    const std::vector<std::string> faults = faults_with(folder, fault);
    CHECK_MESSAGE(contains(faults[0], why), faults[0]);
    CHECK_MESSAGE(faults.size() == 1, faults.back());
  };
  refused("kernel too small", "kernel 0.struct_size=24 is smaller than");
  refused("kernel too large", "kernel 0");
  refused("kernel without a name", "kernel 0: name is NULL");
  refused("kernel's name nowhere", "kernel 0: name cannot be read");
  refused("kernel's name endless", "kernel 0: name cannot be read");
  refused("kernel's name has a slash", "the kernel's name 'gemm/x' has a character outside [a-z0-9_]");
  refused("kernel's name is too long in full", "xxx is longer than 96 characters");
  refused("kernel's former names nowhere", "kernel 0 'gemm_first': aliases cannot be read");
  refused("kernel's former name is bad", "the kernel's former name 'Gemm' has a character");
  refused("kernel's summary nowhere", "kernel 0 'gemm_first': summary cannot be read");
  refused("kernel's data_paths nowhere", "kernel 0 'gemm_first': data_paths cannot be read");
  refused("signatures nowhere", "kernel 0 'gemm_first': signatures cannot be read");
  refused("signatures are NULL", "kernel 0 'gemm_first': signatures are missing");
  refused("absurd count of signatures", "kernel 0 'gemm_first': signature_count is more than 4096");
  refused("resources nowhere", "kernel 0 'gemm_first': resources cannot be read");
  refused("chain nowhere", "kernel 0 'gemm_first': chain cannot be read");
  refused("launch is NULL", "kernel 0 'gemm_first': launch is NULL");
  refused("launch nowhere", "kernel 0 'gemm_first': launch points at nothing that is loaded");
  refused("algorithms nowhere", "kernel 0 'gemm_first': algorithms points at nothing that is loaded");
  refused("a name twice", "the name plugin:hostile/gemm_first is given twice");
}

TEST_CASE("plugins: all that is wrong is told at once") {
  const Folder folder;
  const std::vector<std::string> faults = faults_with(folder, "many faults");
  const char *const all[] = {"kernel 0 'gemm_first': op is not a GPUOPT_OP_* value",
                             "kernel 0 'gemm_first': flags has bits", "kernel 0 'gemm_first': align has a value",
                             "the kernel's name 'gemm_Other' has a character outside"};
  REQUIRE(faults.size() == sizeof all / sizeof all[0]);
  for (size_t i = 0; i < faults.size(); ++i) CHECK_MESSAGE(contains(faults[i], all[i]), faults[i]);
  CHECK_MESSAGE(contains(last_error(), "(and 3 more faults: gpuopt plugin check)"), last_error());
}

TEST_CASE("plugins: of what is no plugin, or cut short, nothing runs") {
  const Folder folder;
  const std::vector<std::string> faults = faults_of_file(folder.copy(GPUOPT_TEST_NO_PLUGIN, "no_plugin.so"));
  REQUIRE(faults.size() == 1);
  CHECK(contains(faults[0], "it exports no gpuopt_plugin_query_v1: it is no plugin, or one for another interface"));
  CHECK(std::getenv("GPUOPT_TEST_NO_PLUGIN_RAN") == nullptr);
  CHECK(faults_of_file(folder.write("text.so", "a text"))[0] == "it cannot be loaded: it is no ELF file");
  CHECK(faults_of_file(folder.write("empty.so", ""))[0] == "it cannot be loaded: it is no ELF file");
  std::ifstream whole(GPUOPT_TEST_SOUND_PLUGIN, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(whole)), std::istreambuf_iterator<char>());
  for (size_t size = 16; size < bytes.size(); size += 1 + bytes.size() / 100)
    CHECK(contains(faults_of_file(folder.write("cut" + std::to_string(size) + ".so", bytes.substr(0, size)))[0],
                   "it cannot be loaded: it was cut short: of " + std::to_string(size) + " bytes, "));
}

TEST_CASE("plugins: a name that is taken is refused, and its owner named") {
  const Folder folder;
  const ScopedEnv quiet("GPUOPT_VERBOSE", "none"), name("GPUOPT_TEST_PLUGIN_NAME", "taken");
  const std::string first = folder.copy(GPUOPT_TEST_HOSTILE_PLUGIN, "first.so"),
                    second = folder.copy(GPUOPT_TEST_HOSTILE_PLUGIN, "second.so");
  REQUIRE_MESSAGE(gpuopt_load_plugin(first.c_str()) == GPUOPT_OK, last_error());
  CHECK(faults_of_file(first).empty());
  CHECK(faults_of_file(second) ==
        std::vector<std::string>{"the name plugin:taken/gemm_first is taken: the plugin " + first + " has it"});
  CHECK(gpuopt_load_plugin(second.c_str()) == GPUOPT_INVALID_ARGUMENT);
  CHECK_MESSAGE(contains(last_error(), "is taken: the plugin " + first + " has it"), last_error());
  CHECK(std::string(gpuopt_kernel_origin(gpuopt_kernel_find("plugin:taken/gemm_first"))) == first);
}

TEST_CASE("plugins: one with as many kernels as it may have") {
  const Folder folder;
  const ScopedEnv quiet("GPUOPT_VERBOSE", "none"), name("GPUOPT_TEST_PLUGIN_NAME", "crowd"),
      fault("GPUOPT_TEST_FAULT", "four thousand kernels");
  const size_t before = gpuopt_kernel_count();
  const std::string path = folder.copy(GPUOPT_TEST_HOSTILE_PLUGIN, "crowd.so");
  REQUIRE_MESSAGE(gpuopt_load_plugin(path.c_str()) == GPUOPT_OK, last_error());
  CHECK(gpuopt_kernel_count() == before + 4096);
  CHECK(gpuopt_kernel_find("plugin:crowd/gemm_4095") != nullptr);
}

TEST_CASE("plugins: a fault function that throws is the call's failure") {
  const Folder folder;
  const std::string path = folder.write("text.so", "a text");
  CHECK(gpuopt_check_plugin(
            path.c_str(), [](void *, const char *) { throw std::runtime_error("of a callback"); }, nullptr) ==
        GPUOPT_INVALID_ARGUMENT);
  CHECK_MESSAGE(contains(last_error(), "gpuopt_check_plugin: fn: it threw std::runtime_error: of a callback"),
                last_error());
  CHECK(gpuopt_check_plugin(path.c_str(), nullptr, nullptr) == GPUOPT_INVALID_ARGUMENT);
}
