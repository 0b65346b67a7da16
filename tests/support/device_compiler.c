#include "support/device_compiler.h"

#include <stdlib.h>
#include <string.h>

#include "support/program.h"
#include "support/skip.h"

void need_device_compiler(void)
{
    struct program p;
    program_run(&p, "for c in clang-19 clang; do $c -print-targets 2>/dev/null | grep -q amdgcn && "
                    "command -v ld.lld-19 ld.lld >/dev/null && command -v $c && exit; done; true");
    p.out[strcspn(p.out, "\n")] = '\0';
    setenv("CLANG", p.out, 1);
    const int found = *p.out != '\0';
    program_free(&p);
    if (!found)
        skip_because("builds of GPU kernels: no clang for amdgcn with its linker is installed "
                     "(apt install clang-19 lld-19)");
}
