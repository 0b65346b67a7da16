#include "backends/perf_event/pmu_sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/perf_event/encoding_names.h"
#include "base/env.h"

#define DEVICES "/sys/bus/event_source/devices"
enum { PMUS_MAX = 512, NAMED_MAX = 8192 }; /* limits of directory entries */

int pmu_read_file(const char *path, char *out, size_t size)
{
    *out = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    ssize_t n = read(fd, out, size - 1);
    int rc = n < 0 ? -errno : 0;
    close(fd);
    out[n > 0 ? n : 0] = 0;
    out[strcspn(out, "\n")] = 0;
    return rc;
}

/* Whether a PMU's name does not lead out of its folder. */
static bool is_plain_pmu_name(const char *name)
{
    return *name && *name != '.' && !strchr(name, '/') &&
           strlen(name) < sizeof((struct pmu *)0)->name;
}

static int read_pmu_attribute(const char *pmu, const char *file, char *out, size_t size)
{
    char path[PATH_MAX];
    env_path(path, sizeof path, DEVICES "/%s/%s", pmu, file);
    return pmu_read_file(path, out, size);
}

long pmu_number(const char *pmu, const char *file)
{
    char text[64], *end;
    if (!is_plain_pmu_name(pmu) || read_pmu_attribute(pmu, file, text, sizeof text))
        return -1;
    long v = strtol(text, &end, 0);
    return end != text && v >= 0 ? v : -1;
}

/* Arm's core PMUs and Intel's hybrid ones list their CPUs in "cpus"; "cpu" covers all of them. */
bool pmu_read(struct pmu *out, const char *name)
{
    long type = pmu_number(name, "type");
    *out = (struct pmu){0};
    if (type < 0)
        return false;
    snprintf(out->name, sizeof out->name, "%s", name);
    out->type = (uint32_t)type;
    out->core = strcmp(name, "cpu") == 0;
    if (read_pmu_attribute(name, "cpus", out->cpus, sizeof out->cpus) == 0) {
        out->core = strncmp(name, "arm_dsu", 7) != 0 && strncmp(name, "arm_spe", 7) != 0;
        out->uncore = !out->core;
    } else if (read_pmu_attribute(name, "cpumask", out->cpus, sizeof out->cpus) == 0) {
        out->uncore = true;
    }
    return true;
}

static int by_pmu_name(const void *a, const void *b)
{
    return strverscmp(((const struct pmu *)a)->name, ((const struct pmu *)b)->name);
}

/* Calls fn for each PMU directory until it returns false. */
static void each_pmu(bool (*fn)(void *ctx, const char *name), void *ctx)
{
    char path[PATH_MAX];
    DIR *dir = opendir(env_path(path, sizeof path, DEVICES));
    int left = PMUS_MAX;
    for (struct dirent *e; dir && left-- > 0 && (e = readdir(dir));)
        if (is_plain_pmu_name(e->d_name) && !fn(ctx, e->d_name))
            break;
    if (dir)
        closedir(dir);
}

static bool offer_pmu_name(void *ctx, const char *name)
{
    nearest_offer(ctx, name);
    return true;
}

void pmu_offer_names(struct nearest *n)
{
    each_pmu(offer_pmu_name, n);
}

/* --- events in the folders of PMUs --- */

struct pmu_listing {
    event_sink sink;
    void *ctx;
};

/* Lists the events of a PMU, without the files NAME.scale, NAME.unit, NAME.per-pkg, NAME.snapshot.
 */
static bool list_named(void *ctx, const char *pmu)
{
    const struct pmu_listing *l = ctx;
    char path[PATH_MAX], name[160], unit[32], file[96], terms[256], text[384];
    struct pmu p;
    if (!pmu_read(&p, pmu))
        return true;
    DIR *dir = opendir(env_path(path, sizeof path, DEVICES "/%s/events", pmu));
    int left = NAMED_MAX;
    for (struct dirent *e; dir && left-- > 0 && (e = readdir(dir));) {
        if (*e->d_name == '.' || strchr(e->d_name, '.') || strlen(e->d_name) > 64)
            continue;
        snprintf(file, sizeof file, "events/%s", e->d_name);
        if (read_pmu_attribute(pmu, file, terms, sizeof terms) != 0)
            continue;
        snprintf(file, sizeof file, "events/%s.unit", e->d_name);
        bool measured = read_pmu_attribute(pmu, file, unit, sizeof unit) == 0;
        snprintf(name, sizeof name, "%s/%s/", pmu, e->d_name);
        snprintf(text, sizeof text, "%s%s%s", terms, measured ? ", in " : "", measured ? unit : "");
        l->sink(l->ctx, &(struct event_about){.kind = EVENT_KIND_PMU,
                                              .name = name,
                                              .pmu = pmu,
                                              .description = text,
                                              .modifiers = p.uncore ? "" : "u, k, h"});
    }
    if (dir)
        closedir(dir);
    return true;
}

void names_pmu_list(event_sink sink, void *ctx)
{
    each_pmu(list_named, &(struct pmu_listing){sink, ctx});
}

struct pmus_found {
    struct pmu *rows;
    size_t n, max;
    const char *word; /* NULL: core PMUs */
};

static bool take_core(void *ctx, const char *name)
{
    struct pmus_found *f = ctx;
    bool maybe = strncmp(name, "cpu", 3) == 0 || strncmp(name, "arm", 3) == 0 ||
                 strncmp(name, "apple", 5) == 0;
    if (maybe && pmu_read(&f->rows[f->n], name) && f->rows[f->n].core)
        f->n++;
    return f->n < f->max;
}

static bool take_family(void *ctx, const char *name)
{
    struct pmus_found *f = ctx;
    size_t len = strlen(f->word);
    const char *tail = name + len;
    if (strncmp(name, f->word, len) != 0)
        return true;
    tail += *tail == '_';
    if (tail[strspn(tail, "0123456789")] == 0 && pmu_read(&f->rows[f->n], name))
        f->n++;
    return f->n < f->max;
}

size_t pmu_cores(struct pmu out[CORE_PMUS_MAX])
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct pmu cache[CORE_PMUS_MAX];
    static size_t ncache;
    static char cached_root[PATH_MAX];
    static bool valid;
    char root[PATH_MAX];
    env_path(root, sizeof root, DEVICES);
    pthread_mutex_lock(&lock);
    if (!valid || strcmp(root, cached_root) != 0) {
        struct pmus_found f = {.rows = cache, .max = CORE_PMUS_MAX};
        each_pmu(take_core, &f);
        qsort(cache, f.n, sizeof *cache, by_pmu_name);
        ncache = f.n;
        snprintf(cached_root, sizeof cached_root, "%s", root);
        valid = true;
    }
    memcpy(out, cache, ncache * sizeof *out);
    size_t n = ncache;
    pthread_mutex_unlock(&lock);
    return n;
}

size_t pmu_family(const char *word, struct pmu *out, size_t max)
{
    if (!is_plain_pmu_name(word) || !max)
        return 0;
    if (pmu_read(&out[0], word))
        return 1;
    if (strcmp(word, "cpu") == 0) {
        struct pmu cores[CORE_PMUS_MAX];
        size_t n = pmu_cores(cores);
        n = n < max ? n : max;
        memcpy(out, cores, n * sizeof *out);
        return n;
    }
    struct pmus_found f = {.rows = out, .max = max, .word = word};
    each_pmu(take_family, &f);
    qsort(out, f.n, sizeof *out, by_pmu_name);
    return f.n;
}

/* Source: Arm ARM DDI 0487: common architectural and microarchitectural events, and their extended
 * range. */
static bool arm_common_event(uint64_t event)
{
    return event < 0x40 || (event >= 0x4000 && event < 0x4040);
}

int pmu_lists_event(const struct pmu *pmu, uint64_t event)
{
    char path[PATH_MAX], text[128];
    if (strncmp(pmu->name, "arm", 3) != 0 || !arm_common_event(event))
        return -1;
    DIR *dir = opendir(env_path(path, sizeof path, DEVICES "/%s/events", pmu->name));
    int left = PMUS_MAX, listed = -1;
    for (struct dirent *e; dir && listed < 1 && left-- > 0 && (e = readdir(dir));) {
        env_path(path, sizeof path, DEVICES "/%s/events/%s", pmu->name, e->d_name);
        if (!is_plain_pmu_name(e->d_name) || pmu_read_file(path, text, sizeof text) != 0 ||
            strncmp(text, "event=", 6) != 0)
            continue;
        listed = strtoull(text + 6, NULL, 0) == event;
    }
    if (dir)
        closedir(dir);
    return listed;
}
