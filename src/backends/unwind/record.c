#include "backends/unwind/record.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

/*
 * perf_event_open(2): with PERF_SAMPLE_TID|TIME|CPU a record ends with pid, tid; time; cpu,
 * reserved.
 */
enum { TRAILER = 24, HEADER = sizeof(struct perf_event_header), SAMPLE_TIME_AT = HEADER + 16 };

uint64_t record_sample_type(enum callgraph callgraph, bool dumps)
{
    uint64_t type =
        PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
    if (callgraph != CALLGRAPH_NONE)
        type |= PERF_SAMPLE_CALLCHAIN;
    if (dumps)
        type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
    return type;
}

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

static void parse_sample(struct record_reader *r, enum callgraph callgraph, size_t nregs,
                         struct record *out)
{
    struct record_sample *s = &out->sample;
    s->ip = take_u64(r);
    out->pid = (pid_t)take_record_u32(r);
    out->tid = (pid_t)take_record_u32(r);
    out->time = take_u64(r);
    out->cpu = take_record_u32(r);
    take_record_u32(r);
    s->period = take_u64(r);
    if (callgraph == CALLGRAPH_NONE)
        return;
    uint64_t n = take_u64(r);
    s->chain = take_array(r, n);
    s->nchain = s->chain ? (size_t)n : 0;
    if (nregs == 0)
        return;
    uint64_t abi = take_u64(r);
    if (abi != PERF_SAMPLE_REGS_ABI_NONE) {
        s->regs = take_array(r, nregs);
        s->nregs = s->regs ? nregs : 0;
        s->user_regs = abi == PERF_SAMPLE_REGS_ABI_64;
    }
    uint64_t size = take_u64(r);
    if (size == 0)
        return;
    s->stack = take_record_bytes(r, size);
    uint64_t filled = take_u64(r); /* how much of it the kernel could copy */
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

/* Reads the ids at the end of all records except samples. Returns the size of the rest. */
static size_t parse_trailer(const uint8_t *body, size_t n, struct record *out)
{
    if (n < TRAILER)
        return 0;
    const uint8_t *at = body + n - TRAILER;
    uint32_t pid, tid;
    memcpy(&pid, at, 4);
    memcpy(&tid, at + 4, 4);
    memcpy(&out->time, at + 8, 8);
    memcpy(&out->cpu, at + 16, 4);
    out->pid = (pid_t)pid;
    out->tid = (pid_t)tid;
    return n - TRAILER;
}

int record_parse(const void *data, size_t size, enum callgraph callgraph, size_t nregs,
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
        r.left = parse_trailer(r.at, r.left, out);
    switch (h.type) {
    case PERF_RECORD_SAMPLE:
        parse_sample(&r, callgraph, nregs, out);
        break;
    case PERF_RECORD_MMAP2:
        parse_mapping(&r, out);
        break;
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT:
        parse_task(&r, out);
        break;
    case PERF_RECORD_COMM:
        out->pid = (pid_t)take_record_u32(&r);
        out->tid = (pid_t)take_record_u32(&r);
        out->exec = h.misc & PERF_RECORD_MISC_COMM_EXEC;
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

uint64_t record_time(const void *data, size_t size)
{
    struct perf_event_header h;
    uint64_t time = 0;
    if (size < sizeof h)
        return 0;
    memcpy(&h, data, sizeof h);
    size_t at = size;
    if (h.type == PERF_RECORD_SAMPLE)
        at = SAMPLE_TIME_AT;
    else if (size >= HEADER + TRAILER)
        at = size - TRAILER + 8;
    if (at + sizeof time <= size)
        memcpy(&time, (const uint8_t *)data + at, sizeof time);
    return time;
}
