/* The short answer of a benchmark, and its lines for GitHub Actions. */
#include <math.h>

#include "engine/value/value.h"
#include "export/bench/bench_export.h"
#include "export/github.h"

static void say_ratio(struct brief *b, const struct bench *k)
{
    if (!bench_comparable(k)) {
        brief_verdict(b, "no verdict: the runs of A and B did not end alike");
        return;
    }
    const struct bench_answer a = bench_answer_of(k);
    const struct interval *f = bench_answer_ratio(&a);
    const char *by = a.by_cpu || k->plan.cpu_time ? "CPU time" : "elapsed time";
    if (a.verdict == VERDICT_NOT_DECIDED)
        brief_verdict(b, "not decided: B / A of %s is %.4f", by, f->estimate);
    else
        brief_verdict(b, "B is %s: B / A of %s is %.4f", verdict_name(a.verdict), by, f->estimate);
    if (isfinite(f->low) && isfinite(f->high))
        brief_evidence(b, "between %.4f and %.4f (%g %%); within %g %% counts as equivalent",
                       f->low, f->high, 100 * bench_ratio_confidence(k), 100 * k->plan.margin);
    if (a.verdict == VERDICT_NOT_DECIDED)
        brief_evidence(b, "more runs or time would help: --for %g", 4 * k->plan.for_s);
}

void bench_brief(struct brief *b, const struct bench *k, bool ascii)
{
    char text[VALUE_TEXT_MAX];
    for (size_t s = 0; s < k->sides; s++) {
        char ends[96];
        const struct bench_ends e = bench_ends_of(&k->side[s]);
        const struct interval i = bench_median(k, s);
        value_time(1e9 * i.estimate, ascii, text);
        brief_row(b, k->side[s].name, "median %s, %zu run%s%s%s", text, k->side[s].n,
                  k->side[s].n == 1 ? "" : "s", e.failed ? "; " : "", bench_ends_text(&e, ends));
    }
    if (k->sides == 2)
        say_ratio(b, k);
    else
        brief_verdict(b, "%s takes %s", k->side[0].name, text);
}

void bench_annotate(FILE *out, const struct bench *k, bool fails)
{
    struct brief b = {.command = "compare bench"};
    const struct bench_answer a = bench_answer_of(k);
    const char *level = a.verdict == VERDICT_SLOWER ? "warning" : "notice";
    bench_brief(&b, k, true);
    github_annotate(out, fails ? "error" : level, NULL, 0, "rooftop compare bench", b.verdict);
}
