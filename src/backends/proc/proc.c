#include "engine/live/source.h"

#include <stdlib.h>

#include "backends/proc/proc_impl.h"
#include "backends/processes/procs.h"
#include "base/arena.h"

struct proc_source {
    struct topology topology;
    struct system *system;
    struct procs *procs;
};

static int proc_open(struct source **out, struct source_config *config, struct error *err)
{
    (void)err; /* values that cannot be read are missing on the screen */
    struct proc_source *s = xcalloc(1, sizeof *s);
    struct host *h = config->host;
    topology_read(&s->topology, config->target->cpus);
    host_identify(h);
    h->ncpus = s->topology.ncpus;
    h->nsockets = s->topology.nsockets;
    h->ncores = s->topology.ncores;
    h->nnodes = s->topology.nnodes;
    s->system = system_open(&s->topology, !config->target->cpus);
    s->procs = procs_open(config->target, config->command_pid);
    *out = (struct source *)s;
    return 0;
}

static void proc_poll(struct source *self, struct snapshot *out, uint64_t now_ns)
{
    struct proc_source *s = (struct proc_source *)self;
    struct system_tick tick;
    system_poll(s->system, out, now_ns, &tick);
    procs_poll(s->procs, out, now_ns, &tick);
}

static void proc_close(struct source *self)
{
    struct proc_source *s = (struct proc_source *)self;
    procs_close(s->procs);
    system_close(s->system);
    topology_free(&s->topology);
    free(s);
}

extern const struct source_ops source_proc;
const struct source_ops source_proc = {
    .name = "proc",
    .summary = "processes, CPU shares, memory, load and pressure from /proc and /sys",
    .probe = proc_probe,
    .open = proc_open,
    .poll = proc_poll,
    .close = proc_close,
};
