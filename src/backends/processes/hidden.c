#include "backends/processes/hidden.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/common/proc_file.h"
#include "base/arena.h"

enum { TEXT = 64 * 1024, GROUPS = 4096 };

/* The value of an option in a line of /proc/self/mounts; NULL: not set. */
static const char *find_mount_option(const char *line, const char *name, char out[32])
{
    for (const char *at = line; (at = strstr(at, name)); at++)
        if (at > line && (at[-1] == ',' || at[-1] == ' ')) {
            snprintf(out, 32, "%.*s", (int)strcspn(at, ", "), at);
            return out;
        }
    return NULL;
}

static bool in_group(const char *text)
{
    gid_t wanted = (gid_t)strtoul(text + strlen("gid="), NULL, 10);
    gid_t *groups = xcalloc(GROUPS, sizeof *groups);
    int n = getgroups(GROUPS, groups);
    bool in = getegid() == wanted;
    for (int i = 0; i < n; i++)
        in |= groups[i] == wanted;
    free(groups);
    return in;
}

/* The last mount of /proc is the visible one. */
const char *hidden_by(char out[32])
{
    char *text = xcalloc(TEXT, 1), gid[32];
    out[0] = '\0';
    if (geteuid() == 0 || file_read("/proc/self/mounts", text, TEXT) <= 0) {
        free(text);
        return out;
    }
    for (char *rest = text, *line; (line = strsep(&rest, "\n"));) {
        if (!strstr(line, " /proc proc "))
            continue;
        bool shown = !find_mount_option(line, "hidepid=", out) || !strcmp(out, "hidepid=0") ||
                     !strcmp(out, "hidepid=off");
        if (shown || (find_mount_option(line, "gid=", gid) && in_group(gid)))
            out[0] = '\0';
    }
    free(text);
    return out;
}
