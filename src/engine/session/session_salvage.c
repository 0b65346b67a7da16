#include "engine/session/session_impl.h"

#include <errno.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/list.h"
#include "base/watch.h"

enum { LOOKS = 64 /* pages read between two checks whether the user gave up */ };

/* A row of table tail. */
struct tail_row {
    int64_t seq;
    uint64_t time_ns;
    uint32_t page, cell;
    uint8_t level;
};

/* What was recovered: a closed block, or a run of rows of table tail (a block that was still
 * open). */
struct row_found {
    uint64_t first_ns, last_ns;
    int64_t id;
    uint32_t page, cell;
    size_t tail, ntail; /* the run is tail[tail .. tail + ntail); ntail 0: a closed block */
};

struct session_salvage {
    struct session_rows rows;
    struct bytes raw;
    struct row_found *found;
    size_t n, cap;
    struct tail_row *tail;
    size_t ntail, tail_cap;
};

/* --- blocks --- */

static bool read_index(const struct session_salvage *s, const struct session_row *row,
                       struct block_index *x)
{
    const struct session_column *c = row->c;
    uint64_t frames = session_column_number(&c[3]);
    if (frames == 0 || frames > BLOCK_FRAMES)
        return false;
    x->n = (size_t)frames;
    return session_index_read(x, session_column_number(&c[1]), c[4].at, c[4].n,
                              s->rows.levels ? c[5].at : NULL, s->rows.levels ? c[5].n : 0) &&
           x->time_ns[x->n - 1] == session_column_number(&c[2]);
}

static bool unpack_row(const struct session_row *row, struct bytes *raw)
{
    const struct session_column *data = &row->c[row->n - 1];
    return block_unpack(raw, data->at, data->n) == 0;
}

static void add_found(struct session_salvage *s, struct row_found f)
{
    LIST_ADD(s->found, s->n, s->cap, f);
}

static void add_salvaged_block(struct session_salvage *s, const struct session_row *row,
                               uint32_t page, uint32_t cell)
{
    struct block_index x;
    if (read_index(s, row, &x) && unpack_row(row, &s->raw))
        add_found(s, (struct row_found){.first_ns = x.time_ns[0],
                                        .last_ns = x.time_ns[x.n - 1],
                                        .id = row->id,
                                        .page = page,
                                        .cell = cell});
}

/* --- the frames after the last block --- */

static void add_tail(struct session_salvage *s, const struct session_row *row, uint32_t page,
                     uint32_t cell)
{
    LIST_ROOM(s->tail, s->ntail, s->tail_cap);
    s->tail[s->ntail++] = (struct tail_row){
        .seq = row->id,
        .time_ns = session_column_number(&row->c[1]),
        .page = page,
        .cell = cell,
        .level = s->rows.levels ? (uint8_t)session_column_number(&row->c[2]) : 255,
    };
}

static int by_time_and_seq(const void *a, const void *b)
{
    const struct tail_row *x = a, *y = b;
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    if (x->seq != y->seq)
        return x->seq < y->seq ? -1 : 1;
    return (x->page > y->page) - (x->page < y->page);
}

/* Joins the bytes of n consecutive rows of the tail. */
static bool join_salvaged_tail(struct session_salvage *s, size_t at, size_t n, struct bytes *raw)
{
    struct session_row row;
    raw->n = 0;
    for (size_t i = at; i < at + n; i++) {
        const struct tail_row *t = &s->tail[i];
        if (!session_rows_again(&s->rows, t->page, t->cell, &row) || !row.tail ||
            row.id != t->seq || raw->n > BLOCK_UNPACKED_MAX)
            return false;
        bytes_put(raw, row.c[row.n - 1].at, row.c[row.n - 1].n);
    }
    return true;
}

struct tail_check {
    const struct tail_row *tail;
    size_t n;
};

/* Whether the row belongs to the run. Frames are differences, so a row of another run decodes to a
 * frame with another time. */
static bool is_its_frame(void *ctx, const struct snapshot *snapshot)
{
    struct tail_check *c = ctx;
    bool same = snapshot->time_ns == c->tail[c->n].time_ns;
    c->n += same;
    return same;
}

/* Adds a run of rows that begins at seq 1, up to the first row that cannot be decoded. */
static void add_run(struct session_salvage *s, size_t at, size_t n)
{
    struct tail_check c = {.tail = &s->tail[at]};
    if (!join_salvaged_tail(s, at, n, &s->raw))
        return;
    block_scan(&s->raw, 0, n, RECORDING_ALL, is_its_frame, &c);
    if (c.n)
        add_found(s, (struct row_found){.first_ns = s->tail[at].time_ns,
                                        .last_ns = s->tail[at + c.n - 1].time_ns,
                                        .tail = at,
                                        .ntail = c.n});
}

/* Finds the runs among the rows of the tail. Free pages may still hold rows that were moved, or
 * deleted with an earlier run. */
static int find_runs(struct session_salvage *s, const char *path, struct error *err)
{
    size_t n = 0;
    int rc = 0;
    if (s->ntail)
        qsort(s->tail, s->ntail, sizeof *s->tail, by_time_and_seq);
    for (size_t i = 0; i < s->ntail; i++)
        if (n == 0 || s->tail[n - 1].seq != s->tail[i].seq ||
            s->tail[n - 1].time_ns != s->tail[i].time_ns)
            s->tail[n++] = s->tail[i];
    s->ntail = n;
    for (size_t i = 0; i < s->ntail && rc == 0; i += n) {
        for (n = 1; i + n < s->ntail && n < BLOCK_FRAMES; n++)
            if (s->tail[i + n].seq != s->tail[i].seq + (int64_t)n)
                break;
        if (s->tail[i].seq == 1)
            add_run(s, i, n);
        rc = watch_check(path, err);
    }
    return rc;
}

/* --- blocks and runs in order of time --- */

static int compare_found_rows(const void *a, const void *b)
{
    const struct row_found *x = a, *y = b;
    if (x->first_ns != y->first_ns)
        return x->first_ns < y->first_ns ? -1 : 1;
    if (!x->ntail != !y->ntail)
        return x->ntail ? 1 : -1; /* the closed block comes first: it has all frames */
    return (x->page > y->page) - (x->page < y->page);
}

/* Removes whatever overlaps something earlier: free pages may hold frames a second time. */
static void drop_doubles(struct session_salvage *s)
{
    size_t n = 0;
    if (s->n)
        qsort(s->found, s->n, sizeof *s->found, compare_found_rows);
    for (size_t i = 0; i < s->n; i++)
        if (n == 0 || s->found[n - 1].last_ns < s->found[i].first_ns)
            s->found[n++] = s->found[i];
    s->n = n;
}

/* Collects the rows of page `number`. Returns -ECANCELED if the user gave up. */
static int collect_rows_of_page(struct session_salvage *s, uint32_t number, const char *path,
                                struct error *err)
{
    struct session_row row;
    uint32_t cells = session_rows_page(&s->rows, number);
    int rc = number % LOOKS == 0 ? watch_check(path, err) : 0;
    for (uint32_t i = 0; i < cells && rc == 0; i++) {
        uint32_t cell = session_rows_cell(&s->rows, i);
        if (!session_rows_read(&s->rows, cell, &row))
            continue;
        if (row.tail)
            add_tail(s, &row, number, cell);
        else
            add_salvaged_block(s, &row, number, cell);
        rc = watch_check(path, err);
    }
    return rc;
}

int session_salvage_open(struct session_salvage **out, const char *path, struct error *err)
{
    struct session_salvage *s = *out = xcalloc(1, sizeof *s);
    int rc = 0;
    if (!session_rows_open(&s->rows, path))
        return error_set(err, ERROR_INPUT, EINVAL, "record again", path,
                         "damaged: its header cannot be read");
    for (uint32_t i = 2; i <= s->rows.npages && rc == 0; i++)
        rc = collect_rows_of_page(s, i, path, err);
    if (rc == 0)
        rc = find_runs(s, path, err);
    drop_doubles(s);
    return rc;
}

void session_salvage_free(struct session_salvage *s)
{
    if (!s)
        return;
    session_rows_close(&s->rows);
    free(s->raw.p);
    free(s->found);
    free(s->tail);
    free(s);
}

size_t session_salvage_count(const struct session_salvage *s)
{
    return s->n;
}

static bool read_salvaged_block(struct session_salvage *s, const struct row_found *f,
                                struct session_row *row)
{
    return session_rows_again(&s->rows, f->page, f->cell, row) && !row->tail && row->id == f->id;
}

bool session_salvage_index(struct session_salvage *s, size_t i, struct block_index *out)
{
    const struct row_found *f = &s->found[i];
    struct session_row row;
    if (!f->ntail)
        return read_salvaged_block(s, f, &row) && read_index(s, &row, out);
    out->n = f->ntail;
    for (size_t k = 0; k < f->ntail; k++) {
        out->time_ns[k] = s->tail[f->tail + k].time_ns;
        out->level[k] = s->tail[f->tail + k].level;
    }
    return true;
}

bool session_salvage_load(struct session_salvage *s, size_t i, struct bytes *raw)
{
    const struct row_found *f = &s->found[i];
    struct session_row row;
    if (f->ntail)
        return join_salvaged_tail(s, f->tail, f->ntail, raw);
    return read_salvaged_block(s, f, &row) && unpack_row(&row, raw);
}

uint64_t session_salvage_bytes(const struct session_salvage *s, uint64_t *once)
{
    *once = s->rows.once;
    return s->rows.size;
}
