#include "engine/trace/trace_align.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/hash_table.h"
#include "base/list.h"
#include "base/order.h"
#include "engine/trace/collective.h"

const char *trace_how_name(enum trace_how how)
{
    static const char *const names[] = {"first",       "same clock", "messages", "time of day",
                                        "collectives", "close",      "begins"};
    return names[how];
}

const char *trace_how_text(enum trace_how how)
{
    static const char *const texts[] = {
        "the clock of all",
        "the same clock as an earlier file",
        "by messages and collectives of MPI",
        "by the time of day",
        "by the ends of collectives",
        "used unchanged: no clock is known, but the times are close",
        "by its first event: its order among the others is unknown",
    };
    return texts[how];
}

bool trace_is_collective(const char *name)
{
    enum collective_op op = collective_of(name);
    return op != COLLECTIVE_NONE && op != COLLECTIVE_SOME && op != COLLECTIVE_SEND_RECV;
}

/* --- collectives --- */

struct collective {
    uint32_t name, kind;
    uint64_t start, end;
};

struct collectives {
    struct collective *list;
    size_t n;
};

static int by_span_name(const void *a, const void *b)
{
    const struct collective *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->name != y->name)
        return x->name < y->name ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->end < y->end ? -1 : x->end > y->end;
}

static struct collectives find_collectives(const struct trace *t, const struct trace_file *f,
                                           const uint8_t *is)
{
    const struct graph *g = t->calls;
    struct collectives c = {0};
    size_t cap = 0;
    for (uint32_t v = f->from; v < f->to; v++) {
        if ((g->kind[v] != NODE_KERNEL && g->kind[v] != NODE_FUNCTION &&
             g->kind[v] != NODE_RANGE) ||
            graph_is_context(g, v) || g->name[v] >= g->nnames || !is[g->name[v]] ||
            g->start[v] == GRAPH_UNKNOWN || g->duration[v] == GRAPH_UNKNOWN)
            continue;
        LIST_ROOM(c.list, c.n, cap);
        c.list[c.n++] =
            (struct collective){g->name[v], g->kind[v], g->start[v], g->start[v] + g->duration[v]};
    }
    if (c.n)
        qsort(c.list, c.n, sizeof *c.list, by_span_name);
    return c;
}

static size_t run_of(const struct collectives *c, size_t i)
{
    size_t n = 0;
    while (i + n < c->n && c->list[i + n].kind == c->list[i].kind &&
           c->list[i + n].name == c->list[i].name)
        n++;
    return n;
}

static int compare_collectives(const struct collective *x, const struct collective *y)
{
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return (x->name > y->name) - (x->name < y->name);
}

struct align_match {
    int64_t offset;
    uint64_t spread;
    uint32_t n;
};

/* Pairs na and nb collectives of a name: their offsets into `by`; returns how many. If one file has
 * more, it began earlier or ended later. The pairing must have offsets that differ by less than
 * half as much as in any other; else 0. */
static size_t pair_run(const struct collective *a, size_t na, const struct collective *b, size_t nb,
                       int64_t *by)
{
    enum { MOST_SHIFTS = 64 };
    size_t n = na < nb ? na : nb, extra = na + nb - 2 * n, best = 0;
    uint64_t least = UINT64_MAX, next = UINT64_MAX;
    for (size_t shift = 0; extra > 0 && shift <= extra && shift < MOST_SHIFTS; shift++) {
        int64_t low = INT64_MAX, high = INT64_MIN;
        size_t i = na > nb ? extra - shift : 0;
        size_t k = nb > na ? extra - shift : 0;
        for (size_t j = 0; j < n; j++) {
            int64_t off = (int64_t)(a[i + j].end - b[k + j].end);
            low = off < low ? off : low;
            high = off > high ? off : high;
        }
        uint64_t spread = (uint64_t)high - (uint64_t)low;
        if (spread < least) {
            next = least;
            least = spread;
            best = extra - shift;
        } else if (spread < next) {
            next = spread;
        }
    }
    if (extra > 0 && least >= next / 2)
        return 0;
    const size_t in_a = na > nb ? best : 0;
    const size_t in_b = nb > na ? best : 0;
    for (size_t j = 0; j < n; j++)
        by[j] = (int64_t)(a[j + in_a].end - b[j + in_b].end);
    return n;
}

/* The offset from b's clock to a's. Kernels, if there are any, are matched alone, because calls end
 * early. */
static struct align_match match_collectives(const struct collectives *a,
                                            const struct collectives *b)
{
    struct align_match m = {0};
    int64_t *by = xcalloc((a->n < b->n ? a->n : b->n) + 1, sizeof *by);
    size_t n = 0, i = 0, k = 0;
    while (i < a->n && k < b->n) {
        size_t na = run_of(a, i), nb = run_of(b, k);
        int c = compare_collectives(&a->list[i], &b->list[k]);
        if (n && a->list[i].kind != NODE_KERNEL)
            break; /* kinds are in order: kernels come first */
        if (c == 0)
            n += pair_run(a->list + i, na, b->list + k, nb, by + n);
        i += c <= 0 ? na : 0;
        k += c >= 0 ? nb : 0;
    }
    if (n) {
        qsort(by, n, sizeof *by, order_int64);
        m.offset = by[n / 2];
        uint64_t low = (uint64_t)m.offset - (uint64_t)by[0];
        uint64_t high = (uint64_t)by[n - 1] - (uint64_t)m.offset;
        m.spread = low > high ? low : high;
        m.n = n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
    }
    free(by);
    return m;
}

/* --- one file --- */

static uint64_t first_start(const struct graph *g, const struct trace_file *f)
{
    uint64_t first = GRAPH_UNKNOWN;
    for (uint32_t v = f->from; v < f->to; v++)
        if (g->start[v] < first)
            first = g->start[v];
    return first;
}

/* The first file with the clock of file i; NULL: i is it, or its clock has no name. */
static const struct trace_file *find_or_add_clock(const struct trace *t, uint32_t i,
                                                  struct hash_table *clocks)
{
    const uint32_t name = t->files[i].clock.name;
    const uint64_t hash = hash_number(0, name);
    if (name == GRAPH_NONE)
        return NULL;
    HASH_EACH (clocks, hash, k)
        if (t->files[k].clock.name == name)
            return &t->files[k];
    hash_table_add(clocks, hash, i);
    return NULL;
}

static int64_t add_wrapping(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static bool begin_close(uint64_t a, uint64_t b)
{
    const uint64_t hour = UINT64_C(3600000000000), up = hour / 4;
    return a != GRAPH_UNKNOWN && b != GRAPH_UNKNOWN && a > up && b > up &&
           (a > b ? a - b : b - a) < hour;
}

/* The last method. A named clock is certainly a different one. */
static void guess_clock_offset(const struct trace *t, struct trace_file *f,
                               const struct trace_file *first)
{
    uint64_t mine = first_start(t->calls, f), its = first_start(t->calls, first);
    bool told = f->clock.name != GRAPH_NONE || first->clock.name != GRAPH_NONE ||
                f->clock.unix_ns != GRAPH_UNKNOWN || first->clock.unix_ns != GRAPH_UNKNOWN;
    f->how = !told && begin_close(mine, its) ? TRACE_CLOSE : TRACE_BEGINS;
    if (f->how == TRACE_BEGINS && mine != GRAPH_UNKNOWN && its != GRAPH_UNKNOWN)
        f->offset_ns = (int64_t)(its - mine);
}

/* How many collectives of a file a good match has: all of its kernels, or all if it has none. */
static size_t most_matches(const struct collectives *c)
{
    size_t kernels = 0;
    while (kernels < c->n && c->list[kernels].kind == NODE_KERNEL)
        kernels++;
    return kernels ? kernels : c->n;
}

/* The match with the earlier file that has the most collectives of this one; of several the first.
 * Ranks of a job have the same ones, so that mostly one look is enough. Where no file has all of
 * them, as with groups of ranks, those with which it shares groups are among the first or its
 * neighbours: of very many files only these are looked at, if one of the first shares any. */
enum { LOOKED_AT = 32 };
static struct align_match find_best_match(const struct collectives *all, uint32_t i, uint32_t *with)
{
    struct align_match best = {0};
    const size_t most = most_matches(&all[i]);
    for (uint32_t k = 0; k < i && best.n < most; k++) {
        if (k == LOOKED_AT && best.n && i > 2 * LOOKED_AT)
            k = i - LOOKED_AT;
        struct align_match m = match_collectives(&all[k], &all[i]);
        if (m.n > best.n) {
            best = m;
            *with = k;
        }
    }
    return best;
}

static void align_file(struct trace *t, uint32_t i, const struct collectives *all,
                       const struct trace_file *same)
{
    struct trace_file *f = &t->files[i], *first = &t->files[0];
    struct align_match best = {0};
    uint32_t with = 0;
    if (f->how != TRACE_FIRST)
        return; /* trace_mpi.h has done it */
    if (!same)
        best = find_best_match(all, i, &with);
    f->matched = best.n;
    f->uncertainty_ns = best.n ? best.spread : GRAPH_UNKNOWN;
    if (same) {
        f->how = TRACE_SAME_CLOCK;
        f->offset_ns = same->offset_ns;
        f->uncertainty_ns = same->uncertainty_ns;
    } else if (f->clock.unix_ns != GRAPH_UNKNOWN && first->clock.unix_ns != GRAPH_UNKNOWN) {
        f->how = TRACE_TIME_OF_DAY;
        f->offset_ns = (int64_t)(f->clock.unix_ns - first->clock.unix_ns);
        if (best.n) { /* measures the error of this method */
            int64_t off =
                add_wrapping(add_wrapping(best.offset, t->files[with].offset_ns), -f->offset_ns);
            f->uncertainty_ns = off < 0 ? 0 - (uint64_t)off : (uint64_t)off;
        }
    } else if (best.n) {
        f->how = TRACE_COLLECTIVES;
        f->offset_ns = add_wrapping(best.offset, t->files[with].offset_ns);
        f->uncertainty_ns +=
            t->files[with].uncertainty_ns == GRAPH_UNKNOWN ? 0 : t->files[with].uncertainty_ns;
    } else {
        guess_clock_offset(t, f, first);
    }
}

/* --- all of them --- */

/* If a file would begin before the clock's 0, all files are moved later by the same time. */
static void move_files_to_clock(struct trace *t)
{
    struct graph *g = t->calls;
    int64_t least = 0;
    for (uint32_t i = 0; i < t->nfiles; i++) {
        uint64_t first = first_start(g, &t->files[i]);
        int64_t at = add_wrapping((int64_t)first, t->files[i].offset_ns);
        if (first < (uint64_t)1 << 62 && t->files[i].offset_ns < 0 && at < least)
            least = at;
    }
    for (uint32_t i = 0; i < t->nfiles; i++) {
        struct trace_file *f = &t->files[i];
        f->offset_ns = add_wrapping(f->offset_ns, -least);
        for (uint32_t v = f->from; v < f->to && f->offset_ns; v++)
            if (g->start[v] != GRAPH_UNKNOWN)
                g->start[v] += (uint64_t)f->offset_ns;
    }
}

struct extent {
    uint64_t from, to;
    const struct trace_file *file;
};

static int compare_file_extents(const void *a, const void *b)
{
    const struct extent *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

static struct extent extent_of(const struct graph *g, const struct trace_file *f)
{
    struct extent e = {.from = first_start(g, f), .file = f};
    e.to = e.from;
    for (uint32_t v = f->from; v < f->to; v++) {
        uint64_t ns = g->duration[v] != GRAPH_UNKNOWN ? g->duration[v] : 0;
        if (g->start[v] != GRAPH_UNKNOWN && g->start[v] + ns > e.to)
            e.to = g->start[v] + ns;
    }
    return e;
}

/* Traces of one run overlap or nearly do. A gap longer than the longest trace means that the files
 * are of several runs. A note says so, because shares of the whole then include the gap. */
static void note_apart(struct trace *t)
{
    struct extent *all = xcalloc(t->nfiles, sizeof *all), *late = NULL;
    uint64_t longest = 10000000000u, end = 0, gap = 0;
    uint32_t n = 0, runs = 1;
    for (uint32_t i = 0; i < t->nfiles; i++) {
        all[n] = extent_of(t->calls, &t->files[i]);
        n += all[n].from != GRAPH_UNKNOWN && !t->files[i].sums;
    }
    for (uint32_t i = 0; i < n; i++)
        longest = all[i].to - all[i].from > longest ? all[i].to - all[i].from : longest;
    if (n)
        qsort(all, n, sizeof *all, compare_file_extents);
    for (uint32_t i = 0; i < n; i++) {
        bool apart = i && all[i].from > end && all[i].from - end > longest;
        runs += apart;
        if (apart && all[i].from - end > gap) {
            gap = all[i].from - end;
            late = &all[i];
        }
        end = all[i].to > end ? all[i].to : end;
    }
    if (late)
        trace_note(
            t,
            "these files are of %u runs, as their times tell: %.250s begins %.0f s after all "
            "before it had ended; open those of one run together",
            runs, late->file->path, (double)gap / 1e9);
    free(all);
}

static bool hosts_differ(const struct trace *t)
{
    uint32_t host = GRAPH_NONE;
    for (uint32_t i = 0; i < t->nfiles; i++) {
        uint32_t its = t->files[i].clock.host;
        if (host != GRAPH_NONE && its != GRAPH_NONE && its != host)
            return true;
        host = its != GRAPH_NONE ? its : host;
    }
    return false;
}

/* Makes "node7, rank 3", or the name of the file or folder. */
static void write_file_label(const struct trace *t, const struct trace_file *f, bool hosts,
                             char *out, size_t size)
{
    const struct trace_clock *c = &f->clock;
    char rank[32] = "";
    bool host = hosts && c->host != GRAPH_NONE;
    if (c->rank != GRAPH_NONE)
        snprintf(rank, sizeof rank, "%srank %u", host ? ", " : "", c->rank);
    if (host || *rank) {
        snprintf(out, size, "%s%s", host ? graph_text(t->calls, c->host) : "", rank);
        return;
    }
    size_t n = strlen(f->path), from;
    while (n && strchr("/_.", f->path[n - 1]))
        n--;
    for (from = n; from && f->path[from - 1] != '/';)
        from--;
    snprintf(out, size, "%.*s", (int)(n - from < 200 ? n - from : 200), f->path + from);
}

/* Marks the names of programs that occur in several files. */
static uint8_t *shared_names(const struct trace *t)
{
    const struct graph *g = t->calls;
    uint32_t *seen = xcalloc(g->nnames + (size_t)1, sizeof *seen); /* 1 + the file */
    uint8_t *shared = xcalloc(g->nnames + (size_t)1, 1);
    for (uint32_t i = 0; i < t->nfiles; i++)
        for (uint32_t v = t->files[i].from; v < t->files[i].to; v++)
            if (g->parent[v] == GRAPH_NONE && g->kind[v] == NODE_PROGRAM &&
                g->name[v] < g->nnames) {
                shared[g->name[v]] |= seen[g->name[v]] && seen[g->name[v]] != i + 1;
                seen[g->name[v]] = i + 1;
            }
    free(seen);
    return shared;
}

uint32_t trace_rank_in_name(const char *path)
{
    const char *slash = strrchr(path, '/'), *at = slash ? slash : path;
    for (; (at = strstr(at, "rank")) != NULL; at += 4) {
        const char *digits = at + 4 + strspn(at + 4, "-_.");
        char *end;
        unsigned long n = strtoul(digits, &end, 10);
        if (*digits >= '0' && *digits <= '9' && n < GRAPH_NONE)
            return (uint32_t)n;
    }
    return GRAPH_NONE;
}

/* If no file has a rank, takes ranks from the file names, if each has a different one. */
static void guess_ranks(struct trace *t)
{
    uint32_t *ranks = xcalloc(t->nfiles, sizeof *ranks);
    bool good = true;
    for (uint32_t i = 0; i < t->nfiles && good; i++) {
        ranks[i] = trace_rank_in_name(t->files[i].path);
        good = ranks[i] != GRAPH_NONE && t->files[i].clock.rank == GRAPH_NONE;
    }
    qsort(ranks, t->nfiles, sizeof *ranks, order_uint32);
    for (uint32_t i = 1; i < t->nfiles && good; i++)
        good = ranks[i] != ranks[i - 1];
    for (uint32_t i = 0; i < t->nfiles && good; i++)
        t->files[i].clock.rank = trace_rank_in_name(t->files[i].path);
    free(ranks);
}

static void name_programs(struct trace *t)
{
    struct graph *g = t->calls;
    bool hosts = hosts_differ(t);
    uint8_t *shared = shared_names(t);
    for (uint32_t i = 0; i < t->nfiles; i++) {
        struct trace_file *f = &t->files[i];
        char label[256];
        write_file_label(t, f, hosts, label, sizeof label);
        f->label = xstrdup(label);
        for (uint32_t v = f->from; v < f->to; v++) {
            char name[512];
            bool root =
                g->parent[v] == GRAPH_NONE && g->kind[v] == NODE_PROGRAM && g->name[v] < g->nnames;
            if (!root || f->sums || !(hosts || shared[g->name[v]]))
                continue;
            snprintf(name, sizeof name, "%.240s (%s)", graph_name(g, v), label);
            shared[g->name[v]] = 1;
            g->name[v] = graph_intern(g, name);
        }
    }
    free(shared);
}

void trace_align(struct trace *t)
{
    if (t->nfiles < 2)
        return;
    struct collectives *all = xcalloc(t->nfiles, sizeof *all);
    struct hash_table clocks = {0};
    uint8_t *is = xcalloc(t->calls->nnames + (size_t)1, 1);
    for (uint32_t i = 0; i < t->calls->nnames; i++)
        is[i] = trace_is_collective(graph_text(t->calls, i));
    for (uint32_t i = 0; i < t->nfiles; i++) {
        all[i] = find_collectives(t, &t->files[i], is);
        const struct trace_file *same = find_or_add_clock(t, i, &clocks);
        if (i)
            align_file(t, i, all, same);
    }
    hash_table_free(&clocks);
    move_files_to_clock(t);
    note_apart(t);
    guess_ranks(t);
    name_programs(t);
    for (uint32_t i = 0; i < t->nfiles; i++)
        free(all[i].list);
    free(all);
    free(is);
}
