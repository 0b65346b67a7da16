#include "engine/job/collectives_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "engine/job/rank_summary.h"

/* Reads n bytes, or as many as there are; what is missing becomes 0, as in a hole. */
static void read_file_part(int fd, void *to, size_t n, size_t at)
{
    char *out = to;
    while (n) {
        const ssize_t got = pread(fd, out, n, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        out += got;
        at += (size_t)got;
        n -= (size_t)got;
    }
    memset(out, 0, n);
}

static int compare_group_serials(const void *a, const void *b)
{
    const uint64_t x = ((const struct collectives_group *)a)->serial,
                   y = ((const struct collectives_group *)b)->serial;
    return (x > y) - (x < y);
}

/* Those that live, the newest `most` of them, in the order in which they were made. */
static void read_file_groups(struct collectives_file *f, int fd, uint32_t most)
{
    const uint64_t made = f->header.groups;
    const size_t n = made < COLLECTIVES_GROUPS ? made : COLLECTIVES_GROUPS;
    struct collectives_group *all = xcalloc(n + 1, sizeof *all);
    read_file_part(fd, all, n * sizeof *all, offsetof(struct collectives, groups));
    for (size_t i = 0; i < n; i++) {
        all[i].name[sizeof all[i].name - 1] = '\0';
        if (all[i].serial && !all[i].ended)
            all[f->ngroups++] = all[i];
    }
    qsort(all, f->ngroups, sizeof *all, compare_group_serials);
    if (f->ngroups > most) {
        memmove(all, all + f->ngroups - most, most * sizeof *all);
        f->ngroups = most;
    }
    f->groups = xrealloc(all, f->ngroups + (size_t)1, sizeof *all);
}

/* Whether the slot has the call with this serial. Its times are made to follow each other. */
static bool check_file_call(struct collectives_call *c, uint64_t serial)
{
    if (c->serial != serial || c->number == 0 || c->called == 0)
        return false;
    c->op[sizeof c->op - 1] = c->type[sizeof c->type - 1] = '\0';
    if (c->begun < c->called)
        c->begun = 0;
    if (c->begun == 0 || c->ended < c->begun)
        c->ended = 0;
    if (c->first == 0 || c->last < c->first)
        c->first = c->last = 0;
    return true;
}

static void read_file_calls(struct collectives_file *f, int fd, uint32_t most)
{
    const uint64_t last = f->header.calls;
    uint64_t n = most < COLLECTIVES_CALLS ? most : COLLECTIVES_CALLS;
    n = last < n ? last : n;
    struct collectives_call *all = xcalloc(n + 1, sizeof *all);
    const size_t from = (size_t)((last - n) % COLLECTIVES_CALLS), rest = COLLECTIVES_CALLS - from;
    const size_t first = n < rest ? n : rest;
    const size_t at = offsetof(struct collectives, calls);
    read_file_part(fd, all, first * sizeof *all, at + from * sizeof *all);
    read_file_part(fd, all + first, (n - first) * sizeof *all, at);
    for (uint64_t i = 0; i < n; i++)
        if (check_file_call(&all[i], last - n + i + 1))
            all[f->ncalls++] = all[i];
    f->calls = all;
}

int collectives_file_take(struct collectives_file *out, int fd, uint32_t most, const char *path,
                          struct error *err)
{
    *out = (struct collectives_file){.ngroups = 0};
    read_file_part(fd, &out->header, sizeof out->header, 0);
    if (out->header.magic != COLLECTIVES_MAGIC || out->header.version != COLLECTIVES_VERSION)
        return error_set(err, ERROR_INPUT, EINVAL, "read it with the rooftop that recorded it",
                         path,
                         "its " RANK_COLLECTIVES " is of another version of rooftop, or damaged");
    read_file_groups(out, fd, most);
    read_file_calls(out, fd, most);
    return 0;
}

int collectives_file_read(struct collectives_file *out, int folder, uint32_t owner, uint32_t most,
                          const char *path, struct error *err)
{
    struct stat st;
    const int fd =
        openat(folder, RANK_COLLECTIVES, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    *out = (struct collectives_file){.ngroups = 0};
    if (fd < 0)
        return error_set(err, ERROR_INPUT, errno, NULL, path, "%s", strerror(errno));
    int rc = fstat(fd, &st) == 0 ? 0 : errno;
    if (rc == 0 && (!S_ISREG(st.st_mode) || st.st_uid != owner))
        rc = EPERM;
    if (rc != 0)
        rc = error_set(err, ERROR_INPUT, rc, NULL, path,
                       "its " RANK_COLLECTIVES " is no file of the job's owner");
    else
        rc = collectives_file_take(out, fd, most, path, err);
    close(fd);
    return rc;
}

void collectives_file_free(struct collectives_file *f)
{
    free(f->groups);
    free(f->calls);
    *f = (struct collectives_file){.ngroups = 0};
}
