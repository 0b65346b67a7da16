#include "engine/trace/collective.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

/* As they occur in names, in lower case without "_"; a word that contains another comes first. */
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

static const char *const libraries[] = {"nccl", "rccl", "msccl", "oneccl", "ccl::", "gloo"};

/* Where a word begins in a text, without a letter before it; NULL if nowhere. */
static const char *find_word(const char *text, const char *word)
{
    for (const char *at = strcasestr(text, word); at; at = strcasestr(at + 1, word))
        if (at == text || !isalpha((unsigned char)at[-1]))
            return at;
    return NULL;
}

/* The library's name is near the beginning; parameters do not help and may be long. */
enum { LOOK = 256 };

static enum collective_op op_of(const char *from)
{
    char plain[LOOK];
    size_t n = 0;
    for (; *from && *from != '(' && n < sizeof plain - 1; from++)
        if (*from != '_')
            plain[n++] = (char)tolower((unsigned char)*from);
    plain[n] = '\0';
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(plain, words[i].word))
            return words[i].op;
    return COLLECTIVE_SOME;
}

/* What comes before the parameters: "void a::(anonymous namespace)::b<4>" of that and "(int)". */
static size_t length_of_head(const char *name)
{
    static const char anonymous[] = "(anonymous namespace)";
    size_t n = 0;
    while (name[n] && (name[n] != '(' || strncmp(name + n, anonymous, strlen(anonymous)) == 0))
        n += name[n] == '(' ? strlen(anonymous) : 1;
    return n;
}

enum collective_op collective_of(const char *name)
{
    char head[LOOK];
    size_t n = length_of_head(name);
    n = n < sizeof head - 1 ? n : sizeof head - 1;
    memcpy(head, name, n);
    head[n] = '\0';
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        const char *at = find_word(head, libraries[i]);
        if (at)
            return op_of(at);
    }
    return COLLECTIVE_NONE;
}

const char *collective_name(enum collective_op op)
{
    static const char *const names[COLLECTIVE_OPS] = {
        "",          "all-reduce", "all-gather", "reduce-scatter", "all-to-all", "broadcast",
        "send-recv", "barrier",    "gather",     "scatter",        "reduce",     "collective"};
    return (unsigned)op < COLLECTIVE_OPS ? names[op] : "";
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

enum { IS_COLLECTIVE = 1, OF_THE_HOST = 2 };

static bool is_one(const struct graph *g, uint32_t v, uint8_t what)
{
    switch (g->kind[v]) {
    case NODE_KERNEL:
    case NODE_TRANSFER:
        return what & IS_COLLECTIVE;
    case NODE_RANGE:
    case NODE_FUNCTION:
    case NODE_TASK:
        return what & OF_THE_HOST && !graph_is_context(g, v);
    default:
        return false;
    }
}

void collective_mark(struct trace *t)
{
    struct graph *g = t->calls;
    uint8_t *what =
        xcalloc(g->nnames + (size_t)1, 1); /* by name, because there are few names and many calls */
    for (uint32_t i = 0; i < g->nnames; i++)
        if (collective_of(graph_text(g, i)) != COLLECTIVE_NONE)
            what[i] = IS_COLLECTIVE | (find_word(graph_text(g, i), "gloo") ? OF_THE_HOST : 0);
    for (uint32_t v = 0; v < g->nnodes; v++)
        if (g->name[v] < g->nnames && what[g->name[v]] && is_one(g, v, what[g->name[v]]))
            g->flags[v] |= NODE_COLLECTIVE;
    free(what);
}
