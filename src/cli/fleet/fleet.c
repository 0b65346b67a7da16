#include "cli/fleet/fleet.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "backends/fleet/fleet_ssh.h"
#include "base/env.h"
#include "cli/fleet/fleet_impl.h"
#include "cli/fleet/fleet_prometheus.h"
#include "cli/options/exit.h"
#include "cli/run/dashboard.h"
#include "engine/fleet/host_list.h"

bool fleet_asked(const struct options *o)
{
    return o->fleet.hosts || o->fleet.file || o->fleet.scrape || prometheus_address(o);
}

/* The nodes of our allocation; Slurm's older variable is the same. */
static int add_slurm_nodes(struct host_list *l, struct error *err)
{
    const char *nodes = env_get("SLURM_JOB_NODELIST");
    if (!nodes)
        nodes = env_get("SLURM_NODELIST");
    if (!nodes)
        return error_set(err, ERROR_USAGE, EINVAL,
                         "run it inside salloc or sbatch, or name the hosts: --host a,b",
                         "--host slurm", "this is no allocation: SLURM_JOB_NODELIST is not set");
    return host_list_add(l, nodes, err);
}

/* *slurm: whether they are reached through srun. */
static int name_hosts(const struct options *o, struct host_list *l, bool *slurm, struct error *err)
{
    int rc = 0;
    *slurm = o->fleet.hosts && strcmp(o->fleet.hosts, "slurm") == 0;
    if (*slurm)
        rc = add_slurm_nodes(l, err);
    else if (o->fleet.hosts)
        rc = host_list_add(l, o->fleet.hosts, err);
    if (rc == 0 && o->fleet.file)
        rc = host_list_read(l, o->fleet.file, err);
    if (rc == 0 && l->n == 0)
        rc = error_set(err, ERROR_USAGE, EINVAL, "as in: --host node1,node2", "--host",
                       "no host is named");
    return rc;
}

/* What is about this machine says nothing of others. */
static int refuse_local_options(const struct options *o, struct error *err)
{
    const char *local = NULL;
    if (o->argv)
        local = "a command to start";
    else if (o->pids)
        local = "--pid";
    else if (o->cgroup)
        local = "--cgroup";
    else if (o->noperands && !prometheus_address(o))
        local = "a file";
    if (!local)
        return 0;
    return error_set(err, ERROR_USAGE, EINVAL, "on the host itself: ssh -t HOST rooftop ...",
                     "--host", "%s is of one machine only", local);
}

static void fill_fleet(struct app *a, const void *run)
{
    app_set_fleet(a, (struct fleet_run *)run);
}

int fleet_show(struct options *o, const struct fleet_source_of *sources, size_t n)
{
    struct error err = ERROR_INIT;
    struct fleet_run *run;
    const struct fleet_run_config config = {.sources = sources,
                                            .nsources = n,
                                            .interval_s = o->interval_s,
                                            .history = prometheus_history(o)};
    if (fleet_run_start(&run, &config, &err) != 0)
        return exit_report(&err);
    if (!o->view)
        o->view = "fleet"; /* which --run and --filter are about */
    const bool headless = o->headless || o->brief || !isatty(STDOUT_FILENO);
    const int status = headless ? fleet_headless(o, run) : dashboard_show(o, fill_fleet, run);
    fleet_run_end(run);
    return status;
}

/* Opens the source of --host and --hostfile. */
static int open_ssh(const struct options *o, struct fleet_source_of *out, struct error *err)
{
    struct host_list hosts = {.n = 0};
    bool slurm;
    int rc = name_hosts(o, &hosts, &slurm, err);
    if (rc == 0) {
        const struct fleet_ssh_config config = {.hosts = hosts.names,
                                                .n = hosts.n,
                                                .slurm = slurm,
                                                .interval_s = o->interval_s,
                                                .remote = o->fleet.rooftop};
        rc = fleet_ssh_open(out, &config, err);
    }
    host_list_free(&hosts);
    return rc;
}

int fleet_watch(struct options *o)
{
    struct error err = ERROR_INIT;
    struct fleet_source_of sources[1 + PROMETHEUS_SOURCES];
    size_t n = 0;
    int rc = refuse_local_options(o, &err);
    if (rc == 0)
        rc = prometheus_sources(o, sources, &n, &err);
    if (rc == 0 && (o->fleet.hosts || o->fleet.file)) {
        rc = open_ssh(o, &sources[n], &err);
        n += rc == 0;
    }
    if (rc == 0)
        return fleet_show(o, sources, n);
    for (size_t i = 0; i < n; i++)
        sources[i].ops->stop(sources[i].self);
    return exit_report(&err);
}
