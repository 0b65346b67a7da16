#include "cli/fleet/fleet.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/fleet/fleet_ssh.h"
#include "base/env.h"
#include "base/self.h"
#include "cli/fleet/fleet_impl.h"
#include "cli/fleet/fleet_prometheus.h"
#include "cli/options/exit.h"
#include "cli/run/dashboard.h"
#include "engine/fleet/host_list.h"

bool fleet_asked(const struct options *o)
{
    return o->fleet.hosts || o->fleet.file || o->fleet.scrape || prometheus_address(o);
}

/* The nodes of our allocation; Slurm's older variable is the same. NULL: this is none. */
static const char *find_slurm_nodes(void)
{
    const char *nodes = env_get("SLURM_JOB_NODELIST");
    return nodes ? nodes : env_get("SLURM_NODELIST");
}

static int add_slurm_nodes(struct host_list *l, struct error *err)
{
    const char *nodes = find_slurm_nodes();
    if (!nodes)
        return error_set(err, ERROR_USAGE, EINVAL,
                         "run it inside salloc or sbatch, or name the hosts: --host a,b",
                         "--host slurm", "this is no allocation: SLURM_JOB_NODELIST is not set");
    return host_list_add(l, nodes, err);
}

/* The nodes of a cluster share their folders, so this program is there by the same path. */
static const char *find_own_path(char path[PATH_MAX])
{
    return realpath(self_program(), path) ? path : NULL;
}

static int open_hosts(const struct options *o, const struct host_list *hosts, bool slurm,
                      struct fleet_source_of *out, struct error *err)
{
    char own[PATH_MAX];
    struct fleet_ssh_config config = {.hosts = hosts->names,
                                      .n = hosts->n,
                                      .slurm = slurm,
                                      .interval_s = o->interval_s,
                                      .remote = o->fleet.rooftop};
    if (slurm && !config.remote)
        config.remote = find_own_path(own);
    return fleet_ssh_open(out, &config, err);
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
    struct options screen = *o;
    screen.noperands = 0; /* "prom:URL" is no file to open */
    const int status = headless ? fleet_headless(o, run) : dashboard_show(&screen, fill_fleet, run);
    fleet_run_end(run);
    return status;
}

/* Opens the source of --host and --hostfile. */
static int open_ssh(const struct options *o, struct fleet_source_of *out, struct error *err)
{
    struct host_list hosts = {.n = 0};
    bool slurm;
    int rc = name_hosts(o, &hosts, &slurm, err);
    if (rc == 0)
        rc = open_hosts(o, &hosts, slurm, out, err);
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

/* --- the allocation around us --- */

struct fleet_offer {
    struct fleet_run *run; /* NULL: there is none, or err says why */
    size_t hosts;
    struct error err;
};

/* Opens the hosts of an allocation of several nodes; none is asked before the user looks at them.
 */
static void open_allocation(const struct options *o, struct fleet_offer *out)
{
    struct host_list hosts = {.n = 0};
    struct fleet_source_of source;
    int rc = add_slurm_nodes(&hosts, &out->err);
    out->hosts = hosts.n;
    if (rc == 0 && hosts.n > 1)
        rc = open_hosts(o, &hosts, true, &source, &out->err);
    if (rc == 0 && hosts.n > 1) {
        const struct fleet_run_config config = {
            .sources = &source, .nsources = 1, .interval_s = o->interval_s, .waits = true};
        fleet_run_start(&out->run, &config, &out->err);
    }
    host_list_free(&hosts);
}

static void offer_allocation(struct app *a, const void *made)
{
    const struct fleet_offer *offer = made;
    char text[512];
    if (!offer->run) {
        app_message(a, true, error_format(&offer->err, text, sizeof text));
        return;
    }
    app_offer_fleet(a, offer->run);
    snprintf(text, sizeof text, "this Slurm allocation has %zu hosts: M shows them all",
             offer->hosts);
    app_message(a, false, text);
}

int fleet_offer(struct options *o)
{
    struct fleet_offer offer = {.err = ERROR_INIT};
    if (!o->noperands && find_slurm_nodes())
        open_allocation(o, &offer);
    if (!offer.run && offer.err.kind == ERROR_NONE)
        return dashboard_run(o);
    const int status = dashboard_show(o, offer_allocation, &offer);
    fleet_run_end(offer.run);
    return status;
}
