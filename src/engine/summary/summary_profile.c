/* The summary of a profile of a GPU or of bricks. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/code/kernel_brief.h"
#include "engine/job/straggler_words.h"
#include "engine/kernels/kernels_lacking.h"
#include "engine/summary/summary_impl.h"
#include "engine/syscalls/snapshot/syscalls_snapshot.h"
#include "engine/trace/trace_window.h"

/* --- what it is --- */

/* The models of the GPUs, each once: "2 x NVIDIA H100". */
static const char *name_summary_devices(struct summary *s, const struct trace *t)
{
    const char *all = "";
    for (uint32_t i = 0; i < t->nagents; i++) {
        const struct trace_agent *a = &t->agents[i];
        const uint32_t name = a->model != GRAPH_NONE ? a->model : a->name;
        uint32_t like = 0, before = 0;
        for (uint32_t k = 0; k < t->nagents; k++) {
            const struct trace_agent *b = &t->agents[k];
            const bool same = b->gpu && b->model == a->model && b->name == a->name;
            like += same;
            before += same && k < i;
        }
        if (!a->gpu || before || name == GRAPH_NONE)
            continue;
        const char *times = like > 1 ? arena_printf(&s->memory, "%" PRIu32 " x ", like) : "";
        all = arena_printf(&s->memory, "%s%s%s%s", all, *all ? ", " : "", times,
                           graph_text(t->calls, name));
    }
    return all;
}

static const char *name_summary_programs(struct summary *s, const struct analysis *a)
{
    const struct bricks *b = &a->bricks;
    if (b->nprograms == 0)
        return "";
    const char *first = b->programs[0].name;
    uint32_t others = 0; /* not its devices: "trainer (GPU 0)" */
    for (uint32_t i = 1; i < b->nprograms; i++)
        others += strncmp(b->programs[i].name, first, strlen(first)) != 0;
    if (others == 0)
        return first;
    return arena_printf(&s->memory, "%s and %s", first,
                        summary_count(s, others, "other program", "other programs"));
}

static void add_calls_head(struct summary *s, const struct syscalls_snapshot *p, bool ascii)
{
    summary_head(s, "trace of system calls");
    if (p->end_ns > p->begin_ns)
        summary_head(s, summary_time(s, (double)(p->end_ns - p->begin_ns), ascii));
    summary_head(s, summary_count(s, p->count, "call", "calls"));
    summary_head(s, summary_count(s, p->all_processes, "process", "processes"));
}

static void make_summary_head(struct summary *s, const struct analysis *a, bool ascii)
{
    const struct kernels_total *k = &a->kernels.total;
    char part[200];
    const char *devices = name_summary_devices(s, &a->trace);
    const uint64_t wall = k->device ? k->wall : a->shares.wall;
    summary_head(s, *devices ? devices : name_summary_programs(s, a));
    if (a->trace.window)
        summary_head(s, trace_window_text(&a->trace, part, sizeof part));
    if (a->trace.syscalls)
        add_calls_head(s, a->trace.syscalls, ascii);
    else if (wall)
        summary_head(s, summary_time(s, (double)wall, ascii));
    if (k->nkernels)
        summary_head(s, summary_count(s, k->nkernels, "dispatch", "dispatches"));
    if (k->ncopies)
        summary_head(s, summary_count(s, k->ncopies, "copy", "copies"));
    if (!k->nkernels && !a->trace.syscalls)
        summary_head(s, summary_count(s, a->trace.spans, "span", "spans"));
    if (a->trace.nfiles > 1)
        summary_head(s, summary_count(s, a->trace.nfiles, "file", "files"));
}

/* --- what bounds it --- */

#define RULES                                                                                      \
    "The first rule whose evidence is complete gives the label (docs/KERNELS.md). A number that "  \
    "was not recorded is no evidence."

static void add_said(struct summary *s, const struct gpu_words *words, const char *label,
                     const char *text)
{
    char said[512];
    summary_add(s, (struct summary_line){
                       .label = label,
                       .text = arena_strdup(&s->memory, gpu_say(words, text, said, sizeof said)),
                       .how = RULES});
}

static void add_reasons(struct summary *s, const struct bottleneck *b, const char *label,
                        const struct facts *f, const struct gpu_words *words, bool ascii)
{
    char text[BOTTLENECK_TERMS][BOTTLENECK_TEXT], also[256] = "";
    const size_t lines = bottleneck_evidence(b, f, ascii, text);
    size_t n = 0;
    for (size_t i = 0; i < lines; i++)
        add_said(s, words, i == 0 ? label : "", text[i]);
    for (int l = 0; l < LABELS; l++)
        if (b->also >> l & 1 && n < sizeof also)
            n += (size_t)snprintf(also + n, sizeof also - n, "%s%s", n ? ", " : "",
                                  bottleneck_name((enum bottleneck_label)l));
    if (n)
        add_said(s, words, "also", also);
    if (*bottleneck_advice(b->label))
        add_said(s, words, "to look at", bottleneck_advice(b->label));
}

#define RANKS_RULE                                                                                 \
    "A rank holds the others up if they wait for it at collectives longer than chance explains, "  \
    "and if it costs them at least 1 % of the time. docs/JOBS.md has the rule."

/* The answer of `rooftop report ranks`. */
static void add_ranks_lines(struct summary *s, const struct job *j, bool slow, bool ascii)
{
    char lines[JOB_VERDICT_LINES][JOB_LINE];
    const char *label = slow ? "verdict" : "ranks";
    for (int i = 0, n = job_say_verdict(j, lines, ascii); i < n; i++) {
        summary_add(
            s, (struct summary_line){.label = label,
                                     .text = arena_strdup(&s->memory, lines[i]),
                                     .how = RANKS_RULE,
                                     .next = "rooftop report ranks",
                                     .tone = slow && i == 0 ? SUMMARY_VERDICT : SUMMARY_PLAIN});
        label = i == 0 ? "because" : "";
    }
}

/* slow: a rank holds the others up, which is the verdict; this is what all ranks do together. */
static void add_label_lines(struct summary *s, const struct analysis *a, bool slow, bool ascii)
{
    const struct kernels_total *k = &a->kernels.total;
    const struct gpu_words *words = a->kernels.by[KERNELS_BY_NAME].words;
    const struct bottleneck *b = &k->label;
    const char *label = slow ? "as a whole" : "verdict";
    char said[128];
    if (!b->rule) {
        summary_add(
            s, (struct summary_line){.label = label,
                                     .text = "n/a: no GPU did work in it, and the rules judge GPUs",
                                     .how = RULES,
                                     .more = "path"});
        return;
    }
    const char *name = gpu_say(words, bottleneck_name(b->label), said, sizeof said);
    summary_add(s, (struct summary_line){
                       .label = label,
                       .text = arena_printf(&s->memory, "%s, %s", name, bottleneck_sure(b)),
                       .how = arena_printf(&s->memory, "%s The thresholds are from: %s", RULES,
                                           b->rule->source),
                       .more = "kernels",
                       .tone = slow ? SUMMARY_PLAIN : SUMMARY_VERDICT});
    add_reasons(s, b, slow ? "" : "because", &k->facts, words, ascii);
}

static void add_verdict(struct summary *s, const struct analysis *a, bool ascii)
{
    struct job j = {.n = 0};
    const bool known = a->uses.nranks > 1 && job_of_profile(&j, &a->trace);
    const bool slow = known && j.straggler.rank != TRACE_UNKNOWN;
    if (slow)
        add_ranks_lines(s, &j, slow, ascii);
    add_label_lines(s, a, slow, ascii);
    if (known && !slow)
        add_ranks_lines(s, &j, slow, ascii);
    job_free(&j);
}

/* --- what would help --- */

static const struct what_if_best *find_best_change(const struct analysis *a)
{
    const struct what_if_best *best = NULL;
    for (uint32_t i = 0; i < a->nbest; i++)
        if (a->best[i].gain > (best ? best->gain : 0))
            best = &a->best[i];
    return best;
}

static const char *say_best_change(struct summary *s, const struct analysis *a, bool ascii)
{
    enum { NAME_CELLS = 48 };
    char gain[VALUE_TEXT_MAX], on[VALUE_TEXT_MAX], name[4 * NAME_CELLS + 1];
    const struct what_if_best *best = find_best_change(a);
    if (a->nbest == 0)
        return "n/a: no name has time on the path";
    if (!best)
        return "nothing alone: twice the speed of no single name makes the path shorter";
    const struct path_name *n = &a->shares.names[best->row];
    briefs_fit(a->trace.briefs, graph_text(a->trace.calls, n->name), NAME_CELLS, ascii, name,
               sizeof name);
    /* half of its own time is the most that it can give by itself */
    const bool inside = best->gain > n->ns / 2 + 1;
    return arena_printf(
        &s->memory,
        "%s%s twice as fast saves %s, %.1f %%, most of all names; on the path are %s of %s", name,
        n->part == PATH_LATENCY ? " (launch latency)" : "",
        value_time((double)best->gain, ascii, gain), summary_percent(best->gain, a->path.length),
        value_time((double)n->ns, ascii, on),
        inside ? "its own, the rest is saved in what runs inside it" : "it");
}

static void add_best_change(struct summary *s, const struct analysis *a, bool ascii)
{
    if (!a->path.length)
        return;
    summary_add(s, (struct summary_line){
                       .label = "saves most",
                       .text = say_best_change(s, a, ascii),
                       .how = arena_printf(
                           &s->memory,
                           "The path was searched for again with half the time for all spans of "
                           "one name and what runs inside them, for the %s with most time on the "
                           "path. Another path may then be the longest. In large profiles fewer "
                           "names are tried; x on a step of the path asks for any.",
                           summary_count(s, a->nbest, "name", "names")),
                       .more = "path"});
}

static void add_path_line(struct summary *s, const struct analysis *a, bool ascii)
{
    enum { LEAST = 500 }; /* millionths: less would show as 0.0 % */
    const struct path_mix *mix = &a->shares.all;
    char text[VALUE_TEXT_MAX];
    uint32_t done = 0;
    if (!mix->total)
        return;
    const char *all = arena_printf(&s->memory, "%s", value_time((double)mix->total, ascii, text));
    for (bool first = true;; first = false) { /* the largest part first */
        int most = -1;
        for (int i = 0; i < PATH_PARTS; i++)
            if (!(done >> i & 1) && mix->share[i] >= LEAST &&
                (most < 0 || mix->ns[i] > mix->ns[most]))
                most = i;
        if (most < 0)
            break;
        done |= 1U << most;
        all = arena_printf(&s->memory, "%s%s %s %.1f %%", all, first ? ":" : ";",
                           path_part_label((enum path_part)most),
                           100.0 * mix->share[most] / PATH_WHOLE);
    }
    summary_add(s, (struct summary_line){
                       .label = "path",
                       .text = all,
                       .how = "The critical path: from the last end back over what came last "
                              "before each activity. What is not on it can be slower or faster "
                              "without a change of the whole.",
                       .more = "path"});
}

/* --- devices --- */

static void add_idle_line(struct summary *s, const struct device_use *all, size_t ndevices,
                          bool ascii)
{
    char idle[256], time[VALUE_TEXT_MAX];
    if (!all->wall)
        return;
    device_use_idle_text(all, idle, sizeof idle);
    summary_add(s, (struct summary_line){
                       .label = "GPU idle",
                       .text = arena_printf(
                           &s->memory, "%.1f %%%s, %s%s%s", summary_percent(all->idle, all->wall),
                           ndevices > 1 ? " of the GPUs' time" : "",
                           value_time((double)all->idle, ascii, time), *idle ? ": " : "", idle),
                       .how = "The time in which a device had no work, summed over all devices, by "
                              "what it waited for.",
                       .more = "steps"});
}

static void add_communication_line(struct summary *s, const struct analysis *a,
                                   const struct device_use *all, bool ascii)
{
    const struct kernels_total *k = &a->kernels.total;
    char time[VALUE_TEXT_MAX];
    const char *text = "none: no kernel of it moves data between GPUs";
    if (!all->wall)
        return;
    if (all->ncommunications)
        text = arena_printf(&s->memory,
                            "%.1f %% of the GPUs' time, %s in %s; %.1f %% of the time "
                            "nothing else runs",
                            summary_percent(all->communication, all->wall),
                            value_time((double)all->communication, ascii, time),
                            summary_count(s, all->ncommunications, "call", "calls"),
                            summary_percent(k->exposed, k->wall));
    summary_add(s, (struct summary_line){
                       .label = "communicates",
                       .text = text,
                       .how = "Kernels that move data between processors, as all-reduce does, "
                              "known from the file or by their names. Beside kernels that compute "
                              "it costs little.",
                       .more = all->ncommunications ? "kernels" : NULL});
}

static void add_rank_lines(struct summary *s, const struct device_uses *u)
{
    char lines[DEVICE_USE_LINES][256];
    for (int i = 0, n = device_uses_say(u, lines); i < n; i++)
        summary_add(s, (struct summary_line){.label = i == 0 ? "devices" : "",
                                             .text = arena_strdup(&s->memory, lines[i]),
                                             .how = "Ranks and devices are compared one by one.",
                                             .more = i == 0 ? "steps" : NULL});
}

static void add_lacking_lines(struct summary *s, const struct analysis *a)
{
    struct kernels_lacking lacking;
    if (!a->kernels.total.nkernels)
        return;
    kernels_lacking(&lacking, &a->trace, &a->kernels);
    for (size_t i = 0; i < lacking.n; i++)
        summary_add(s,
                    (struct summary_line){
                        .label = i == 0 ? "not recorded" : "",
                        .text = arena_strdup(&s->memory, lacking.text[i]),
                        .how = "What the file does not hold cannot be evidence. docs/PROFILES.md "
                               "says how each tool can be made to record more.",
                        .tone = SUMMARY_FAINT});
}

void summary_add_profile(struct summary *out, const struct analysis *a, bool ascii)
{
    const struct device_use all = device_uses_sum(&a->uses, 0, a->uses.n, NULL);
    make_summary_head(out, a, ascii);
    if (a->trace.syscalls)
        summary_add_calls(out, a->trace.syscalls, ascii);
    else
        add_verdict(out, a, ascii);
    add_best_change(out, a, ascii);
    add_idle_line(out, &all, a->uses.n, ascii);
    add_path_line(out, a, ascii);
    add_communication_line(out, a, &all, ascii);
    summary_add_bricks(out, a, ascii);
    out->first = out->n;
    add_rank_lines(out, &a->uses);
    add_lacking_lines(out, a);
}
