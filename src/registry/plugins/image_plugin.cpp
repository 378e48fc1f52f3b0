// Plugins that are image manifests: every section a kernel.
#include <algorithm>

#include "descriptor.h"
#include "plugins/image_kernel.h"
#include "plugins/plugin_file.h"
#include "plugins/sha256.h"
#include "text.h"

namespace gpuopt {
namespace {

constexpr int64_t kFormat = 1;
constexpr size_t kMostImage = size_t{256} << 20, kMostManifest = size_t{64} << 20;

// What stands before the first section.
void read_head(const ManifestSection &head, Plugin *plugin) {
  const auto fault = [&](std::string text) { plugin->fault(std::move(text)); };
  const ManifestLine *const format = head.find("gpuopt");
  if (!format)
    fault(at_line(1, 1) + "the manifest does not begin with gpuopt = 1");
  else if (format->value != std::to_string(kFormat))
    fault(at_line(format->line, format->column) + "the manifest is of format " + quoted(format->value) +
          ", this library knows 1");
  const size_t slash = plugin->path.rfind('/') + 1;
  plugin->name = plugin->path.substr(slash, plugin->path.rfind('.') - slash);
  if (const ManifestLine *l = head.find("plugin")) {
    plugin->name = l->value;
    if (const char *wrong = name_fault(plugin->name))
      fault(at_line(l->line, l->column) + "the plugin's name " + quoted(plugin->name) + " " + wrong);
  } else if (const char *wrong = name_fault(plugin->name)) {
    fault("the file's name " + quoted(plugin->name) + " " + wrong + "; plugin = <name> gives the plugin another");
  }
  if (const ManifestLine *l = head.find("version")) plugin->version = l->value;
  tell_unused(head, {"gpuopt", "plugin", "version"}, fault);
}

// A file beside the manifest or below it.
bool is_beside(std::string_view file) {
  return !file.empty() && file[0] != '/' && file.find("..") == std::string_view::npos &&
         file.find('\0') == std::string_view::npos;
}

// The image of one line, with its hash; nullptr and a fault where it is not what the manifest says.
std::unique_ptr<Image> read_image(const ManifestSection &section, const ManifestLine &l, const std::string &entry,
                                  const LoadImage &load, const TellFault &fault) {
  const std::string name(l.key.substr(6));  // of image.sm_90
  const auto tell = [&](const std::string &what) { fault(at_line(l.line, l.column) + what); };
  auto image = std::make_unique<Image>();
  image->arch.ptx = name == "ptx";
  if (!image->arch.ptx && !parse_arch(name, &image->arch)) {
    fault(at_line(l.line, 1) + quoted(l.key) + " names no architecture: image.sm_80, image.sm_90a, image.ptx");
    return nullptr;
  }
  const ManifestLine *const hash = section.find("sha256." + name);
  if (!hash) return tell("sha256." + name + " is missing"), nullptr;
  if (!is_beside(l.value)) return tell(quoted(l.value) + " is no file beside the manifest or below it"), nullptr;
  const std::string wrong = load(std::string(l.value), &image->bytes);
  if (!wrong.empty()) return tell(quoted(l.value) + ": " + wrong), nullptr;
  const std::string actual = sha256_hex(image->bytes);
  if (hash->value != actual) {
    fault(at_line(hash->line, hash->column) + "the sha256 of " + quoted(l.value) + " is " + actual);
    return nullptr;
  }
  const std::string unfit = check_image(image->bytes, entry, &image->arch);
  if (!unfit.empty()) return tell(quoted(l.value) + ": " + unfit), nullptr;
  return image;
}

// The range of devices that any image is for, within what the section says itself.
void set_devices(ImageKernel *kernel) {
  gpuopt_kernel &k = kernel->kernel;
  int32_t least = 999, most = 0;
  bool open = false;
  for (const auto &image : kernel->code.images) {
    const CompiledArch &a = image->arch;
    kernel->code.archs.push_back(a);
    least = std::min<int32_t>(least, a.cc);
    most = std::max<int32_t>(most, a.suffix == 'a' ? a.cc : a.cc / 10 * 10 + 9);
    open = open || (a.ptx && a.suffix == 0);
    kernel->image_archs += (kernel->image_archs.empty() ? "" : ", ") + arch_text(a);
  }
  k.cc_min = std::max(k.cc_min, least);
  if (!open) k.cc_max = k.cc_max == 0 ? most : std::min(k.cc_max, most);
}

void read_kernel(const ManifestSection &section, const LoadImage &load, Plugin *plugin) {
  auto kernel = std::make_unique<ImageKernel>();
  const auto fault = [&](std::string text) { plugin->fault(std::move(text)); };
  if (const char *wrong = name_fault(section.name))
    return fault(at_line(section.line, 1) + "the kernel's name " + quoted(section.name) + " " + wrong);
  section.for_each("image.", [](const ManifestLine &) {});  // read below, when the entry is known
  section.for_each("sha256.", [](const ManifestLine &) {});
  if (!SectionReader(section, kernel.get(), fault).read()) return;
  section.for_each("image.", [&](const ManifestLine &l) {
    std::unique_ptr<Image> image = read_image(section, l, kernel->code.entry, load, fault);
    if (image) kernel->code.images.push_back(std::move(image));
  });
  size_t images = 0;
  section.for_each("image.", [&](const ManifestLine &) { ++images; });
  if (images == 0 || images > kMostImages)
    fault(at_line(section.line, 1) + "[" + std::string(section.name) + "] has " +
          (images ? "more than 32 images" : "no image.sm_<number> and no image.ptx"));
  section.for_each("sha256.", [&](const ManifestLine &l) {
    if (!section.find("image." + std::string(l.key.substr(7))))
      fault(at_line(l.line, 1) + quoted(l.key) + " is of no image of this section");
  });
  set_devices(kernel.get());
  set_functions(kernel.get());
  gpuopt_kernel &k = kernel->kernel;
  k.struct_size = sizeof k;
  k.summary = kernel->summary.c_str();
  k.signatures = kernel->signatures.data();
  k.signature_count = kernel->signatures.size();
  k.chain = kernel->chain.empty() ? nullptr : kernel->chain.data();
  plugin->name_kernel(std::string(section.name), nullptr, kernel.get());
  if (plugin->faults().empty())
    check_fields(
        k, [&](std::string text) { fault(at_line(section.line, 1) + "[" + std::string(section.name) + "]: " + text); });
  plugin->kernels.push_back(std::move(kernel));
}

}  // namespace

void read_image_plugin(std::string_view text, const LoadImage &load, Plugin *plugin) {
  const std::vector<ManifestSection> sections =
      read_manifest(text, [&](std::string what) { plugin->fault(std::move(what)); });
  read_head(sections[0], plugin);
  for (size_t i = 1; i < sections.size(); ++i) read_kernel(sections[i], load, plugin);
  if (sections.size() == 1 && plugin->faults().empty()) plugin->fault("the manifest has no [kernel]");
}

void read_image_manifest(Plugin *plugin) {
  std::string text;
  const std::string fault = read_file(plugin->path, kMostManifest, &text);
  if (!fault.empty()) return plugin->fault(fault);
  const std::string folder = plugin->path.substr(0, plugin->path.rfind('/') + 1);
  const LoadImage load = [&](const std::string &name, std::string *bytes) {
    return read_file(folder + name, kMostImage, bytes);
  };
  read_image_plugin(text, load, plugin);
}

}  // namespace gpuopt
