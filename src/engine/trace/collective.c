#include "engine/trace/collective.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"

/* Words of names, in lower case without "_"; a word comes before any other that it contains. */
static const struct {
    const char *word;
    enum collective_op op;
} words[] = {
    {"allreduce", COLLECTIVE_ALL_REDUCE},
    {"allgather", COLLECTIVE_ALL_GATHER},
    {"reducescatter", COLLECTIVE_REDUCE_SCATTER},
    {"alltoall", COLLECTIVE_ALL_TO_ALL},
    {"broadcast", COLLECTIVE_BROADCAST},
    {"bcast", COLLECTIVE_BROADCAST},
    {"sendrecv", COLLECTIVE_SEND_RECV},
    {"barrier", COLLECTIVE_BARRIER},
    {"gather", COLLECTIVE_GATHER},
    {"scatter", COLLECTIVE_SCATTER},
    {"reduce", COLLECTIVE_REDUCE},
    {"send", COLLECTIVE_SEND_RECV},
    {"recv", COLLECTIVE_SEND_RECV},
};

static const struct row {
    const char *library, *word;
    enum collective_op op;
} rows[] = {
#define COLLECTIVE(library, word, op) {library, word, op},
#include "engine/trace/collectives.def"
#undef COLLECTIVE
};

/* --- names without what does not matter --- */

enum { LOOK = 256 }; /* the part of a name that is examined */

struct plain {
    char text[LOOK];   /* in lower case, without "_" and "-" */
    bool begins[LOOK]; /* whether a word begins there */
};

static bool begins_word(const char *name, const char *at)
{
    if (at == name || !isalpha((unsigned char)at[-1]))
        return true;
    return isupper((unsigned char)*at) &&
           (islower((unsigned char)at[-1]) || islower((unsigned char)at[1]));
}

/* The end of template arguments, or of "(anonymous namespace)"; NULL: `at` begins neither. */
static const char *past_brackets(const char *at)
{
    static const char anonymous[] = "(anonymous ";
    int depth = 0;
    if (strncmp(at, anonymous, sizeof anonymous - 1) == 0)
        return at + strcspn(at, ")") + (strchr(at, ')') != NULL);
    if (*at != '<')
        return NULL;
    do {
        depth += (*at == '<') - (*at == '>');
        at++;
    } while (*at && depth > 0);
    return at;
}

static void make_plain_name(struct plain *p, const char *name)
{
    const char *past;
    size_t n = 0;
    for (const char *at = name; *at && n < LOOK - 1;) {
        past = past_brackets(at);
        if (past) {
            at = past;
            continue;
        }
        if (*at == '(')
            break;
        if (*at != '_' && *at != '-') {
            p->begins[n] = begins_word(name, at);
            p->text[n++] = (char)tolower((unsigned char)*at);
        }
        at++;
    }
    p->text[n] = '\0';
}

static const char *find_word_in_name(const struct plain *p, const char *from, const char *word)
{
    for (const char *at = strstr(from, word); at; at = *at ? strstr(at + 1, word) : NULL)
        if (!*word || p->begins[at - p->text])
            return at;
    return NULL;
}

static enum collective_op op_of(const char *plain)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(plain, words[i].word))
            return words[i].op;
    return COLLECTIVE_SOME;
}

/* --- a site's own names --- */

static char *own; /* the names from collective_set_own, or NULL */

void collective_set_own(const char *names)
{
    free(own);
    own = names ? xstrdup(names) : NULL;
}

/* Whether one of the user's names decides about this name; op is the result. */
static bool own_says(const char *name, const struct plain *p, enum collective_op *op)
{
    char part[LOOK];
    for (const char *at = own; at && *at; at += strspn(at, ",")) {
        bool no = *at == '-';
        size_t n = strcspn(at += no, ",");
        snprintf(part, sizeof part, "%.*s", (int)(n < LOOK ? n : LOOK - 1), at);
        at += n;
        if (!*part || !strcasestr(name, part))
            continue;
        *op = no ? COLLECTIVE_NONE : op_of(p->text);
        return true;
    }
    return false;
}

enum collective_op collective_of(const char *name)
{
    struct plain p;
    enum collective_op op;
    make_plain_name(&p, name);
    if (own_says(name, &p, &op))
        return op;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *at = find_word_in_name(&p, p.text, rows[i].library);
        if (at && find_word_in_name(&p, at + strlen(rows[i].library), rows[i].word))
            return rows[i].op == COLLECTIVE_SOME ? op_of(at) : rows[i].op;
    }
    return COLLECTIVE_NONE;
}

enum collective_op collective_op_named(const char *said)
{
    struct plain p;
    make_plain_name(&p, said);
    return *p.text ? op_of(p.text) : COLLECTIVE_NONE;
}

const char *collective_name(enum collective_op op)
{
    static const char *const names[COLLECTIVE_OPS] = {
        "",          "all-reduce", "all-gather", "reduce-scatter", "all-to-all", "broadcast",
        "send-recv", "barrier",    "gather",     "scatter",        "reduce",     "collective"};
    return (unsigned)op < COLLECTIVE_OPS ? names[op] : "";
}

bool collective_waits_for_all(enum collective_op op)
{
    return op == COLLECTIVE_ALL_REDUCE || op == COLLECTIVE_ALL_GATHER ||
           op == COLLECTIVE_REDUCE_SCATTER || op == COLLECTIVE_ALL_TO_ALL ||
           op == COLLECTIVE_BARRIER;
}

double collective_bus_factor(enum collective_op op, uint32_t ranks)
{
    double n = ranks;
    if (ranks == 0 || ranks == TRACE_UNKNOWN || op == COLLECTIVE_NONE || op == COLLECTIVE_SOME ||
        op == COLLECTIVE_BARRIER)
        return NAN;
    switch (op) {
    case COLLECTIVE_ALL_REDUCE:
        return 2 * (n - 1) / n;
    case COLLECTIVE_ALL_GATHER:
    case COLLECTIVE_REDUCE_SCATTER:
    case COLLECTIVE_ALL_TO_ALL:
    case COLLECTIVE_GATHER:
    case COLLECTIVE_SCATTER:
        return (n - 1) / n;
    default:
        return 1;
    }
}

/* --- the calls of a trace --- */

enum { LOOKED_DEVICE = 1, LOOKED_HOST = 2, IS_COLLECTIVE = 4, OF_THE_HOST = 8 };

/* What a name means, by name, because there are few names and many calls. */
static uint8_t look_up_collective(const struct graph *g, uint8_t *what, uint32_t v, uint8_t looked)
{
    uint32_t name = g->name[v];
    if (name >= g->nnames)
        return 0;
    const char *text = graph_text(g, name);
    if (looked == LOOKED_DEVICE && !(what[name] & looked) && collective_of(text) != COLLECTIVE_NONE)
        what[name] |= IS_COLLECTIVE;
    if (looked == LOOKED_HOST && !(what[name] & looked) && strcasestr(text, "gloo") &&
        collective_of(text) != COLLECTIVE_NONE)
        what[name] |= OF_THE_HOST;
    what[name] |= looked;
    return what[name];
}

static bool is_one(const struct graph *g, uint8_t *what, uint32_t v)
{
    switch (g->kind[v]) {
    case NODE_KERNEL:
    case NODE_TRANSFER:
        return look_up_collective(g, what, v, LOOKED_DEVICE) & IS_COLLECTIVE;
    case NODE_RANGE:
    case NODE_FUNCTION:
    case NODE_TASK:
        return !graph_is_context(g, v) && look_up_collective(g, what, v, LOOKED_HOST) & OF_THE_HOST;
    default:
        return false;
    }
}

/* Whether a range or operator is of PyTorch's process groups: "nccl:all_reduce",
 * record_param_comms. */
static bool is_process_group_range(const char *name)
{
    return strncmp(name, "nccl:", 5) == 0 || strcmp(name, "record_param_comms") == 0;
}

/* Whether a runtime call stands directly in such a span: it launches the collective. An operator in
 * between (aten::copy_) launches something else. */
static bool launches_one(const struct graph *g, uint32_t call)
{
    uint32_t up = g->parent[call];
    while (up != GRAPH_NONE &&
           (text_begins(graph_name(g, up), "cu") || text_begins(graph_name(g, up), "hip")))
        up = g->parent[up];
    return up != GRAPH_NONE && g->name[up] < g->nnames && is_process_group_range(graph_name(g, up));
}

/* Marks kernels by where they were launched or, if that is unknown, by a range of this kind that
 * the profiler copied to their queue. */
static void mark_by_surroundings(struct graph *g)
{
    uint8_t *launched = xcalloc(g->nnodes + (size_t)1, 1);
    uint32_t lane = GRAPH_NONE;
    uint64_t to = 0;
    for (uint32_t i = 0; i < g->nedges; i++) {
        uint32_t work = g->edge_to[i];
        if (g->edge_kind[i] != EDGE_LAUNCHES || g->kind[work] != NODE_KERNEL)
            continue;
        launched[work] = 1;
        if (launches_one(g, g->edge_from[i]))
            g->flags[work] |= NODE_COLLECTIVE;
    }
    for (uint32_t v = 0; v < g->nnodes; v++) { /* ranges come before their contents */
        if (graph_is_context(g, v) && is_process_group_range(graph_name(g, v))) {
            lane = g->parent[v];
            to = g->start[v] + g->duration[v];
        } else if (g->kind[v] == NODE_KERNEL && !launched[v] && g->parent[v] == lane &&
                   g->start[v] + g->duration[v] <= to) {
            g->flags[v] |= NODE_COLLECTIVE;
        }
    }
    free(launched);
}

void collective_mark(struct trace *t)
{
    struct graph *g = t->calls;
    uint8_t *what = xcalloc(g->nnames + (size_t)1, 1);
    bool any = false;
    for (uint32_t v = 0; v < g->nnodes; v++)
        if (is_one(g, what, v))
            g->flags[v] |= NODE_COLLECTIVE;
    for (uint32_t i = 0; i < g->nnames && !any; i++)
        any = is_process_group_range(graph_text(g, i));
    if (any)
        mark_by_surroundings(g);
    free(what);
}
