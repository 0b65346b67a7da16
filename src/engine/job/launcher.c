#include "engine/job/launcher.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "base/print.h"
#include "engine/job/job.h"

struct launcher {
    const char *name, *mark, *rank, *size, *local, *job, *step, *restart;
};

static const struct launcher launchers[] = {
#define LAUNCHER(...) {__VA_ARGS__},
#include "engine/job/launchers.def"
};

/* The value of the first variable of the list that is set; name receives which. NULL: none is. */
static const char *find_variable(const char *list, char name[64])
{
    while (*list) {
        const size_t n = strcspn(list, " ");
        snprintf(name, 64, "%.*s", (int)n, list);
        const char *value = env_get(name);
        if (value)
            return value;
        list += n + strspn(list + n, " ");
    }
    return NULL;
}

/* Reads the number of a variable of the list; NaN where none is set. */
static int read_launcher_number(double *out, const char *list, struct error *err)
{
    char name[64], *end;
    const char *text = find_variable(list, name);
    *out = NAN;
    if (!text)
        return 0;
    errno = 0;
    const unsigned long v = strtoul(text, &end, 10);
    if (errno == 0 && *text >= '0' && *text <= '9' && !*end && v <= JOB_RANKS_MOST) {
        *out = (double)v;
        return 0;
    }
    return error_set(err, ERROR_USAGE, EINVAL, "unset it, or start the program by its launcher",
                     name, "%.60s is no number from 0 to %d", text, JOB_RANKS_MOST);
}

static void copy_variable(char *out, size_t size, const char *list)
{
    char name[64];
    const char *text = find_variable(list, name);
    print_line(out, size, "%s", text ? text : "");
}

/* mark receives the variable by which it is known. */
static const struct launcher *find_set_launcher(char mark[64])
{
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
        if (find_variable(launchers[i].mark, mark))
            return &launchers[i];
    return NULL;
}

/* What tells this job from others. torchrun calls a job that has no name "none"; mpirun in a Slurm
 * job may say nothing. Then Slurm's job is the name, if there is one. */
static void name_launched_job(struct rank_summary *out, const struct launcher *l)
{
    copy_variable(out->job, sizeof out->job, l->job);
    copy_variable(out->step, sizeof out->step, l->step);
    if (!out->job[0] || strcmp(out->job, "none") == 0)
        copy_variable(out->job, sizeof out->job, "SLURM_JOB_ID");
}

static int read_launcher(struct rank_summary *out, const struct launcher *l, const char *mark,
                         struct error *err)
{
    double rank, restart, requeue;
    int rc = read_launcher_number(&rank, l->rank, err);
    if (rc == 0 && isnan(rank))
        return error_set(err, ERROR_USAGE, EINVAL, "unset it, or start the program by its launcher",
                         mark, "it is set, and %s is not", l->rank);
    if (rc == 0)
        rc = read_launcher_number(&out->ranks, l->size, err);
    if (rc == 0)
        rc = read_launcher_number(&out->local_rank, l->local, err);
    if (rc == 0)
        rc = read_launcher_number(&restart, l->restart, err);
    if (rc == 0)
        rc = read_launcher_number(&requeue, "SLURM_RESTART_COUNT", err);
    if (rc != 0)
        return rc;
    if (out->ranks > 0 && rank >= out->ranks)
        return error_set(err, ERROR_USAGE, ERANGE, "start the program by its launcher", l->rank,
                         "rank %.0f of a job of %.0f ranks", rank, out->ranks);
    out->rank = (uint32_t)rank;
    out->restart = restart > 0 ? (uint32_t)restart : 0;
    out->requeue = requeue > 0 ? (uint32_t)requeue : 0;
    return 0;
}

int launcher_find(struct rank_summary *out, struct error *err)
{
    char mark[64];
    const struct launcher *l = find_set_launcher(mark);
    out->rank = out->restart = out->requeue = 0;
    out->launcher[0] = out->job[0] = out->step[0] = '\0';
    out->ranks = 1;
    out->local_rank = 0;
    if (!l)
        return 0;
    print_line(out->launcher, sizeof out->launcher, "%s", l->name);
    name_launched_job(out, l);
    return read_launcher(out, l, mark, err);
}
