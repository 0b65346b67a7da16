/* The vendor's terms for the devices of a trace, and names of its programs. */
#include <inttypes.h>
#include <stdio.h>

#include "engine/trace/trace.h"

static const char *text_of_trace_name(const struct trace *t, uint32_t name)
{
    return name == GRAPH_NONE ? "" : graph_text(t->calls, name);
}

const struct gpu_words *trace_words(const struct trace *t, uint32_t agent)
{
    if (!t || agent >= t->nagents)
        return gpu_words_of("", "");
    return gpu_words_of(text_of_trace_name(t, t->agents[agent].name),
                        text_of_trace_name(t, t->agents[agent].model));
}

const struct gpu_words *trace_words_all(const struct trace *t)
{
    const struct gpu_words *words = NULL;
    for (uint32_t i = 0; i < t->nagents; i++)
        if (t->agents[i].gpu)
            words = gpu_words_both(words, trace_words(t, i));
    return words ? words : gpu_words_of("", "");
}

void trace_program_name(const struct trace *t, uint32_t program, char *out, size_t size)
{
    const struct graph *g = t->calls;
    bool shared = false;
    for (uint32_t v = g->first_root; v != GRAPH_NONE; v = g->next_sibling[v])
        shared |= v != program && g->kind[v] == NODE_PROGRAM && g->name[v] == g->name[program];
    if (shared && g->kind[program] == NODE_PROGRAM && g->detail[program] != GRAPH_NONE)
        snprintf(out, size, "%s %" PRId64, graph_name(g, program),
                 g->details[g->detail[program]].thread.id);
    else
        snprintf(out, size, "%s", graph_name(g, program));
}
