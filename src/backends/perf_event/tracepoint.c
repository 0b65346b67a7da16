
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "backends/common/advice.h"
#include "backends/perf_event/encoding_names.h"
#include "backends/perf_event/pmu_sysfs.h"
#include "base/env.h"
#include "base/error.h"

static const char *const mounts[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
static const char read_help[] = ADVICE_TRACEFS;

static bool is_plain_name(const char *s)
{
    return *s && strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
                     strlen(s);
}

static int refuse_unknown_tracepoint(const char *dir, const char *what, const char *event,
                                     struct error *err)
{
    char help[160];
    struct nearest n;
    nearest_start(&n, event);
    DIR *d = opendir(dir);
    int left = 8192;
    for (struct dirent *e; d && left-- > 0 && (e = readdir(d));)
        if (*e->d_name != '.')
            nearest_offer(&n, e->d_name);
    if (d)
        closedir(d);
    snprintf(help, sizeof help, "did you mean '%s'?", n.best[0]);
    return error_set(err, ERROR_USAGE, ENOENT,
                     nearest_found(&n) ? help : "see `perf list tracepoint`", what,
                     "this kernel has no such tracepoint");
}

/* Finds *id for PERF_TYPE_TRACEPOINT, in both places where tracefs may be mounted. Returns 1 if
 * "system" is no directory of tracefs, so that the name may be of another kind. ERROR_USAGE for an
 * unknown event of a known system, ERROR_PERMISSION if the id may not be read, ERROR_UNSUPPORTED
 * (with the mount command) if tracefs is not mounted. */
static int tracepoint_id(const char *system, const char *event, uint64_t *id, struct error *err)
{
    char path[PATH_MAX], text[32], what[176];
    bool mounted = false, refused = false;
    struct stat st;
    if (!is_plain_name(system) || !is_plain_name(event))
        return NOT_MINE;
    snprintf(what, sizeof what, "tracepoint '%.64s:%.64s'", system, event);
    for (size_t i = 0; i < 2; i++) {
        if (stat(env_path(path, sizeof path, "%s/events", mounts[i]), &st)) {
            refused = refused || errno == EACCES;
            continue;
        }
        mounted = true;
        if (stat(env_path(path, sizeof path, "%s/events/%s", mounts[i], system), &st)) {
            refused = refused || errno == EACCES;
            continue;
        }
        env_path(path, sizeof path, "%s/events/%s/%s/id", mounts[i], system, event);
        int rc = pmu_read_file(path, text, sizeof text);
        char *end;
        unsigned long long v = strtoull(text, &end, 10);
        if (rc == 0 && end != text && !*end) {
            *id = v;
            return 0;
        }
        if (rc == -EACCES || rc == -EPERM)
            return error_set(err, ERROR_PERMISSION, EACCES, read_help, what,
                             "its number in tracefs may be read by root only");
        env_path(path, sizeof path, "%s/events/%s", mounts[i], system);
        return refuse_unknown_tracepoint(path, what, event, err);
    }
    if (refused)
        return error_set(err, ERROR_PERMISSION, EACCES, read_help, what,
                         "tracefs may be read by root only");
    if (mounted)
        return NOT_MINE;
    return error_set(err, ERROR_UNSUPPORTED, ENOENT,
                     "run: sudo mount -t tracefs nodev /sys/kernel/tracing", what,
                     "tracefs is not mounted");
}

int names_tracepoint(const char *name, struct encodings *out, struct error *err)
{
    char system[64];
    const char *colon = strchr(name, ':');
    uint64_t id;
    if (!colon || colon == name || strchr(colon + 1, ':') ||
        (size_t)(colon - name) >= sizeof system)
        return NOT_MINE;
    snprintf(system, sizeof system, "%.*s", (int)(colon - name), name);
    int rc = tracepoint_id(system, colon + 1, &id, err);
    if (rc)
        return rc;
    out->n = 1;
    out->rows[0] = (struct perf_encoding){.type = PERF_TYPE_TRACEPOINT, .config = id, .scale = 1};
    snprintf(out->rows[0].pmu, sizeof out->rows[0].pmu, "tracepoint");
    return 0;
}

/* --- listing --- */

enum { SYSTEMS_MAX = 4096, TRACEPOINTS_MAX = 65536 };

/* Writes the names of the fields that a tracepoint's format file gives: "prev_comm, prev_pid". */
static void read_fields(const char *dir, const char *event, char *out, size_t size)
{
    char path[PATH_MAX], line[512];
    *out = 0;
    if (snprintf(path, sizeof path, "%s/%s/format", dir, event) >= (int)sizeof path)
        return;
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f)) {
        char *semicolon = strchr(line, ';'), *field = strstr(line, "field:");
        if (!semicolon || !field || strstr(line, " common_"))
            continue;
        *semicolon = 0;
        const char *name = strrchr(field, ' ');
        size_t used = strlen(out);
        if (name && used + strlen(name) + 2 < size)
            snprintf(out + used, size - used, "%s%s", used ? ", " : "", name + 1);
    }
    if (f)
        fclose(f);
}

static void list_system(const char *system, const char *dir, int *left, event_sink sink, void *ctx)
{
    char path[PATH_MAX], name[192], fields[512];
    struct stat st;
    DIR *d = opendir(dir);
    for (struct dirent *e; d && *left > 0 && (e = readdir(d));) {
        if (!is_plain_name(e->d_name) ||
            snprintf(path, sizeof path, "%s/%s/id", dir, e->d_name) >= (int)sizeof path ||
            stat(path, &st) != 0)
            continue;
        --*left;
        read_fields(dir, e->d_name, fields, sizeof fields);
        snprintf(name, sizeof name, "%s:%s", system, e->d_name);
        sink(ctx, &(struct event_about){.kind = EVENT_KIND_TRACEPOINT,
                                        .name = name,
                                        .pmu = "tracepoint",
                                        .description = fields,
                                        .modifiers = "u, k"});
    }
    if (d)
        closedir(d);
}

void names_tracepoint_list(event_sink sink, void *ctx)
{
    char path[PATH_MAX], dir[PATH_MAX];
    int left = TRACEPOINTS_MAX, systems = SYSTEMS_MAX;
    for (size_t i = 0; i < 2 && left == TRACEPOINTS_MAX; i++) {
        env_path(path, sizeof path, "%s/events", mounts[i]);
        DIR *d = opendir(path);
        for (struct dirent *e; d && systems-- > 0 && (e = readdir(d));)
            if (is_plain_name(e->d_name) &&
                snprintf(dir, sizeof dir, "%s/%s", path, e->d_name) < (int)sizeof dir)
                list_system(e->d_name, dir, &left, sink, ctx);
        if (d)
            closedir(d);
    }
}
