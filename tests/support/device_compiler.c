#include "support/device_compiler.h"

#include <stdlib.h>

#include "base/toolbox.h"
#include "support/skip.h"

void need_device_compiler(void)
{
    struct toolbox_tool clang;
    struct error err = ERROR_INIT;
    if (toolbox_find(TOOLBOX_CLANG, "gfx942", &clang, &err) != 0)
        skip_because("builds of GPU kernels: %s: %s; %s", err.what, err.why, err.help);
    setenv("CLANG", clang.path, 1);
}
