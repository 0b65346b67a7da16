#include "engine/job/job.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/list.h"
#include "base/memory.h"
#include "engine/job/job_impl.h"
#include "engine/kernels/kernel_parts.h"
#include "engine/trace/trace_align.h"

/* --- a profile --- */

static const struct trace_clock *find_rank_clock(const struct trace *t)
{
    return t->nfiles ? &t->files[0].clock : NULL;
}

/* The time of day of the first and the last work of a device; of several files, the time that all
 * of them have in common, which may end before it begins. */
static void add_times_of_file(struct job_rank *r, const struct graph *g, const struct trace_file *f)
{
    uint64_t from = UINT64_MAX, to = 0;
    if (f->clock.unix_ns == GRAPH_UNKNOWN)
        return;
    for (uint32_t v = f->from; v < f->to; v++) {
        if (!kernel_is_timed(g, v))
            continue;
        from = g->start[v] < from ? g->start[v] : from;
        to = g->start[v] + g->duration[v] > to ? g->start[v] + g->duration[v] : to;
    }
    if (to <= from)
        return;
    const uint64_t zero = f->clock.unix_ns - (uint64_t)f->offset_ns;
    if (r->from == GRAPH_UNKNOWN || zero + from > r->from)
        r->from = zero + from;
    if (r->to == GRAPH_UNKNOWN || zero + to < r->to)
        r->to = zero + to;
}

static void find_times_of_profile(struct job_rank *r, const struct trace *t)
{
    r->from = r->to = GRAPH_UNKNOWN;
    for (uint32_t i = 0; i < t->nfiles; i++)
        add_times_of_file(r, t->calls, &t->files[i]);
}

/* rank: what the profile calls it, where it has several. */
static void name_rank(struct job_rank *r, const struct trace *t, const char *path, const char *rank)
{
    const struct trace_clock *clock = find_rank_clock(t);
    const char *slash = strrchr(path, '/');
    r->path = xstrdup(path);
    r->number = clock && clock->rank != GRAPH_NONE && !rank ? clock->rank : TRACE_UNKNOWN;
    r->world = clock ? clock->ranks : 0;
    if (clock && clock->host != GRAPH_NONE)
        snprintf(r->host, sizeof r->host, "%s", graph_text(t->calls, clock->host));
    if (rank)
        snprintf(r->name, sizeof r->name, "%s", rank);
    else if (r->number != TRACE_UNKNOWN)
        snprintf(r->name, sizeof r->name, "rank %" PRIu32, r->number);
    else
        snprintf(r->name, sizeof r->name, "%s", slash && slash[1] ? slash + 1 : path);
}

/* Turns the sums over a rank's devices into means. */
static void make_means(struct job_rank *r)
{
    struct device_use *u = &r->use;
    uint64_t *const times[] = {&u->wall,          &u->busy,   &u->kernels,   &u->compute,
                               &u->communication, &u->both,   &u->copying,   &u->outside,
                               &u->idle,          &u->late,   &u->launching, &u->waiting,
                               &u->unknown,       &u->drained};
    for (size_t i = 0; r->devices > 1 && i < sizeof times / sizeof *times; i++)
        *times[i] /= r->devices;
}

/* Adds the rank whose rows begin at from. profile: its path and its times. Returns the first row of
 * the next one. */
static uint32_t add_rank_of_rows(struct job *j, const struct trace *t, const struct device_uses *u,
                                 uint32_t from, const struct job_rank *profile)
{
    struct job_rank r = *profile;
    const uint32_t to = u->n ? device_uses_next_rank(u, from) : 1;
    r.use = device_uses_sum(u, u->n ? from : 0, u->n ? to : 0, &r.devices);
    r.devices = r.devices ? r.devices : 1;
    name_rank(&r, t, profile->path, u->nranks > 1 ? u->rows[from].rank : NULL);
    make_means(&r);
    LIST_ADD(j->ranks, j->n, j->priv->ranks_room, r);
    return to;
}

/* The calls of all ranks are kept until the end; collective_calls_join needs as much again. */
static int check_room_for_calls(const struct job *j, uint32_t more, const char *path,
                                struct error *err)
{
    const uint64_t n = j->priv->ncalls + (uint64_t)more;
    if (n <= memory_limit() / (2 * sizeof *j->priv->calls))
        return 0;
    return error_set(
        err, ERROR_INPUT, ENOMEM, "name fewer files, or allow more: --max-memory SIZE", path,
        "with it, the ranks have %" PRIu64 " collectives, which take more memory than the limit",
        n);
}

int job_add(struct job *j, const struct trace *t, const char *path, struct error *err)
{
    struct device_uses uses;
    device_uses_find_ranks(&uses, t);
    if (uses.nranks > JOB_RANKS_MOST - j->n) {
        device_uses_free(&uses);
        return error_set(err, ERROR_INPUT, E2BIG, "name fewer files", path,
                         "a job can have at most %d ranks", JOB_RANKS_MOST);
    }
    if (!j->priv)
        j->priv = xcalloc(1, sizeof *j->priv);
    const int rc = check_room_for_calls(j, uses.ncollectives, path, err);
    if (rc != 0) {
        device_uses_free(&uses);
        return rc;
    }
    uint32_t *ranks = xcalloc(uses.n + (size_t)1, sizeof *ranks);
    struct job_rank profile = {.path = (char *)path};
    find_times_of_profile(&profile, t);
    for (uint32_t i = 0, next; i < uses.n || i == 0; i = next) {
        next = add_rank_of_rows(j, t, &uses, i, &profile);
        for (uint32_t k = i; k < next; k++)
            ranks[k] = j->n - 1;
    }
    job_add_calls(j, t, &uses, ranks);
    if (t->nmpi)
        job_add_mpi(j, t);
    free(ranks);
    device_uses_free(&uses);
    return 0;
}

/* --- the job --- */

/* A rank, and when it was added. */
struct added_rank {
    struct job_rank rank;
    uint32_t was;
};

static int compare_added_ranks(const void *x, const void *y)
{
    const struct added_rank *a = x, *b = y;
    if (a->rank.number != b->rank.number)
        return a->rank.number < b->rank.number ? -1 : 1;
    const int c = strcmp(a->rank.path, b->rank.path);
    if (c != 0)
        return c;
    return (a->was > b->was) - (a->was < b->was);
}

/* Sorts the ranks. Returns the new index of each; the caller frees the list. */
static uint32_t *sort_ranks(struct job *j)
{
    struct added_rank *list = xcalloc(j->n + (size_t)1, sizeof *list);
    uint32_t *place = xcalloc(j->n + (size_t)1, sizeof *place);
    for (uint32_t i = 0; i < j->n; i++)
        list[i] = (struct added_rank){j->ranks[i], i};
    if (j->n)
        qsort(list, j->n, sizeof *list, compare_added_ranks);
    for (uint32_t i = 0; i < j->n; i++) {
        j->ranks[i] = list[i].rank;
        place[list[i].was] = i;
    }
    free(list);
    return place;
}

/* Two profiles of one rank are two runs of it: a restart, or two jobs in one folder. */
static int refuse_same_rank(const struct job_rank *a, const struct job_rank *b, struct error *err)
{
    if (strcmp(a->path, b->path) == 0)
        return error_set(err, ERROR_USAGE, EEXIST, NULL, a->path, "it is named twice");
    return error_set(err, ERROR_INPUT, EEXIST, "name only the files of one run", a->path,
                     "it is of rank %" PRIu32 ", as %s: a restart, or two jobs in one folder",
                     a->number, b->path);
}

/* Whether the ranks can be of one job. first: one that knows how many ranks that has, or NULL. */
static int check_rank(const struct job_rank *r, const struct job_rank *first, struct error *err)
{
    if (r->world && r->number != TRACE_UNKNOWN && r->number >= r->world)
        return error_set(err, ERROR_INPUT, ERANGE, "profile again", r->path,
                         "it is of rank %" PRIu32 ", and its job has %" PRIu32 " ranks", r->number,
                         r->world);
    if (first && r->world && r->world != first->world)
        return error_set(err, ERROR_INPUT, EEXIST, "name only the files of one job", r->path,
                         "its job has %" PRIu32 " ranks, that of %s %" PRIu32, r->world,
                         first->path, first->world);
    return 0;
}

static int check_ranks(const struct job *j, struct error *err)
{
    const struct job_rank *first = NULL;
    for (uint32_t i = 0; i < j->n; i++) {
        const struct job_rank *r = &j->ranks[i];
        const int rc = check_rank(r, first, err);
        if (rc != 0)
            return rc;
        if (i && r->number != TRACE_UNKNOWN && r->number == r[-1].number)
            return refuse_same_rank(r, r - 1, err);
        if (!first && r->world)
            first = r;
    }
    return 0;
}

static int compare_rank_numbers(const void *x, const void *y)
{
    const uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return (a > b) - (a < b);
}

/* If no file says its rank, takes the ranks from the names, if each has a different one. */
static void guess_numbers(struct job *j)
{
    uint32_t *numbers = xcalloc(j->n + (size_t)1, sizeof *numbers);
    bool good = true;
    for (uint32_t i = 0; i < j->n && good; i++) {
        numbers[i] = trace_rank_in_name(j->ranks[i].path);
        good = j->ranks[i].number == TRACE_UNKNOWN && numbers[i] != GRAPH_NONE;
    }
    if (good && j->n)
        qsort(numbers, j->n, sizeof *numbers, compare_rank_numbers);
    for (uint32_t i = 1; i < j->n && good; i++)
        good = numbers[i] != numbers[i - 1];
    for (uint32_t i = 0; i < j->n && good; i++) {
        struct job_rank *r = &j->ranks[i];
        r->number = trace_rank_in_name(r->path);
        snprintf(r->name, sizeof r->name, "rank %" PRIu32, r->number);
    }
    free(numbers);
}

static void count_missing(struct job *j)
{
    uint32_t world = 0;
    for (uint32_t i = 0; i < j->n; i++) {
        const struct job_rank *r = &j->ranks[i];
        world = r->world > world ? r->world : world;
        if (r->number != TRACE_UNKNOWN && r->number + 1 > world && r->number < JOB_RANKS_MOST)
            world = r->number + 1;
    }
    j->missing = world > j->n ? world - j->n : j->left_out;
}

static void find_efficiency(struct job *j)
{
    double sum = 0, most = 0;
    for (uint32_t i = 0; i < j->n; i++) {
        const struct device_use *u = &j->ranks[i].use;
        sum += (double)u->compute;
        most = (double)u->compute > most ? (double)u->compute : most;
        j->wall = u->wall > j->wall ? u->wall : j->wall;
    }
    j->balance = j->communication = j->efficiency = NAN;
    if (most <= 0 || j->wall == 0)
        return;
    j->balance = sum / j->n / most;
    j->communication = most / (double)j->wall;
    j->efficiency = sum / j->n / (double)j->wall;
}

/* Whether all profiles whose times of day are known have a moment in common. */
static bool are_of_one_time(const struct job *j)
{
    uint64_t from = 0, to = UINT64_MAX;
    for (uint32_t i = 0; i < j->n; i++) {
        const struct job_rank *r = &j->ranks[i];
        if (r->from == GRAPH_UNKNOWN)
            continue;
        from = r->from > from ? r->from : from;
        to = r->to < to ? r->to : to;
    }
    return from <= to;
}

int job_finish(struct job *j, struct error *err)
{
    guess_numbers(j);
    uint32_t *place = sort_ranks(j);
    const int rc = check_ranks(j, err);
    j->straggler.rank = TRACE_UNKNOWN;
    if (rc == 0) {
        count_missing(j);
        find_efficiency(j);
        if (j->n < 2)
            j->why_not = "there is only one rank";
        else if (!are_of_one_time(j))
            j->why_not = "the profiles are of different times: no moment is in all of them";
        else if (j->mpi)
            job_match_mpi(j, place);
        else
            job_match(j, place);
        job_judge(j, place);
    }
    free(place);
    return rc;
}

bool job_of_profile(struct job *j, const struct trace *t)
{
    struct error ignored = ERROR_INIT; /* `rooftop report ranks` tells it */
    if (t->nmpi || job_add(j, t, "", &ignored) != 0 || j->n < 2)
        return false;
    return job_finish(j, &ignored) == 0 && !j->why_not;
}

void job_free(struct job *j)
{
    for (uint32_t i = 0; i < j->n; i++)
        free(j->ranks[i].path);
    for (uint32_t i = 0; i < j->ngroups; i++) {
        free(j->groups[i].group);
        free(j->groups[i].sizes);
    }
    free(j->ranks);
    free(j->groups);
    if (j->mpi)
        mpi_free(j->mpi);
    free(j->mpi);
    if (j->priv) {
        free(j->priv->mpi_ranks);
        hash_table_free(&j->priv->by_name);
        free(j->priv->calls);
        free(j->priv);
    }
    *j = (struct job){.n = 0};
}
