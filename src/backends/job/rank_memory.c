#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/job/rank_impl.h"
#include "base/env.h"

enum { LINES_MOST = 20000 };

/* Adds the pages of a line, as in "7f.. default anon=3 N0=2 N1=1 kernelpagesize_kB=4":
 * Documentation/filesystems/proc.rst. */
static void add_mapped_pages(const char *line, uint64_t nodes, double *near, double *far)
{
    const char *size = strstr(line, "kernelpagesize_kB=");
    const double bytes = size ? strtod(size + strlen("kernelpagesize_kB="), NULL) : 4;
    for (const char *p = line; (p = strstr(p, " N")); p++) {
        char *end;
        const unsigned long node = strtoul(p + 2, &end, 10);
        if (end == p + 2 || *end != '=' || node >= RANK_NODES_MOST)
            continue;
        *(nodes >> node & 1 ? near : far) += bytes * strtod(end + 1, NULL);
    }
}

double rank_memory_far(pid_t pid, uint64_t nodes)
{
    char path[4200], line[4096];
    double near = 0, far = 0;
    FILE *f = fopen(env_path(path, sizeof path, "/proc/%d/numa_maps", (int)pid), "re");
    for (int i = 0; f && i < LINES_MOST && fgets(line, sizeof line, f); i++)
        add_mapped_pages(line, nodes, &near, &far);
    if (f)
        fclose(f);
    return near + far > 0 ? far / (near + far) : NAN;
}
