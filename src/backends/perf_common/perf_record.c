#include "backends/perf_common/perf_record.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

enum { HEADER = sizeof(struct perf_event_header) };
/* Linux 6.8; older headers do not have it. */
#define BRANCH_COUNTERS (UINT64_C(1) << 19) /* PERF_SAMPLE_BRANCH_COUNTERS */

/* Reads with bounds checks. After one failed read all later ones fail. */
struct record_reader {
    const uint8_t *at;
    size_t left;
    bool bad;
};

static const void *take_record_bytes(struct record_reader *r, uint64_t n)
{
    const void *p = r->at;
    if (r->bad || n > r->left) {
        r->bad = true;
        return NULL;
    }
    r->at += n;
    r->left -= (size_t)n;
    return p;
}

static uint64_t take_u64(struct record_reader *r)
{
    uint64_t v = 0;
    const void *p = take_record_bytes(r, sizeof v);
    if (p)
        memcpy(&v, p, sizeof v);
    return v;
}

static uint32_t take_record_u32(struct record_reader *r)
{
    uint32_t v = 0;
    const void *p = take_record_bytes(r, sizeof v);
    if (p)
        memcpy(&v, p, sizeof v);
    return v;
}

/* Returns n numbers in place. */
static const uint64_t *take_array(struct record_reader *r, uint64_t n)
{
    if (n > r->left / sizeof(uint64_t)) {
        r->bad = true;
        return NULL;
    }
    return take_record_bytes(r, n * sizeof(uint64_t));
}

static void skip_u64s(struct record_reader *r, uint64_t n)
{
    take_array(r, n);
}

/* Skips what PERF_SAMPLE_READ adds: a count, or those of a group, with times and numbers. */
static void skip_counts(struct record_reader *r, uint64_t format)
{
    const bool group = format & PERF_FORMAT_GROUP;
    const uint64_t each = 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
    const uint64_t n = group ? take_u64(r) : 1;
    skip_u64s(r, !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
                     !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING));
    if (n > r->left)
        r->bad = true;
    else
        skip_u64s(r, n * each);
}

/* What tracepoints add. The kernel pads it, so that the next field is aligned. */
static void skip_raw(struct record_reader *r)
{
    const uint32_t n = take_record_u32(r);
    if (n % 8 != 4)
        r->bad = true;
    take_record_bytes(r, n);
}

static void skip_branches(struct record_reader *r, uint64_t branch_type)
{
    const uint64_t n = take_u64(r), bits = 3; /* from, to, flags */
    if (branch_type & PERF_SAMPLE_BRANCH_HW_INDEX)
        take_u64(r);
    if (n > r->left)
        r->bad = true;
    else
        skip_u64s(r, n * bits);
    if (branch_type & BRANCH_COUNTERS)
        skip_u64s(r, n);
}

static void parse_stack(struct record_reader *r, const struct record_format *f,
                        struct record_sample *s)
{
    const uint64_t type = f->sample_type,
                   abi = type & PERF_SAMPLE_REGS_USER ? take_u64(r) : PERF_SAMPLE_REGS_ABI_NONE;
    if (abi != PERF_SAMPLE_REGS_ABI_NONE) {
        s->regs = take_array(r, f->nregs);
        s->nregs = s->regs ? f->nregs : 0;
        s->user_regs = abi == PERF_SAMPLE_REGS_ABI_64;
    }
    uint64_t size = type & PERF_SAMPLE_STACK_USER ? take_u64(r) : 0;
    if (size == 0)
        return;
    s->stack = take_record_bytes(r, size);
    uint64_t filled = take_u64(r); /* how many bytes of the stack the kernel could copy */
    s->nstack = filled < size ? (size_t)filled : (size_t)size;
}

/* The order of the fields: perf_event_open(2), PERF_RECORD_SAMPLE. */
static void parse_sample(struct record_reader *r, const struct record_format *f, struct record *out)
{
    const uint64_t type = f->sample_type;
    struct record_sample *s = &out->sample;
    if (type & PERF_SAMPLE_IDENTIFIER)
        out->id = take_u64(r);
    if (type & PERF_SAMPLE_IP)
        s->ip = take_u64(r);
    if (type & PERF_SAMPLE_TID) {
        out->pid = (pid_t)take_record_u32(r);
        out->tid = (pid_t)take_record_u32(r);
    }
    if (type & PERF_SAMPLE_TIME)
        out->time = take_u64(r);
    if (type & PERF_SAMPLE_ADDR)
        take_u64(r);
    if (type & PERF_SAMPLE_ID)
        out->id = take_u64(r);
    if (type & PERF_SAMPLE_STREAM_ID)
        take_u64(r);
    if (type & PERF_SAMPLE_CPU)
        out->cpu = (uint32_t)take_u64(r);
    if (type & PERF_SAMPLE_PERIOD)
        s->period = take_u64(r);
    if (type & PERF_SAMPLE_READ)
        skip_counts(r, f->read_format);
    if (type & PERF_SAMPLE_CALLCHAIN) {
        uint64_t n = take_u64(r);
        s->chain = take_array(r, n);
        s->nchain = s->chain ? (size_t)n : 0;
    }
    if (type & PERF_SAMPLE_RAW)
        skip_raw(r);
    if (type & PERF_SAMPLE_BRANCH_STACK)
        skip_branches(r, f->branch_type);
    parse_stack(r, f, s);
}

/* The build id that stands in place of the numbers: its length, three unused bytes, 20 bytes. */
static void parse_build_id(struct record_reader *r, struct record_mapping *m)
{
    enum { ID = 20 };
    const uint8_t *p = take_record_bytes(r, 4 + ID);
    if (p && p[0] <= ID) {
        m->nbuild_id = p[0];
        m->build_id = p + 4;
    }
}

static void parse_mapping(struct record_reader *r, struct record *out)
{
    struct record_mapping *m = &out->mapping;
    out->pid = (pid_t)take_record_u32(r);
    out->tid = (pid_t)take_record_u32(r);
    m->start = take_u64(r);
    m->length = take_u64(r);
    m->offset = take_u64(r);
    if (out->type == PERF_RECORD_MMAP2 && out->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
        parse_build_id(r, m);
    } else if (out->type == PERF_RECORD_MMAP2) {
        m->major = take_record_u32(r);
        m->minor = take_record_u32(r);
        m->inode = take_u64(r);
        take_u64(r); /* inode generation */
    }
    if (out->type == PERF_RECORD_MMAP2)
        take_u64(r); /* prot, flags */
    m->path = (const char *)r->at;
    if (!r->bad && !memchr(r->at, '\0', r->left))
        r->bad = true;
}

static void parse_task(struct record_reader *r, struct record *out)
{
    out->pid = (pid_t)take_record_u32(r);
    pid_t parent = (pid_t)take_record_u32(r);
    out->tid = (pid_t)take_record_u32(r);
    take_record_u32(r);
    if (out->type == PERF_RECORD_FORK)
        out->parent = parent;
}

static void parse_comm(struct record_reader *r, struct record *out)
{
    out->pid = (pid_t)take_record_u32(r);
    out->tid = (pid_t)take_record_u32(r);
    out->comm.exec = out->misc & PERF_RECORD_MISC_COMM_EXEC;
    out->comm.name = (const char *)r->at;
    out->comm.length = strnlen(out->comm.name, r->left);
}

static size_t record_trailer_size(const struct record_format *f)
{
    static const uint64_t fields = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
                                   PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;
    return f->bare ? 0 : 8 * (size_t)__builtin_popcountll(f->sample_type & fields);
}

/* Reads the ids at the end of all records except samples, and leaves the rest. */
static void parse_trailer(struct record_reader *r, const struct record_format *f,
                          struct record *out)
{
    const uint64_t type = f->sample_type;
    const size_t size = record_trailer_size(f);
    struct record_reader t = {r->at, r->left, false};
    if (size > r->left) {
        r->left = 0;
        return;
    }
    r->left -= size;
    take_record_bytes(&t, r->left);
    if (f->bare)
        return;
    if (type & PERF_SAMPLE_TID) {
        out->pid = (pid_t)take_record_u32(&t);
        out->tid = (pid_t)take_record_u32(&t);
    }
    if (type & PERF_SAMPLE_TIME)
        out->time = take_u64(&t);
    if (type & PERF_SAMPLE_ID)
        out->id = take_u64(&t);
    if (type & PERF_SAMPLE_STREAM_ID)
        take_u64(&t);
    if (type & PERF_SAMPLE_CPU)
        out->cpu = (uint32_t)take_u64(&t);
}

static void parse_body(struct record_reader *r, const struct record_format *format,
                       struct record *out)
{
    switch (out->type) {
    case PERF_RECORD_SAMPLE:
        parse_sample(r, format, out);
        break;
    case PERF_RECORD_MMAP:
    case PERF_RECORD_MMAP2:
        parse_mapping(r, out);
        break;
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT:
        parse_task(r, out);
        break;
    case PERF_RECORD_COMM:
        parse_comm(r, out);
        break;
    case PERF_RECORD_LOST:
        take_u64(r); /* id of the event */
        out->lost = take_u64(r);
        break;
    case PERF_RECORD_LOST_SAMPLES:
        out->lost = take_u64(r);
        break;
    default:
        break;
    }
}

int record_parse(const void *data, size_t size, const struct record_format *format,
                 struct record *out)
{
    struct perf_event_header h;
    *out = (struct record){0};
    if (size < sizeof h)
        return -EINVAL;
    memcpy(&h, data, sizeof h);
    if (h.size != size)
        return -EINVAL;
    out->type = h.type;
    out->misc = h.misc;
    struct record_reader r = {(const uint8_t *)data + HEADER, size - HEADER, false};
    if (h.type != PERF_RECORD_SAMPLE)
        parse_trailer(&r, format, out);
    parse_body(&r, format, out);
    return r.bad ? -EINVAL : 0;
}

uint64_t record_time(const void *data, size_t size, const struct record_format *format)
{
    const uint64_t type = format->sample_type;
    const size_t trailer = record_trailer_size(format), tid = type & PERF_SAMPLE_TID ? 8 : 0;
    struct perf_event_header h;
    uint64_t time = 0;
    if (size < sizeof h || !(type & PERF_SAMPLE_TIME))
        return 0;
    memcpy(&h, data, sizeof h);
    size_t at = size;
    if (h.type == PERF_RECORD_SAMPLE) {
        at = HEADER + tid;
        at += type & PERF_SAMPLE_IDENTIFIER ? 8 : 0;
        at += type & PERF_SAMPLE_IP ? 8 : 0;
    } else if (trailer && size >= HEADER + trailer) {
        at = size - trailer + tid;
    }
    if (at + sizeof time <= size)
        memcpy(&time, (const uint8_t *)data + at, sizeof time);
    return time;
}
