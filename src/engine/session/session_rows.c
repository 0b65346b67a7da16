#include "engine/session/session_impl.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "engine/value/sqlite_page.h"

enum {
    LEAF_HEADER = 8,
    ROW_MAX = BLOCK_UNPACKED_MAX + (1 << 20), /* bytes */
    TWICE = 2 /* a page may be read for a row, and again for a row that was removed */
};

/* --- the file --- */

static bool read_rows_header(struct session_rows *r)
{
    unsigned char head[SQLITE_PAGE_HEADER];
    struct stat st;
    if (fstat(r->fd, &st) != 0 || !S_ISREG(st.st_mode) ||
        pread(r->fd, head, sizeof head, 0) != (ssize_t)sizeof head)
        return false;
    r->page_size = sqlite_page_size(head);
    if (r->page_size < 512 || (r->page_size & (r->page_size - 1)) != 0 || head[20] > 32)
        return false;
    r->size = (uint64_t)st.st_size;
    r->usable = r->page_size - head[20];
    r->npages = r->size / r->page_size < UINT32_MAX ? (uint32_t)(r->size / r->page_size) : 0;
    r->once = (uint64_t)sqlite_page_32(head + 28) * r->page_size;
    r->levels = sqlite_page_32(head + 60) != 1; /* schema 1 had none */
    r->left = TWICE * r->size;
    return true;
}

bool session_rows_open(struct session_rows *r, const char *path)
{
    *r = (struct session_rows){.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
    if (r->fd < 0 || !read_rows_header(r))
        return false;
    r->page = xcalloc(1, r->page_size);
    r->overflow = xcalloc(1, r->page_size);
    return true;
}

void session_rows_close(struct session_rows *r)
{
    if (r->fd >= 0)
        close(r->fd);
    free(r->page);
    free(r->overflow);
    free(r->row.p);
}

static bool read_page(const struct session_rows *r, uint32_t number, unsigned char *out)
{
    return number > 0 && number <= r->npages &&
           pread(r->fd, out, r->page_size, (off_t)(number - 1) * r->page_size) ==
               (ssize_t)r->page_size;
}

uint32_t session_rows_page(struct session_rows *r, uint32_t number)
{
    if (!read_page(r, number, r->page) || r->page[0] != SQLITE_PAGE_LEAF)
        return 0;
    r->room = r->usable;
    uint32_t cells = sqlite_page_16(r->page + 3);
    return LEAF_HEADER + 2 * cells <= r->usable ? cells : 0;
}

uint32_t session_rows_cell(const struct session_rows *r, uint32_t i)
{
    return sqlite_page_16(r->page + LEAF_HEADER + 2 * (size_t)i);
}

/* --- a row --- */

/* How many bytes of a row of this length are in the leaf page itself; fileformat2, section 1.6. */
static uint32_t local_part(const struct session_rows *r, uint64_t length)
{
    uint32_t most = r->usable - 35, least = (r->usable - 12) * 32 / 255 - 23;
    if (length <= most)
        return (uint32_t)length;
    uint32_t k = least + (uint32_t)((length - least) % (r->usable - 4));
    return k <= most ? k : least;
}

/* Appends the rest of a row, which is on overflow pages. */
static bool add_overflow(struct session_rows *r, uint32_t page, uint64_t length)
{
    while (r->row.n < length) {
        uint64_t rest = length - r->row.n;
        if (r->left < r->page_size || !read_page(r, page, r->overflow))
            return false;
        r->left -= r->page_size;
        bytes_put(&r->row, r->overflow + 4, rest < r->usable - 4 ? rest : r->usable - 4);
        page = sqlite_page_32(r->overflow);
    }
    return true;
}

static bool is_int(uint64_t type)
{
    return (type >= 1 && type <= 6) || type == 8 || type == 9;
}

uint64_t session_column_number(const struct session_column *c)
{
    uint64_t v = c->n && c->at[0] & 0x80 ? UINT64_MAX : 0;
    if (c->type >= 8)
        return c->type - 8;
    for (size_t i = 0; i < c->n; i++)
        v = v << 8 | c->at[i];
    return v;
}

/* Whether number and types of the columns are those of one of our tables: an id, integers, then
 * blobs. */
static bool is_row_of_session(const struct session_rows *r, struct session_row *row)
{
    unsigned less = r->levels ? 0 : 1;
    row->tail = row->n == 4 - less;
    if (!row->tail && row->n != 7 - less)
        return false;
    unsigned blobs = row->tail ? 3 - less : 4;
    for (unsigned i = 0; i < row->n; i++) {
        uint64_t type = row->c[i].type;
        bool fits = type >= 12 && type % 2 == 0; /* a blob */
        if (i == 0)
            fits = type == 0;
        else if (i < blobs)
            fits = is_int(type);
        if (!fits)
            return false;
    }
    return true;
}

static bool read_types(const struct session_rows *r, const unsigned char *p,
                       const unsigned char *end, struct session_row *row, uint64_t *head)
{
    uint32_t n = sqlite_page_varint(p, end, head);
    if (n == 0 || *head > (uint64_t)(end - p))
        return false;
    const unsigned char *stop = p + *head;
    for (p += n, row->n = 0; p < stop; p += n) {
        struct session_column *c = &row->c[row->n];
        if (row->n++ == SESSION_COLUMNS || (n = sqlite_page_varint(p, stop, &c->type)) == 0)
            return false;
        c->n = sqlite_page_value_size(c->type);
    }
    return p == stop && is_row_of_session(r, row);
}

bool session_rows_read(struct session_rows *r, uint32_t cell, struct session_row *row)
{
    const unsigned char *p = r->page + cell, *end = r->page + r->usable;
    uint64_t length = 0, id = 0, at = 0;
    uint32_t n = p < end ? sqlite_page_varint(p, end, &length) : 0,
             m = n ? sqlite_page_varint(p + n, end, &id) : 0;
    if (m == 0 || length > ROW_MAX || length > r->size || (int64_t)id <= 0)
        return false;
    p += n + m;
    uint32_t local = local_part(r, length);
    bool more = local < length;
    if (local > r->room || local + (more ? 4u : 0u) > (uint64_t)(end - p) ||
        !read_types(r, p, p + local, row, &at))
        return false;
    r->room -= local;
    r->row.n = 0;
    bytes_put(&r->row, p, local);
    if (more && !add_overflow(r, sqlite_page_32(p + local), length))
        return false;
    for (unsigned i = 0; i < row->n; at += row->c[i++].n) {
        row->c[i].at = r->row.p + at;
        if (row->c[i].n > length - at)
            return false;
    }
    row->id = (int64_t)id;
    return at == length;
}

bool session_rows_again(struct session_rows *r, uint32_t number, uint32_t cell,
                        struct session_row *out)
{
    r->left = r->size;
    r->room = r->usable;
    return read_page(r, number, r->page) && session_rows_read(r, cell, out);
}
