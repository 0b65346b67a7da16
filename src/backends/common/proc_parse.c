#include "backends/common/proc_parse.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

/* A position in a buffer; each step checks the end. */
struct cursor {
    const char *p, *end;
};

static void skip_proc_blanks(struct cursor *c)
{
    const char *p = c->p, *end = c->end;
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    c->p = p;
}

static bool is_at_digit(const struct cursor *c)
{
    return c->p < c->end && *c->p >= '0' && *c->p <= '9';
}

/* Parses the number at *at and moves past it. It works in local variables: a store through the
 * cursor would make the compiler reload it for each digit. */
static inline uint64_t parse_digits(const char **at, const char *end)
{
    enum { FIT = 19 }; /* this many digits always fit into 64 bits */
    const char *p = *at, *fits = end - p > FIT ? p + FIT : end;
    uint64_t v = 0;
    unsigned digit;
    for (; p < fits && (digit = (unsigned)(*p - '0')) <= 9; p++)
        v = v * 10 + digit;
    for (; p < end && (digit = (unsigned)(*p - '0')) <= 9; p++)
        v = v > (UINT64_MAX - digit) / 10 ? UINT64_MAX : v * 10 + digit;
    *at = p;
    return v;
}

static bool parse_number(struct cursor *c, uint64_t *out)
{
    skip_proc_blanks(c);
    const char *p = c->p;
    *out = parse_digits(&p, c->end);
    bool some = p > c->p;
    c->p = p;
    return some;
}

static bool signed_number(struct cursor *c, long *out)
{
    skip_proc_blanks(c);
    bool negative = c->p < c->end && *c->p == '-';
    uint64_t v;
    if (negative)
        c->p++;
    if (!parse_number(c, &v))
        return false;
    long magnitude = v > LONG_MAX ? LONG_MAX : (long)v;
    *out = negative ? -magnitude : magnitude;
    return true;
}

/* Takes the next line without its newline; false at the end of the buffer. */
static bool next_proc_line(const char *buf, size_t n, size_t *at, struct cursor *line)
{
    if (*at >= n)
        return false;
    const char *from = buf + *at, *nl = memchr(from, '\n', n - *at);
    *line = (struct cursor){from, nl ? nl : buf + n};
    *at = (size_t)(line->end - buf) + 1;
    return true;
}

static bool skip_word(struct cursor *c, const char *word)
{
    size_t len = strlen(word);
    if ((size_t)(c->end - c->p) < len || memcmp(c->p, word, len) != 0)
        return false;
    c->p += len;
    return true;
}

static int to_int(long v)
{
    if (v > INT_MAX)
        return INT_MAX;
    return v < INT_MIN ? INT_MIN : (int)v;
}

/* --- /proc/PID/stat --- */

enum {
    FIELD_PPID = 4,
    FIELD_PGRP,
    FIELD_SESSION,
    FIELD_FLAGS = 9,
    FIELD_MINFLT,
    FIELD_CMINFLT,
    FIELD_MAJFLT,
    FIELD_CMAJFLT,
    FIELD_UTIME = 14,
    FIELD_STIME,
    FIELD_CUTIME,
    FIELD_CSTIME,
    FIELD_NICE = 19,
    FIELD_THREADS,
    FIELD_START = 22,
    FIELD_VSIZE,
    FIELD_RSS,
    FIELD_CPU = 39,
    KTHREAD_FLAG = 0x00200000 /* PF_KTHREAD, include/linux/sched.h */
};

/* Splits off the name. It may contain ") (", so it ends at the last parenthesis; only numbers
 * follow. */
static bool split_comm(struct cursor *c, struct pid_stat *out)
{
    long pid;
    if (!signed_number(c, &pid) || pid <= 0 || pid > INT_MAX)
        return false;
    const char *open = memchr(c->p, '(', (size_t)(c->end - c->p));
    const char *close = memrchr(c->p, ')', (size_t)(c->end - c->p));
    if (!open || !close || close < open)
        return false;
    size_t len = (size_t)(close - open - 1);
    if (len >= sizeof out->comm)
        len = sizeof out->comm - 1;
    memcpy(out->comm, open + 1, len);
    out->comm[len] = '\0';
    out->pid = (pid_t)pid;
    c->p = close + 1;
    return true;
}

static uint64_t not_negative(long v)
{
    return v < 0 ? 0 : (uint64_t)v;
}

/* Parses the numbers from FIELD_PPID on; returns the index of the first that is missing. A tick
 * spends most of its time here. */
static int parse_stat_fields(const struct cursor *c, long field[FIELD_CPU + 1])
{
    const char *p = c->p, *end = c->end;
    int i = FIELD_PPID;
    for (; i <= FIELD_CPU; i++) {
        while (p < end && (*p == ' ' || *p == '\t'))
            p++;
        bool negative = p < end && *p == '-';
        const char *first = p += negative;
        uint64_t v = parse_digits(&p, end);
        if (p == first)
            break;
        long magnitude = v > LONG_MAX ? LONG_MAX : (long)v;
        field[i] = negative ? -magnitude : magnitude;
    }
    return i;
}

int parse_pid_stat(const char *buf, size_t n, struct pid_stat *out)
{
    struct cursor c = {buf, buf + n};
    long field[FIELD_CPU + 1] = {0};
    if (!split_comm(&c, out))
        return -EINVAL;
    skip_proc_blanks(&c);
    if (c.p >= c.end || *c.p < 'A' || *c.p > 'z')
        return -EINVAL;
    out->state = *c.p++;
    int i = parse_stat_fields(&c, field);
    if (i <= FIELD_RSS)
        return -EINVAL;
    out->ppid = (pid_t)to_int(field[FIELD_PPID]);
    out->pgrp = (pid_t)to_int(field[FIELD_PGRP]);
    out->session = (pid_t)to_int(field[FIELD_SESSION]);
    out->kernel_thread = (field[FIELD_FLAGS] & KTHREAD_FLAG) != 0;
    out->ticks = not_negative(field[FIELD_UTIME]) + not_negative(field[FIELD_STIME]);
    out->child_ticks = not_negative(field[FIELD_CUTIME]) + not_negative(field[FIELD_CSTIME]);
    out->minor_faults = not_negative(field[FIELD_MINFLT]);
    out->major_faults = not_negative(field[FIELD_MAJFLT]);
    out->child_minor_faults = not_negative(field[FIELD_CMINFLT]);
    out->child_major_faults = not_negative(field[FIELD_CMAJFLT]);
    out->nice = to_int(field[FIELD_NICE]);
    out->threads = to_int(field[FIELD_THREADS]);
    out->start_ticks = (uint64_t)field[FIELD_START];
    out->virt = (uint64_t)field[FIELD_VSIZE];
    out->rss_pages = not_negative(field[FIELD_RSS]);
    out->cpu = i > FIELD_CPU ? to_int(field[FIELD_CPU]) : -1;
    return 0;
}

/* --- /proc/stat --- */

static void parse_cpu_ticks(struct cursor *c, struct cpu_ticks *t)
{
    uint64_t v[8] = {0};
    for (int i = 0; i < 8 && parse_number(c, &v[i]); i++)
        ;
    *t = (struct cpu_ticks){v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]};
}

static void cpu_line(struct cursor *c, struct sys_stat *out)
{
    uint64_t id;
    if (c->p < c->end && *c->p == ' ') {
        parse_cpu_ticks(c, &out->total);
        out->have_total = true;
    } else if (parse_number(c, &id) && id < (uint64_t)out->npositions && out->position[id] >= 0) {
        parse_cpu_ticks(c, &out->cpu[out->position[id]]);
        out->seen[out->position[id]] = true;
    }
}

void parse_sys_stat(const char *buf, size_t n, struct sys_stat *out)
{
    struct cursor line;
    for (size_t at = 0; next_proc_line(buf, n, &at, &line);) {
        if (skip_word(&line, "cpu"))
            cpu_line(&line, out);
        else if (skip_word(&line, "intr "))
            out->have_interrupts = parse_number(&line, &out->interrupts);
        else if (skip_word(&line, "ctxt "))
            out->have_context_switches = parse_number(&line, &out->context_switches);
        else if (skip_word(&line, "processes "))
            out->have_forks = parse_number(&line, &out->forks);
        else if (skip_word(&line, "procs_running "))
            parse_number(&line, &out->running);
    }
}

/* --- /proc/meminfo --- */

static bool parse_kilobytes(struct cursor *c, uint64_t *out)
{
    if (!parse_number(c, out))
        return false;
    *out = *out > UINT64_MAX / 1024 ? UINT64_MAX : *out * 1024;
    return true;
}

void parse_meminfo(const char *buf, size_t n, struct mem_info *out)
{
    struct cursor line;
    *out = (struct mem_info){0};
    for (size_t at = 0; next_proc_line(buf, n, &at, &line);) {
        if (skip_word(&line, "MemTotal:"))
            out->have_total = parse_kilobytes(&line, &out->total);
        else if (skip_word(&line, "MemFree:"))
            parse_kilobytes(&line, &out->free);
        else if (skip_word(&line, "MemAvailable:"))
            out->have_available = parse_kilobytes(&line, &out->available);
        else if (skip_word(&line, "Buffers:"))
            out->have_buffers = parse_kilobytes(&line, &out->buffers);
        else if (skip_word(&line, "Cached:"))
            out->have_cached = parse_kilobytes(&line, &out->cached);
        else if (skip_word(&line, "SwapTotal:"))
            parse_kilobytes(&line, &out->swap_total);
        else if (skip_word(&line, "SwapFree:"))
            out->have_swap = parse_kilobytes(&line, &out->swap_free);
    }
}

/* --- other files --- */

/*
 * Parses digits with at most one '.', independent of the locale; no file has more than 18 digits.
 */
static bool parse_proc_decimal(struct cursor *c, double *out)
{
    uint64_t whole;
    if (!parse_number(c, &whole))
        return false;
    double v = (double)whole, unit = 0.1;
    if (c->p < c->end && *c->p == '.') {
        for (c->p++; is_at_digit(c); c->p++, unit /= 10)
            v += (*c->p - '0') * unit;
    }
    *out = v;
    return true;
}

int parse_decimals(const char *buf, size_t n, double *out, int max)
{
    struct cursor c = {buf, buf + n};
    int i = 0;
    while (i < max && parse_proc_decimal(&c, &out[i]))
        i++;
    return i;
}

int parse_pressure(const char *buf, size_t n, double *avg10)
{
    struct cursor line;
    for (size_t at = 0; next_proc_line(buf, n, &at, &line);)
        if (skip_word(&line, "some avg10=") && parse_proc_decimal(&line, avg10))
            return 0;
    return -EINVAL;
}

static bool copy_name(const char *from, size_t len, struct io_line *out)
{
    if (len == 0 || len >= sizeof out->name)
        return false;
    memcpy(out->name, from, len);
    out->name[len] = '\0';
    return true;
}

bool parse_net_line(const char *buf, size_t n, size_t *at, struct io_line *out)
{
    struct cursor c;
    while (next_proc_line(buf, n, at, &c)) {
        skip_proc_blanks(&c);
        const char *colon = memchr(c.p, ':', (size_t)(c.end - c.p));
        if (!colon || !copy_name(c.p, (size_t)(colon - c.p), out))
            continue;
        c.p = colon + 1;
        uint64_t field[9]; /* bytes, 7 others, bytes sent */
        int i = 0;
        while (i < 9 && parse_number(&c, &field[i]))
            i++;
        if (i < 9)
            continue;
        out->in = field[0];
        out->out = field[8];
        return true;
    }
    return false;
}

bool parse_disk_line(const char *buf, size_t n, size_t *at, struct io_line *out)
{
    struct cursor c;
    while (next_proc_line(buf, n, at, &c)) {
        uint64_t major, minor, field[7]; /* reads, merged, sectors, ms; writes, merged, sectors */
        if (!parse_number(&c, &major) || !parse_number(&c, &minor))
            continue;
        skip_proc_blanks(&c);
        const char *name = c.p;
        while (c.p < c.end && *c.p != ' ')
            c.p++;
        int i = 0;
        if (!copy_name(name, (size_t)(c.p - name), out))
            continue;
        while (i < 7 && parse_number(&c, &field[i]))
            i++;
        if (i < 7)
            continue;
        out->in = field[2] > UINT64_MAX / 512 ? UINT64_MAX : field[2] * 512;
        out->out = field[6] > UINT64_MAX / 512 ? UINT64_MAX : field[6] * 512;
        return true;
    }
    return false;
}
