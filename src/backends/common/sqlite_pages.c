#include "backends/common/sqlite_pages.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backends/common/read_ahead.h"
#include "base/arena.h"
#include "engine/value/sqlite_page.h"

enum { HEADER = SQLITE_PAGE_HEADER, DEPTH = 20, PAGE_MOST = READ_AHEAD_CHUNK };

/*
 * A page on the path from the root. It is a copy, because its chunk may be gone when it is needed
 * again.
 */
struct level {
    unsigned char *page;
    uint32_t number, cell, cells;
};

struct sqlite_pages {
    int fd;
    uint32_t page_size, usable;
    uint64_t npages, size;
    struct read_ahead *chunks; /* pages are mostly in order */
    struct level levels[DEPTH];
};

static bool read_database_header(struct sqlite_pages *p)
{
    unsigned char h[HEADER];
    struct stat st;
    if (pread(p->fd, h, sizeof h, 0) != HEADER || fstat(p->fd, &st) != 0 || !S_ISREG(st.st_mode))
        return false;
    p->page_size = sqlite_page_size(h);
    bool plain = memcmp(h, "SQLite format 3", 16) == 0 && sqlite_page_32(h + 56) == 1 /* UTF-8 */ &&
                 p->page_size >= 512 && p->page_size <= PAGE_MOST &&
                 (p->page_size & (p->page_size - 1)) == 0 && h[20] <= p->page_size - 480;
    p->usable = p->page_size - h[20];
    p->size = (uint64_t)st.st_size;
    p->npages = plain ? p->size / p->page_size : 0;
    return plain;
}

struct sqlite_pages *sqlite_pages_open(const char *path)
{
    struct sqlite_pages *p = xcalloc(1, sizeof *p);
    p->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (p->fd < 0 || !read_database_header(p)) {
        sqlite_pages_close(p);
        return NULL;
    }
    p->chunks = read_ahead_new(p->fd, p->size);
    return p;
}

uint64_t sqlite_pages_size(const struct sqlite_pages *p)
{
    return p->size;
}

void sqlite_pages_close(struct sqlite_pages *p)
{
    if (!p)
        return;
    read_ahead_free(p->chunks);
    if (p->fd >= 0)
        close(p->fd);
    for (int i = 0; i < DEPTH; i++)
        free(p->levels[i].page);
    free(p);
}

/* Returns a page, valid until the next call; NULL: there is none. */
static const unsigned char *get_page(struct sqlite_pages *p, uint32_t number)
{
    if (number == 0 || number > p->npages)
        return NULL;
    uint64_t at = (uint64_t)(number - 1) * p->page_size;
    const unsigned char *chunk = read_ahead_get(p->chunks, at / READ_AHEAD_CHUNK);
    return chunk ? chunk + at % READ_AHEAD_CHUNK : NULL;
}

/* --- rows --- */

/*
 * Where the wanted values are in a record, according to its header. A table has few different
 * headers, so those of recent rows are kept.
 */
enum { HEAD = 128, NOT_WANTED = 255, FORMATS = 16 };
struct record_format {
    unsigned char head[HEAD + 8]; /* up to the type of the last wanted column */
    uint32_t length;              /* of head; 0: unused entry */
    uint64_t needed;              /* bytes of a record, up to the end of the last wanted value */
    uint32_t n;                   /* cells that differ in each row */
    struct record_value {
        uint64_t at;
        uint8_t cell, shift;
        enum value_source { INTEGER, REAL, BYTES, ROW_ID } source;
    } value[SQLITE_PAGES_PICKS];
    struct sqlite_cell cell[SQLITE_PAGES_PICKS]; /* values given by the header itself: NULL, 0, 1 */
};

struct page_walk {
    uint8_t cell_of[SQLITE_NO_COLUMN]; /* the cell of each column */
    uint32_t columns, cells;           /* up to the last wanted column; cells */
    int alias;
    struct record_format *formats; /* FORMATS entries */
    uint32_t now, oldest;          /* the format of the last row; the entry to replace next */
    int (*each)(void *ctx, const struct sqlite_row *row);
    void *ctx;
    int64_t *last;
    struct sqlite_row row;
};

static void set_value(const struct page_walk *w, struct record_format *f, uint32_t column,
                      uint64_t type, uint64_t at)
{
    static const uint8_t bits[8] = {0, 8, 16, 24, 32, 48, 64, 64};
    uint8_t cell = w->cell_of[column];
    struct sqlite_cell *c = &f->cell[cell];
    struct record_value v = {at, cell, 0, INTEGER};
    c->kind = VALUE_INT;
    if (type == 8 || type == 9) {
        c->whole = (int64_t)type - 8;
        return;
    }
    if (type == 0 && (int)column != w->alias) {
        c->kind = VALUE_NULL;
        return;
    }
    if (type == 0) {
        v.source = ROW_ID;
    } else if (type == 7) {
        v.source = REAL;
    } else if (type < 7) {
        v.shift = 64 - bits[type];
    } else {
        v.source = BYTES;
        c->kind = type & 1 ? VALUE_TEXT : VALUE_BLOB;
        c->n = (uint32_t)((type - 12) / 2);
    }
    f->value[f->n++] = v;
}

/* Reads which types and sizes the columns of a record have. Returns false for a record that is
 * damaged, or that has fewer columns than the table: the missing ones would be defaults. */
static bool read_format(const struct page_walk *w, struct record_format *f, const unsigned char *p,
                        uint64_t length)
{
    uint64_t head, type, at;
    const unsigned char *types = p + sqlite_page_varint(p, p + length, &head), *stop;
    *f = (struct record_format){.n = 0};
    if (types == p || head > length)
        return false;
    at = head;
    stop = p + head;
    for (uint32_t i = 0; i < w->columns; i++) {
        uint32_t n = sqlite_page_varint(types, stop, &type);
        if (n == 0 || type == 10 || type == 11 || type > UINT32_MAX)
            return false;
        uint64_t size = sqlite_page_value_size(type);
        if (size > length - at)
            return false;
        if (w->cell_of[i] != NOT_WANTED)
            set_value(w, f, i, type, at);
        at += size;
        types += n;
    }
    f->needed = at;
    if (types - p > HEAD)
        return true; /* try it again later */
    f->length = (uint32_t)(types - p);
    memcpy(f->head, p, f->length);
    return true;
}

/*
 * Reads eight bytes. They may pass the end of a value: chunks and heads have that many spare bytes.
 */
static inline uint64_t read_eight_bytes(const unsigned char *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline uint64_t read_big_endian_64(const unsigned char *p)
{
    return be64toh(read_eight_bytes(p));
}

static inline bool has_format(const struct record_format *f, const unsigned char *p,
                              uint64_t length)
{
    uint64_t differ = 0;
    uint32_t i = 0;
    if (f->length == 0 || f->length > length)
        return false;
    for (; i + 8 <= f->length; i += 8)
        differ |= read_eight_bytes(p + i) ^ read_eight_bytes(f->head + i);
    uint64_t last = read_big_endian_64(p + i) ^ read_big_endian_64(f->head + i);
    return differ == 0 && (i == f->length || last >> (64 - 8 * (f->length - i)) == 0);
}

/* Makes a record's format the current one; false: the record is not plain. */
static bool find_record_format(struct page_walk *w, const unsigned char *p, uint64_t length)
{
    for (w->now = 0; w->now < FORMATS && !has_format(&w->formats[w->now], p, length);)
        w->now++;
    if (w->now == FORMATS) {
        w->now = w->oldest;
        w->oldest = (w->oldest + 1) % FORMATS;
        if (!read_format(w, &w->formats[w->now], p, length))
            return false;
    }
    memcpy(w->row.cell, w->formats[w->now].cell, w->cells * sizeof *w->row.cell);
    return true;
}

/* Reads the values of a record; false: it is not plain. */
static inline bool read_record(struct page_walk *w, const unsigned char *p, uint64_t length)
{
    if (!has_format(&w->formats[w->now], p, length) && !find_record_format(w, p, length))
        return false;
    const struct record_format *f = &w->formats[w->now];
    if (f->needed > length)
        return false;
    for (uint32_t i = 0; i < f->n; i++) {
        const struct record_value *v = &f->value[i];
        struct sqlite_cell *c = &w->row.cell[v->cell];
        switch (v->source) {
        case INTEGER:
            c->whole = (int64_t)read_big_endian_64(p + v->at) >> v->shift;
            break;
        case REAL:
            c->whole = (int64_t)read_big_endian_64(p + v->at);
            c->kind = c->real == c->real ? VALUE_REAL : VALUE_NULL; /* SQLite treats NaN as NULL */
            break;
        case BYTES:
            c->bytes = p + v->at;
            break;
        case ROW_ID:
            c->whole = w->row.rowid;
        }
    }
    return true;
}

static bool begin_walk(struct page_walk *w, const struct sqlite_picks *picks)
{
    if (picks->n > SQLITE_PAGES_PICKS)
        return false;
    memset(w->cell_of, NOT_WANTED, sizeof w->cell_of);
    w->alias = picks->alias;
    w->cells = picks->n;
    w->formats = xcalloc(FORMATS, sizeof *w->formats);
    for (uint32_t i = 0; i < picks->n; i++) {
        uint8_t column = picks->column[i];
        w->row.cell[i].kind = VALUE_NULL;
        if (column == SQLITE_NO_COLUMN)
            continue;
        w->cell_of[column] = (uint8_t)i;
        w->columns = column >= w->columns ? column + 1u : w->columns;
    }
    return true;
}

/* Page 1 begins with the file's header. */
static const unsigned char *start_of(const unsigned char *page, uint32_t number)
{
    return page + (number == 1 ? HEADER : 0);
}

static int read_leaf(struct sqlite_pages *p, const unsigned char *page, uint32_t number,
                     struct page_walk *w)
{
    const unsigned char *head = start_of(page, number), *end = page + p->usable;
    uint32_t cells = sqlite_page_16(head + 3);
    if (head + 8 + 2 * (size_t)cells > end)
        return -EAGAIN;
    for (uint32_t i = 0; i < cells; i++) {
        uint32_t at = sqlite_page_16(head + 8 + 2 * (size_t)i);
        uint64_t length = 0, rowid = 0;
        const unsigned char *cell = page + at;
        if (cell < head + 8 || cell >= end)
            return -EAGAIN;
        uint32_t n = sqlite_page_varint(cell, end, &length),
                 m = n ? sqlite_page_varint(cell + n, end, &rowid) : 0;
        cell += n + m;
        w->row.rowid = (int64_t)rowid;
        if (m == 0 || length > (uint64_t)(end - cell) || length > p->usable - 35 ||
            (*w->last != INT64_MIN && w->row.rowid <= *w->last) || !read_record(w, cell, length))
            return -EAGAIN;
        int rc = w->each(w->ctx, &w->row);
        if (rc != 0)
            return rc;
        *w->last = w->row.rowid;
    }
    return 0;
}

/* Adds a page to the path from the root. */
static bool enter_page(struct sqlite_pages *p, struct level *l, const unsigned char *page,
                       uint32_t number)
{
    uint32_t cells = sqlite_page_16(start_of(page, number) + 3);
    if ((number == 1 ? HEADER : 0) + 12 + 2 * (size_t)cells > p->usable)
        return false;
    if (!l->page)
        l->page = xcalloc(1, p->page_size);
    memcpy(l->page, page, p->page_size);
    l->number = number;
    l->cell = 0;
    l->cells = cells;
    return true;
}

/* The number of the next child page; 0: damaged. The last child follows the cells. */
static uint32_t next_child(const struct sqlite_pages *p, struct level *l)
{
    const unsigned char *head = start_of(l->page, l->number);
    uint32_t i = l->cell++;
    if (i == l->cells)
        return sqlite_page_32(head + 8);
    uint32_t at = sqlite_page_16(head + 12 + 2 * (size_t)i);
    return at + 4 <= p->usable ? sqlite_page_32(l->page + at) : 0;
}

/*
 * Visits a page. Returns 0 to continue, -EAGAIN, or the result of each. *depth: pages on the path.
 */
static int visit_page(struct sqlite_pages *p, uint32_t number, uint32_t *depth, struct page_walk *w)
{
    const unsigned char *page = get_page(p, number);
    uint8_t kind = page ? *start_of(page, number) : 0;
    if (kind == SQLITE_PAGE_LEAF)
        return read_leaf(p, page, number, w);
    if (kind != SQLITE_PAGE_INNER || *depth == DEPTH ||
        !enter_page(p, &p->levels[*depth], page, number))
        return -EAGAIN;
    ++*depth;
    return 0;
}

int sqlite_pages_each(struct sqlite_pages *p, uint32_t root, const struct sqlite_picks *picks,
                      int (*each)(void *ctx, const struct sqlite_row *row), void *ctx,
                      int64_t *last)
{
    struct page_walk w = {.each = each, .ctx = ctx, .last = last};
    uint32_t depth = 0;
    uint64_t visits = 1;
    *last = INT64_MIN;
    if (!begin_walk(&w, picks))
        return -EAGAIN;
    int rc = visit_page(p, root, &depth, &w);
    while (rc == 0 && depth > 0) {
        struct level *l = &p->levels[depth - 1];
        if (l->cell > l->cells) {
            depth--;
            continue;
        }
        /* no page is visited twice; more visits mean a cycle */
        rc = ++visits > p->npages ? -EAGAIN : visit_page(p, next_child(p, l), &depth, &w);
    }
    free(w.formats);
    return rc;
}
