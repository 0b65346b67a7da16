/* Writes counts into the text and the JSON of trees and of lists of bricks. */
#include <inttypes.h>
#include <math.h>

#include "base/print.h"
#include "export/graph/graph_export.h"

void graph_export_counters_json(FILE *out, const struct graph_counters *of)
{
    if (!of)
        return;
    fputs("\"counters\":[", out);
    for (uint32_t i = 0; i < of->n; i++)
        print_json(out, "%s{\"name\":\"%s\",\"why\":\"%s\"}", i ? "," : "", of->list[i].name,
                   of->list[i].why);
    fputs("],", out);
}

void graph_export_counts_json(FILE *out, const struct graph_counters *of,
                              const struct graph_counts *c)
{
    if (!c || c->calls == 0)
        return;
    print_json(out, ",\"counted_calls\":%" PRIu64 ",\"counts\":{", c->calls);
    for (uint32_t i = 0; i < of->n; i++)
        if (isnan(c->value[i]))
            print_json(out, "%s\"%s\":null", i ? "," : "", of->list[i].name);
        else
            print_json(out, "%s\"%s\":%.0f", i ? "," : "", of->list[i].name, c->value[i]);
    fputc('}', out);
}

void graph_export_counts_text(FILE *out, const struct graph_counters *of,
                              const struct graph_counts *c)
{
    if (!c || c->calls == 0)
        return;
    const double ipc = graph_rate(of, c, GRAPH_IPC), miss = graph_rate(of, c, GRAPH_MISSES),
                 mispredict = graph_rate(of, c, GRAPH_MISPREDICTS);
    const char *before = "  [";
    if (!isnan(ipc)) {
        print_text(out, "%sIPC %.2f", before, ipc);
        before = ", ";
    }
    if (!isnan(miss)) {
        print_text(out, "%s%.1f %% missed", before, miss);
        before = ", ";
    }
    if (!isnan(mispredict)) {
        print_text(out, "%s%.2f %% mispredicted", before, mispredict);
        before = ", ";
    }
    for (uint32_t i = 0; i < of->n; i++)
        if (!isnan(c->value[i])) {
            print_text(out, "%s%s %.0f", before, of->list[i].name, c->value[i]);
            before = ", ";
        }
    if (graph_counts_share(c) < 1)
        print_text(out, "%scounted %.0f %% of the time", before, 100 * graph_counts_share(c));
    if (before[0] == ',')
        fputc(']', out);
}

void graph_export_whys_text(FILE *out, const struct graph_counters *of)
{
    for (uint32_t i = 0; of && i < of->n; i++)
        if (*of->list[i].why)
            print_text(out, "%s: n/a: %s\n", of->list[i].name, of->list[i].why);
}
