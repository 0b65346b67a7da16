#include "backends/common/cgroup.h"

#include <stddef.h>
#include <unistd.h>

#include "base/env.h"

static int is_cgroup_path_there(const char *path)
{
    char full[256];
    return access(env_path(full, sizeof full, "%s", path), F_OK) == 0;
}

enum cgroup_layout cgroup_layout(const char **root)
{
    static const struct {
        const char *file, *root;
        enum cgroup_layout layout;
    } rows[] = {
        {"/sys/fs/cgroup/cgroup.controllers", "/sys/fs/cgroup", CGROUP_V2},
        {"/sys/fs/cgroup/unified/cgroup.controllers", "/sys/fs/cgroup/unified", CGROUP_HYBRID},
        {"/sys/fs/cgroup/perf_event/cgroup.procs", "/sys/fs/cgroup/perf_event", CGROUP_V1},
        {"/sys/fs/cgroup/cpu/cgroup.procs", "/sys/fs/cgroup/cpu", CGROUP_V1},
        {"/sys/fs/cgroup/systemd/cgroup.procs", "/sys/fs/cgroup/systemd", CGROUP_V1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (is_cgroup_path_there(rows[i].file)) {
            *root = rows[i].root;
            return rows[i].layout;
        }
    *root = NULL;
    return CGROUP_NONE;
}

const char *cgroup_means(enum cgroup_layout layout)
{
    switch (layout) {
    case CGROUP_V2:
        return "version 2 is at /sys/fs/cgroup";
    case CGROUP_HYBRID:
        return "hybrid: version 2 is at /sys/fs/cgroup/unified, version 1 has the controllers";
    case CGROUP_V1:
        return "version 1 only, below /sys/fs/cgroup";
    case CGROUP_NONE:
        break;
    }
    return "no cgroup file system at /sys/fs/cgroup";
}

const char *cgroup_advice(enum cgroup_layout layout)
{
    if (layout == CGROUP_V2)
        return NULL;
    if (layout == CGROUP_NONE)
        return "sudo mount -t cgroup2 cgroup2 /sys/fs/cgroup (umount undoes it)";
    return "boot with systemd.unified_cgroup_hierarchy=1 on the kernel's command line: all "
           "services "
           "and containers of this machine use version 2 then (without it they do not)";
}
