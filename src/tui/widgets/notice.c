#include "tui/widgets/notice.h"

#include "engine/live/metric.h"

const struct notice *notice_worst(const struct snapshot *s)
{
    const struct notice *worst = NULL;
    for (size_t i = 0; s && i < s->nnotices; i++)
        if (!worst || s->notices[i].level > worst->level)
            worst = &s->notices[i];
    return worst;
}

const char *notice_no_counters(const struct snapshot *s)
{
    const struct metric *ipc = s ? snapshot_metric(s, "ipc") : NULL;
    return ipc && ipc->value.validity == VALUE_MISSING ? ipc->value.why : NULL;
}

size_t notice_topdown(const struct snapshot *s, const struct metric **out, size_t n)
{
    size_t found = 0;
    for (size_t i = 0; s && i < s->nmetrics && found < n; i++)
        if (s->metrics[i].def->level == 1)
            out[found++] = &s->metrics[i];
    return found;
}
