#pragma once

namespace gpuopt_cli {
void print_tables();  // every closed table of tables.h as markdown: docs/tables.md
}
