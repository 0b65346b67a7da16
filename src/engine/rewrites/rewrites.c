#include "engine/rewrites/rewrites.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/print.h"
#include "engine/rewrites/simple_loop.h"

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

/* Right behind a loop and without an init: what is left over from an unrolled loop. */
static bool is_remainder(const struct syntax_tree *t, size_t loop, const struct simple_loop *l)
{
    size_t before = 0;
    for (size_t c = syntax_first(t, t->nodes[loop].parent); c && c != loop; c = syntax_next(t, c))
        before = c;
    return before && syntax_is_loop(t, before) && l->init.start >= l->init.end;
}

typedef const char *reader(const struct loop_reading *r, size_t node, struct simple_loop *out);

static struct candidates find(const struct loop_reading *r, reader *read, bool outer)
{
    const struct syntax_tree *t = r->tree;
    const size_t f = r->function, end = f + t->nodes[f].size;
    struct candidates c = {.list = xcalloc(t->nodes[f].size, sizeof *c.list)};
    for (int inner = 1; inner >= (outer ? 0 : 1); inner--)
        for (size_t i = f; i < end; i++) {
            struct simple_loop l;
            if (t->nodes[i].kind == SYNTAX_FOR && has_loop(t, i) == !inner && !read(r, i, &l) &&
                !is_remainder(t, i, &l))
                c.list[c.n++] = l;
        }
    return c;
}

/* A width or lane mask of waves: the guards take such a constant beside a lane for one. */
static bool is_width(uint64_t k)
{
    return k == 31 || k == 32 || k == 63 || k == 64;
}

static void put(FILE *f, const char *source, struct loop_span s)
{
    fwrite(source + s.start, 1, s.end - s.start, f); /* raw: a source as it is */
}

static void put_unrolled(FILE *f, const struct syntax_tree *t, const struct simple_loop *l,
                         unsigned factor)
{
    const char *s = t->source, *type = l->wide ? "unsigned long long" : "unsigned",
               *suffix = l->wide ? "ull" : "u";
    const struct loop_span high = l->down ? l->counter : l->bound,
                           low = l->down ? l->bound : l->counter;
    fputs("{\n", f);
    if (l->init.start < l->init.end) {
        put(f, s, l->init);
        fputs(";\n", f);
    }
    fputs("for (; (", f);
    put(f, s, l->test);
    print_text(f, ") && (%s)(", type);
    put(f, s, high);
    print_text(f, ") - (%s)(", type);
    put(f, s, low);
    print_text(f, ") %s %u%s;) {\n", l->inclusive ? ">=" : ">", (factor - 1) * l->by, suffix);
    for (unsigned i = 0; i < factor; i++) {
        fputs("{\n", f);
        put(f, s, l->body);
        fputs("\n}\n", f);
        put(f, s, l->step);
        fputs(";\n", f);
    }
    fputs("}\nfor (; ", f);
    put(f, s, l->test);
    fputs("; ", f);
    put(f, s, l->step);
    fputs(") ", f);
    put(f, s, l->body);
    fputs("\n}", f);
}

static void put_pragma(FILE *f, const struct syntax_tree *t, const struct simple_loop *l,
                       unsigned factor)
{
    print_text(f, "\n#pragma %sunroll %u\n", t->gpu ? "" : "GCC ", factor);
    put(f, t->source, l->all);
}

typedef void writer(FILE *f, const struct syntax_tree *t, const struct simple_loop *l,
                    unsigned factor);

static bool write_one(const struct syntax_tree *t, const struct simple_loop *l, unsigned factor,
                      writer *write, const char *what, struct rewrite *out)
{
    FILE *f = open_memstream(&out->text, &out->n);
    if (!f)
        return false;
    put(f, t->source, (struct loop_span){0, l->all.start});
    write(f, t, l, factor);
    put(f, t->source, (struct loop_span){l->all.end, (uint32_t)t->n});
    if (fclose(f) != 0)
        return false;
    snprintf(out->note, sizeof out->note, "%s the loop at line %u by %u", what,
             t->nodes[l->node].line, factor);
    return true;
}

struct way {
    reader *read;
    writer *write;
    const unsigned *factors; /* ended by 0, most promising first */
    bool outer;              /* loops with loops in them, too */
    const char *what;
};

static bool rewrite(const struct way *w, const struct syntax_tree *t, const char *function,
                    size_t number, struct rewrite *out)
{
    bool several, found = false;
    struct syntax_tokens tokens;
    const size_t f = syntax_function(t, function, &several);
    *out = (struct rewrite){.text = NULL};
    if (!f)
        return false;
    syntax_split(&tokens, t->source, t->n);
    const struct loop_reading r = {.tree = t, .tokens = &tokens, .function = f};
    struct candidates c = find(&r, w->read, w->outer);
    for (size_t k = 0; w->factors[k] && !found; k++)
        for (size_t i = 0; i < c.n && !found; i++) {
            const uint64_t skipped = (uint64_t)(w->factors[k] - 1) * c.list[i].by;
            if ((!t->gpu || !is_width(skipped)) && number-- == 0) {
                found = true;
                if (!write_one(t, &c.list[i], w->factors[k], w->write, w->what, out)) {
                    free(out->text);
                    *out = (struct rewrite){.text = NULL};
                }
            }
        }
    free(c.list);
    syntax_tokens_free(&tokens);
    return found && out->text;
}

bool rewrite_unroll(const struct syntax_tree *t, const char *function, size_t number,
                    struct rewrite *out)
{
    static const unsigned factors[] = {4, 8, 2, 6, 3, 5, 7, 0};
    static const struct way way = {simple_loop_read, put_unrolled, factors, true, "unrolled"};
    return rewrite(&way, t, function, number, out);
}

bool rewrite_pragma(const struct syntax_tree *t, const char *function, size_t number,
                    struct rewrite *out)
{
    static const unsigned factors[] = {4, 8, 2, 0};
    static const struct way way = {loop_body_read, put_pragma, factors, false, "asked to unroll"};
    return rewrite(&way, t, function, number, out);
}
