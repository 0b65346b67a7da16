#include "engine/judge/cell_memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/env.h"

/* How the values of a buffer stand in its pages, by the place. */
enum { PRESSED_BACK, PRESSED_FRONT, PRESSED_BACK_AGAIN, SHIFTED, PLACINGS };

static size_t round_up_size(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

void cell_layout_of(struct cell_layout *l, const struct harness *h, size_t places)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    *l = (struct cell_layout){.page = page,
                              .talk = round_up_size(sizeof(struct cell_talk), page),
                              .nbuffers = harness_buffers(h)};
    for (size_t i = 0; i < l->nbuffers; i++) {
        const struct judge_argument *a = &h->arguments[i];
        const size_t bytes = judge_bytes(a), size = judge_types[a->type].size;
        const size_t step = a->align > size ? a->align : size;
        const size_t pages = round_up_size(bytes + step, page); /* room for a shift */
        const bool written = judge_is_output(a);
        const size_t at = l->part[written].place;
        l->buffer[i].written = written;
        if (bytes == 0)
            continue;
        l->buffer[i].run = at + page;
        l->buffer[i].pages = pages;
        l->buffer[i].bytes = bytes;
        l->buffer[i].step = step;
        l->part[written].place = at + page + pages + page;
    }
    l->part[0].begin = l->talk;
    l->part[1].begin = l->talk + places * l->part[0].place;
    l->bytes = l->part[1].begin + places * l->part[1].place;
}

static size_t place_at(const struct cell_layout *l, size_t place, size_t i)
{
    const bool written = l->buffer[i].written;
    return l->part[written].begin + place * l->part[written].place;
}

size_t cell_run_at(const struct cell_layout *l, size_t place, size_t i)
{
    return place_at(l, place, i) + l->buffer[i].run;
}

size_t cell_data_at(const struct cell_layout *l, size_t place, size_t i)
{
    const size_t bytes = l->buffer[i].bytes, step = l->buffer[i].step;
    const size_t run = cell_run_at(l, place, i), end = run + l->buffer[i].pages;
    const size_t back = end - round_up_size(bytes, step > CELL_ALIGN ? step : CELL_ALIGN);
    const size_t last = end - round_up_size(bytes, step);
    switch (place % PLACINGS) {
    case PRESSED_FRONT:
        return run;
    case SHIFTED:
        return last % CELL_ALIGN ? last : last - step;
    default:
        return back;
    }
}

/* How many places have room. */
static size_t places_of(const struct harness *h, size_t wanted)
{
    struct cell_layout l;
    size_t pages = 1, bytes = 1;
    cell_layout_of(&l, h, 1);
    for (size_t i = 0; i < l.nbuffers; i++) {
        pages += l.buffer[i].pages;
        bytes += round_up_size(l.buffer[i].bytes, CELL_ALIGN);
    }
    size_t n = CELL_PAGES_MOST / pages;
    n = CELL_BYTES_MOST / bytes < n ? CELL_BYTES_MOST / bytes : n;
    n = n > CELL_PLACES_LEAST ? n : CELL_PLACES_LEAST;
    n = wanted < n ? wanted : n;
    return n < CELL_PLACES_MOST ? n : CELL_PLACES_MOST;
}

int cell_memory_open(struct cell_memory **out, const struct harness *h, size_t wanted,
                     struct error *err)
{
    struct cell_memory *m = xcalloc(1, sizeof *m);
    m->places = places_of(h, wanted);
    cell_layout_of(&m->layout, h, m->places);
    m->has_margins = xcalloc(m->places, sizeof *m->has_margins);
    m->margin = xcalloc(m->layout.page, 1);
    env_random(m->margin, m->layout.page);
    m->base = MAP_FAILED;
    m->fd = memfd_create("buffers", MFD_CLOEXEC);
    if (m->fd >= 0 && ftruncate(m->fd, (off_t)m->layout.bytes) == 0)
        m->base = mmap(NULL, m->layout.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd, 0);
    if (m->base == MAP_FAILED) {
        const int code = errno;
        cell_memory_close(m);
        return error_set(err, ERROR_UNSUPPORTED, code, NULL, "memory for the calls", "%s",
                         strerror(code));
    }
    m->harness = *h;
    *out = m;
    return 0;
}

void cell_memory_close(struct cell_memory *m)
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

void *cell_buffer(const struct cell_memory *m, size_t place, size_t argument)
{
    return (char *)m->base + cell_data_at(&m->layout, place, argument);
}

/* The two ranges beside a buffer that stand in its pages. */
static void margins_of(const struct cell_memory *m, size_t place, size_t i, char *from[2],
                       size_t n[2])
{
    const size_t run = cell_run_at(&m->layout, place, i), data = cell_data_at(&m->layout, place, i);
    const size_t bytes = m->layout.buffer[i].bytes, pages = m->layout.buffer[i].pages;
    from[0] = (char *)m->base + run;
    n[0] = data - run;
    from[1] = (char *)m->base + data + bytes;
    n[1] = run + pages - data - bytes;
}

/* What stands in a margin from an address of the memory on, and for how many bytes of n. */
static const unsigned char *margin_at(const struct cell_memory *m, const char *from, size_t *n)
{
    const size_t page = m->layout.page, at = (size_t)(from - (const char *)m->base) % page;
    *n = *n < page - at ? *n : page - at;
    return m->margin + at;
}

static void set_margin(const struct cell_memory *m, char *from, size_t n)
{
    for (size_t part; n > 0; from += part, n -= part) {
        part = n;
        const unsigned char *bytes = margin_at(m, from, &part);
        memcpy(from, bytes, part);
    }
}

void cell_set_margins(const struct cell_memory *m, size_t place)
{
    char *from[2];
    size_t n[2];
    if (m->has_margins[place])
        return;
    m->has_margins[place] = true;
    for (size_t i = 0; i < m->layout.nbuffers; i++) {
        if (m->layout.buffer[i].bytes == 0)
            continue;
        margins_of(m, place, i, from, n);
        set_margin(m, from[0], n[0]);
        set_margin(m, from[1], n[1]);
    }
}

/* The place of the first byte that is no margin, or n. */
static size_t first_written(const struct cell_memory *m, const char *from, size_t n)
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

int cell_margins(const struct cell_memory *m, size_t place, struct judge_refusal *refused)
{
    char *from[2];
    size_t n[2];
    for (size_t i = 0; i < m->layout.nbuffers; i++) {
        if (!judge_is_output(&m->harness.arguments[i]))
            continue;
        margins_of(m, place, i, from, n);
        for (int side = 0; side < 2; side++) {
            const size_t k = first_written(m, from[side], n[side]);
            if (k == n[side])
                continue;
            m->has_margins[place] = false; /* set again before the next call */
            return judge_refuse(refused, GUARD_MEMORY, "it writes %zu bytes %s %s",
                                side ? k + 1 : n[0] - k, side ? "behind the end of" : "before",
                                m->harness.arguments[i].name);
        }
    }
    return 0;
}
