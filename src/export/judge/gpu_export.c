#include "export/judge/gpu_export.h"

#include <cjson/cJSON.h>
#include <math.h>

#include "base/print.h"
#include "engine/judge_gpu/gpu_judgement.h"
#include "engine/judge_gpu/gpu_trial.h"
#include "engine/value/document.h"
#include "engine/value/record.h"
#include "engine/value/record_rows.h"
#include "export/brief.h"
#include "export/interval_json.h"

#define GPU_NOT_COUNTED "a launch has no counters without a profiler"
#define NO_HARDWARE     "this command was never run on AMD hardware by its makers"

static const char *metric_of(const struct gpu_judgement *g)
{
    return g->modelled ? GPU_MODELLED : GPU_MEASURED;
}

/* --- text --- */

static void print_verdict(FILE *out, const struct gpu_judgement *g)
{
    if (g->verdict == JUDGE_REFUSED)
        print_text(out, "refused: %s: %s\n  this guard stops: %s\n",
                   judge_guard_name(g->refusal.guard), g->refusal.evidence,
                   judge_guard_stops(g->refusal.guard));
    else if (g->verdict == JUDGE_NOT_DECIDED && g->confirming_pairs)
        print_text(out, "not decided: the second series of pairs does not confirm the first\n");
    else if (g->verdict == JUDGE_NOT_DECIDED)
        print_text(out, "not decided; more time (--for) would help\n");
    else if (g->verdict == JUDGE_FASTER)
        print_text(out, "faster%s: the baseline costs %.4f times as much\n",
                   g->modelled ? " by a model" : "", 1 / g->confirmed.estimate);
    else
        print_text(out, "%s%s\n", judge_verdict_name(g->verdict), g->modelled ? " by a model" : "");
}

static void print_gpu_interval(FILE *out, const char *what, const struct interval *i)
{
    if (isnan(i->estimate))
        return;
    if (isinf(i->low) || isinf(i->high))
        print_text(out, "  %-22s %.4f; no interval from so few pairs: a longer --for\n", what,
                   i->estimate);
    else
        print_text(out, "  %-22s %.4f, between %.4f and %.4f\n", what, i->estimate, i->low,
                   i->high);
}

static void print_costs(FILE *out, const struct gpu_judgement *g)
{
    if (g->pairs == 0)
        return;
    print_text(out, "cost of the candidate by cost of the baseline (%.4g %%)\n",
               100 * g->confidence);
    print_gpu_interval(out, "first series", &g->ratio);
    print_gpu_interval(out, "confirmed by", &g->confirmed);
    print_gpu_interval(out, "with cold caches", &g->cold);
    print_text(out, "  %-22s %s\n", "cost", metric_of(g));
    print_text(out, "a launch: %.6g and %.6g; %zu pairs, each answer compared\n", g->median[0],
               g->median[1], g->pairs + g->confirming_pairs);
}

static void print_work(FILE *out, const struct gpu_judgement *g)
{
    const struct gpu_done *a = &g->work[0], *b = &g->work[1];
    char least[VALUE_TEXT_MAX];
    print_text(out, "a launch needs: %llu lines of %d bytes stored",
               (unsigned long long)g->changed_lines, GPU_LINE);
    if (g->need.tried)
        print_text(out, ", %llu loaded (of %u lines changed alone, %u changed the answer)",
                   (unsigned long long)gpu_need_loaded(&g->need), g->need.tried, g->need.mattered);
    if (a->counted && b->counted)
        print_text(out, "; baseline and candidate stored %llu and %llu, loaded %llu and %llu\n",
                   (unsigned long long)a->stored, (unsigned long long)b->stored,
                   (unsigned long long)a->loaded, (unsigned long long)b->loaded);
    else
        print_text(out, "; not counted: %s\n",
                   a->counted ? "the candidate was refused before" : GPU_NOT_COUNTED);
    if (isnan(g->floor_us))
        print_text(out, "least time by measured roofs: n/a, %s\n", g->floor_why);
    else
        print_text(out, "least time by measured roofs: %s, %s\n",
                   value_time(1e3 * g->floor_us, true, least), g->floor_why);
    if (g->flushed == 0)
        print_text(out, "no pairs with cold caches: the GPU has no memory for that\n");
    else if (g->cold_pairs)
        print_text(out,
                   "%zu pairs with cold caches: %llu bytes were written before each launch%s\n",
                   g->cold_pairs, (unsigned long long)g->flushed,
                   g->modelled ? "; the model knows no caches" : "");
}

static void print_check(FILE *out, const struct gpu_judgement *g)
{
    if (!g->tried)
        return;
    print_text(out,
               "%u launches, memory compared %u times; %zu regions are outputs, %zu of them got "
               "patterns; outputs differ by %.3g at most\n",
               g->launches, g->checks, g->outputs, g->poisoned, g->worst);
    if (g->nfresh == 0)
        print_text(out, "no input got fresh values\n");
    for (size_t i = 0; i < g->nfresh; i++)
        print_text(out, "fresh values: argument %u, %s%s\n", g->fresh[i].argument,
                   memory_type_name(g->fresh[i].type), g->fresh[i].said ? ", as --vary says" : "");
    print_work(out, g);
    if (g->no_poison)
        print_text(out, "note: the baseline fails where outputs hold a pattern: they got none\n");
    if (g->no_fresh)
        print_text(out, "note: the baseline fails with fresh inputs: it got captured ones only\n");
    for (size_t i = 0; i < g->nnotes; i++)
        print_text(out, "note: %s\n", g->notes[i]);
    print_text(out, "on %s; %s\n", g->gpu, NO_HARDWARE);
}

static void print_count(FILE *out, const char *what, uint32_t a, uint32_t b)
{
    if (a == UINT32_MAX || b == UINT32_MAX)
        return;
    print_text(out, "  %-22s %10u %10u\n", what, a, b);
}

static void print_resources(FILE *out, const struct gpu_judgement *g)
{
    const struct gpu_resources *a = &g->resources[0], *b = &g->resources[1];
    if (!g->has_resources)
        return;
    print_text(out, "  %-22s %10s %10s\n", "", "baseline", "candidate");
    print_count(out, "VGPRs", a->vgprs, b->vgprs);
    print_count(out, "SGPRs", a->sgprs, b->sgprs);
    print_count(out, "spilled VGPRs", a->vgpr_spills, b->vgpr_spills);
    print_count(out, "LDS, bytes", a->lds, b->lds);
    print_count(out, "scratch, bytes", a->scratch, b->scratch);
    if (!isnan(a->waves) && !isnan(b->waves))
        print_text(out, "  %-22s %10.3g %10.3g\n", "waves of a SIMD", a->waves, b->waves);
}

void gpu_export_text(FILE *out, const void *what)
{
    const struct gpu_judgement *g = what;
    print_text(out, "kernel     %s\nbaseline   %s\ncandidate  %s\n", g->kernel, g->baseline,
               g->candidate);
    print_verdict(out, g);
    print_resources(out, g);
    print_costs(out, g);
    print_check(out, g);
    if (*g->sources)
        print_text(out, "sources not looked at: %s\n", g->sources);
}

/* --- the short answer --- */

static void brief_gpu_interval(struct brief *b, const char *what, const struct interval *i)
{
    if (!isnan(i->estimate))
        brief_row(b, what, "candidate / baseline %.4f, between %.4f and %.4f", i->estimate, i->low,
                  i->high);
}

void gpu_brief(struct brief *b, const struct gpu_judgement *g)
{
    if (g->verdict == JUDGE_REFUSED)
        brief_verdict(b, "refused by the guard %s: %s", judge_guard_name(g->refusal.guard),
                      g->refusal.evidence);
    else if (g->verdict == JUDGE_FASTER)
        brief_verdict(b, "faster%s: the baseline costs %.4f times as much",
                      g->modelled ? " by a model" : "", 1 / g->confirmed.estimate);
    else
        brief_verdict(b, "%s%s", judge_verdict_name(g->verdict), g->modelled ? " by a model" : "");
    brief_evidence(b, "%.120s on %s; %s", g->kernel, *g->gpu ? g->gpu : "no GPU", metric_of(g));
    if (g->pairs)
        brief_evidence(b, "%zu pairs, memory compared %u times", g->pairs + g->confirming_pairs,
                       g->checks);
    for (size_t i = 0; i < g->nnotes; i++)
        brief_evidence(b, "%s", g->notes[i]);
    brief_gpu_interval(b, "first series", &g->ratio);
    brief_gpu_interval(b, "confirmed by", &g->confirmed);
    brief_gpu_interval(b, "with cold caches", &g->cold);
    if (g->has_resources && g->resources[0].vgprs != UINT32_MAX)
        brief_row(b, "VGPRs", "%u and %u", g->resources[0].vgprs, g->resources[1].vgprs);
}

/* --- JSON --- */

#define TYPE struct gpu_resources
static const struct fields resources_record = RECORD_OF(
    KNOWN(U32, vgprs, "vgprs"), KNOWN(U32, agprs, "agprs"), KNOWN(U32, sgprs, "sgprs"),
    KNOWN(U32, vgpr_spills, "vgpr_spills"), KNOWN(U32, sgpr_spills, "sgpr_spills"),
    KNOWN(U32, lds, "lds_bytes"), KNOWN(U32, scratch, "scratch_bytes"), ROW(DOUBLE, waves));
#undef TYPE

static void add_gpu_work(cJSON *to, const struct gpu_done *w)
{
    cJSON *j = w->counted ? cJSON_CreateObject() : cJSON_CreateNull();
    if (w->counted) {
        json_add_u64(j, "dispatches", w->dispatches);
        json_add_u64(j, "instructions", w->instructions);
        json_add_u64(j, "lines_loaded", w->loaded);
        json_add_u64(j, "lines_stored", w->stored);
    }
    cJSON_AddItemToArray(to, j);
}

static void add_floor(cJSON *doc, const struct gpu_judgement *g)
{
    cJSON *j = cJSON_AddObjectToObject(doc, "need");
    json_add_u64(j, "lines_stored", g->changed_lines);
    json_add_u64(j, "lines_loaded", gpu_need_loaded(&g->need));
    json_add_u64(j, "input_lines", g->need.input_lines);
    json_add_u64(j, "lines_tried", g->need.tried);
    json_add_u64(j, "lines_that_mattered", g->need.mattered);
    json_add_u64(j, "waves", g->need.waves);
    json_add_number(j, "microseconds", g->floor_us);
    json_add_text(j, "by", g->floor_why);
    cJSON *list = cJSON_AddArrayToObject(doc, "work");
    for (int side = 0; side < 2; side++)
        add_gpu_work(list, &g->work[side]);
    json_add_text(doc, "work_not_counted", g->work[0].counted ? "" : GPU_NOT_COUNTED);
    json_add_u64(doc, "flushed_bytes", g->flushed);
}

static void add_trial(cJSON *doc, const struct gpu_judgement *g)
{
    json_add_text(doc, "metric", metric_of(g));
    cJSON_AddBoolToObject(doc, "modelled", g->modelled);
    json_add_text(doc, "gpu", g->gpu);
    json_add_interval(doc, "ratio", &g->ratio);
    json_add_interval(doc, "confirmed", &g->confirmed);
    json_add_interval(doc, "cold", &g->cold);
    json_add_number(doc, "baseline_cost", g->median[0]);
    json_add_number(doc, "candidate_cost", g->median[1]);
    cJSON_AddNumberToObject(doc, "pairs", (double)g->pairs);
    cJSON_AddNumberToObject(doc, "confirming_pairs", (double)g->confirming_pairs);
    cJSON_AddNumberToObject(doc, "cold_pairs", (double)g->cold_pairs);
    add_floor(doc, g);
    cJSON_AddNumberToObject(doc, "launches", g->launches);
    cJSON_AddNumberToObject(doc, "comparisons", g->checks);
    cJSON_AddNumberToObject(doc, "outputs", (double)g->outputs);
    cJSON_AddNumberToObject(doc, "outputs_with_patterns", (double)g->poisoned);
    json_add_number(doc, "largest_difference", g->worst);
    cJSON *list = cJSON_AddArrayToObject(doc, "fresh_inputs");
    for (size_t i = 0; i < g->nfresh; i++) {
        cJSON *j = cJSON_CreateObject();
        cJSON_AddNumberToObject(j, "argument", g->fresh[i].argument);
        cJSON_AddStringToObject(j, "type", memory_type_name(g->fresh[i].type));
        cJSON_AddBoolToObject(j, "said", g->fresh[i].said);
        cJSON_AddItemToArray(list, j);
    }
    list = cJSON_AddArrayToObject(doc, "notes");
    for (size_t i = 0; i < g->nnotes; i++) {
        cJSON *text = cJSON_CreateString(g->notes[i]);
        cJSON_AddItemToArray(list, text);
    }
}

void gpu_export_json(FILE *out, const void *what)
{
    const struct gpu_judgement *g = what;
    const bool refused = g->verdict == JUDGE_REFUSED;
    cJSON *doc = document_begin("rooftop.judge/1");
    cJSON_AddStringToObject(doc, "target", "gpu");
    json_add_text(doc, "kernel", g->kernel);
    json_add_text(doc, "baseline", g->baseline);
    json_add_text(doc, "candidate", g->candidate);
    json_add_text(doc, "verdict", judge_verdict_name(g->verdict));
    json_add_text(doc, "guard", refused ? judge_guard_name(g->refusal.guard) : "");
    json_add_text(doc, "evidence", refused ? g->refusal.evidence : "");
    json_add_text(doc, "sources_not_looked_at", g->sources);
    json_add_number(doc, "confidence", g->confidence);
    json_add_number(doc, "margin", g->margin);
    record_add_rows(doc, "resources", resources_record, g->resources, g->has_resources ? 2 : 0);
    if (g->tried)
        add_trial(doc, g);
    document_end(out, doc);
}
