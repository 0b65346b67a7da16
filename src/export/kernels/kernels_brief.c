/* The short answer of a profile: what bounds it, and its longest kernels. */
#include <math.h>
#include <inttypes.h>

#include "base/plural.h"
#include "base/print.h"
#include "engine/job/straggler_words.h"
#include "export/kernels/kernels_export.h"
#include "export/kernels/kernels_report.h"

static void add_label_evidence(struct brief *b, const struct kernels_total *t,
                               const struct gpu_words *words, bool ascii)
{
    char text[BOTTLENECK_TERMS][BOTTLENECK_TEXT], said[2 * BOTTLENECK_TEXT];
    for (size_t i = 0, n = bottleneck_evidence(&t->label, &t->facts, ascii, text); i < n; i++)
        brief_evidence(b, "%s", gpu_say(words, text[i], said, sizeof said));
    if (*bottleneck_advice(t->label.label))
        brief_evidence(b, "to look at: %s",
                       gpu_say(words, bottleneck_advice(t->label.label), said, sizeof said));
}

static void brief_profile_label(struct brief *b, const struct kernels *k, bool slow, bool ascii)
{
    const struct kernels_total *t = &k->total;
    const struct gpu_words *words = k->by[KERNELS_BY_NAME].words;
    char said[256], wall[VALUE_TEXT_MAX], label[300], line[400];
    if (t->label.rule)
        print_line(label, sizeof label, "%s (%s)",
                   gpu_say(words, bottleneck_name(t->label.label), said, sizeof said),
                   bottleneck_sure(&t->label));
    else
        print_line(label, sizeof label, "no label for the whole");
    print_line(line, sizeof line, "%s: %" PRIu64 " %s in %s", label, t->nkernels,
               plural(t->nkernels, "dispatch", "dispatches"),
               value_time((double)t->wall, ascii, wall));
    if (slow)
        brief_evidence(b, "as a whole: %s", line);
    else
        brief_verdict(b, "%s", line);
    if (t->label.rule)
        add_label_evidence(b, t, words, ascii);
}

/* A rank that holds the others up is the verdict; else what bounds the whole is. */
static void brief_profile_verdict(struct brief *b, const struct kernels *k, const struct trace *t,
                                  bool ascii)
{
    struct job j = {.n = 0};
    char lines[JOB_VERDICT_LINES][JOB_LINE];
    const int n = t && job_of_profile(&j, t) ? job_say_verdict(&j, lines, ascii) : 0;
    const bool slow = n > 1;
    if (slow)
        brief_verdict(b, "%s", lines[0]);
    for (int i = 1; i < n; i++)
        brief_evidence(b, "%s", lines[i]);
    brief_profile_label(b, k, slow, ascii);
    if (n == 1)
        brief_evidence(b, "ranks: %s", lines[0]);
    job_free(&j);
}

static void brief_kernel_row(struct brief *b, const struct kernel_table *table,
                             const struct kernel_row *r, bool ascii)
{
    char name[KERNELS_NAME_BYTES], total[VALUE_TEXT_MAX], said[256];
    const char *limit = r->label.rule ? bottleneck_name(r->label.label) : "no label";
    brief_row(b, kernels_name(table, r, ascii, name), "%s in %" PRIu64 " call%s, %.1f %%; %s",
              value_time(kernel_ns(&r->sum, r->sum.total), ascii, total), r->sum.calls,
              r->sum.calls == 1 ? "" : "s", 100 * r->share,
              gpu_say(r->words, limit, said, sizeof said));
}

void kernels_brief(struct brief *b, const struct kernels *k, const struct trace *ranks,
                   const struct kernel_table *table, const uint32_t *rows, uint32_t n, bool ascii)
{
    brief_profile_verdict(b, k, ranks, ascii);
    for (uint32_t i = 0; i < n; i++)
        brief_kernel_row(b, table, &table->rows[rows ? rows[i] : i], ascii);
}
