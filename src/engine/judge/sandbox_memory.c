#include "engine/judge/sandbox_memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/env.h"

/* How the values of a buffer stand in its pages, by the slot. */
enum { PRESSED_BACK, PRESSED_FRONT, PRESSED_BACK_AGAIN, SHIFTED, PLACINGS };

static size_t round_up_size(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

void sandbox_layout_of(struct sandbox_layout *l, const struct harness *h, size_t slots)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    *l = (struct sandbox_layout){.page = page,
                                 .start = round_up_size(sizeof(struct sandbox_start), page),
                                 .nbuffers = harness_buffers(h)};
    for (size_t i = 0; i < l->nbuffers; i++) {
        const struct judge_argument *a = &h->arguments[i];
        const size_t bytes = judge_bytes(a), size = judge_types[a->type].size;
        const size_t step = a->align > size ? a->align : size;
        const size_t pages = round_up_size(bytes + step, page); /* room for a shift */
        const bool written = judge_is_output(a);
        const size_t at = l->part[written].slot;
        l->buffer[i].written = written;
        if (bytes == 0)
            continue;
        l->buffer[i].run = at + page;
        l->buffer[i].pages = pages;
        l->buffer[i].bytes = bytes;
        l->buffer[i].step = step;
        l->part[written].slot = at + page + pages + page;
    }
    l->part[0].begin = l->start;
    l->part[1].begin = l->start + slots * l->part[0].slot;
    l->bytes = l->part[1].begin + slots * l->part[1].slot;
}

static size_t slot_part_at(const struct sandbox_layout *l, size_t slot, size_t i)
{
    const bool written = l->buffer[i].written;
    return l->part[written].begin + slot * l->part[written].slot;
}

size_t sandbox_run_at(const struct sandbox_layout *l, size_t slot, size_t i)
{
    return slot_part_at(l, slot, i) + l->buffer[i].run;
}

size_t sandbox_data_at(const struct sandbox_layout *l, size_t slot, size_t i)
{
    const size_t bytes = l->buffer[i].bytes, step = l->buffer[i].step;
    const size_t run = sandbox_run_at(l, slot, i), end = run + l->buffer[i].pages;
    const size_t back = end - round_up_size(bytes, step > SANDBOX_ALIGN ? step : SANDBOX_ALIGN);
    const size_t last = end - round_up_size(bytes, step);
    switch (slot % PLACINGS) {
    case PRESSED_FRONT:
        return run;
    case SHIFTED:
        return last % SANDBOX_ALIGN ? last : last - step;
    default:
        return back;
    }
}

/* How many slots have room. */
static size_t count_fitting_slots(const struct harness *h, size_t wanted)
{
    struct sandbox_layout l;
    size_t pages = 1, bytes = 1;
    sandbox_layout_of(&l, h, 1);
    for (size_t i = 0; i < l.nbuffers; i++) {
        pages += l.buffer[i].pages;
        bytes += round_up_size(l.buffer[i].bytes, SANDBOX_ALIGN);
    }
    size_t n = SANDBOX_PAGES_MOST / pages;
    n = SANDBOX_BYTES_MOST / bytes < n ? SANDBOX_BYTES_MOST / bytes : n;
    n = n > SANDBOX_SLOTS_LEAST ? n : SANDBOX_SLOTS_LEAST;
    n = wanted < n ? wanted : n;
    return n < SANDBOX_SLOTS_MOST ? n : SANDBOX_SLOTS_MOST;
}

int sandbox_memory_open(struct sandbox_memory **out, const struct harness *h, size_t wanted,
                        struct error *err)
{
    struct sandbox_memory *m = xcalloc(1, sizeof *m);
    m->slots = count_fitting_slots(h, wanted);
    sandbox_layout_of(&m->layout, h, m->slots);
    m->has_margins = xcalloc(m->slots, sizeof *m->has_margins);
    m->margin = xcalloc(m->layout.page, 1);
    env_random(m->margin, m->layout.page);
    m->base = MAP_FAILED;
    m->fd = memfd_create("buffers", MFD_CLOEXEC);
    if (m->fd >= 0 && ftruncate(m->fd, (off_t)m->layout.bytes) == 0)
        m->base = mmap(NULL, m->layout.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd, 0);
    if (m->base == MAP_FAILED) {
        const int code = errno;
        sandbox_memory_close(m);
        return error_set(err, ERROR_UNSUPPORTED, code, NULL, "memory for the calls", "%s",
                         strerror(code));
    }
    m->harness = *h;
    *out = m;
    return 0;
}

void sandbox_memory_close(struct sandbox_memory *m)
{
    if (!m)
        return;
    if (m->base != MAP_FAILED)
        munmap(m->base, m->layout.bytes);
    if (m->fd >= 0)
        close(m->fd);
    free(m->has_margins);
    free(m->margin);
    free(m);
}

void *sandbox_buffer(const struct sandbox_memory *m, size_t slot, size_t argument)
{
    return (char *)m->base + sandbox_data_at(&m->layout, slot, argument);
}

/* The two ranges beside a buffer that stand in its pages. */
static void margins_of(const struct sandbox_memory *m, size_t slot, size_t i, char *from[2],
                       size_t n[2])
{
    const size_t run = sandbox_run_at(&m->layout, slot, i),
                 data = sandbox_data_at(&m->layout, slot, i);
    const size_t bytes = m->layout.buffer[i].bytes, pages = m->layout.buffer[i].pages;
    from[0] = (char *)m->base + run;
    n[0] = data - run;
    from[1] = (char *)m->base + data + bytes;
    n[1] = run + pages - data - bytes;
}

/* What stands in a margin from an address of the memory on, and for how many bytes of n. */
static const unsigned char *margin_at(const struct sandbox_memory *m, const char *from, size_t *n)
{
    const size_t page = m->layout.page, at = (size_t)(from - (const char *)m->base) % page;
    *n = *n < page - at ? *n : page - at;
    return m->margin + at;
}

static void set_margin(const struct sandbox_memory *m, char *from, size_t n)
{
    for (size_t part; n > 0; from += part, n -= part) {
        part = n;
        const unsigned char *bytes = margin_at(m, from, &part);
        memcpy(from, bytes, part);
    }
}

void sandbox_set_margins(const struct sandbox_memory *m, size_t slot)
{
    char *from[2];
    size_t n[2];
    if (m->has_margins[slot])
        return;
    m->has_margins[slot] = true;
    for (size_t i = 0; i < m->layout.nbuffers; i++) {
        if (m->layout.buffer[i].bytes == 0)
            continue;
        margins_of(m, slot, i, from, n);
        set_margin(m, from[0], n[0]);
        set_margin(m, from[1], n[1]);
    }
}

/* The place of the first byte that is no margin, or n. */
static size_t first_written(const struct sandbox_memory *m, const char *from, size_t n)
{
    size_t at = 0;
    for (size_t part; at < n; at += part) {
        part = n - at;
        const unsigned char *bytes = margin_at(m, from + at, &part);
        if (memcmp(from + at, bytes, part) == 0)
            continue;
        for (size_t i = 0; i < part; i++)
            if ((unsigned char)from[at + i] != bytes[i])
                return at + i;
    }
    return n;
}

int sandbox_margins(const struct sandbox_memory *m, size_t slot, struct judge_refusal *refused)
{
    char *from[2];
    size_t n[2];
    for (size_t i = 0; i < m->layout.nbuffers; i++) {
        if (!judge_is_output(&m->harness.arguments[i]))
            continue;
        margins_of(m, slot, i, from, n);
        for (int side = 0; side < 2; side++) {
            const size_t k = first_written(m, from[side], n[side]);
            if (k == n[side])
                continue;
            m->has_margins[slot] = false; /* set again before the next call */
            return judge_refuse(refused, GUARD_MEMORY, "it writes %zu bytes %s %s",
                                side ? k + 1 : n[0] - k, side ? "behind the end of" : "before",
                                m->harness.arguments[i].name);
        }
    }
    return 0;
}
