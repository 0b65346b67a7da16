#include "backends/rocprof_compute/rocprof_compute_impl.h"

#include <dirent.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "backends/rocprof_csv/csv.h"
#include "base/arena.h"
#include "engine/trace/trace.h"

#define SYSTEM "sysinfo.csv"
#define ROOFS  "roofline.csv"

/* Kinds of files: joined by the tool; one for each pass; passes of levels; only times. The first
 * kind that exists is the base for the others. */
static const char *const kinds[] = {"pmc_perf.csv", "pmc_perf_*.csv", "results_pmc_perf_*.csv",
                                    "SQ_*.csv", "timestamps.csv"};
enum { KINDS = sizeof kinds / sizeof *kinds, JOINED = 0, PASSES = 2 };

static bool is_compute_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static char *join_compute_path(const char *folder, const char *name)
{
    size_t n = strlen(folder) + strlen(name) + 2;
    char *out = xcalloc(1, n);
    snprintf(out, n, "%s/%s", folder, name);
    return out;
}

/* Whether a name says that gzip has packed the file: "pmc_perf.csv.gz". */
static bool is_packed(const char *name)
{
    size_t n = strlen(name);
    return n > 3 && strcmp(name + n - 3, ".gz") == 0;
}

/* Whether the file also exists unpacked, which is then preferred. */
static bool lies_unpacked_too(const char *folder, const char *name)
{
    char *path = join_compute_path(folder, name);
    path[strlen(path) - 3] = '\0';
    bool there = is_compute_file(path);
    free(path);
    return there;
}

static bool is_compute_file_kind(const char *kind, const char *name)
{
    char bare[256];
    snprintf(bare, sizeof bare, "%.*s", (int)(strlen(name) - (is_packed(name) ? 3 : 0)), name);
    return fnmatch(kind, bare, 0) == 0;
}

/* Finds a file by name, packed or not; NULL: none. The caller frees the path. */
static char *find_one(const char *folder, const char *name)
{
    char packed[64];
    snprintf(packed, sizeof packed, "%s.gz", name);
    for (int i = 0; i < 2; i++) {
        char *path = join_compute_path(folder, i ? packed : name);
        if (is_compute_file(path))
            return path;
        free(path);
    }
    return NULL;
}

void compute_files_find(struct compute_files *out, const char *folder)
{
    struct dirent **names = NULL;
    int n = scandir(folder, &names, NULL, versionsort);
    *out = (struct compute_files){.n = 0};
    for (int k = 0; k < KINDS; k++)
        for (int i = 0; i < n && out->n < COMPUTE_FILES_MAX; i++) {
            bool told = k > JOINED && k <= PASSES && out->n && strstr(out->paths[0], kinds[JOINED]);
            const char *name = names[i]->d_name;
            if (told || !is_compute_file_kind(kinds[k], name) ||
                (is_packed(name) && lies_unpacked_too(folder, name)))
                continue;
            char *path = join_compute_path(folder, name);
            if (is_compute_file(path))
                out->paths[out->n++] = path;
            else
                free(path);
        }
    for (int i = 0; i < n; i++)
        free(names[i]);
    free(names);
    out->roofs = find_one(folder, ROOFS);
}

void compute_files_free(struct compute_files *f)
{
    for (uint32_t i = 0; i < f->n; i++)
        free(f->paths[i]);
    free(f->roofs);
    *f = (struct compute_files){.n = 0};
}

bool compute_folder_is(const char *path)
{
    struct compute_files files;
    char *system = find_one(path, SYSTEM);
    bool there = system != NULL;
    free(system);
    if (!there)
        return false;
    compute_files_find(&files, path);
    there = files.n > 0;
    compute_files_free(&files);
    return there;
}

/* --- the machine --- */

static uint32_t parse_system_number(const char *text)
{
    char *end;
    double v = strtod(text, &end);
    return end != text && !*end && v > 0 && v < TRACE_UNKNOWN && v == floor(v) ? (uint32_t)v
                                                                               : TRACE_UNKNOWN;
}

static void put_property(struct compute_system *s, const char *column, const char *value)
{
    const struct {
        const char *column;
        char *text;
        size_t size;
        uint32_t *number;
    } known[] = {
        {"gpu_arch", s->arch, sizeof s->arch, NULL},
        {"gpu_soc", s->arch, sizeof s->arch, NULL},
        {"gpu_model", s->model, sizeof s->model, NULL},
        {"name", s->model, sizeof s->model, NULL},
        {"hostname", s->host, sizeof s->host, NULL},
        {"host_name", s->host, sizeof s->host, NULL},
        {"command", s->command, sizeof s->command, NULL},
        {"cu_per_gpu", NULL, 0, &s->units},
        {"numCU", NULL, 0, &s->units},
        {"max_sclk", NULL, 0, &s->clock_mhz},
        {"sclk", NULL, 0, &s->clock_mhz},
        {"total_l2_chan", NULL, 0, &s->channels},
        {"totalL2Banks", NULL, 0, &s->channels},
    };
    if (!*value || strcasecmp(value, "NA") == 0 || strcasecmp(value, "N/A") == 0)
        return;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].column, column) == 0 && known[i].number)
            *known[i].number = parse_system_number(value);
        else if (strcmp(known[i].column, column) == 0 && !*known[i].text)
            snprintf(known[i].text, known[i].size, "%s", value);
}

static int read_system(struct compute_system *s, struct csv *c)
{
    uint32_t n;
    int rc = csv_next(c);
    char **names = xcalloc(c->nfields + (size_t)1, sizeof *names);
    for (n = 0; rc == 1 && n < c->nfields; n++)
        names[n] = xstrdup(csv_field(c, n));
    if (rc == 1)
        rc = csv_next(c);
    for (uint32_t i = 0; rc == 1 && i < n && i < c->nfields; i++)
        put_property(s, names[i], csv_field(c, i));
    for (uint32_t i = 0; i < n; i++)
        free(names[i]);
    free(names);
    return rc < 0 ? rc : 0;
}

int compute_system_read(struct compute_system *out, const char *folder, struct error *err)
{
    struct csv c;
    char *path = find_one(folder, SYSTEM);
    *out = (struct compute_system){
        .units = TRACE_UNKNOWN, .clock_mhz = TRACE_UNKNOWN, .channels = TRACE_UNKNOWN};
    int rc = 0;
    if (path) {
        rc = csv_open(&c, path, NULL, err);
        if (rc == 0)
            rc = read_system(out, &c);
        csv_close(&c);
    }
    free(path);
    return rc;
}
