// The log as data: every line parses back whatever its values and the application's locale are, and what it is written to
// (a FIFO, a full pipe, a full file) never stops, kills or fails the application.
#include "support.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <clocale>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "gpuopt_call/text.h"
#include "handle.h"

using namespace gpuopt_test;
namespace fs = std::filesystem;

namespace {

// A folder of its own, removed at the end.
struct Folder {
  Folder() {
    char name[] = "/tmp/gpuopt_test_XXXXXX";
    REQUIRE(mkdtemp(name));
    path = name;
  }
  ~Folder() { fs::remove_all(path); }
  Folder(const Folder &) = delete;
  fs::path path;
};

// A field as it was before append_field; fails on what append_field never writes.
std::string unescaped(const std::string &field) {
  std::string out;
  for (size_t i = 0; i < field.size(); ++i) {
    const char c = field[i];
    REQUIRE_MESSAGE((c >= 0x20 && c < 0x7f), "not printable ASCII: ", field);
    if (c != '\\') {
      out += c;
      continue;
    }
    REQUIRE_MESSAGE(++i < field.size(), "a lone backslash: ", field);
    const std::string simple = "\\nrt", meaning = "\\\n\r\t";
    if (const size_t at = simple.find(field[i]); at != std::string::npos) {
      out += meaning[at];
      continue;
    }
    const std::string digits = field.substr(i + 1, 2);
    REQUIRE_MESSAGE((field[i] == 'x' && std::regex_match(digits, std::regex("[0-9a-f]{2}"))), "no escape: ", field);
    out += static_cast<char>(std::stoi(digits, nullptr, 16));
    i += 2;
  }
  return out;
}

using Fields = std::vector<std::string>;

// The fields behind "gpuopt,v2", unescaped, after checking that the line keeps the form of its kind.
Fields parsed(const std::string &line) {
  CAPTURE(line);
  CHECK(line.size() < 4096);
  Fields fields(1);
  for (const char c : line) {
    if (c == ',')
      fields.emplace_back();
    else
      fields.back() += c;
  }
  for (std::string &field : fields) field = unescaped(field);
  REQUIRE(fields.size() > 3);
  CHECK(fields[0] == "gpuopt");
  CHECK(fields[1] == "v2");
  fields.erase(fields.begin(), fields.begin() + 2);
  const std::string number = "[0-9]+\\.[0-9]{6}", op = "gemm|transpose|reduce|fused_act|norm", name = "[a-z0-9_+]+",
                    count = "[0-9]+", any = "[\\s\\S]*", device = "cpu|cuda[0-9]+:sm_[0-9]+",
                    real = "[0-9]+(\\.[0-9]+)?(e\\+[0-9]+)?",
                    call = "(" + op + ")( [a-z0-9_]+(=[A-Za-z0-9_:+.=-]+(\\[[0-7]\\]\\.[ab][0-9+-]*)?)?)+";
  const std::vector<std::vector<std::string>> forms = {
      {"exec", op, name, device, call, "forced|tuned|predicted|cpu-fallback", count, "|[0-9]+\\.[0-9]{3}",
       "|" + number},
      {"device", device, any, count, real, real, count, count, count, "[0-2]", any},
      {"command", op, "gpuopt run --problem '" + call + "'"},
      {"dispatch", op, name, "chosen|accepted|rejected|refused|passed-over", "[A-Z_]+", any},
      {"profile", op, name, count, number},
      {"warn", "env|options|call|log|" + op, any, any},
      {"info", any},
      {"info", "template:exec", "op", "kernel", "device", "problem", "how", "workspace", "predicted_us", "ms"}};
  for (const auto &form : forms) {
    bool fits = form.size() == fields.size();
    for (size_t i = 0; fits && i < form.size(); ++i) fits = std::regex_match(fields[i], std::regex(form[i]));
    if (fits) return fields;
  }
  FAIL_CHECK("the line has no known form: ", line);
  return fields;
}

// Memory of a test lies anywhere.
std::string without_alignments(const std::string &call) {
  return std::regex_replace(call, std::regex(":by=[0-9]+"), "");
}

// Calls of every op with every kind of line, under values that are as unlike CSV as a value can be.
std::vector<std::string> lines_of_everything(const fs::path &file) {
  const std::string nasty = "x,y\n\"z\"\\\x1b[2J\xc3\xa9\xff";
  {
    const ScopedEnv unknown(("GPUOPT_" + nasty).c_str(), "1"), log("GPUOPT_LOG_FILE", file.c_str()),
        verbose("GPUOPT_VERBOSE", ("all,none,all,\n" + nasty).c_str()), off("GPUOPT_DISABLE", ("q" + nasty).c_str());
    gpuopt_options o = GPUOPT_OPTIONS_INIT;
    o.device = GPUOPT_DEVICE_CPU;
    gpuopt_handle *made = nullptr;
    REQUIRE_MESSAGE(gpuopt_create(&made, &o) == GPUOPT_OK, last_error());
    const Handle h(made);
    SmallGemm g;
    gpuopt_stage stages[2] = {gpuopt_act(GPUOPT_STAGE_GELU, 0, 0), gpuopt_act(GPUOPT_STAGE_CLAMP, 0.25, 0.75)};
    g.args.stages = stages;
    g.args.stage_count = 2;
    REQUIRE_MESSAGE(gpuopt_gemm(h.get(), &g.args) == GPUOPT_OK, last_error());
    g.args.d.layout = GPUOPT_COL;
    g.args.d.ld = 0;
    REQUIRE(gpuopt_gemm(h.get(), &g.args) == GPUOPT_OK);
    float x[6] = {1, 2, 3, 4, 5, 6}, y[6] = {};
    gpuopt_transpose_args t = GPUOPT_TRANSPOSE_ARGS_INIT;
    t.src = gpuopt_mat(x, 2, 3, GPUOPT_F32);
    t.dst = gpuopt_mat(y, 3, 2, GPUOPT_F32);
    REQUIRE(gpuopt_transpose(h.get(), &t) == GPUOPT_OK);
    gpuopt_reduce_args r = GPUOPT_REDUCE_ARGS_INIT;
    r.reduce = GPUOPT_REDUCE_SUM;
    r.axis = GPUOPT_EACH_ROW;
    r.x = gpuopt_mat(x, 2, 3, GPUOPT_F32);
    r.x.layout = GPUOPT_COL;
    r.out = gpuopt_mat(y, 2, 1, GPUOPT_F32);
    REQUIRE_MESSAGE(gpuopt_reduce(h.get(), &r) == GPUOPT_OK, last_error());
    gpuopt_fused_act_args f = GPUOPT_FUSED_ACT_ARGS_INIT;
    f.x = gpuopt_mat(x, 2, 3, GPUOPT_F32);
    f.out = gpuopt_mat(y, 2, 3, GPUOPT_F32);
    f.out.layout = GPUOPT_COL;
    REQUIRE_MESSAGE(gpuopt_fused_act(h.get(), &f) == GPUOPT_OK, last_error());
    gpuopt_norm_args n = GPUOPT_NORM_ARGS_INIT;
    n.x = gpuopt_mat(x, 2, 3, GPUOPT_F32);
    n.out = gpuopt_mat(y, 2, 3, GPUOPT_F32);
    REQUIRE(gpuopt_norm(h.get(), &n) == GPUOPT_OK);
    gpuopt_set_disabled(h.get(), nasty.c_str());
  }
  std::vector<std::string> lines;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::set<std::string> kinds, problems, commands;
  bool knows_variable = false, knows_glob = false;
  for (const std::string &line : lines) {
    const Fields fields = parsed(line);
    kinds.insert(fields[0]);
    if (fields[0] == "exec") {
      CHECK(gpuopt_call::text_of(gpuopt_call::read_call(fields[4])) == fields[4]);
      problems.insert(without_alignments(fields[4]));
    }
    if (fields[0] == "command") commands.insert(without_alignments(fields[2]));
    knows_variable |= fields[0] == "warn" && fields[1] == "env" && fields[2] == "GPUOPT_" + nasty;
    knows_glob |= fields[0] == "warn" && fields[1] == "call" && fields[2] == "gpuopt_set_disabled" &&
                  contains(fields[3], "y\n\"z\"\\\x1b[2J\xc3\xa9\xff");
  }
  CHECK(kinds == std::set<std::string>{"exec", "dispatch", "profile", "warn", "info", "device", "command"});
  CHECK(knows_variable);
  CHECK(knows_glob);
  // As the caller wrote them, column-major outputs too.
  CHECK(problems == std::set<std::string>{
                        "gemm compute=f32 a=3x4:f32 b=4x5:f32 d=3x5:f32 stage=GELU stage=CLAMP:0.25:0.75",
                        "gemm compute=f32 a=3x4:f32 b=4x5:f32 d=3x5:f32:col stage=GELU stage=CLAMP:0.25:0.75",
                        "transpose src=2x3:f32 dst=3x2:f32", "reduce reduce=SUM axis=row x=2x3:f32:col out=2x1:f32",
                        "fused_act x=2x3:f32 out=2x3:f32:col", "norm norm=LAYERNORM x=2x3:f32 out=2x3:f32"});
  CHECK(commands.size() == problems.size());
  for (const std::string &problem : problems) CHECK(commands.count("gpuopt run --problem '" + problem + "'") == 1);
  return lines;
}

gpuopt_status one_call(const Handle &h) {
  SmallGemm g;
  return gpuopt_gemm(h.get(), &g.args);
}

Handle logging_handle(const fs::path &file, const char *verbose = "exec") {
  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  o.device = GPUOPT_DEVICE_CPU;
  o.log_file = file.c_str();
  o.verbose = verbose;
  gpuopt_handle *h = nullptr;
  REQUIRE_MESSAGE(gpuopt_create(&h, &o) == GPUOPT_OK, last_error());
  return Handle(h);
}

bool is_pending(int number) {
  sigset_t pending;
  sigpending(&pending);
  return sigismember(&pending, number) == 1;
}

// A FIFO with a reader, whose handle is already made.
struct ReadFifo : Folder {
  ReadFifo() : fifo(path / "fifo") {
    REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
    reader = open(fifo.c_str(), O_RDONLY | O_NONBLOCK);
    REQUIRE(reader >= 0);
    handle = logging_handle(fifo);
  }
  ~ReadFifo() {
    handle.reset();
    if (reader >= 0) close(reader);
  }
  void stop_reading() {
    close(reader);
    reader = -1;
  }
  std::string read_all() const {
    std::string text;
    char buffer[65536];
    for (ssize_t n; (n = read(reader, buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<size_t>(n));
    return text;
  }
  fs::path fifo;
  int reader = -1;
  Handle handle;
};

}  // namespace

TEST_CASE("log: every line parses back, whatever the values are") {
  const Folder folder;
  lines_of_everything(folder.path / "log");
}

TEST_CASE("log: every line and message parses back under de_DE.UTF-8") {
  const Folder folder;
  const std::string make = "localedef -i de_DE -f UTF-8 " + (folder.path / "de_DE.UTF-8").string() + " >/dev/null 2>&1";
  if (std::system(make.c_str()) != 0) {
    MESSAGE("SKIP: localedef makes no de_DE.UTF-8 here (Debian: package locales)");
    return;
  }
  const ScopedEnv where("LOCPATH", folder.path.c_str());
  REQUIRE(std::setlocale(LC_ALL, "de_DE.UTF-8"));
  char comma[16];
  std::snprintf(comma, sizeof comma, "%.1f", 0.5);
  REQUIRE(std::string(comma) == "0,5");
  lines_of_everything(folder.path / "log");
  SmallGemm g;
  gpuopt_stage clamp = gpuopt_act(GPUOPT_STAGE_CLAMP, 0.75, 0.25);
  g.args.stages = &clamp;
  g.args.stage_count = 1;
  CHECK(gpuopt_gemm(cpu_handle().get(), &g.args) == GPUOPT_INVALID_ARGUMENT);
  CHECK_MESSAGE(contains(gpuopt_last_error(), "CLAMP from 0.75 to 0.25"), last_error());
  std::snprintf(comma, sizeof comma, "%.1f", 0.5);
  CHECK(std::string(comma) == "0,5");  // the application's locale is its own
  std::setlocale(LC_ALL, "C");
}

TEST_CASE("log: a file that cannot be opened is named with its source and reason, and stderr is used") {
  const Folder folder;
  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  o.device = GPUOPT_DEVICE_CPU;
  // The warning goes to stderr.
  const fs::path fifo = folder.path / "fifo", caught = folder.path / "stderr", directory = folder.path;
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  const auto warnings = [&](const char *option, const char *variable) {
    const int kept = dup(STDERR_FILENO), file = open(caught.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    REQUIRE((kept >= 0 && file >= 0 && dup2(file, STDERR_FILENO) >= 0));
    setenv("GPUOPT_LOG_FILE", variable, 1);
    o.log_file = option;
    gpuopt_handle *h = nullptr;
    const gpuopt_status status = gpuopt_create(&h, &o);
    gpuopt_destroy(h);
    unsetenv("GPUOPT_LOG_FILE");
    dup2(kept, STDERR_FILENO);
    close(kept);
    close(file);
    CHECK(status == GPUOPT_OK);
    std::string text;
    std::getline(std::ifstream(caught), text);
    return text;
  };
  // A FIFO that nobody reads: opening it to write would wait for ever.
  CHECK(warnings(nullptr, fifo.c_str()) ==
        "gpuopt,v2,warn,env,GPUOPT_LOG_FILE,cannot be opened (No such device or address); logging to stderr");
  CHECK(warnings(directory.c_str(), fifo.c_str()) ==
        "gpuopt,v2,warn,options,options.log_file,cannot be opened (Is a directory); logging to stderr");
  CHECK(warnings(nullptr, std::string(100000, 'a').c_str()) ==
        "gpuopt,v2,warn,env,GPUOPT_LOG_FILE,cannot be opened (File name too long); logging to stderr");
}

TEST_CASE("log: a reader who leaves neither kills the application nor leaves a signal behind") {
  ReadFifo f;
  CHECK(one_call(f.handle) == GPUOPT_OK);
  CHECK(contains(f.read_all(), "gpuopt,v2,exec,gemm,"));
  f.stop_reading();
  REQUIRE((signal(SIGPIPE, SIG_DFL) != SIG_ERR));
  CHECK(one_call(f.handle) == GPUOPT_OK);
  CHECK(!is_pending(SIGPIPE));
  // A signal that was waiting for the application still is.
  sigset_t pipe_signal;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  REQUIRE(pthread_sigmask(SIG_BLOCK, &pipe_signal, nullptr) == 0);
  CHECK(one_call(f.handle) == GPUOPT_OK);
  CHECK(!is_pending(SIGPIPE));
  raise(SIGPIPE);
  CHECK(one_call(f.handle) == GPUOPT_OK);
  CHECK(is_pending(SIGPIPE));
  const timespec now = {0, 0};
  CHECK(sigtimedwait(&pipe_signal, nullptr, &now) == SIGPIPE);
  pthread_sigmask(SIG_UNBLOCK, &pipe_signal, nullptr);
}

TEST_CASE("log: a full pipe stops nobody, and the loss is told") {
  ReadFifo f;
  for (int i = 0; i < 2000; ++i) REQUIRE(one_call(f.handle) == GPUOPT_OK);  // a pipe holds 64 KiB
  const std::string first = f.read_all();
  CHECK(first.size() <= 65536);
  CHECK(first.back() == '\n');
  CHECK(one_call(f.handle) == GPUOPT_OK);
  CHECK(std::regex_search(f.read_all(),
                          std::regex("^gpuopt,v2,warn,log,lost,[0-9]+ lines could not be written\ngpuopt,v2,exec,")));
}

TEST_CASE("log: a file at its size limit or on a full disk fails no call") {
  const Folder folder;
  rlimit before;
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  {
    const Handle h = logging_handle(folder.path / "log");
    const rlimit small = {150, before.rlim_max};
    REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
    CHECK(one_call(h) == GPUOPT_OK);
    CHECK(one_call(h) == GPUOPT_OK);
    REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
    CHECK(!is_pending(SIGXFSZ));
    CHECK(one_call(h) == GPUOPT_OK);
    // What was cut off has a line of its own.
    std::ifstream in(folder.path / "log");
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    REQUIRE(lines.size() >= 3);
    CHECK(contains(lines[lines.size() - 2], "gpuopt,v2,warn,log,lost,"));
    CHECK(parsed(lines.back())[0] == "exec");
  }
  CHECK(one_call(logging_handle("/dev/full")) == GPUOPT_OK);
}

TEST_CASE("log: a call with every operand and eight stages is a whole line, and reads back") {
  LogLines seen;
  const Handle h = cpu_handle();
  REQUIRE(gpuopt_set_log(h.get(), LogLines::add, &seen) == GPUOPT_OK);
  REQUIRE(gpuopt_set_verbose(h.get(), "exec,command") == GPUOPT_OK);
  static float memory[24][64];
  gpuopt_norm_args n = GPUOPT_NORM_ARGS_INIT;
  int next = 0;
  const auto matrix = [&](int64_t rows, int64_t cols) {
    return gpuopt_mat_ld(reinterpret_cast<char *>(memory[next++]) + 4, rows, cols, cols + 1, GPUOPT_F32);
  };
  n.x = matrix(4, 8);
  n.residual = matrix(4, 8);
  n.out = matrix(4, 8);
  n.sum = matrix(4, 8);
  n.gamma = matrix(1, 8);
  n.beta = matrix(1, 8);
  n.statistics = matrix(4, 2);
  n.eps = 1.2345678901234567e-9;
  gpuopt_stage stages[GPUOPT_MAX_STAGES];
  for (gpuopt_stage &s : stages) {
    const gpuopt_matrix u = matrix(4, 1);
    s = gpuopt_act_outer(1.2345678901234567e-9, u, matrix(1, 8));
  }
  n.stages = stages;
  n.stage_count = GPUOPT_MAX_STAGES;
  REQUIRE_MESSAGE(gpuopt_norm(h.get(), &n) == GPUOPT_OK, last_error());
  char text[GPUOPT_CALL_TEXT_BYTES];
  size_t length = 0;
  REQUIRE(gpuopt_call_text(&n, nullptr, text, sizeof text, &length) == GPUOPT_OK);
  CHECK(length > 800);
  REQUIRE(seen.lines.size() == 4);
  CHECK(parsed(seen.lines[0])[1] == "norm");
  CHECK(parsed(seen.lines[0])[2] == "gpuopt run --problem '" + std::string(text) + "'");
  CHECK(parsed(seen.lines[3])[4] == text);
}

TEST_CASE("log: a command is written before its call, refused calls too, and a shell takes it") {
  LogLines seen;
  const Handle h = cpu_handle();
  REQUIRE(gpuopt_set_log(h.get(), LogLines::add, &seen) == GPUOPT_OK);
  REQUIRE(gpuopt_set_verbose(h.get(), "command") == GPUOPT_OK);
  REQUIRE(gpuopt_set_kernel(h.get(), "transpose_cpu_reference") == GPUOPT_OK);
  alignas(256) float x[6] = {}, y[6];
  gpuopt_reduce_args r = GPUOPT_REDUCE_ARGS_INIT;
  r.x = gpuopt_mat(x, 2, 3, GPUOPT_F32);
  r.out = gpuopt_mat(y, 1, 1, GPUOPT_F32);
  REQUIRE(gpuopt_set_kernel(h.get(), "no_such_kernel") == GPUOPT_OK);
  CHECK(gpuopt_reduce(h.get(), &r) == GPUOPT_KERNEL_NOT_FOUND);
  r.x.ld = 1;
  CHECK(gpuopt_reduce(h.get(), &r) == GPUOPT_INVALID_ARGUMENT);  // what is no call has no text
  REQUIRE(seen.lines.size() == 1);
  const std::string command = parsed(seen.lines[0])[2];
  CHECK(without_alignments(command) == "gpuopt run --problem 'reduce reduce=SUM axis=all x=2x3:f32 out=1x1:f32'");
  FILE *shell = popen(("printf '%s|' " + command).c_str(), "r");
  REQUIRE(shell);
  char words[512] = {};
  CHECK(std::fread(words, 1, sizeof words - 1, shell) > 0);
  pclose(shell);
  CHECK(without_alignments(words) == "gpuopt|run|--problem|reduce reduce=SUM axis=all x=2x3:f32 out=1x1:f32|");
}

// What a profiled call on a GPU leaves until its events are read; here they cannot be.
TEST_CASE("log: lines that wait for their time are written when it is read, at the latest by gpuopt_destroy") {
  LogLines seen;
  const Handle h = cpu_handle();
  REQUIRE(gpuopt_set_log(h.get(), LogLines::add, &seen) == GPUOPT_OK);
  h->counters.push_back({"gemm_naive", GPUOPT_OP_GEMM, 0, 1, 0});
  const auto wait = [&](const std::string &line) {
    h->pending.emplace_back();
    h->wait_for_time(0, line);
  };
  wait("gpuopt,v2,exec,first");
  wait("");  // profiled without exec lines
  CHECK(seen.lines.empty());
  size_t count = 0;
  REQUIRE(gpuopt_counters(h.get(), nullptr, 0, &count) == GPUOPT_OK);
  CHECK(seen.lines == std::vector<std::string>{"gpuopt,v2,exec,first,"});
  wait("gpuopt,v2,exec,second");
  REQUIRE(gpuopt_reset_counters(h.get()) == GPUOPT_OK);
  CHECK(seen.lines.size() == 2);
  h->counters.push_back({"gemm_naive", GPUOPT_OP_GEMM, 0, 1, 0});
  for (int i = 0; i < 4095; ++i) wait("x");
  CHECK(seen.lines.size() == 2);
  wait("x");
  CHECK(seen.lines.size() == 2 + 4096);
  for (int i = 0; i < 300; ++i) wait(std::string(4000, 'x'));  // they take a megabyte at the most
  CHECK(seen.lines.size() > 2 + 4096 + 200);
  CHECK(seen.lines.size() < 2 + 4096 + 300);
}
