#include "export/stacks/export_speedscope.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/print.h"

static void print_speedscope_frames(FILE *out, const struct hot_stacks *p)
{
    for (size_t i = 0; i < p->nsymbols; i++) {
        const struct hot_symbol *s = &p->symbols[i];
        fputs(i ? ",\n" : "", out);
        print_json(out, "{\"name\":\"%s\"", s->name);
        if (s->file[0])
            print_json(out, ",\"file\":\"%s\"", s->file);
        if (s->file[0] && s->line > 0)
            fprintf(out, ",\"line\":%d", s->line);
        fputc('}', out);
    }
}

/* Symbols from the outermost frame to the node. */
static void print_speedscope_stack(FILE *out, const struct hot_stacks *p, size_t node,
                                   uint32_t *path)
{
    size_t depth = 0;
    for (int32_t at = (int32_t)node; at >= 0; at = p->nodes[at].parent)
        path[depth++] = p->nodes[at].symbol;
    fputc('[', out);
    while (depth-- > 0)
        print_json(out, "%" PRIu32 "%s", path[depth], depth ? "," : "]");
}

static const char *speedscope_unit(const struct hot_stacks *p)
{
    if (p->weight == HOT_TIME || p->weight == HOT_CPU_TIME)
        return "nanoseconds";
    return p->weight == HOT_BYTES ? "bytes" : "none";
}

void export_speedscope(FILE *out, const struct hot_stacks *p)
{
    uint32_t *path = xcalloc(p->nnodes + 1, sizeof *path);
    const char *comma = "";
    fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
          "\"exporter\":\"rooftop\",\n\"shared\":{\"frames\":[",
          out);
    print_speedscope_frames(out, p);
    print_json(out,
               "]},\n\"profiles\":[{\"type\":\"sampled\",\"name\":\"%s\",\"unit\":\"%s\","
               "\"startValue\":0,\"endValue\":%" PRIu64 ",\n\"samples\":[",
               p->event ? p->event : "samples", speedscope_unit(p), p->samples);
    for (size_t i = 0; i < p->nnodes; i++)
        if (p->nodes[i].self) {
            print_json(out, "%s", comma);
            print_speedscope_stack(out, p, i, path);
            comma = ",";
        }
    fputs("],\n\"weights\":[", out);
    comma = "";
    for (size_t i = 0; i < p->nnodes; i++)
        if (p->nodes[i].self) {
            print_json(out, "%s%" PRIu64, comma, p->nodes[i].self);
            comma = ",";
        }
    fputs("]}]}\n", out);
    free(path);
}
