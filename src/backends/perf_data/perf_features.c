#include "backends/perf_data/perf_features.h"

#include <string.h>

#include "base/hash.h"
#include "base/list.h"

enum { NAME_MOST = 4096, IDS_MOST = 1 << 20 };

/* Reads with bounds checks. After one failed read all later ones fail. */
struct feature_bytes {
    const uint8_t *at;
    size_t left;
    bool bad;
};

static const void *take_feature_bytes(struct feature_bytes *b, uint64_t n)
{
    const void *p = b->at;
    if (b->bad || n > b->left) {
        b->bad = true;
        return NULL;
    }
    b->at += n;
    b->left -= (size_t)n;
    return p;
}

static uint32_t take_feature_u32(struct feature_bytes *b)
{
    uint32_t v = 0;
    const void *p = take_feature_bytes(b, sizeof v);
    if (p)
        memcpy(&v, p, sizeof v);
    return v;
}

/* The text in n bytes, which zeros may follow. */
static const char *keep_feature_text(struct perf_file *f, const void *text, size_t n)
{
    return arena_strndup(&f->arena, text, strnlen(text, n < NAME_MOST ? n : NAME_MOST));
}

/* A text of perf: its length, then its bytes with zeros behind them. "" if it is damaged. */
static const char *take_feature_text(struct perf_file *f, struct feature_bytes *b)
{
    const uint32_t n = take_feature_u32(b);
    const char *p = take_feature_bytes(b, n);
    return p ? keep_feature_text(f, p, n) : "";
}

/* --- events --- */

/* Software events of the kernel, as perf calls them: perf-list(1), perf_event.h. */
static const char *const software[] = {
    "cpu-clock",        "task-clock",   "page-faults",  "context-switches",
    "cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
    "emulation-faults", "dummy",        "bpf-output",   "cgroup-switches"};
static const char *const hardware[] = {"cycles",
                                       "instructions",
                                       "cache-references",
                                       "cache-misses",
                                       "branches",
                                       "branch-misses",
                                       "bus-cycles",
                                       "stalled-cycles-frontend",
                                       "stalled-cycles-backend",
                                       "ref-cycles"};

const char *perf_features_event_name(const struct perf_event_attr *attr)
{
    if (attr->type == PERF_TYPE_SOFTWARE && attr->config < sizeof software / sizeof *software)
        return software[attr->config];
    if (attr->type == PERF_TYPE_HARDWARE && attr->config < sizeof hardware / sizeof *hardware)
        return hardware[attr->config];
    return attr->type == PERF_TYPE_TRACEPOINT ? "tracepoint" : "event without a name";
}

/* EVENT_DESC: number of events, size of a description; each has its description, the number of its
 * ids, its name, and ids. They are in the order of the header. */
static void take_event_names(struct perf_file *f, struct feature_bytes *b)
{
    const uint32_t n = take_feature_u32(b), each = take_feature_u32(b);
    for (uint32_t i = 0; i < n && i < f->nevents && !b->bad; i++) {
        take_feature_bytes(b, each);
        const uint32_t ids = take_feature_u32(b);
        const char *name = take_feature_text(f, b);
        take_feature_bytes(b, (uint64_t)ids * 8);
        if (*name)
            f->events[i].name = name;
    }
}

void perf_features_update(struct perf_file *f, const uint8_t *bytes, size_t n)
{
    enum { KIND_NAME = 2, HEAD = 16 };
    uint64_t kind, id;
    if (n <= HEAD)
        return;
    memcpy(&kind, bytes, sizeof kind);
    memcpy(&id, bytes + 8, sizeof id);
    const uint32_t event = ids_get(&f->event_of, id);
    if (kind != KIND_NAME || event == IDS_NONE)
        return;
    f->events[event].name = keep_feature_text(f, bytes + HEAD, n - HEAD);
}

/* --- build ids --- */

static void add_build_id(struct perf_file *f, const uint8_t *id, size_t n, const char *path,
                         size_t length)
{
    struct perf_file_id own = {.n = (uint8_t)n};
    own.path = arena_strndup(&f->arena, path, strnlen(path, length));
    memcpy(own.id, id, n);
    if (f->nids >= IDS_MOST || perf_file_id_of(f, own.path))
        return;
    hash_table_add(&f->id_of_path, hash_text(0, own.path), f->nids);
    LIST_ADD(f->ids, f->nids, f->ids_cap, own);
}

/* Entries, each with the head of a record: process, 20 bytes of id, its length (only newer perf,
 * which sets a bit), path. */
static void take_build_ids(struct perf_file *f, struct feature_bytes *b)
{
    enum { ID = 20, FIXED = 4 + ID + 4, SIZE_IS_SET = 1 << 15 };
    while (b->left >= sizeof(struct perf_event_header) && !b->bad) {
        struct perf_event_header h;
        memcpy(&h, take_feature_bytes(b, sizeof h), sizeof h);
        if (h.size < sizeof h + FIXED)
            return;
        const uint8_t *p = take_feature_bytes(b, h.size - sizeof h);
        if (!p)
            return;
        const size_t n = h.misc & SIZE_IS_SET ? p[4 + ID] : ID;
        add_build_id(f, p + 4, n <= ID ? n : ID, (const char *)p + FIXED,
                     h.size - sizeof h - FIXED);
    }
}

/* --- features --- */

bool perf_features_wanted(unsigned bit)
{
    return bit == PERF_FEATURE_BUILD_ID || bit == PERF_FEATURE_HOST ||
           bit == PERF_FEATURE_RELEASE || bit == PERF_FEATURE_ARCH || bit == PERF_FEATURE_EVENTS ||
           bit == PERF_FEATURE_FOLDER;
}

void perf_features_take(struct perf_file *f, unsigned bit, const uint8_t *bytes, size_t n)
{
    struct feature_bytes b = {bytes, n, false};
    switch (bit) {
    case PERF_FEATURE_BUILD_ID:
        take_build_ids(f, &b);
        break;
    case PERF_FEATURE_HOST:
        f->host = take_feature_text(f, &b);
        break;
    case PERF_FEATURE_RELEASE:
        f->release = take_feature_text(f, &b);
        break;
    case PERF_FEATURE_ARCH:
        f->arch = take_feature_text(f, &b);
        break;
    case PERF_FEATURE_EVENTS:
        take_event_names(f, &b);
        break;
    case PERF_FEATURE_FOLDER:
        f->in_folder = true;
        break;
    default:
        break;
    }
}
