/*
 * Whether a build failed because there is no room for what it writes: that says nothing about the
 * candidate. The builder's messages are not searched for it, as a candidate may make them: as much
 * is written as a build needs.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/env.h"
#include "base/room.h"
#include "engine/optimize/optimize_impl.h"

enum { LEAST = 64 << 10 };

int optimize_room(const struct optimizing *o, struct error *err)
{
    const char *temporary = env_get("TMPDIR");
    const char *folders[] = {o->plan->folder, temporary && *temporary ? temporary : "/tmp"};
    char object[OPTIMIZE_PATH];
    struct stat st;
    optimize_object(o, 0, false, object);
    const size_t wanted = LEAST + (stat(object, &st) == 0 ? (size_t)st.st_size : 0);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        const int code = room_missing(folders[i], wanted);
        if (code)
            return error_set(err, ERROR_OUTPUT, code, "make room, then go on with --resume",
                             folders[i], "a build failed, and %zu bytes cannot be written: %s",
                             wanted, strerror(code));
    }
    return 0;
}
