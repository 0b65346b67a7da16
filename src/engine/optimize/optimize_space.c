/* Detects whether a build failed for lack of disk space, which says nothing about the candidate.
 * It writes as much as a build needs; it does not search the builder's messages, because a
 * candidate can produce them. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/env.h"
#include "base/disk_space.h"
#include "engine/optimize/optimize_impl.h"

enum { LEAST = 64 << 10 };

int optimize_check_space(const struct optimizing *o, struct error *err)
{
    const char *temporary = env_get("TMPDIR");
    const char *folders[] = {o->plan->folder, temporary && *temporary ? temporary : "/tmp"};
    char object[OPTIMIZE_PATH];
    struct stat st;
    optimize_object(o, 0, false, object);
    const size_t wanted = LEAST + (stat(object, &st) == 0 ? (size_t)st.st_size : 0);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        const int code = disk_space_missing(folders[i], wanted);
        if (code)
            return error_set(err, ERROR_OUTPUT, code, "make room, then go on with --resume",
                             folders[i], "a build failed, and %zu bytes cannot be written: %s",
                             wanted, strerror(code));
    }
    return 0;
}
