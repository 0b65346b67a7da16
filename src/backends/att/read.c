/*
 * Reads one dispatch: passes each file to its parser. A missing file is noted, a damaged one is an
 * error.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "backends/att/att_impl.h"
#include "base/search.h"
#include "base/watch.h"

/* Limits in bytes: of a file, of a wave's file, and of all wave files, which take about twice that
 * in memory. */
#define FILE_MOST  (UINT64_C(512) << 20)
#define WAVE_MOST  (UINT64_C(64) << 20)
#define WAVES_MOST (UINT64_C(128) << 20)
enum { WAVES_READ_MAX = 8192 };

struct att_reading {
    struct att *a;
    const struct att_place *p;
    struct att_names names; /* files in the folder */
    struct att_kept *kept;
    uint32_t nkept;
    struct error *err;
};

static bool has_listed_file(const struct att_reading *r, const char *name)
{
    uint32_t at = 0;
    SEARCH_FIRST(at, r->names.n, strcmp(r->names.list[at], name) < 0);
    return at < r->names.n && strcmp(r->names.list[at], name) == 0;
}

/* --- a file --- */

struct opened {
    struct att_text text;
    struct json json;
};

static int open_json(struct att_reading *r, struct opened *o, const char *name, uint64_t most)
{
    *o = (struct opened){.text = {0}};
    int rc = att_text_read(&o->text, r->p->dir, name, most, r->err);
    if (rc == 0) {
        json_open(&o->json, o->text.path, o->text.text, o->text.size, r->err);
        o->json.help = "take the file away to read the others without it";
    }
    return rc;
}

static void close_json(struct opened *o)
{
    json_close(&o->json);
    att_text_free(&o->text);
}

/* --- files that exist once --- */

static int parse_snapshots(struct att_reading *r, struct json *j)
{
    return att_parse_snapshots(r->a, j, &r->kept, &r->nkept);
}
static int parse_code(struct att_reading *r, struct json *j)
{
    return att_parse_code(r->a, j);
}
static int parse_filenames(struct att_reading *r, struct json *j)
{
    return att_parse_filenames(r->a, j);
}
static int parse_occupancy(struct att_reading *r, struct json *j)
{
    return att_parse_occupancy(r->a, j);
}
static int parse_clocks(struct att_reading *r, struct json *j)
{
    return att_parse_clocks(r->a, j);
}

static const struct {
    const char *name;
    int (*parse)(struct att_reading *r, struct json *j);
    const char *without; /* what is unknown without it; NULL: it is often missing */
} parts[] = {
    {"filenames.json", parse_filenames, "the GPU's generation and the names of counters"},
    {"code.json", parse_code, "the instructions"},
    {"occupancy.json", parse_occupancy, "how many waves ran"},
    {"realtime.json", parse_clocks, "the clock's frequency, so cycles cannot be told as time"},
    {"snapshots.json", parse_snapshots, NULL},
};

static int read_att_json(struct att_reading *r, const char *name, uint64_t most,
                         int (*parse)(struct att_reading *r, struct json *j))
{
    struct opened o;
    int rc = open_json(r, &o, name, most);
    if (rc == 0)
        rc = parse(r, &o.json);
    close_json(&o);
    return rc;
}

static int read_parts(struct att_reading *r)
{
    int rc = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && rc == 0; i++)
        if (has_listed_file(r, parts[i].name))
            rc = read_att_json(r, parts[i].name, FILE_MOST, parts[i].parse);
        else if (parts[i].without && !r->a->untraced)
            att_note(r->a, "no %s: it would tell %s", parts[i].name, parts[i].without);
    return rc;
}

/* --- numbered files --- */

static int read_numbered(struct att_reading *r, const char *name, uint32_t number, bool levels)
{
    struct opened o;
    int rc = open_json(r, &o, name, FILE_MOST);
    if (rc == 0)
        rc = levels ? att_parse_levels(r->a, &o.json, (uint8_t)number)
                    : att_parse_counters(r->a, &o.json, number);
    close_json(&o);
    return rc;
}

static int read_numbered_files(struct att_reading *r)
{
    int rc = 0;
    for (uint32_t i = 0; i < r->names.n && rc == 0; i++) {
        const char *name = r->names.list[i];
        unsigned number;
        int end = 0;
        if (sscanf(name, "wstates%1u.json%n", &number, &end) == 1 && end && !name[end] &&
            number < ATT_STATE_OTHER)
            rc = read_numbered(r, name, number, true);
        end = 0;
        if (rc == 0 && sscanf(name, "se%9u_perfcounter.json%n", &number, &end) == 1 && end &&
            !name[end])
            rc = read_numbered(r, name, number, false);
    }
    return rc;
}

/* --- waves --- */

/* Finds waves by their file names, which tell where they ran, if filenames.json is missing. */
static void find_waves(struct att_reading *r)
{
    for (uint32_t i = 0; i < r->names.n && r->a->nwaves < ATT_WAVES_MAX; i++) {
        struct att_wave w = {.file = arena_strdup(&r->a->memory, r->names.list[i]),
                             .cu = ATT_UNKNOWN};
        int end = 0;
        if (sscanf(w.file, "se%9u_sm%9u_sl%9u_wv%9u.json%n", &w.se, &w.simd, &w.slot, &w.id,
                   &end) != 4 ||
            !end || w.file[end])
            continue;
        r->a->waves = att_grow(r->a->waves, r->a->nwaves, sizeof *r->a->waves);
        r->a->waves[r->a->nwaves++] = w;
    }
}

/* The size of a wave's file; 0: it does not exist. */
static uint64_t wave_size(const struct att_reading *r, uint32_t i)
{
    struct stat st;
    char path[4096];
    if (!has_listed_file(r, r->a->waves[i].file))
        return 0;
    snprintf(path, sizeof path, "%s/%s", r->p->dir, r->a->waves[i].file);
    return stat(path, &st) == 0 && st.st_size > 0 ? (uint64_t)st.st_size : 0;
}

static int read_wave(struct att_reading *r, uint32_t i)
{
    struct opened o;
    int rc = open_json(r, &o, r->a->waves[i].file, WAVE_MOST);
    if (rc == 0)
        rc = att_parse_wave(r->a, &o.json, i);
    close_json(&o);
    return rc;
}

/* Reads every k-th wave, so that all engines, SIMDs and times are represented. */
static int read_waves(struct att_reading *r)
{
    struct att *a = r->a;
    uint64_t total = 0, missing = 0, large = 0;
    int rc = 0;
    if (a->nwaves == 0)
        find_waves(r);
    uint64_t *size = xcalloc(a->nwaves + 1u, sizeof *size);
    for (uint32_t i = 0; i < a->nwaves; i++) {
        size[i] = wave_size(r, i);
        missing += size[i] == 0;
        large += size[i] > WAVE_MOST;
        total += size[i] > WAVE_MOST ? 0 : size[i];
    }
    uint64_t by_size = (total + WAVES_MOST - 1) / WAVES_MOST;
    uint64_t by_number = (a->nwaves + WAVES_READ_MAX - 1) / WAVES_READ_MAX;
    uint64_t step = by_size > by_number ? by_size : by_number;
    for (uint64_t i = 0, bytes = 0; i < a->nwaves && rc == 0; i += step ? step : 1) {
        bytes += size[i];
        if (size[i] && size[i] <= WAVE_MOST && bytes <= WAVES_MOST)
            rc = read_wave(r, (uint32_t)i);
    }
    free(size);
    if (missing)
        att_note(a, "%llu files of waves that filenames.json names are not there",
                 (unsigned long long)missing);
    if (large || step > 1)
        att_note(a, "%u of %u waves were read instruction by instruction, the rest left out",
                 a->waves_read, a->nwaves);
    return rc;
}

/* --- the whole folder --- */

static int read_stats(struct att_reading *r)
{
    struct att_text t;
    const char *slash = strrchr(r->p->stats, '/');
    char *dir = xstrdup(slash ? r->p->stats : ".");
    if (slash)
        dir[slash - r->p->stats + 1] = '\0';
    int rc = att_text_read(&t, dir, slash ? slash + 1 : r->p->stats, FILE_MOST, r->err);
    if (rc == 0) {
        rc = att_parse_stats(r->a, t.path, t.text, t.size, r->err);
        att_text_free(&t);
    }
    free(dir);
    return rc;
}

static int read_att_folder(struct att_reading *r)
{
    int rc = att_names_read(&r->names, r->p->dir, r->err);
    if (rc == 0)
        rc = read_parts(r);
    if (rc == 0)
        rc = read_numbered_files(r);
    if (rc == 0)
        rc = read_waves(r);
    if (rc == 0 && r->a->untraced)
        att_note(r->a, "PCs were sampled, no thread trace was taken: there are no waves");
    else if (rc == 0 && r->a->nwaves == 0)
        att_note(r->a, "no waves: their time lines and instructions per cycle are not known");
    if (rc == 0 && r->a->ncounters && r->a->nsamples == 0)
        att_note(r->a, "no values of the hardware counters");
    return rc;
}

static int att_folder_read(struct att *out, const struct att_place *p, struct error *err)
{
    struct att_reading r = {.a = out, .p = p, .err = err};
    *out = (struct att){.agent = p->agent, .dispatch = p->dispatch, .gfx = ATT_UNKNOWN, .gfxv = ""};
    out->name = arena_strdup(&out->memory, p->name);
    int rc = p->dir ? read_att_folder(&r) : 0;
    if (!p->dir)
        att_note(out, "statistics alone: no waves, no occupancy, no states");
    if (rc == 0 && out->nrows == 0 && p->stats)
        rc = read_stats(&r);
    if (rc == 0 && r.nkept)
        att_read_source(out, p->dir, r.kept, r.nkept);
    if (rc == 0)
        rc = watch_check(p->name, err);
    if (rc == 0 && out->nrows == 0)
        att_note(out,
                 "no instructions: where code.json says null, the tool could not decode the trace");
    att_finish(out);
    att_names_free(&r.names);
    free(r.kept);
    return rc;
}

const struct att_ops att_reader = {.list = att_folder_list, .read = att_folder_read};
