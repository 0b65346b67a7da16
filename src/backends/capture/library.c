#include "backends/capture/library.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/env.h"
#include "format/control.h"

#define LIBRARY "librooftop-capture.so"

static int given(const char *path, char out[PATH_MAX], struct error *err)
{
    if (realpath(path, out) && access(out, R_OK) == 0)
        return 0;
    return error_set(err, ERROR_UNSUPPORTED, errno, "unset it, or name librooftop-capture.so",
                     "ROOFTOP_CAPTURE_LIBRARY", "%.200s: %s", path, strerror(errno));
}

int capture_library_find(char out[PATH_MAX], struct error *err)
{
    static const char *const places[] = {LIBRARY, "../lib/rooftop/" LIBRARY};
    char exe[PATH_MAX], path[PATH_MAX + 64];
    const char *set = env_get("ROOFTOP_CAPTURE_LIBRARY");
    if (set)
        return given(set, out, err);
    const ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[n > 0 ? n : 0] = '\0';
    const char *slash = strrchr(exe, '/');
    for (size_t i = 0; slash && i < sizeof places / sizeof *places; i++) {
        snprintf(path, sizeof path, "%.*s/%s", (int)(slash - exe), exe, places[i]);
        if (access(path, R_OK) == 0 && realpath(path, out))
            return 0;
    }
    return error_set(
        err, ERROR_UNSUPPORTED, ENOENT,
        "make install puts it there, where rooftop is built with the HSA runtime's headers; "
        "ROOFTOP_CAPTURE_LIBRARY names another place",
        "capture", LIBRARY " is not in ../lib/rooftop");
}

/* The variable is a list separated by spaces; the runtime interprets quotes and backslashes. */
static void quote(char *to, const char *path)
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
    quote(quoted, library);
    snprintf(all, room, "%s%s%s", others ? others : "", others ? " " : "", quoted);
    env_put("HSA_TOOLS_LIB", all);
    /* otherwise rocprofiler-register is used instead */
    env_put("HSA_TOOLS_ROCPROFILER_V1_TOOLS", "1");
    env_put("HSA_TOOLS_REPORT_LOAD_FAILURE", "1");
    env_put(CONTROL_ENV, control);
    free(quoted);
    free(all);
}
