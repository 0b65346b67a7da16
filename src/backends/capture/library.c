#include "backends/capture/library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/common/own_library.h"
#include "base/arena.h"
#include "base/env.h"
#include "format/control.h"

#define LIBRARY "librooftop-capture.so"

int capture_library_find(char out[PATH_MAX], struct error *err)
{
    static const struct own_library library = {
        .name = LIBRARY,
        .variable = "ROOFTOP_CAPTURE_LIBRARY",
        .what = "capture",
        .help =
            "make install puts it there, where rooftop is built with the HSA runtime's headers; "
            "ROOFTOP_CAPTURE_LIBRARY names another place",
    };
    return own_library_find(&library, out, err);
}

/* The variable is a list separated by spaces; the runtime interprets quotes and backslashes. */
static void quote_for_runtime(char *to, const char *path)
{
    for (; *path; path++) {
        if (strchr(" \"'\\", *path))
            *to++ = '\\';
        *to++ = *path;
    }
    *to = '\0';
}

void capture_library_environment(const char *library, const char *control)
{
    const char *others = env_get("HSA_TOOLS_LIB");
    const size_t room = 2 * strlen(library) + (others ? strlen(others) : 0) + 2;
    char *quoted = xcalloc(1, 2 * strlen(library) + 1), *all = xcalloc(1, room);
    quote_for_runtime(quoted, library);
    snprintf(all, room, "%s%s%s", others ? others : "", others ? " " : "", quoted);
    env_put("HSA_TOOLS_LIB", all);
    /* otherwise rocprofiler-register is used instead */
    env_put("HSA_TOOLS_ROCPROFILER_V1_TOOLS", "1");
    env_put("HSA_TOOLS_REPORT_LOAD_FAILURE", "1");
    env_put(CONTROL_ENV, control);
    free(quoted);
    free(all);
}
