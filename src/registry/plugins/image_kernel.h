// A kernel that is an image - machine code or PTX - with a section of a manifest: the section read into what the descriptor and
// its functions need.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "plugins/image_arguments.h"
#include "plugins/image_code.h"
#include "plugins/plugin.h"

namespace gpuopt {

// What a section says that no field of a descriptor holds.
struct OperandNeed {
  int32_t place;  // as find_operand_name() gives it
  int32_t align = 1, ld_align = 1;
  bool row_only = false, neighbours = false, shared = false;  // layout; elements of a vector; one for the whole batch
};

struct ImageKernel : PluginKernel {
  std::string summary, image_archs;  // "sm_80, ptx_80"
  std::vector<gpuopt_signature> signatures;
  std::vector<gpuopt_built_in_stage> chain;
  std::vector<OperandNeed> needs;
  int64_t limit[3] = {INT64_MAX, INT64_MAX, INT64_MAX};  // of m, n, k
  LaunchShape shape;
  Expression grid[3], scratch, zeroed, time_ns;
  std::vector<Argument> arguments;
  std::vector<uint8_t> parameter_sizes, checked_arguments;  // the latter: integers that might not fit
  mutable ImageCode code;  // what the driver holds changes, what the kernel is does not
};

// Gives the descriptor its functions, which find the kernel by problem->kernel->data.
void set_functions(ImageKernel *kernel);

// A section while it is read: its lines, the names that its expressions may use, and where faults go.
class SectionReader final : public Expression::Names {
 public:
  SectionReader(const ManifestSection &section, ImageKernel *out, TellFault fault)
      : section_(section), out_(*out), fault_([this, tell_it = std::move(fault)](std::string text) {
          ++faults_;
          tell_it(std::move(text));
        }) {}
  SectionReader(const SectionReader &) = delete;

  // All of the section but the images' files; false: not even the operation is known.
  bool read();
  bool find(std::string_view name, uint16_t *variable, const Expression **defined) const override;

 private:
  // What the kernel is and computes (image_needs.cpp) ...
  bool read_operation();
  void read_description();
  void read_types();
  void read_variants();
  void read_stages();
  void read_features();
  void read_operand_needs();
  // ... and how it is launched (image_section.cpp).
  void read_definitions();
  void read_launch();
  void read_arguments(bool rules_hold);
  // Whether the arguments can carry what the section says (image_rules.cpp).
  void check_rules(const ManifestLine &args);
  void check_operand(const ManifestLine &args, int32_t place, uint32_t used, uint32_t optional);
  void check_stage_arguments(const ManifestLine &args);

  const ManifestLine *line(const char *key, bool required);
  void tell(const ManifestLine &at, std::string what, size_t offset = 0) const;
  void tell_section(std::string what) const { fault_(at_line(section_.line, 1) + what); }
  bool parse(const ManifestLine &at, std::string_view text, size_t offset, Expression *out) const;
  bool integer(const ManifestLine &at, int64_t least, int64_t most, int64_t *out) const;
  // Calls fn(word, offset) for each word between blanks.
  void for_each_word(const ManifestLine &at, const std::function<void(std::string_view, size_t)> &fn) const;
  gpuopt_dtype type_word(const ManifestLine &at, std::string_view word, size_t offset) const;
  int32_t operand_word(const ManifestLine &at, std::string_view word, size_t offset) const;
  OperandNeed &need_of(int32_t place);
  bool reads(int32_t place, Extent extent) const;  // an argument does

  const ManifestSection &section_;
  ImageKernel &out_;
  size_t faults_ = 0;
  const TellFault fault_;
  std::map<std::string, Expression, std::less<>> definitions_;
  uint32_t optional_ = 0;  // bits of operands
  gpuopt_dtype operand_type_[7] = {};
};

// Reads a manifest's text into the plugin. load(file, bytes): the bytes of an image, or why there are none.
using LoadImage = std::function<std::string(const std::string &file, std::string *bytes)>;
void read_image_plugin(std::string_view text, const LoadImage &load, Plugin *plugin);

}  // namespace gpuopt
