#include "engine/session_salvage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/watch.h"
#include "engine/session_sql.h"

enum {
    HEADER = 100,
    LEAF = 13, /* a page with rows of a table */
    COLUMNS = 7,
    ROW_MAX = BLOCK_UNPACKED_MAX + (1 << 20), /* bytes */
    LOOKS = 64                                /* pages between two looks at the user */
};

struct found {
    int64_t id;
    uint32_t page, cell; /* where in it */
};

struct session_salvage {
    int fd;
    uint64_t size;
    uint32_t page_size, usable, npages, once;
    unsigned columns; /* of table block in this schema */
    unsigned char *page, *overflow;
    struct bytes row, raw;
    struct found *found;
    size_t n, cap;
};

static uint32_t big16(const unsigned char *p)
{
    return (uint32_t)p[0] << 8 | p[1];
}

static uint32_t big32(const unsigned char *p)
{
    return big16(p) << 16 | big16(p + 2);
}

/* --- pages and rows --- */

static bool read_page(struct session_salvage *s, uint32_t number, unsigned char *out)
{
    return number > 0 && number <= s->npages &&
           pread(s->fd, out, s->page_size, (off_t)(number - 1) * s->page_size) ==
               (ssize_t)s->page_size;
}

/* Its length, 0 where it goes past the end. */
static uint32_t varint(const unsigned char *p, const unsigned char *end, uint64_t *out)
{
    uint64_t v = 0;
    for (uint32_t i = 0; i < 9 && p + i < end; i++) {
        v = i == 8 ? v << 8 | p[i] : v << 7 | (p[i] & 127);
        if (i == 8 || p[i] < 128) {
            *out = v;
            return i + 1;
        }
    }
    return 0;
}

/* Bytes of a row of so many that stand in its leaf; fileformat2, 1.6. */
static uint32_t local_part(const struct session_salvage *s, uint64_t length)
{
    uint32_t most = s->usable - 35, least = (s->usable - 12) * 32 / 255 - 23;
    if (length <= most)
        return (uint32_t)length;
    uint32_t k = least + (uint32_t)((length - least) % (s->usable - 4));
    return k <= most ? k : least;
}

/* The rest of a row, on pages of its own. */
static bool add_overflow(struct session_salvage *s, uint32_t page, uint64_t length)
{
    while (s->row.n < length) {
        uint64_t rest = length - s->row.n;
        if (!read_page(s, page, s->overflow))
            return false;
        bytes_put(&s->row, s->overflow + 4, rest < s->usable - 4 ? rest : s->usable - 4);
        page = big32(s->overflow);
    }
    return true;
}

struct column {
    uint64_t type;
    const unsigned char *at;
    size_t n;
};

static bool is_int(uint64_t type)
{
    return (type >= 1 && type <= 6) || type == 8 || type == 9;
}

static uint64_t number_of(const struct column *c)
{
    uint64_t v = c->n && c->at[0] & 0x80 ? UINT64_MAX : 0;
    if (c->type >= 8)
        return c->type - 8;
    for (size_t i = 0; i < c->n; i++)
        v = v << 8 | c->at[i];
    return v;
}

/* The types of a row's columns: those of table block, and of no other. */
static bool read_types(const struct session_salvage *s, const unsigned char *p,
                       const unsigned char *end, struct column *c, uint64_t *head)
{
    static const uint8_t sizes[10] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0};
    uint32_t n = varint(p, end, head);
    if (n == 0 || *head > (uint64_t)(end - p))
        return false;
    const unsigned char *stop = p + *head;
    p += n;
    for (unsigned i = 0; i < s->columns; i++) {
        c[i] = (struct column){.type = 0};
        n = varint(p, stop, &c[i].type);
        bool good = i == 0  ? c[i].type == 0
                    : i < 4 ? is_int(c[i].type)
                            : c[i].type >= 12 && c[i].type % 2 == 0;
        if (n == 0 || !good)
            return false;
        c[i].n = c[i].type < 10 ? sizes[c[i].type] : (size_t)((c[i].type - 12) / 2);
        p += n;
    }
    return p == stop;
}

/* The row of a cell of s->page, whole, into s->row. */
static bool read_row(struct session_salvage *s, uint32_t cell, int64_t *id, struct column *c)
{
    const unsigned char *p = s->page + cell, *end = s->page + s->usable;
    uint64_t length = 0, rowid = 0, head = 0, sum;
    uint32_t n = varint(p, end, &length), m = n ? varint(p + n, end, &rowid) : 0;
    p += n + m;
    if (m == 0 || length > ROW_MAX || length > s->size)
        return false;
    uint32_t local = local_part(s, length);
    bool more = local < length;
    if (local + (more ? 4u : 0u) > (uint64_t)(end - p) || !read_types(s, p, p + local, c, &head))
        return false;
    s->row.n = 0;
    bytes_put(&s->row, p, local);
    if (more && !add_overflow(s, big32(p + local), length))
        return false;
    sum = head;
    for (unsigned i = 0; i < s->columns; i++) {
        c[i].at = s->row.p + sum;
        if (c[i].n > length - sum)
            return false;
        sum += c[i].n;
    }
    *id = (int64_t)rowid;
    return *id > 0 && sum == length;
}

static bool read_index(const struct session_salvage *s, const struct column *c,
                       struct block_index *x)
{
    bool levels = s->columns == COLUMNS;
    uint64_t frames = number_of(&c[3]);
    if (frames == 0 || frames > BLOCK_FRAMES)
        return false;
    x->n = (size_t)frames;
    if (!session_index_read(x, number_of(&c[1]), c[4].at, c[4].n, levels ? c[5].at : NULL,
                            levels ? c[5].n : 0) ||
        x->time_ns[x->n - 1] != number_of(&c[2]))
        return false;
    for (size_t i = 1; i < x->n; i++)
        if (x->time_ns[i] < x->time_ns[i - 1])
            return false;
    return true;
}

/* --- looking for them --- */

static void look_at(struct session_salvage *s, uint32_t page, uint32_t cell)
{
    struct column c[COLUMNS] = {0};
    struct block_index x;
    int64_t id;
    if (!read_row(s, cell, &id, c) || !read_index(s, c, &x))
        return;
    const struct column *data = &c[s->columns - 1];
    if (block_unpack(&s->raw, data->at, data->n) != 0)
        return;
    if (s->n == s->cap) {
        s->cap = s->cap ? s->cap * 2 : 64;
        s->found = xrealloc(s->found, s->cap, sizeof *s->found);
    }
    s->found[s->n++] = (struct found){id, page, cell};
}

static void look_at_page(struct session_salvage *s, uint32_t number)
{
    if (!read_page(s, number, s->page) || s->page[0] != LEAF)
        return;
    uint32_t cells = big16(s->page + 3);
    if (8 + 2 * cells > s->usable)
        return;
    for (uint32_t i = 0; i < cells; i++) {
        uint32_t at = big16(s->page + 8 + 2 * (size_t)i);
        if (at >= 8 + 2 * cells && at < s->usable)
            look_at(s, number, at);
    }
}

static int by_id(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return (x->page > y->page) - (x->page < y->page);
}

/* A row that was moved may still stand in a page that is free now. */
static void drop_doubles(struct session_salvage *s)
{
    size_t n = 0;
    qsort(s->found, s->n, sizeof *s->found, by_id);
    for (size_t i = 0; i < s->n; i++)
        if (n == 0 || s->found[n - 1].id != s->found[i].id)
            s->found[n++] = s->found[i];
    s->n = n;
}

static bool read_header(struct session_salvage *s)
{
    unsigned char head[HEADER];
    struct stat st;
    if (fstat(s->fd, &st) != 0 || !S_ISREG(st.st_mode) ||
        pread(s->fd, head, sizeof head, 0) != (ssize_t)sizeof head)
        return false;
    s->page_size = big16(head + 16) == 1 ? 65536 : big16(head + 16);
    if (s->page_size < 512 || (s->page_size & (s->page_size - 1)) != 0 || head[20] > 32)
        return false;
    s->size = (uint64_t)st.st_size;
    s->usable = s->page_size - head[20];
    s->npages = s->size / s->page_size < UINT32_MAX ? (uint32_t)(s->size / s->page_size) : 0;
    s->once = big32(head + 28);
    s->columns = big32(head + 60) == 1 ? COLUMNS - 1 : COLUMNS; /* schema 1 had no levels */
    return true;
}

int session_salvage_open(struct session_salvage **out, const char *path, struct error *err)
{
    struct session_salvage *s = *out = xcalloc(1, sizeof *s);
    int rc = 0;
    s->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (s->fd < 0 || !read_header(s))
        return error_set(err, ERROR_INPUT, EINVAL, "record again", path,
                         "damaged: its header cannot be read");
    s->page = xcalloc(1, s->page_size);
    s->overflow = xcalloc(1, s->page_size);
    for (uint32_t i = 2; i <= s->npages && rc == 0; i++) {
        look_at_page(s, i);
        rc = i % LOOKS == 0 ? watch_check(path, err) : 0;
    }
    if (s->n)
        drop_doubles(s);
    return rc;
}

void session_salvage_free(struct session_salvage *s)
{
    if (!s)
        return;
    if (s->fd >= 0)
        close(s->fd);
    free(s->page);
    free(s->overflow);
    free(s->row.p);
    free(s->raw.p);
    free(s->found);
    free(s);
}

size_t session_salvage_count(const struct session_salvage *s)
{
    return s->n;
}

static bool read_again(struct session_salvage *s, size_t i, struct column *c)
{
    int64_t id;
    return read_page(s, s->found[i].page, s->page) && read_row(s, s->found[i].cell, &id, c) &&
           id == s->found[i].id;
}

bool session_salvage_index(struct session_salvage *s, size_t i, struct block_index *out)
{
    struct column c[COLUMNS] = {0};
    return read_again(s, i, c) && read_index(s, c, out);
}

bool session_salvage_load(struct session_salvage *s, size_t i, struct bytes *raw)
{
    struct column c[COLUMNS] = {0};
    if (!read_again(s, i, c))
        return false;
    return block_unpack(raw, c[s->columns - 1].at, c[s->columns - 1].n) == 0;
}

uint64_t session_salvage_bytes(const struct session_salvage *s, uint64_t *once)
{
    *once = (uint64_t)s->once * s->page_size;
    return s->size;
}
