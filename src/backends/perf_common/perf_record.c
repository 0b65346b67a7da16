#include "backends/perf_common/perf_record.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

enum { HEADER = sizeof(struct perf_event_header) };

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

/* The order of the fields: perf_event_open(2), PERF_RECORD_SAMPLE. */
static void parse_sample(struct record_reader *r, uint64_t sample_type, size_t nregs,
                         struct record *out)
{
    struct record_sample *s = &out->sample;
    if (sample_type & PERF_SAMPLE_IDENTIFIER)
        out->id = take_u64(r);
    if (sample_type & PERF_SAMPLE_IP)
        s->ip = take_u64(r);
    out->pid = (pid_t)take_record_u32(r);
    out->tid = (pid_t)take_record_u32(r);
    out->time = take_u64(r);
    if (sample_type & PERF_SAMPLE_CPU)
        out->cpu = (uint32_t)take_u64(r);
    if (sample_type & PERF_SAMPLE_PERIOD)
        s->period = take_u64(r);
    if (sample_type & PERF_SAMPLE_CALLCHAIN) {
        uint64_t n = take_u64(r);
        s->chain = take_array(r, n);
        s->nchain = s->chain ? (size_t)n : 0;
    }
    uint64_t abi = sample_type & PERF_SAMPLE_REGS_USER ? take_u64(r) : PERF_SAMPLE_REGS_ABI_NONE;
    if (abi != PERF_SAMPLE_REGS_ABI_NONE) {
        s->regs = take_array(r, nregs);
        s->nregs = s->regs ? nregs : 0;
        s->user_regs = abi == PERF_SAMPLE_REGS_ABI_64;
    }
    uint64_t size = sample_type & PERF_SAMPLE_STACK_USER ? take_u64(r) : 0;
    if (size == 0)
        return;
    s->stack = take_record_bytes(r, size);
    uint64_t filled = take_u64(r); /* how many bytes of the stack the kernel could copy */
    s->nstack = filled < size ? (size_t)filled : (size_t)size;
}

static void parse_mapping(struct record_reader *r, struct record *out)
{
    struct record_mapping *m = &out->mapping;
    out->pid = (pid_t)take_record_u32(r);
    out->tid = (pid_t)take_record_u32(r);
    m->start = take_u64(r);
    m->length = take_u64(r);
    m->offset = take_u64(r);
    if (out->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
        take_record_bytes(r, 24); /* a build id instead of the numbers; never requested */
    } else {
        m->major = take_record_u32(r);
        m->minor = take_record_u32(r);
        m->inode = take_u64(r);
        take_u64(r); /* inode generation */
    }
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

static size_t record_trailer_size(uint64_t sample_type)
{
    const bool cpu = sample_type & PERF_SAMPLE_CPU, id = sample_type & PERF_SAMPLE_IDENTIFIER;
    return 16 + (cpu ? 8 : 0) + (id ? 8 : 0);
}

/* Reads the ids at the end of all records except samples, and leaves the rest. */
static void parse_trailer(struct record_reader *r, uint64_t sample_type, struct record *out)
{
    const size_t size = record_trailer_size(sample_type);
    struct record_reader t = {r->at, r->left, false};
    if (size > r->left) {
        r->left = 0;
        return;
    }
    r->left -= size;
    take_record_bytes(&t, r->left);
    out->pid = (pid_t)take_record_u32(&t);
    out->tid = (pid_t)take_record_u32(&t);
    out->time = take_u64(&t);
    if (sample_type & PERF_SAMPLE_CPU)
        out->cpu = (uint32_t)take_u64(&t);
}

int record_parse(const void *data, size_t size, uint64_t sample_type, size_t nregs,
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
        parse_trailer(&r, sample_type, out);
    switch (h.type) {
    case PERF_RECORD_SAMPLE:
        parse_sample(&r, sample_type, nregs, out);
        break;
    case PERF_RECORD_MMAP2:
        parse_mapping(&r, out);
        break;
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT:
        parse_task(&r, out);
        break;
    case PERF_RECORD_COMM:
        parse_comm(&r, out);
        break;
    case PERF_RECORD_LOST:
        take_u64(&r); /* id of the event */
        out->lost = take_u64(&r);
        break;
    case PERF_RECORD_LOST_SAMPLES:
        out->lost = take_u64(&r);
        break;
    default:
        break;
    }
    return r.bad ? -EINVAL : 0;
}

uint64_t record_time(const void *data, size_t size, uint64_t sample_type)
{
    struct perf_event_header h;
    uint64_t time = 0;
    if (size < sizeof h)
        return 0;
    memcpy(&h, data, sizeof h);
    const size_t trailer = record_trailer_size(sample_type);
    size_t at = size;
    if (h.type == PERF_RECORD_SAMPLE)
        at = HEADER + (sample_type & PERF_SAMPLE_IDENTIFIER ? 8 : 0) +
             (sample_type & PERF_SAMPLE_IP ? 8 : 0) + 8;
    else if (size >= HEADER + trailer)
        at = size - trailer + 8;
    if (at + sizeof time <= size)
        memcpy(&time, (const uint8_t *)data + at, sizeof time);
    return time;
}
