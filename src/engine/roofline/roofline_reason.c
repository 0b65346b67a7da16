#include "engine/roofline/roofline_reason.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool any_time(const struct trace *t)
{
    for (uint32_t i = 0; i < t->ndispatches; i++) {
        uint64_t ns = t->calls->duration[trace_dispatch_node(t, i)];
        if (ns != GRAPH_UNKNOWN && ns > 0)
            return true;
    }
    return false;
}

const char *roofline_why_empty(const struct trace *t, char *out, size_t size)
{
    const char *counters = trace_words_all(t)->counters;
    if (t->ndispatches == 0)
        snprintf(out, size,
                 "FLOPs and bytes are unknown: there is no dispatch of a GPU, and no brick that "
                 "declares its work (docs/BRICKS.md)");
    else if (!any_time(t))
        snprintf(out, size, "Its %u dispatches have no duration, so there are no rates%s",
                 t->ndispatches, t->ncounters ? "; their counters are there" : "");
    else if (t->ncounters == 0 && !counters)
        snprintf(out, size, "No kernel has hardware counters that rooftop reads");
    else if (t->ncounters == 0)
        snprintf(out, size, "No kernel has hardware counters: collect some with %s", counters);
    else
        snprintf(out, size, "No dispatch that has counters has a time, so there are no rates");
    return out;
}

/* The architecture of the agent that the point's kernel ran on; "" = unknown. */
static const char *arch_of(const struct trace *t, const struct roof_point *p)
{
    for (uint32_t i = 0; i < t->ndispatches; i++) {
        uint32_t node = trace_dispatch_node(t, i);
        if (t->place[node] != p->node)
            continue;
        uint32_t agent = trace_dispatch_at(t, i).agent;
        uint32_t name = agent < t->nagents ? t->agents[agent].name : GRAPH_NONE;
        return name == GRAPH_NONE ? "" : graph_text(t->calls, name);
    }
    return "";
}

const char *roofline_why_no_roof(const struct roofline *r)
{
    return r->unmeasured ? r->unmeasured : "its backend has told no peaks";
}

const char *roofline_why_no_intensity(const struct roof_point *p)
{
    if (p->work || !isnan(p->intensity))
        return NULL;
    return isnan(p->flops) ? "it declares bytes only, so it stands under the roof of memory by its "
                             "bandwidth, at no intensity"
                           : "it declares FLOPs only, so it stands under the roof of computing by "
                             "its FLOP/s, at no intensity";
}

const char *roofline_why_unknown(const struct roofline *r, const struct trace *t,
                                 const struct roof_point *p, char *out, size_t size)
{
    *out = '\0';
    if (!p->work && p->roof == GRAPH_NONE)
        snprintf(out, size, "%s", roofline_why_no_roof(r));
    else if (roofline_why_no_intensity(p))
        snprintf(out, size, "%s", roofline_why_no_intensity(p));
    if (!p->work || (p->roof != GRAPH_NONE && (!isnan(p->flops) || !isnan(p->bytes))))
        return out;
    const char *arch = arch_of(t, p);
    if (!*arch)
        snprintf(out, size,
                 "the profile does not tell its GPU's architecture: no formula and no "
                 "roof is known");
    else if (isnan(p->flops) && isnan(p->bytes) && p->work->nmissing == 0)
        snprintf(out, size,
                 "no formula computes FLOPs or bytes from the counters of %s (docs/ROOFLINE.md)",
                 arch);
    else if (p->roof == GRAPH_NONE)
        snprintf(out, size, "the peaks of %s are not known: --roofs FILE gives them", arch);
    return out;
}
