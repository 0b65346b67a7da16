#include "backends/recorder/recorder_impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/common/own_library.h"
#include "base/arena.h"
#include "format/syscall_ring.h"

#define LIBRARY "librooftop-recorder.so"

int recorder_library_find(char out[PATH_MAX], struct error *err)
{
    static const struct own_library library = {
        .name = LIBRARY,
        .variable = "ROOFTOP_RECORDER_LIBRARY",
        .what = "inject",
        .help = "make install puts it there; ROOFTOP_RECORDER_LIBRARY names another place",
    };
    const int rc = own_library_find(&library, out, err);
    if (rc != 0)
        return rc;
    /* Both characters separate paths in LD_PRELOAD. */
    if (strpbrk(out, " :") || strlen(out) >= SYSCALL_RING_PATH)
        return error_set(err, ERROR_UNSUPPORTED, EINVAL,
                         "install rooftop, or name a copy by ROOFTOP_RECORDER_LIBRARY", "inject",
                         "the path of " LIBRARY " has a space or a colon, or is too long");
    return 0;
}

char **recorder_environment(char *const *from, const char *library, int control_id)
{
    static const char preload[] = "LD_PRELOAD=";
    size_t n = 0, texts = strlen(library) + sizeof preload + sizeof SYSCALL_RING_VARIABLE + 16;
    const char *others = NULL;
    for (; from[n]; n++)
        if (strncmp(from[n], preload, sizeof preload - 1) == 0)
            others = from[n] + sizeof preload - 1;
    texts += others ? strlen(others) + 1 : 0;
    char **out = xcalloc(1, (n + 3) * sizeof *out + texts);
    char *text = (char *)(out + n + 3);
    size_t m = 0;
    out[m++] = text;
    text += snprintf(text, texts, "%s%s%s%s", preload, library, others ? ":" : "",
                     others ? others : "") +
            1;
    out[m++] = text;
    snprintf(text, sizeof SYSCALL_RING_VARIABLE + 16, "%s=%d", SYSCALL_RING_VARIABLE, control_id);
    for (size_t i = 0; i < n; i++)
        if (strncmp(from[i], preload, sizeof preload - 1) != 0)
            out[m++] = from[i];
    return out;
}
