#include "format/pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum op { BYTE, ANY, SET, SPLIT, JUMP, BEGIN, END, MATCH };
enum { DEPTH_MAX = 64, REPEAT_MAX = 255 };

struct pattern_compiler {
    struct pattern *p;
    const char *text, *at;
    const char *why; /* NULL: no error so far */
    int depth;
};

static bool fail_pattern(struct pattern_compiler *c, const char *why)
{
    if (!c->why)
        c->why = why;
    return false;
}

static bool emit_pattern_step(struct pattern_compiler *c, struct pattern_step step)
{
    if (c->p->n >= PATTERN_STEPS)
        return fail_pattern(c, "too long an expression");
    c->p->steps[c->p->n++] = step;
    return true;
}

/* Inserts a step at `from`. Jumps are relative, so that the code after it can move as a whole. */
static bool insert_step(struct pattern_compiler *c, unsigned from, struct pattern_step step)
{
    if (!emit_pattern_step(c, step))
        return false;
    struct pattern_step *at = c->p->steps + from;
    memmove(at + 1, at, (c->p->n - 1 - from) * sizeof *at);
    *at = step;
    return true;
}

static void set_add(uint8_t *set, unsigned byte)
{
    set[byte / 8] |= (uint8_t)(1u << byte % 8);
}

static uint8_t *new_set(struct pattern_compiler *c)
{
    if (c->p->nsets >= PATTERN_SETS) {
        fail_pattern(c, "too many brackets");
        return NULL;
    }
    uint8_t *set = c->p->sets[c->p->nsets];
    memset(set, 0, 32);
    return set;
}

static bool emit_byte_set(struct pattern_compiler *c, uint8_t *set, bool inverted)
{
    for (int i = 0; inverted && i < 32; i++)
        set[i] = (uint8_t)~set[i];
    return emit_pattern_step(c, (struct pattern_step){.op = SET, .byte = (uint8_t)c->p->nsets++});
}

static bool is_in_byte_ranges(unsigned b, const char *ranges)
{
    for (; *ranges; ranges += 2)
        if (b >= (unsigned char)ranges[0] && b <= (unsigned char)ranges[1])
            return true;
    return false;
}

/* Adds a named class of the C locale. */
static bool add_class(uint8_t *set, const char *name, size_t len)
{
    static const struct {
        const char *name, *ranges;
    } classes[] = {{"alpha", "azAZ"},   {"digit", "09"},       {"alnum", "azAZ09"},
                   {"upper", "AZ"},     {"lower", "az"},       {"space", "  \t\r"},
                   {"blank", "  \t\t"}, {"punct", "!/:@[`{~"}, {"xdigit", "09afAF"},
                   {"print", " ~"},     {"graph", "!~"},       {"cntrl", "\1\37\177\177"},
                   {"word", "azAZ09__"}};
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (strlen(classes[i].name) == len && memcmp(classes[i].name, name, len) == 0) {
            for (unsigned b = 1; b < 256; b++)
                if (is_in_byte_ranges(b, classes[i].ranges))
                    set_add(set, b);
            return true;
        }
    return false;
}

/* Parses a class after "[:" and moves past ":]". */
static bool parse_class(struct pattern_compiler *c, uint8_t *set)
{
    const char *end = strstr(c->at + 2, ":]");
    if (!end || !add_class(set, c->at + 2, (size_t)(end - c->at - 2)))
        return fail_pattern(c, "unknown class");
    c->at = end + 2;
    return true;
}

static bool parse_range(struct pattern_compiler *c, uint8_t *set)
{
    const unsigned char first = (unsigned char)*c->at++;
    unsigned char last = first;
    if (c->at[0] == '-' && c->at[1] && c->at[1] != ']') {
        last = (unsigned char)c->at[1];
        c->at += 2;
    }
    if (last < first)
        return fail_pattern(c, "a range backwards");
    for (unsigned b = first; b <= last; b++)
        set_add(set, b);
    return true;
}

static bool parse_bracket(struct pattern_compiler *c)
{
    uint8_t *set = new_set(c);
    const bool inverted = c->at[1] == '^';
    c->at += inverted ? 2 : 1;
    for (bool first = true; set && (first || *c->at != ']'); first = false) {
        if (!*c->at)
            return fail_pattern(c, "unmatched [");
        if (!(c->at[0] == '[' && c->at[1] == ':' ? parse_class(c, set) : parse_range(c, set)))
            return false;
    }
    c->at++;
    return set && emit_byte_set(c, set, inverted);
}

static bool parse_escape(struct pattern_compiler *c)
{
    const char e = c->at[1];
    const char *name = NULL;
    if (e == 'w' || e == 'W')
        name = "word";
    else if (e == 's' || e == 'S')
        name = "space";
    if (!e)
        return fail_pattern(c, "a backslash at the end");
    if (!name && is_in_byte_ranges((unsigned char)e, "azAZ09"))
        return fail_pattern(c, "an unknown escape");
    c->at += 2;
    if (!name)
        return emit_pattern_step(c, (struct pattern_step){.op = BYTE, .byte = (uint8_t)e});
    uint8_t *set = new_set(c);
    return set && add_class(set, name, strlen(name)) && emit_byte_set(c, set, e < 'a');
}

static bool parse_alternatives(struct pattern_compiler *c);

static bool parse_group(struct pattern_compiler *c)
{
    const char *open = c->at++;
    if (++c->depth > DEPTH_MAX)
        return fail_pattern(c, "too many parentheses");
    if (!parse_alternatives(c))
        return false;
    if (*c->at != ')') {
        c->at = open;
        return fail_pattern(c, "unmatched (");
    }
    c->at++;
    c->depth--;
    return true;
}

static bool parse_atom(struct pattern_compiler *c)
{
    static const uint8_t ops[] = {['.'] = ANY, ['^'] = BEGIN, ['$'] = END};
    switch (*c->at) {
    case '(':
        return parse_group(c);
    case '[':
        return parse_bracket(c);
    case '\\':
        return parse_escape(c);
    case '*':
    case '+':
    case '?':
        return fail_pattern(c, "nothing to repeat");
    case '.':
    case '^':
    case '$':
        return emit_pattern_step(c, (struct pattern_step){.op = ops[(unsigned char)*c->at]}) &&
               c->at++;
    default:
        return emit_pattern_step(c, (struct pattern_step){.op = BYTE, .byte = (uint8_t)*c->at}) &&
               c->at++;
    }
}

static bool copy_states(struct pattern_compiler *c, unsigned from, unsigned len)
{
    for (unsigned i = 0; i < len; i++)
        if (!emit_pattern_step(c, c->p->steps[from + i]))
            return false;
    return true;
}

static int16_t jump_distance(unsigned steps)
{
    return (int16_t)steps; /* fits: steps are below PATTERN_STEPS */
}

/* Repeats the code from `from` on: at least min times, at most max (-1: no limit). */
static bool repeat_pattern_steps(struct pattern_compiler *c, unsigned from, int min, int max)
{
    const unsigned len = c->p->n - from;
    for (int i = 1; i < min; i++)
        if (!copy_states(c, from, len))
            return false;
    if (max < 0 && min > 0) /* jump back to the last copy */
        return emit_pattern_step(
            c, (struct pattern_step){.op = SPLIT, .one = (int16_t)-jump_distance(len), .other = 1});
    if (max < 0)
        return insert_step(
                   c, from,
                   (struct pattern_step){.op = SPLIT, .one = 1, .other = jump_distance(len + 2)}) &&
               emit_pattern_step(
                   c, (struct pattern_step){.op = JUMP, .one = (int16_t)-jump_distance(len + 1)});
    if (max == 0) {
        c->p->n = (uint16_t)from;
        return true;
    }
    const unsigned first = min == 0 ? from : c->p->n;
    const struct pattern_step skip = {.op = SPLIT, .one = 1, .other = jump_distance(len + 1)};
    if (min == 0 && !insert_step(c, first, skip))
        return false;
    for (int i = min ? min : 1; i < max; i++)
        if (!emit_pattern_step(c, skip) || !copy_states(c, min ? from : from + 1, len))
            return false;
    return true;
}

static bool parse_bounds(struct pattern_compiler *c, int *min, int *max)
{
    char *end;
    const long low = strtol(c->at + 1, &end, 10);
    long high = low;
    if (*end == ',') {
        const char *more = end + 1;
        high = *more == '}' ? -1 : strtol(more, &end, 10);
        if (*more == '}')
            end = (char *)more;
    }
    if (*end != '}' || low < 0 || low > REPEAT_MAX || high > REPEAT_MAX ||
        (high >= 0 && high < low))
        return fail_pattern(c, "bad bounds");
    *min = (int)low;
    *max = (int)high;
    c->at = end + 1;
    return true;
}

/* Parses the repeat operators after an atom. */
static bool parse_repeats(struct pattern_compiler *c, unsigned from)
{
    for (;;) {
        int min = *c->at == '+', max = *c->at == '?' ? 1 : -1;
        if (*c->at == '{' && c->at[1] >= '0' && c->at[1] <= '9') {
            if (!parse_bounds(c, &min, &max))
                return false;
        } else if (*c->at && strchr("*+?", *c->at)) {
            c->at++;
        } else {
            return true;
        }
        if (!repeat_pattern_steps(c, from, min, max))
            return false;
    }
}

static bool parse_branch(struct pattern_compiler *c)
{
    while (*c->at && *c->at != '|' && !(*c->at == ')' && c->depth > 0)) {
        const unsigned from = c->p->n;
        if (!parse_atom(c) || !parse_repeats(c, from))
            return false;
    }
    return true;
}

static bool parse_alternatives(struct pattern_compiler *c)
{
    const unsigned from = c->p->n;
    if (!parse_branch(c))
        return false;
    if (*c->at != '|')
        return true;
    c->at++;
    const unsigned len = c->p->n - from;
    if (!insert_step(
            c, from,
            (struct pattern_step){.op = SPLIT, .one = 1, .other = jump_distance(len + 2)}) ||
        !emit_pattern_step(c, (struct pattern_step){.op = JUMP}))
        return false;
    const unsigned jump = c->p->n - 1u;
    if (!parse_alternatives(c))
        return false;
    c->p->steps[jump].one = jump_distance(c->p->n - jump);
    return true;
}

bool pattern_compile(struct pattern *p, const char *text, char *why, size_t size)
{
    struct pattern_compiler c = {.p = p, .text = text, .at = text};
    p->n = p->nsets = 0;
    if (parse_alternatives(&c) && emit_pattern_step(&c, (struct pattern_step){.op = MATCH}))
        return true;
    snprintf(why, size, "%s at %zu", c.why, (size_t)(c.at - text) + 1);
    return false;
}

/* --- matching --- */

struct states {
    uint16_t list[PATTERN_STEPS];
    unsigned n;
};

struct matcher {
    const struct pattern *p;
    const char *text, *at;
    bool found;
    uint32_t seen[PATTERN_STEPS / 32]; /* steps that are already in the list being built */
    struct states now, next;
};

/* Adds all steps that can be reached from one without reading a character. */
static void add_states(struct matcher *m, struct states *s, unsigned start)
{
    uint16_t todo[2 * PATTERN_STEPS + 1]; /* each step adds at most two */
    unsigned n = 0;
    todo[n++] = (uint16_t)start;
    while (n > 0) {
        const unsigned i = todo[--n];
        if (m->seen[i / 32] >> i % 32 & 1)
            continue;
        m->seen[i / 32] |= 1u << i % 32;
        const struct pattern_step *step = &m->p->steps[i];
        const bool passes = step->op == JUMP || step->op == SPLIT ||
                            (step->op == BEGIN && m->at == m->text) || (step->op == END && !*m->at);
        if (step->op == MATCH)
            m->found = true;
        else if (step->op <= SET)
            s->list[s->n++] = (uint16_t)i;
        if (!passes)
            continue;
        if (step->op == SPLIT)
            todo[n++] = (uint16_t)((int)i + step->other);
        todo[n++] = (uint16_t)((int)i + (step->op >= BEGIN ? 1 : step->one));
    }
}

static bool reads_byte(const struct pattern *p, const struct pattern_step *step, uint8_t byte)
{
    return step->op == ANY || (step->op == BYTE && step->byte == byte) ||
           (step->op == SET && p->sets[step->byte][byte / 8] >> byte % 8 & 1);
}

bool pattern_matches(const struct pattern *p, const char *text)
{
    struct matcher m = {.p = p, .text = text, .at = text};
    for (;; m.at++) {
        add_states(&m, &m.now, 0); /* a match may begin at any position */
        if (m.found || !*m.at)
            return m.found;
        memset(m.seen, 0, sizeof m.seen);
        m.next.n = 0;
        const char byte = *m.at++;
        for (unsigned i = 0; i < m.now.n; i++)
            if (reads_byte(p, &p->steps[m.now.list[i]], (uint8_t)byte))
                add_states(&m, &m.next, m.now.list[i] + 1u);
        m.at--;
        memcpy(m.now.list, m.next.list, m.next.n * sizeof *m.next.list);
        m.now.n = m.next.n;
    }
}
