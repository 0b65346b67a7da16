/* Explains work above its roof: the most likely reason is shown beside the measured value. */
#include <string.h>

#include "engine/roofline/roofline.h"
#include "engine/roofs/cpu_roofs.h"

enum { SPREAD_BAD = 5 }; /* percent */

bool roofline_above(const struct roof_point *p)
{
    return p->distance < -0.005; /* a value that prints as 100 % does not count as above */
}

static const char *why_cpu(const struct roof_point *p, const struct ceiling *c)
{
    if (c->memory && c->level != CPU_L1)
        return "a part of its data stayed in a nearer cache, or the roof was measured while the "
               "machine was busy";
    if (c->spread * 100 > SPREAD_BAD)
        return "its roof was measured while the machine was busy: the measurements lie far apart";
    if (c->memory)
        return "bytes are declared that stayed in registers, or more threads did its work than its "
               "spans tell";
    return p->threads == 1 ? "more FLOPs are declared than were done, its vectors are wider than "
                             "its backend's name says, or threads helped that told no spans"
                           : "more FLOPs are declared than were done, or its vectors are wider "
                             "than its backend's name says";
}

static const char *why_counters(const struct roof *r)
{
    if (strncmp(r->how, "theoretical", 11) == 0)
        return "the GPU has more units or a higher clock than its ceilings were made for, or its "
               "counters are of another pass than its time";
    return "the ceiling was measured with less than this GPU can do: on another one, or while it "
           "was busy";
}

const char *roofline_why_above(const struct roofline *r, const struct roof_point *p)
{
    if (!roofline_above(p) || p->roof == GRAPH_NONE)
        return NULL;
    const struct roof *roof = &r->roofs[p->roof];
    double spread = p->memory_bound ? roof->bytes_spread : roof->flops_spread;
    if (p->work)
        return why_counters(roof);
    if (p->over == OVER_BUSIEST)
        return "its threads did not run at once: their work is over the time of the busiest";
    if (roof->threads && p->limit != GRAPH_NONE)
        return why_cpu(p, &roof->ceilings[p->limit]);
    if (spread * 100 > SPREAD_BAD)
        return "its roof was measured while the machine was busy: the measurements lie far apart";
    if (p->memory_bound)
        return "its data stayed in caches, and the roof is that of memory; or that was measured "
               "while the machine was busy";
    return "its roof was measured at a lower clock or while the machine was busy, or more FLOPs "
           "are declared than were done";
}
