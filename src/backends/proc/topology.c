#include "backends/proc/proc_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/common/proc_file.h"
#include "backends/perf_common/cpus.h"
#include "base/arena.h"
#include "base/cpu_list.h"

enum { LIST_SIZE = 16384, CACHE_INDEXES = 8, NODES_MAX = 1024 };
#define CPU_DIR "/sys/devices/system/cpu/cpu%d/"

struct cpu_list_reader {
    char list[LIST_SIZE];
    bool set[TARGET_MAX_CPUS];
};

/* Reads a file of CPU numbers into r->set. */
static bool read_cpu_set(struct cpu_list_reader *r, const char *path)
{
    return file_line(path, r->list, sizeof r->list) > 0 && cpu_list_parse(r->list, r->set) > 0;
}

static int read_topology_id(int cpu, const char *name)
{
    char path[128];
    snprintf(path, sizeof path, CPU_DIR "topology/%s", cpu, name);
    return (int)file_number(path, -1);
}

/* --- groups: one file lists all members --- */

static void assign_cpu_group(struct topology *t, const bool *set, int group, int *out)
{
    for (int i = 0; i < t->ncpus; i++)
        if (set[t->cpus[i].id])
            out[i] = group;
}

/* Numbers the groups that the per-CPU lists describe, in order of their first CPU. Returns how
 * many. */
static int number_cpu_groups(struct topology *t, struct cpu_list_reader *r,
                             bool (*list_of)(struct cpu_list_reader *r, int cpu), int *out)
{
    int groups = 0;
    for (int i = 0; i < t->ncpus; i++)
        out[i] = -1;
    for (int i = 0; i < t->ncpus; i++)
        if (out[i] < 0 && list_of(r, t->cpus[i].id) && r->set[t->cpus[i].id])
            assign_cpu_group(t, r->set, groups++, out);
    return groups;
}

static bool core_list(struct cpu_list_reader *r, int cpu)
{
    char path[128];
    snprintf(path, sizeof path, CPU_DIR "topology/thread_siblings_list", cpu);
    return read_cpu_set(r, path);
}

static bool cache_list(struct cpu_list_reader *r, int cpu)
{
    char path[128];
    int last = -1;
    long level = 0;
    for (int k = 0; k < CACHE_INDEXES; k++) {
        snprintf(path, sizeof path, CPU_DIR "cache/index%d/level", cpu, k);
        long l = file_number(path, 0);
        if (l == 0)
            break;
        if (l > level) {
            level = l;
            last = k;
        }
    }
    if (last < 0)
        return false;
    snprintf(path, sizeof path, CPU_DIR "cache/index%d/shared_cpu_list", cpu, last);
    return read_cpu_set(r, path);
}

static int read_cpu_nodes(struct topology *t, struct cpu_list_reader *r, int *node)
{
    char path[128];
    int n = 0;
    bool online[TARGET_MAX_CPUS];
    for (int i = 0; i < t->ncpus; i++)
        node[i] = -1;
    if (!read_cpu_set(r, "/sys/devices/system/node/online"))
        return 0;
    memcpy(online, r->set, sizeof online);
    for (int k = 0; k < NODES_MAX; k++) {
        snprintf(path, sizeof path, "/sys/devices/system/node/node%d/cpulist", k);
        if (!online[k] || !read_cpu_set(r, path))
            continue;
        assign_cpu_group(t, r->set, k, node);
        for (int i = 0; i < t->ncpus; i++)
            if (node[i] == k) {
                n++;
                break;
            }
    }
    return n;
}

static void read_core_kinds(struct topology *t, struct cpu_list_reader *r)
{
    static const struct {
        const char *path;
        char kind;
    } kinds[] = {{"/sys/devices/cpu_core/cpus", 'P'}, {"/sys/devices/cpu_atom/cpus", 'E'}};
    for (size_t k = 0; k < 2; k++)
        if (read_cpu_set(r, kinds[k].path))
            for (int i = 0; i < t->ncpus; i++)
                if (r->set[t->cpus[i].id])
                    t->cpus[i].kind = kinds[k].kind;
}

static int count_sockets(const struct topology *t)
{
    int n = 0;
    for (int i = 0; i < t->ncpus; i++) {
        int j = 0;
        while (j < i && t->cpus[j].package != t->cpus[i].package)
            j++;
        n += j == i;
    }
    return n;
}

/* --- the CPUs shown --- */

static void choose_cpus(struct topology *t, struct cpu_list_reader *r, const bool *wanted)
{
    if (cpus_online(r->set) <= 0) {
        memset(r->set, 0, sizeof r->set);
        r->set[0] = true;
    }
    t->cpus = xcalloc(TARGET_MAX_CPUS, sizeof *t->cpus);
    /* second pass: none of the wanted CPUs exists, so show all */
    for (int pass = 0; pass < 2 && t->ncpus == 0; pass++)
        for (int c = 0; c < TARGET_MAX_CPUS; c++)
            if (r->set[c] && (pass || !wanted || wanted[c]))
                t->cpus[t->ncpus++].id = c;
}

void topology_read(struct topology *t, const bool *wanted)
{
    struct cpu_list_reader *r = xcalloc(1, sizeof *r);
    *t = (struct topology){0};
    choose_cpus(t, r, wanted);
    int *group = xcalloc((size_t)t->ncpus, sizeof *group);
    for (int i = 0; i < t->ncpus; i++) {
        t->cpus[i].package = read_topology_id(t->cpus[i].id, "physical_package_id");
        t->cpus[i].core = read_topology_id(t->cpus[i].id, "core_id");
    }
    t->known = t->cpus[0].core >= 0;
    t->nsockets = count_sockets(t);
    t->ncores = number_cpu_groups(t, r, core_list, group);
    if (t->ncores == 0)
        t->ncores = t->ncpus;
    number_cpu_groups(t, r, cache_list, group);
    for (int i = 0; i < t->ncpus; i++)
        t->cpus[i].llc = group[i];
    t->nnodes = read_cpu_nodes(t, r, group);
    if (t->nnodes == 0)
        t->nnodes = 1; /* a kernel without NUMA has one node */
    for (int i = 0; i < t->ncpus; i++)
        t->cpus[i].node = group[i];
    read_core_kinds(t, r);
    free(group);
    free(r);
}

void topology_free(struct topology *t)
{
    free(t->cpus);
    *t = (struct topology){0};
}
