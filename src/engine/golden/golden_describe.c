/* What a golden trace says about its run beside what is compared: counts, findings, times. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/print.h"
#include "engine/antipatterns/antipatterns.h"
#include "engine/facts/facts.h"
#include "engine/golden/golden.h"
#include "engine/syscalls/calls.h"

static int most_first(const void *a, const void *b)
{
    const struct golden_count *x = a, *y = b;
    if (x->calls != y->calls)
        return x->calls > y->calls ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void describe_counts(struct golden *g, const struct syscall_sums *sums)
{
    g->counts = xcalloc(sums->n + 1, sizeof *g->counts);
    for (size_t i = 0; i < sums->n; i++)
        g->counts[g->ncounts++] =
            (struct golden_count){xstrdup(syscall_name(sums->list[i].abi, sums->list[i].number)),
                                  sums->list[i].calls, sums->list[i].errors};
    if (g->ncounts > 1)
        qsort(g->counts, g->ncounts, sizeof *g->counts, most_first);
}

void golden_describe(struct golden *g, const struct run_facts *facts, uint64_t wall_ns)
{
    struct antipattern_finding *found = xcalloc(antipattern_count, sizeof *found);
    size_t n = antipattern_all(facts, ANTIPATTERN_THRESHOLD, found);
    describe_counts(g, &facts->sums);
    g->findings = xcalloc(n + 1, sizeof *g->findings);
    for (size_t i = 0; i < n; i++) {
        char line[700];
        print_line(line, sizeof line, "%s: %s. Instead: %s", found[i].rule->title,
                   found[i].evidence, found[i].rule->remedy);
        g->findings[g->nfindings++] = xstrdup(line);
    }
    free(found);
    g->wall_ms = xrealloc(g->wall_ms, g->nwall + 1, sizeof *g->wall_ms);
    g->wall_ms[g->nwall++] = (double)wall_ns / 1e6;
}
