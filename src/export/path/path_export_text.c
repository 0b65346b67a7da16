/* A critical path as text for people. */
#include <math.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "base/arena.h"
#include "base/ids.h"
#include "base/print.h"
#include "engine/code/kernel_brief.h"
#include "engine/trace/trace_align.h"
#include "export/graph/graph_export.h"
#include "export/path/path_export_impl.h"

enum {
    STEPS_SHOWN = 200,
    SLACK_SHOWN = 10,
    NAMES_SHOWN = 20,
    PROGRAMS_SHOWN = 8,
    CALLS_SHOWN = 6,
    PING_PONGS_SHOWN = 10,
    BAR = 50
};

static const char *path_time(const struct path_document *d, uint64_t ns, char out[VALUE_TEXT_MAX])
{
    return value_time((double)ns, d->ascii, out);
}

/* --- what the path consists of --- */

static void print_path_mix(FILE *out, const struct path_mix *m)
{
    const char *before = "";
    for (int i = 0; i < PATH_PARTS; i++) {
        if (m->ns[i] == 0 && i != PATH_COMPUTE)
            continue;
        print_text(out, "%s%s %.1f %%", before, path_part_label((enum path_part)i),
                   (double)m->share[i] / (PATH_WHOLE / 100.0));
        before = "   ";
    }
    fputc('\n', out);
}

/* Draws the shares as a bar. In ASCII each part has a letter, otherwise a shade: both can be read
 * without colour. */
static void print_bar(FILE *out, const struct path_mix *m, bool ascii)
{
    uint64_t sum = 0;
    int done = 0;
    for (int i = 0; i < PATH_PARTS; i++) {
        sum += m->share[i];
        for (int to = (int)(sum * BAR / PATH_WHOLE); done < to; done++)
            ascii ? print_text(out, "%c", path_part_letter[i])
                  : print_text(out, "%s", path_part_shade[i]);
    }
    for (int i = 0; i < PATH_PARTS; i++) {
        if (m->ns[i] == 0)
            continue;
        ascii ? print_text(out, "  %c", path_part_letter[i])
              : print_text(out, "  %s", path_part_shade[i]);
        print_text(out, " %s", path_part_label((enum path_part)i));
    }
    fputc('\n', out);
}

static void print_parts(FILE *out, const struct path_document *d)
{
    const struct path_shares *s = d->shares;
    char time[VALUE_TEXT_MAX];
    if (s->all.total == 0)
        return;
    print_bar(out, &s->all, d->ascii);
    print_path_mix(out, &s->all);
    for (uint32_t i = 0; i < s->ndevices && s->ndevices > 1; i++) {
        print_text(out, "  %-16s %10s   ", s->devices[i].name,
                   path_time(d, s->devices[i].mix.total, time));
        print_path_mix(out, &s->devices[i].mix);
    }
    if (d->path->host_busy)
        print_text(out,
                   "%s of it are on the host while devices were at work: what it did then let "
                   "later work come late\n",
                   path_time(d, d->path->host_busy, time));
    if (d->path->moved)
        print_text(
            out,
            "work of devices began before its call, so their clocks are off: it counts as up "
            "to %s later\n",
            path_time(d, d->path->moved, time));
    if (s->inferred)
        print_text(out, "%u step%s the one before only by the times: marked \"inferred\"\n",
                   s->inferred, s->inferred == 1 ? " follows" : "s follow");
    fputc('\n', out);
}

/* --- steps and names --- */

/* Says what a step is if it is not the own time of the node that names it. */
static const char *part_note(int part)
{
    if (part == PATH_WAIT)
        return "waiting";
    return part == PATH_LATENCY ? "launch latency" : "";
}

enum { NAME_CELLS = 96, NAME_BYTES = 512 };

/* Shortens the name of a kernel; --format json and csv have the whole name. */
static const char *shorten_kernel_name(const struct path_document *d, enum node_kind kind,
                                       const char *name, char out[NAME_BYTES])
{
    return kind == NODE_KERNEL
               ? briefs_fit(d->trace->briefs, name, NAME_CELLS, d->ascii, out, NAME_BYTES)
               : name;
}

static const char *node_name(const struct path_document *d, uint32_t node, char out[NAME_BYTES])
{
    const struct graph *g = d->trace->calls;
    return shorten_kernel_name(d, (enum node_kind)g->kind[node], graph_name(g, node), out);
}

static uint32_t find_node_program(const struct graph *g, uint32_t v)
{
    while (v != GRAPH_NONE && g->kind[v] != NODE_PROGRAM)
        v = g->parent[v];
    return v;
}

/* The program's name if the path enters another program here; else "". */
static const char *find_entered_program(const struct path_document *d, uint32_t step)
{
    const struct graph *g = d->trace->calls;
    const struct critical_step *s = &d->path->steps[step];
    const uint32_t now = find_node_program(g, s->node);
    if (now == GRAPH_NONE || step == 0 || now == find_node_program(g, s[-1].node))
        return "";
    return graph_name(g, now);
}

/* Prints the rates of the step's brick over all its calls, because counters are kept as sums. */
static void print_rates(FILE *out, const struct path_step *s)
{
    const double ipc = graph_rate(s->counters, s->counts, GRAPH_IPC),
                 miss = graph_rate(s->counters, s->counts, GRAPH_MISSES),
                 mispredict = graph_rate(s->counters, s->counts, GRAPH_MISPREDICTS);
    if (!isnan(ipc))
        print_text(out, "  IPC %.2f", ipc);
    if (!isnan(miss))
        print_text(out, "  %.1f %% missed", miss);
    if (!isnan(mispredict))
        print_text(out, "  %.2f %% mispredicted", mispredict);
}

static void print_path_steps(FILE *out, const struct path_document *d)
{
    static const char *const glyphs[2][3] = {{"┌", "│", "└"}, {",", "|", "`"}};
    const struct critical_path *p = d->path;
    bool ascii = d->ascii, *seen = xcalloc(d->trace->calls->nnodes + (size_t)1, sizeof *seen);
    for (uint32_t i = 0; i < p->nsteps && i < STEPS_SHOWN; i++) {
        const struct critical_step *s = &p->steps[i];
        const struct path_step step = path_step_at(d->trace, p, i, seen);
        char name[NAME_BYTES], time[VALUE_TEXT_MAX];
        const int at = i == 0 ? 0 : 1 + (i + 1 == p->nsteps);
        const char *program = find_entered_program(d, i);
        print_text(out, "%s %s (%s)%s%s%s%s%s", glyphs[ascii][at], node_name(d, s->node, name),
                   path_time(d, s->length, time), *part_note(s->part) ? " " : "",
                   part_note(s->part), s->inferred ? " inferred" : "", *program ? " in " : "",
                   program);
        print_rates(out, &step);
        if (step.calls.n.calls)
            print_text(out, "  [%" PRIu64 " system call%s %s%s%s]", step.calls.n.calls,
                       step.calls.n.calls == 1 ? "" : "s", path_time(d, step.calls.n.ns, time),
                       step.calls.most_in ? ", most in " : "",
                       step.calls.most_in ? step.calls.most_in : "");
        fputc('\n', out);
    }
    free(seen);
    if (p->nsteps > STEPS_SHOWN)
        fprintf(out, "  ... and %u more (--format csv has all)\n", p->nsteps - STEPS_SHOWN);
}

struct program_part {
    uint32_t program;
    uint64_t ns;
};

static int compare_program_parts(const void *a, const void *b)
{
    const struct program_part *x = a, *y = b;
    if (x->ns != y->ns)
        return x->ns < y->ns ? 1 : -1;
    return x->program < y->program ? -1 : x->program > y->program;
}

/* Prints the share of each program if the path goes through several. */
static void print_programs(FILE *out, const struct path_document *d)
{
    const struct graph *g = d->trace->calls;
    const struct critical_path *p = d->path;
    struct program_part *parts = xcalloc(p->nsteps + 1u, sizeof *parts);
    struct ids known = {0};
    char time[VALUE_TEXT_MAX];
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->nsteps; i++) {
        const uint32_t program = find_node_program(g, p->steps[i].node);
        bool is_new = false;
        if (program == GRAPH_NONE)
            continue;
        const uint32_t at = ids_number(&known, program, &is_new);
        if (is_new)
            parts[n++].program = program;
        parts[at].ns += p->steps[i].length;
    }
    ids_free(&known);
    qsort(parts, n, sizeof *parts, compare_program_parts);
    for (uint32_t i = 0; n > 1 && i < n && i < PROGRAMS_SHOWN; i++)
        print_text(out, "%s%s %s", i ? ", " : "Through programs: ", graph_name(g, parts[i].program),
                   path_time(d, parts[i].ns, time));
    if (n > PROGRAMS_SHOWN)
        fprintf(out, " and %u more", n - PROGRAMS_SHOWN);
    if (n > 1)
        fputs("\n\n", out);
    free(parts);
}

/* Prints the calls inside the spans of the path. */
static void print_path_calls(FILE *out, const struct path_document *d)
{
    char time[VALUE_TEXT_MAX];
    struct call_count all;
    struct call_part *parts;
    if (!d->trace->calls->syscalls)
        return;
    const uint32_t n = path_syscalls(d->trace->calls, d->path, &all, &parts);
    print_text(out, "System calls in its spans: %" PRIu64 ", %s", all.calls,
               path_time(d, all.ns, time));
    for (uint32_t i = 0; i < n && i < CALLS_SHOWN; i++)
        print_text(out, "%s%s %s", i ? ", " : ": ", parts[i].name,
                   path_time(d, parts[i].own.ns, time));
    fputs(n > CALLS_SHOWN ? "...\n\n" : "\n\n", out);
    free(parts);
}

static const struct what_if_best *best_of(const struct path_document *d, uint32_t row)
{
    for (uint32_t i = 0; i < d->nbest; i++)
        if (d->best[i].row == row)
            return &d->best[i];
    return NULL;
}

static void print_path_names(FILE *out, const struct path_document *d)
{
    const struct graph *g = d->trace->calls;
    const struct path_shares *s = d->shares;
    char name[NAME_BYTES], time[VALUE_TEXT_MAX];
    fputs("\nOn the path, own time by name; what twice the speed of it and all inside buys:\n",
          out);
    for (uint32_t i = 0; i < s->nnames && i < NAMES_SHOWN; i++) {
        const struct path_name *n = &s->names[i];
        const struct what_if_best *b = best_of(d, i);
        char gain[32] = "";
        if (b)
            snprintf(gain, sizeof gain, "2x: -%s", path_time(d, b->gain, time));
        print_text(out, "  %5.1f %%  %9s  %6u x  %-20s  %-8s %s%s%s%s\n", 100 * n->weight,
                   path_time(d, n->ns, time), n->steps, gain, node_kind_name(n->kind),
                   shorten_kernel_name(d, n->kind, graph_text(g, n->name), name),
                   *part_note(n->part) ? " (" : "", part_note(n->part),
                   *part_note(n->part) ? ")" : "");
    }
    if (s->nnames > NAMES_SHOWN)
        fprintf(out, "  ... and %u names more\n", s->nnames - NAMES_SHOWN);
}

/* --- files --- */

void path_export_clocks(FILE *out, const struct trace *t, bool ascii)
{
    if (t->nfiles < 2)
        return;
    char time[VALUE_TEXT_MAX];
    fputs("Files, and how their clocks became one:\n", out);
    for (uint32_t i = 0; i < t->nfiles; i++) {
        const struct trace_file *f = &t->files[i];
        const char *bounds = f->how == TRACE_MESSAGES ? "bounds" : "collectives";
        print_text(out, "  %s: %s", f->path, trace_how_text((enum trace_how)f->how));
        if (i && f->how != TRACE_SAME_CLOCK)
            print_text(out, ", %s%s", f->offset_ns > t->files[0].offset_ns ? "+" : "",
                       value_time((double)(f->offset_ns - t->files[0].offset_ns), ascii, time));
        if (i && f->how != TRACE_SAME_CLOCK && f->uncertainty_ns != GRAPH_UNKNOWN)
            print_text(out, ", %s %s (%u %s)", ascii ? "+-" : "±",
                       value_time((double)f->uncertainty_ns, ascii, time), f->matched, bounds);
        fputc('\n', out);
    }
    fputc('\n', out);
}

/* --- prediction --- */

static void print_path_what_if(FILE *out, const struct path_document *d)
{
    const struct what_if *w = d->what_if;
    const struct graph *g = d->trace->calls;
    char name[NAME_BYTES], time[VALUE_TEXT_MAX], before[VALUE_TEXT_MAX], change[VALUE_TEXT_MAX];
    bool longer = w->after > w->before;
    uint64_t by = longer ? w->after - w->before : w->before - w->after;
    fputs("What if:\n", out);
    for (const char *line = d->asked; line && *line;) {
        size_t n = strcspn(line, "\n");
        fputs("  ", out);
        print_put_n(out, PRINT_TEXT, line, n);
        fputc('\n', out);
        line += n + (line[n] == '\n');
    }
    print_text(out, "  the path takes %s instead of %s: %s %s", path_time(d, w->after, time),
               path_time(d, w->before, before), path_time(d, by, change), longer ? "more" : "less");
    if (w->before && w->after)
        fprintf(out, ", %.2f times as fast", (double)w->before / (double)w->after);
    fprintf(out, " (%u spans changed)\n  then most is:\n", w->changed);
    for (uint32_t i = 0; i < w->shares.nnames && i < WHAT_IF_BEST; i++) {
        const struct path_name *n = &w->shares.names[i];
        print_text(out, "  %5.1f %%  %9s  %6u x  %-8s %s%s%s%s\n", 100 * n->weight,
                   path_time(d, n->ns, time), n->steps, node_kind_name(n->kind),
                   shorten_kernel_name(d, n->kind, graph_text(g, n->name), name),
                   *part_note(n->part) ? " (" : "", part_note(n->part),
                   *part_note(n->part) ? ")" : "");
    }
    fputs(
        "  What the host did stays as measured: where it waited for a full queue, or for another\n"
        "  thread, and the profile does not say so, more can be won.\n\n",
        out);
}

/* --- slack --- */

static void print_lanes_beside(FILE *out, const struct path_document *d,
                               const struct path_beside *lanes, uint32_t n)
{
    const struct graph *g = d->trace->calls;
    char name[NAME_BYTES], time[VALUE_TEXT_MAX];
    if (n)
        fputs("\nThreads and queues that the path does not go through:\n", out);
    for (uint32_t i = 0; i < n && i < SLACK_SHOWN; i++) {
        const uint32_t program = find_node_program(g, lanes[i].lane);
        print_text(out, "  lasts %9s  %6u span%s  %-6s %s%s%s\n",
                   path_time(d, lanes[i].to - lanes[i].from, time), lanes[i].spans,
                   lanes[i].spans == 1 ? " " : "s", node_kind_name(g->kind[lanes[i].lane]),
                   node_name(d, lanes[i].lane, name), program == GRAPH_NONE ? "" : " in ",
                   program == GRAPH_NONE ? "" : graph_name(g, program));
    }
    if (n > SLACK_SHOWN)
        print_text(out, "  ... and %u more\n", n - SLACK_SHOWN);
}

static void print_path_slack(FILE *out, const struct path_document *d)
{
    const struct graph *g = d->trace->calls;
    struct path_beside *lanes;
    const uint32_t nlanes = path_lanes_beside(g, d->path, &lanes);
    struct path_slack *s;
    char name[NAME_BYTES], slack[VALUE_TEXT_MAX], takes[VALUE_TEXT_MAX];
    uint32_t n = path_most_slack(g, d->path, &s);
    fputs("\nBeside the path, most slack first (what can run in parallel):\n", out);
    for (uint32_t i = 0; i < n && i < SLACK_SHOWN; i++)
        print_text(out, "  slack %9s  takes %9s  %-8s %s\n", path_time(d, s[i].ns, slack),
                   path_time(d, g->duration[s[i].node], takes), node_kind_name(g->kind[s[i].node]),
                   node_name(d, s[i].node, name));
    if (n == 0)
        fputs(nlanes ? "  nothing: no span has slack\n" : "  nothing: every span is on the path\n",
              out);
    else if (n > SLACK_SHOWN)
        print_text(out, "  ... and %u span%s more\n", n - SLACK_SHOWN,
                   n - SLACK_SHOWN == 1 ? "" : "s");
    free(s);
    print_lanes_beside(out, d, lanes, nlanes);
    free(lanes);
}

static void print_ping_pongs(FILE *out, const struct graph *g)
{
    struct ping_pong found[PING_PONGS_SHOWN];
    size_t n = graph_ping_pong(g, found, PING_PONGS_SHOWN);
    if (n == 0)
        return;
    fprintf(out, "\nTransfers undone by the next one of the same memory: %zu\n", n);
    for (size_t i = 0; i < n && i < PING_PONGS_SHOWN; i++) {
        char a[256], b[256];
        graph_label(g, found[i].first, true, a, sizeof a);
        graph_label(g, found[i].second, true, b, sizeof b);
        print_text(out, "  %s, then %s\n", a, b);
    }
}

void path_export_text(FILE *out, const struct path_document *d)
{
    const struct critical_path *p = d->path;
    uint64_t wall = d->shares->wall;
    char time[VALUE_TEXT_MAX];
    const unsigned nodes = path_count_nodes(d->trace->calls, p);
    print_text(out, "Critical Path: %s (%u %s, %u %s)", path_time(d, p->length, time), nodes,
               plural(nodes, "node", "nodes"), p->nsteps, plural(p->nsteps, "step", "steps"));
    if (wall)
        print_text(out, ", %.1f %% of %s measured", 100.0 * (double)p->length / (double)wall,
                   path_time(d, wall, time));
    fputc('\n', out);
    for (int i = 0; i < 50; i++)
        fputs(d->ascii ? "-" : "─", out);
    fputc('\n', out);
    print_parts(out, d);
    path_export_clocks(out, d->trace, d->ascii);
    if (d->what_if)
        print_path_what_if(out, d);
    print_path_ranks(out, d);
    print_programs(out, d);
    print_path_calls(out, d);
    print_path_steps(out, d);
    print_path_names(out, d);
    print_path_slack(out, d);
    print_ping_pongs(out, d->trace->calls);
}
