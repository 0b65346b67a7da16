#include "export/stacks/export_folded.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/print.h"

static void print_frame(FILE *out, const struct hot_symbol *s)
{
    print_put(out, PRINT_FOLDED, s->name);
    if (s->inlined)
        fputs("_[i]", out);
    else if (s->where == HOT_KERNEL)
        fputs("_[k]", out);
    else if (s->where == HOT_JIT)
        fputs("_[j]", out);
}

void export_folded(FILE *out, const struct hot_stacks *p)
{
    int32_t *path = xcalloc(p->nnodes, sizeof *path);
    for (size_t i = 0; i < p->nnodes; i++) {
        size_t depth = 0;
        if (p->nodes[i].self == 0)
            continue;
        for (int32_t at = (int32_t)i; at >= 0; at = p->nodes[at].parent)
            path[depth++] = at;
        while (depth-- > 0) {
            print_frame(out, &p->symbols[p->nodes[path[depth]].symbol]);
            fputc(depth ? ';' : ' ', out);
        }
        fprintf(out, "%" PRIu64 "\n", p->nodes[i].self);
    }
    free(path);
}
