// Manifests as files: where their images are looked for, what of them is refused, and who has a name.
#include <fcntl.h>

#include "folder.h"
#include "images.h"
#if GPUOPT_TEST_HAVE_CUDA
#include "real_images.h"
#endif

using namespace gpuopt_test;

namespace {

void write_images(const Folder &folder, const Images &images = Images()) {
  for (const auto &file : images.files) folder.write(file.first, file.second);
}

std::string sound_manifest(const std::string &plugin) {
  return "gpuopt = 1\nplugin = " + plugin + "\n[vector_add]\nentry = run\n" + twin("vector_add") + Images().lines();
}

}  // namespace

TEST_CASE("image file: manifests of a folder are loaded, and a refusal is a line that names the line") {
  const Folder folder;
  fs::create_directory(folder / "many");
  for (const auto &file : Images().files) folder.write("many/" + file.first, file.second);
  folder.write("many/a.gpuopt", "gpuopt = 1\n[k]\nop = sum\n");
  folder.write("many/b.gpuopt", sound_manifest("of_file"));
  const std::string log = folder / "log";
  const ScopedEnv file("GPUOPT_LOG_FILE", log.c_str());
  CHECK(gpuopt_load_plugin((folder / "many").c_str()) == GPUOPT_INVALID_ARGUMENT);
  CHECK_MESSAGE(contains(last_error(), "many/a.gpuopt: line 3, column 6: 'sum' is not one of gemm, transpose"),
                last_error());
  std::ifstream in(log);
  const std::string lines((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  CHECK_MESSAGE(contains(lines, "/many/a.gpuopt,refused,line 3"), lines);
  CHECK_MESSAGE(contains(lines, "/many/b.gpuopt,loaded,of_file with 1 kernel\n"), lines);
  CHECK(gpuopt_kernel_find("plugin:of_file/vector_add") != nullptr);
}

TEST_CASE("image file: a name that is taken is refused, and its owner named") {
  const Folder folder;
  const ScopedEnv quiet("GPUOPT_VERBOSE", "none");
  write_images(folder);
  const std::string first = folder.write("first.gpuopt", sound_manifest("taken_image")),
                    second = folder.write("second.gpuopt", sound_manifest("taken_image"));
  REQUIRE_MESSAGE(gpuopt_load_plugin(first.c_str()) == GPUOPT_OK, last_error());
  CHECK(faults_of_file(second) ==
        std::vector<std::string>{"the name plugin:taken_image/vector_add is taken: the plugin " + first + " has it"});
  std::string twice = sound_manifest("twice");
  twice += twice.substr(twice.find("[vector_add]"));
  CHECK(faults_of_file(folder.write("twice.gpuopt", twice)) ==
        std::vector<std::string>{"the name plugin:twice/vector_add is given twice"});
}

TEST_CASE("image file: an image that is no file, not there, or larger than any is refused at once") {
  const Folder folder;
  const ScopedEnv quiet("GPUOPT_VERBOSE", "none");
  write_images(folder);
  const std::string manifest = folder.write("odd.gpuopt", sound_manifest("odd"));
  const std::string image = folder / "run.cubin";
  const auto fault = [&] {
    const std::vector<std::string> faults = faults_of_file(manifest);
    REQUIRE(faults.size() == 1);
    return faults[0].substr(faults[0].find(": ") + 2);
  };
  CHECK(faults_of_file(manifest).empty());
  fs::resize_file(image, uintmax_t{1} << 30);  // sparse: nothing of it is read
  CHECK(fault() == "'run.cubin': it has 1073741824 bytes, more than 268435456");
  fs::remove(image);
  CHECK(fault() == "'run.cubin': No such file or directory");
  fs::create_directory(image);
  CHECK(fault() == "'run.cubin': it is no regular file");
  fs::remove(image);
  REQUIRE(mkfifo(image.c_str(), 0600) == 0);
  CHECK(fault() == "'run.cubin': it is no regular file");
  fs::remove(manifest);
  REQUIRE(mkfifo(manifest.c_str(), 0600) == 0);
  CHECK(!faults_of_file(manifest).empty());
}

#if GPUOPT_TEST_HAVE_CUDA
TEST_CASE("image file: images as the toolkit makes them are read, and asked about without a GPU") {
  const Folder folder;
  const std::string path = write_real_plugin(folder, "toolkit");
  CHECK(faults_of_file(path).empty());
  const std::string cubin = file_text(folder / "twins.sm_90.cubin");
  for (const char *entry : {"vector_add", "softmax", "column_sums"}) {
    gpuopt::CompiledArch code = {90, 0, false}, ptx = {0, 0, true};
    CHECK(gpuopt::check_image(cubin, entry, &code) == "");
    CHECK(gpuopt::check_image(file_text(folder / "twins.ptx"), entry, &ptx) == "");
    CHECK(ptx.cc == 75);
  }
  gpuopt::CompiledArch code = {90, 0, false};
  CHECK(contains(gpuopt::check_image(cubin, "gone", &code), "no entry gone in it"));
  for (size_t size = 16; size < cubin.size(); size += 1 + cubin.size() / 50)
    CHECK(contains(gpuopt::check_image(cubin.substr(0, size), "softmax", &code), "it was cut short"));
}
#endif
