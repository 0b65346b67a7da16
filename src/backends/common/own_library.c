#include "backends/common/own_library.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"

static int find_given(const struct own_library *l, const char *path, char out[PATH_MAX],
                      struct error *err)
{
    char help[128];
    if (realpath(path, out) && access(out, R_OK) == 0)
        return 0;
    const int e = errno;
    snprintf(help, sizeof help, "unset it, or name %s", l->name);
    return error_set(err, ERROR_UNSUPPORTED, e, help, l->variable, "%.200s: %s", path, strerror(e));
}

int own_library_find(const struct own_library *l, char out[PATH_MAX], struct error *err)
{
    static const char *const folders[] = {"", "../lib/rooftop/"};
    char exe[PATH_MAX], path[PATH_MAX + 128];
    const char *set = env_get(l->variable);
    if (set)
        return find_given(l, set, out, err);
    const ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[n > 0 ? n : 0] = '\0';
    const char *slash = strrchr(exe, '/');
    for (size_t i = 0; slash && i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, sizeof path, "%.*s/%s%.60s", (int)(slash - exe), exe, folders[i], l->name);
        if (access(path, R_OK) == 0 && realpath(path, out))
            return 0;
    }
    return error_set(err, ERROR_UNSUPPORTED, ENOENT, l->help, l->what,
                     "%s is not in ../lib/rooftop", l->name);
}
