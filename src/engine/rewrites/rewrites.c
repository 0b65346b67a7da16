#include "engine/rewrites/rewrites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/print.h"
#include "engine/rewrites/rewrites_impl.h"

struct candidates {
    struct simple_loop *list; /* innermost loops first */
    size_t n;
};

static bool has_loop(const struct syntax_tree *t, size_t loop)
{
    for (size_t i = loop + 1; i < loop + t->nodes[loop].size; i++)
        if (syntax_is_loop(t, i))
            return true;
    return false;
}

/* Whether a rewrite of this room has written a part of the loop. */
static bool is_rewritten_loop(const struct loop_reading *r, struct loop_span s)
{
    static const char own[] = "rooftop_";
    for (size_t i = 0; i < r->tokens->n; i++) {
        const struct syntax_token *k = &r->tokens->list[i];
        if (k->start >= s.start && k->end <= s.end && k->kind == TOKEN_WORD &&
            strncmp(r->tree->source + k->start, own, sizeof own - 1) == 0)
            return true;
    }
    return false;
}

/* Whether it is the remainder loop of an unrolled one: directly after a loop, and without an
 * init. */
static bool is_remainder(const struct loop_reading *r, size_t loop, const struct simple_loop *l)
{
    const struct syntax_tree *t = r->tree;
    size_t before = 0;
    for (size_t c = syntax_first(t, t->nodes[loop].parent); c && c != loop; c = syntax_next(t, c))
        before = c;
    return before && l->init.start >= l->init.end &&
           (syntax_is_loop(t, before) ||
            is_rewritten_loop(r, (struct loop_span){t->nodes[before].start, t->nodes[before].end}));
}

typedef const char *reader(const struct loop_reading *r, size_t node, struct simple_loop *out);

static struct candidates find_candidate_loops(const struct loop_reading *r, reader *read,
                                              bool outer)
{
    const struct syntax_tree *t = r->tree;
    const size_t f = r->function, end = f + t->nodes[f].size;
    struct candidates c = {.list = xcalloc(t->nodes[f].size, sizeof *c.list)};
    for (int inner = 1; inner >= (outer ? 0 : 1); inner--)
        for (size_t i = f; i < end; i++) {
            struct simple_loop l;
            if (t->nodes[i].kind == SYNTAX_FOR && has_loop(t, i) == !inner && !read(r, i, &l) &&
                !is_remainder(r, i, &l) && !is_rewritten_loop(r, l.all))
                c.list[c.n++] = l;
        }
    return c;
}

/* A constant that may be a width or a lane mask of waves: beside a lane the source guards take
 * it for one. */
static bool is_width(uint64_t k)
{
    return k == 31 || k == 32 || k == 63 || k == 64;
}

static void put_span(FILE *f, const char *source, struct loop_span s)
{
    fwrite(source + s.start, 1, s.end - s.start, f); /* raw: a source as it is */
}

/* INIT, and the head of a loop that runs as long as a factor of bodies is left. */
static void put_unrolled_head(FILE *f, const struct loop_reading *r, const struct simple_loop *l,
                              unsigned factor)
{
    const char *s = r->tree->source, *type = l->wide ? "unsigned long long" : "unsigned",
               *suffix = l->wide ? "ull" : "u";
    const struct loop_span high = l->down ? l->counter : l->bound,
                           low = l->down ? l->bound : l->counter;
    fputs("for (; (", f);
    put_span(f, s, l->test);
    print_text(f, ") && (%s)(", type);
    put_span(f, s, high);
    print_text(f, ") - (%s)(", type);
    put_span(f, s, low);
    print_text(f, ") %s %u%s;)", l->inclusive ? ">=" : ">", (factor - 1) * l->by, suffix);
}

static void put_init(FILE *f, const struct loop_reading *r, const struct simple_loop *l)
{
    fputs("{\n", f);
    if (l->init.start < l->init.end) {
        put_span(f, r->tree->source, l->init);
        fputs(";\n", f);
    }
}

/* What is left over. */
static void put_rest(FILE *f, const struct loop_reading *r, const struct simple_loop *l)
{
    const char *s = r->tree->source;
    fputs("for (; ", f);
    put_span(f, s, l->test);
    fputs("; ", f);
    put_span(f, s, l->step);
    fputs(") ", f);
    put_span(f, s, l->body);
    fputs("\n}", f);
}

static void put_unrolled(FILE *f, const struct loop_reading *r, const struct simple_loop *l,
                         unsigned factor)
{
    const char *s = r->tree->source;
    put_init(f, r, l);
    put_unrolled_head(f, r, l, factor);
    fputs(" {\n", f);
    for (unsigned i = 0; i < factor; i++) {
        fputs("{\n", f);
        put_span(f, s, l->body);
        fputs("\n}\n", f);
        put_span(f, s, l->step);
        fputs(";\n", f);
    }
    fputs("}\n", f);
    put_rest(f, r, l);
}

/* --- accumulators --- */

static const char *accumulator_type(const struct loop_reading *r, const struct loop_sum *s)
{
    if (s->real)
        return syntax_type(r->tree, s->variable);
    return s->wide ? "unsigned long long" : "unsigned";
}

static const char *neutral_element_of(char sign)
{
    if (sign == '*')
        return "1";
    return sign == '&' ? "~0ull" : "0";
}

static void put_lanes(FILE *f, unsigned factor)
{
    print_text(f, "for (rooftop_lane = 0; rooftop_lane < %u; rooftop_lane++) ", factor);
}

static void put_accumulators(FILE *f, const struct loop_reading *r, const struct loop_sums *sums,
                             unsigned factor)
{
    for (size_t i = 0; i < sums->n; i++)
        print_text(f, "%s rooftop_%s[%u];\n", accumulator_type(r, &sums->list[i]),
                   syntax_name(r->tree, sums->list[i].variable), factor);
    fputs("int rooftop_lane;\n", f);
    put_lanes(f, factor);
    fputs("{\n", f);
    for (size_t i = 0; i < sums->n; i++)
        print_text(f, "rooftop_%s[rooftop_lane] = %s;\n",
                   syntax_name(r->tree, sums->list[i].variable),
                   neutral_element_of(sums->list[i].sign));
    fputs("}\n", f);
}

/* Adds the accumulators to the sum. Integers are added in an unsigned type: there an overflow is
 * defined, and the lowest bits are those of the signed sum. */
static void put_joined(FILE *f, const struct loop_reading *r, const struct loop_sums *sums,
                       unsigned factor)
{
    put_lanes(f, factor);
    fputs("{\n", f);
    for (size_t i = 0; i < sums->n; i++) {
        const struct loop_sum *s = &sums->list[i];
        const char *name = syntax_name(r->tree, s->variable), *type = accumulator_type(r, s);
        if (s->real)
            print_text(f, "%s %c= rooftop_%s[rooftop_lane];\n", name, s->sign, name);
        else
            print_text(f, "%s = (%s)((%s)%s %c rooftop_%s[rooftop_lane]);\n", name,
                       syntax_type(r->tree, s->variable), type, name, s->sign, name);
    }
    fputs("}\n", f);
}

/* The body, with an accumulator in place of each sum. */
static void put_lane_body(FILE *f, const struct loop_reading *r, const struct simple_loop *l,
                          const struct loop_sums *sums)
{
    const char *s = r->tree->source;
    uint32_t at = l->body.start;
    for (size_t i = 0; i < sums->nuses; i++) {
        put_span(f, s, (struct loop_span){at, sums->uses[i].start});
        print_text(f, "rooftop_%s[rooftop_lane]",
                   syntax_name(r->tree, sums->list[sums->uses[i].sum].variable));
        at = sums->uses[i].end;
    }
    put_span(f, s, (struct loop_span){at, l->body.end});
}

static void put_split(FILE *f, const struct loop_reading *r, const struct simple_loop *l,
                      unsigned factor)
{
    struct loop_sums sums;
    loop_sums_read(r, l, &sums);
    put_init(f, r, l);
    fputs("{\n", f);
    put_accumulators(f, r, &sums, factor);
    put_unrolled_head(f, r, l, factor);
    fputs("\n", f);
    put_lanes(f, factor);
    fputs("{\n{\n", f);
    put_lane_body(f, r, l, &sums);
    fputs("\n}\n", f);
    put_span(f, r->tree->source, l->step);
    fputs(";\n}\n", f);
    put_joined(f, r, &sums, factor);
    fputs("}\n", f);
    put_rest(f, r, l);
}

static void put_pragma(FILE *f, const struct loop_reading *r, const struct simple_loop *l,
                       unsigned factor)
{
    print_text(f, "\n#pragma %sunroll %u\n", r->tree->gpu ? "" : "GCC ", factor);
    put_span(f, r->tree->source, l->all);
}

typedef void writer(FILE *f, const struct loop_reading *r, const struct simple_loop *l,
                    unsigned factor);

struct way {
    reader *read;
    writer *write;
    const unsigned *factors; /* ended by 0, most promising first */
    bool outer;              /* loops with loops in them, too */
    bool by_loop;            /* all factors of a loop before the next loop */
    void (*note)(const struct loop_reading *r, const struct simple_loop *l, unsigned factor,
                 char out[REWRITE_NOTE]);
};

static void note_unrolled(const struct loop_reading *r, const struct simple_loop *l,
                          unsigned factor, char out[REWRITE_NOTE])
{
    snprintf(out, REWRITE_NOTE, "unrolled the loop at line %u by %u", r->tree->nodes[l->node].line,
             factor);
}

static void note_pragma(const struct loop_reading *r, const struct simple_loop *l, unsigned factor,
                        char out[REWRITE_NOTE])
{
    snprintf(out, REWRITE_NOTE, "asked to unroll the loop at line %u by %u",
             r->tree->nodes[l->node].line, factor);
}

static void note_split(const struct loop_reading *r, const struct simple_loop *l, unsigned factor,
                       char out[REWRITE_NOTE])
{
    struct loop_sums sums;
    bool rounds = false;
    loop_sums_read(r, l, &sums);
    for (size_t i = 0; i < sums.n; i++)
        rounds |= sums.list[i].real;
    snprintf(out, REWRITE_NOTE, "split %.32s%s of the loop at line %u into %u%s",
             syntax_name(r->tree, sums.list[0].variable), sums.n > 1 ? " and others" : "",
             r->tree->nodes[l->node].line, factor, rounds ? ": it rounds otherwise" : "");
}

static bool write_one(const struct way *w, const struct loop_reading *r,
                      const struct simple_loop *l, unsigned factor, struct rewrite *out)
{
    const struct syntax_tree *t = r->tree;
    FILE *f = open_memstream(&out->text, &out->n);
    if (!f)
        return false;
    put_span(f, t->source, (struct loop_span){0, l->all.start});
    w->write(f, r, l, factor);
    put_span(f, t->source, (struct loop_span){l->all.end, (uint32_t)t->n});
    if (fclose(f) != 0)
        return false;
    w->note(r, l, factor, out->note);
    return true;
}

static bool rewrite_nth_loop(const struct way *w, const struct syntax_tree *t, const char *function,
                             size_t number, struct rewrite *out)
{
    bool several, found = false;
    struct syntax_tokens tokens;
    const size_t f = syntax_function(t, function, &several);
    *out = (struct rewrite){.text = NULL};
    if (!f)
        return false;
    syntax_split(&tokens, t->source, t->n);
    uint8_t *names = source_names_find(t);
    struct source_stops stops;
    source_stops_find(&stops, t, names);
    const struct loop_reading r = {
        .tree = t, .tokens = &tokens, .function = f, .stops = &stops, .names = names};
    struct candidates c = find_candidate_loops(&r, w->read, w->outer);
    size_t nfactors = 0;
    while (w->factors[nfactors])
        nfactors++;
    for (size_t n = 0; n < nfactors * c.n && !found; n++) {
        const size_t loop = w->by_loop ? n / nfactors : n % c.n;
        const unsigned factor = w->factors[w->by_loop ? n % nfactors : n / c.n];
        const struct simple_loop *l = &c.list[loop];
        if ((t->gpu && is_width((uint64_t)(factor - 1) * l->by)) || number-- != 0)
            continue;
        found = true;
        out->line = t->nodes[l->node].line;
        if (!write_one(w, &r, l, factor, out)) {
            free(out->text);
            *out = (struct rewrite){.text = NULL};
        }
    }
    free(c.list);
    free(names);
    source_stops_free(&stops);
    syntax_tokens_free(&tokens);
    return found && out->text;
}

static const char *split_read(const struct loop_reading *r, size_t node, struct simple_loop *out)
{
    struct loop_sums sums;
    const char *why = simple_loop_read(r, node, out);
    if (why)
        return why;
    /* There an array would be in memory. */
    return !r->tree->gpu && loop_sums_read(r, out, &sums) ? NULL : "it has no sum";
}

bool rewrite_accumulators(const struct syntax_tree *t, const char *function, size_t number,
                          struct rewrite *out)
{
    static const unsigned factors[] = {8, 16, 4, 32, 0};
    static const struct way way = {split_read, put_split, factors, false, true, note_split};
    return rewrite_nth_loop(&way, t, function, number, out);
}

bool rewrite_unroll(const struct syntax_tree *t, const char *function, size_t number,
                    struct rewrite *out)
{
    static const unsigned factors[] = {4, 8, 2, 6, 3, 5, 7, 0};
    static const struct way way = {simple_loop_read, put_unrolled, factors, true, false,
                                   note_unrolled};
    return rewrite_nth_loop(&way, t, function, number, out);
}

static void put_vectors(FILE *f, const struct loop_reading *r, const struct simple_loop *l,
                        unsigned factor)
{
    print_text(f, "\n#pragma clang loop vectorize(enable) interleave_count(%u)\n", factor);
    put_span(f, r->tree->source, l->all);
}

static void note_vectors(const struct loop_reading *r, const struct simple_loop *l, unsigned factor,
                         char out[REWRITE_NOTE])
{
    snprintf(out, REWRITE_NOTE,
             "asked for vectors in the loop at line %u, %u at a time: sums may round otherwise",
             r->tree->nodes[l->node].line, factor);
}

bool rewrite_vectorise(const struct syntax_tree *t, const char *function, size_t number,
                       struct rewrite *out)
{
    static const unsigned factors[] = {4, 2, 1, 0};
    static const struct way way = {loop_body_read, put_vectors, factors, false, true, note_vectors};
    return !t->gpu && rewrite_nth_loop(&way, t, function, number, out);
}

bool rewrite_pragma(const struct syntax_tree *t, const char *function, size_t number,
                    struct rewrite *out)
{
    static const unsigned factors[] = {4, 8, 2, 0};
    static const struct way way = {loop_body_read, put_pragma, factors, false, false, note_pragma};
    return rewrite_nth_loop(&way, t, function, number, out);
}
