#include "backends/perf_data/perf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backends/perf_data/perf_features.h"
#include "base/hash.h"
#include "base/list.h"

enum {
    HEADER_PIPE = 16, /* magic, size */
    HEADER_OLD = 72,  /* and attr_size, three sections */
    HEADER = 104,     /* and 256 bits of features */
    FEATURES = 256,
    SECTION = 16, /* offset, size */
    ATTR_LEAST = PERF_ATTR_SIZE_VER0,
    ATTR_MOST = 4096,
    FEATURE_MOST = 64 << 20 /* bytes of one feature, or of the numbers of an event */
};

struct file_section {
    uint64_t offset, size;
};

int perf_file_refuse(const struct perf_file *f, uint64_t at, const char *why)
{
    return error_set(f->err, ERROR_INPUT, EINVAL, "record it again; perf report tells more",
                     f->path, "byte %llu: %s", (unsigned long long)at, why);
}

/* Reads exactly n bytes. */
static int read_file_bytes(const struct perf_file *f, uint64_t at, void *to, size_t n)
{
    if (at > f->size || n > f->size - at)
        return perf_file_refuse(f, at, "it says that more follows than the file has");
    for (size_t done = 0; done < n;) {
        const ssize_t got = pread(f->fd, (char *)to + done, n - done, (off_t)(at + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_set(f->err, ERROR_INPUT, errno, NULL, f->path, "%s", strerror(errno));
        if (got == 0)
            return perf_file_refuse(f, at + done, "the file was cut while it was read");
        done += (size_t)got;
    }
    return 0;
}

/* --- events --- */

/* What the event asks for. The description may be of an older or newer perf than ours: it begins
 * alike, and what it lacks is 0. */
static int add_file_event(struct perf_file *f, uint64_t at, const void *bytes, size_t n)
{
    struct perf_event_attr attr = {0};
    if (n < ATTR_LEAST)
        return perf_file_refuse(f, at, "an event is described by less than 64 bytes");
    memcpy(&attr, bytes, n < sizeof attr ? n : sizeof attr);
    const struct perf_file_event event = {
        .name = perf_features_event_name(&attr),
        .regs = attr.sample_regs_user,
        .format = {.sample_type = attr.sample_type,
                   .read_format = attr.read_format,
                   .branch_type = attr.branch_sample_type,
                   .nregs = (size_t)__builtin_popcountll(attr.sample_regs_user),
                   .bare = !attr.sample_id_all}};
    LIST_ADD(f->events, f->nevents, f->events_cap, event);
    return 0;
}

/* Adds numbers of the last event. A number that came before keeps its event. */
static int add_event_ids(struct perf_file *f, uint64_t at, const uint8_t *bytes, uint64_t n)
{
    if (n > f->ids_left)
        return perf_file_refuse(f, at, "its events have more numbers than fit into the file");
    f->ids_left -= n;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t id;
        memcpy(&id, bytes + i * sizeof id, sizeof id);
        ids_add(&f->event_of, id, (uint32_t)f->nevents - 1);
    }
    return 0;
}

static int read_event_ids(struct perf_file *f, const struct file_section *s)
{
    if (s->size == 0)
        return 0;
    if (s->offset > f->size || s->size > f->size - s->offset || s->size / 8 > f->ids_left)
        return perf_file_refuse(f, s->offset, "the numbers of an event lie outside the file");
    if (s->size > FEATURE_MOST) /* a file with holes says any size */
        return perf_file_refuse(f, s->offset, "an event has more numbers than any machine gives");
    uint8_t *bytes = xcalloc(1, (size_t)s->size);
    int rc = read_file_bytes(f, s->offset, bytes, (size_t)s->size);
    if (rc == 0)
        rc = add_event_ids(f, s->offset, bytes, s->size / 8);
    free(bytes);
    return rc;
}

static int read_events(struct perf_file *f, const struct file_section *attrs, uint64_t each)
{
    uint8_t bytes[ATTR_MOST];
    if (each < ATTR_LEAST + SECTION || each > ATTR_MOST)
        return perf_file_refuse(f, 16, "the descriptions of its events have an unknown size");
    for (uint64_t i = 0; i < attrs->size / each; i++) {
        const uint64_t at = attrs->offset + i * each;
        struct file_section ids;
        int rc = read_file_bytes(f, at, bytes, (size_t)each);
        if (rc == 0)
            rc = add_file_event(f, at, bytes, (size_t)each - SECTION);
        memcpy(&ids, bytes + each - SECTION, sizeof ids);
        if (rc == 0)
            rc = read_event_ids(f, &ids);
        if (rc != 0)
            return rc;
    }
    return f->nevents ? 0 : perf_file_refuse(f, attrs->offset, "it has no events");
}

/* --- features: a section for each bit that is set, behind the data --- */

static int read_feature(struct perf_file *f, unsigned bit, const struct file_section *s)
{
    if (!perf_features_wanted(bit) || s->size == 0)
        return 0;
    if (s->offset > f->size || s->size > f->size - s->offset || s->size > FEATURE_MOST)
        return perf_file_refuse(f, s->offset, "a part of its description lies outside the file");
    uint8_t *bytes = xcalloc(1, (size_t)s->size);
    int rc = read_file_bytes(f, s->offset, bytes, (size_t)s->size);
    if (rc == 0)
        perf_features_take(f, bit, bytes, (size_t)s->size);
    free(bytes);
    return rc;
}

static int read_features(struct perf_file *f, const uint8_t *bits)
{
    uint64_t at = f->data_end;
    for (unsigned bit = 0; bit < FEATURES; bit++) {
        struct file_section s = {0};
        if (!(bits[bit / 8] >> bit % 8 & 1))
            continue;
        int rc = read_file_bytes(f, at, &s, sizeof s);
        if (rc == 0)
            rc = read_feature(f, bit, &s);
        if (rc != 0)
            return rc;
        at += sizeof s;
    }
    return 0;
}

/* --- the header --- */

/* The data of a recording that was killed has size 0: it goes to the file's end, and nothing is
 * behind it. */
static bool place_data(struct perf_file *f, const struct file_section *data)
{
    f->data_at = data->offset < f->size ? data->offset : f->size;
    f->data_end = f->data_at + data->size;
    f->cut = f->open_end = data->size == 0 || data->size > f->size - f->data_at;
    if (f->cut)
        f->data_end = f->size;
    return !f->cut;
}

static int read_whole_header(struct perf_file *f, uint64_t size)
{
    uint8_t h[HEADER] = {0};
    struct file_section attrs, data;
    uint64_t each;
    if (size < HEADER_OLD)
        return perf_file_refuse(f, 8, "its header has an unknown size");
    int rc = read_file_bytes(f, 0, h, size < HEADER ? HEADER_OLD : HEADER);
    if (rc != 0)
        return rc;
    memcpy(&each, h + 16, sizeof each);
    memcpy(&attrs, h + 24, sizeof attrs);
    memcpy(&data, h + 40, sizeof data);
    rc = read_events(f, &attrs, each);
    if (rc == 0 && place_data(f, &data))
        rc = read_features(f, h + HEADER_OLD);
    if (rc == 0 && f->in_folder)
        rc = error_set(f->err, ERROR_INPUT, ENOTSUP, "record without --threads", f->path,
                       "it was recorded with --threads: its samples are in other files of the "
                       "folder, which are not read");
    return rc;
}

static int read_perf_header(struct perf_file *f)
{
    uint64_t h[2] = {0};
    int rc = read_file_bytes(f, 0, h, sizeof h);
    if (rc != 0)
        return rc;
    if (memcmp(h, "PERFILE2", 8) != 0)
        return error_set(
            f->err, ERROR_INPUT, EINVAL, "on a machine of that kind: perf script", f->path,
            memcmp(h, "2ELIFREP", 8) == 0 ? "it was recorded on a machine with the other byte order"
                                          : "it is not of perf record");
    f->described = h[1] != HEADER_PIPE;
    if (f->described)
        return read_whole_header(f, h[1]);
    f->open_end = true;
    f->data_at = HEADER_PIPE;
    f->data_end = f->size;
    return 0;
}

int perf_file_open(struct perf_file *f, const char *path, struct error *err)
{
    struct stat state = {0};
    *f = (struct perf_file){.path = path, .err = err, .host = "", .release = "", .arch = ""};
    f->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (f->fd < 0 || fstat(f->fd, &state) != 0)
        return error_set(err, ERROR_INPUT, errno, NULL, path, "%s", strerror(errno));
    f->size = state.st_size > 0 ? (uint64_t)state.st_size : 0;
    f->ids_left = f->size / sizeof(uint64_t);
    return read_perf_header(f);
}

void perf_file_close(struct perf_file *f)
{
    if (f->fd >= 0)
        close(f->fd);
    free(f->events);
    free(f->ids);
    ids_free(&f->event_of);
    hash_table_free(&f->id_of_path);
    arena_free(&f->arena);
    *f = (struct perf_file){.fd = -1};
}

/* --- what a pipe says in records --- */

int perf_file_describe(struct perf_file *f, const void *record, size_t size, uint64_t at)
{
    enum { HEAD = sizeof(struct perf_event_header) };
    const uint8_t *body = (const uint8_t *)record + HEAD;
    const size_t n = size - HEAD;
    struct perf_event_header h;
    uint32_t attr = 0;
    uint64_t bit = 0;
    memcpy(&h, record, sizeof h);
    switch (h.type) {
    case PERF_FILE_ATTR:
        if (n >= 8)
            memcpy(&attr, body + 4, sizeof attr); /* perf_event_attr.size */
        attr = attr ? attr : ATTR_LEAST;
        if (attr > n)
            return perf_file_refuse(f, at, "an event's description is longer than its record");
        if (add_file_event(f, at, body, attr) != 0)
            return -EINVAL;
        return add_event_ids(f, at, body + attr, (n - attr) / 8);
    case PERF_FILE_FEATURE:
        if (n >= 8)
            memcpy(&bit, body, sizeof bit);
        if (n >= 8 && bit < FEATURES && perf_features_wanted((unsigned)bit))
            perf_features_take(f, (unsigned)bit, body + 8, n - 8);
        return 0;
    case PERF_FILE_BUILD_ID:
        perf_features_take(f, PERF_FEATURE_BUILD_ID, record, size);
        return 0;
    case PERF_FILE_EVENT_UPDATE:
        perf_features_update(f, body, n);
        return 0;
    default:
        return 0;
    }
}

/* --- numbers of events --- */

/* Where the number of a record's event stands: perf_event.h, at PERF_SAMPLE_IDENTIFIER. All events
 * of a file have it in the same place. SIZE_MAX: nowhere. */
static size_t find_event_number(const struct record_format *f, size_t size, bool sample)
{
    const uint64_t type = f->sample_type,
                   before = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR,
                   behind = PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU;
    const size_t head = sizeof(struct perf_event_header);
    size_t at = head;
    if (type & PERF_SAMPLE_IDENTIFIER)
        at = sample ? head : size - 8;
    else if (!(type & PERF_SAMPLE_ID))
        return SIZE_MAX;
    else if (sample)
        at = head + 8 * (size_t)__builtin_popcountll(type & before);
    else
        at = size - 8 * (1 + (size_t)__builtin_popcountll(type & behind));
    if ((!sample && f->bare) || at < head || at > size || size - at < 8)
        return SIZE_MAX;
    return at;
}

size_t perf_file_event_of(const struct perf_file *f, const void *record, size_t size)
{
    struct perf_event_header h;
    uint64_t number;
    memcpy(&h, record, sizeof h);
    const bool sample = h.type == PERF_RECORD_SAMPLE;
    if (f->nevents == 0)
        return SIZE_MAX;
    const size_t at = find_event_number(&f->events[0].format, size, sample);
    if (at == SIZE_MAX || f->event_of.n == 0)
        return 0;
    memcpy(&number, (const uint8_t *)record + at, sizeof number);
    const uint32_t event = ids_get(&f->event_of, number);
    if (event != IDS_NONE)
        return event;
    /* With one event there is no doubt, and perf's own records have the number 0. */
    return sample && f->nevents > 1 ? SIZE_MAX : 0;
}

const struct perf_file_id *perf_file_id_of(const struct perf_file *f, const char *path)
{
    const uint64_t hash = hash_text(0, path);
    HASH_EACH (&f->id_of_path, hash, i)
        if (strcmp(f->ids[i].path, path) == 0)
            return &f->ids[i];
    return NULL;
}
