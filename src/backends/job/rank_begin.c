/* What is known of a rank before its program starts. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/common/held.h"
#include "backends/job/rank_impl.h"
#include "base/env.h"
#include "base/print.h"
#include "symbols/symbols.h"

/* Variables that limit the devices of a program; the first that is set counts. Sources: CUDA C++
 * Programming Guide, "CUDA Environment Variables"; ROCm, "GPU isolation techniques"; Level Zero
 * specification, "Environment Variables"; slurm.schedmd.com/gres.html. */
static const char *const gpu_variables[] = {
    "ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES",
    "ZE_AFFINITY_MASK",     "GPU_DEVICE_ORDINAL",  "SLURM_STEP_GPUS",
};

static void fill_rank_gpus(struct rank_summary *s)
{
    for (size_t i = 0; i < sizeof gpu_variables / sizeof *gpu_variables; i++) {
        const char *value = env_get(gpu_variables[i]);
        if (!value)
            continue;
        print_line(s->gpus, sizeof s->gpus, "%s=%s", gpu_variables[i], value);
        return;
    }
}

/* The CPUs that this process may use, which the program inherits. */
static void fill_rank_cpus(struct rank_summary *s)
{
    cpu_set_t set;
    size_t used = 0;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return;
    for (int c = 0, to; c < CPU_SETSIZE && used + 16 < sizeof s->cpus; c = to + 1) {
        for (to = c; to < CPU_SETSIZE && CPU_ISSET((size_t)to, &set);)
            to++;
        if (to == c)
            continue;
        used += (size_t)snprintf(s->cpus + used, sizeof s->cpus - used, "%s%d", used ? "," : "", c);
        if (to > c + 1)
            used += (size_t)snprintf(s->cpus + used, sizeof s->cpus - used, "-%d", to - 1);
    }
}

static void fill_rank_command(struct rank_summary *s, char *const *argv)
{
    size_t used = 0;
    for (size_t i = 0; argv[i] && used + 1 < sizeof s->command; i++)
        used +=
            print_line(s->command + used, sizeof s->command - used, "%s%s", i ? " " : "", argv[i]);
}

static void fill_rank_build(struct rank_summary *s, const char *path)
{
    struct error ignored = ERROR_INIT;
    struct symbols *symbols = symbols_new(0);
    struct symbol_file *file = symbols_file(symbols, path, &ignored);
    const void *id = NULL;
    const size_t n = file ? symbol_file_build_id(file, &id) : 0;
    for (size_t i = 0; i < n && 2 * i + 2 < sizeof s->build_id; i++)
        snprintf(s->build_id + 2 * i, 3, "%02x", ((const unsigned char *)id)[i]);
    symbols_free(symbols);
}

void rank_begin_fill(struct rank_summary *s, char *const *argv)
{
    char host[65] = "";
    gethostname(host, sizeof host - 1);
    /* Slurm's name for the node: several nodes of a test may be one host */
    const char *node = env_get("SLURMD_NODENAME");
    print_line(s->host, sizeof s->host, "%s", node ? node : host);
    fill_rank_command(s, argv);
    fill_rank_gpus(s);
    fill_rank_cpus(s);
    char *path = held_find_program(argv[0]);
    if (path) {
        print_line(s->program, sizeof s->program, "%s", path);
        fill_rank_build(s, path);
    }
    free(path);
    s->start_us = env_wall_ns() / 1000;
}
