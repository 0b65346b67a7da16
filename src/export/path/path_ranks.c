/* Which rank of a job the critical path runs on, and where it goes over to another one. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/plural.h"
#include "base/print.h"
#include "engine/code/kernel_brief.h"
#include "export/path/path_export_impl.h"

enum { RANKS_SHOWN = 16, HAND_OVERS_SHOWN = 8, NAME_CELLS = 60, NAME_BYTES = 512 };

struct rank_part {
    const struct trace_file *file;
    uint64_t ns[PATH_PARTS], all;
};

static const struct trace_file *find_file_of_step(const struct path_document *d, uint32_t step)
{
    const struct trace_file *f = trace_file_of(d->trace, d->path->steps[step].node);
    return f ? f : d->trace->files;
}

static int compare_rank_parts(const void *a, const void *b)
{
    const struct rank_part *x = a, *y = b;
    if (x->all != y->all)
        return x->all > y->all ? -1 : 1;
    return (x->file > y->file) - (x->file < y->file);
}

static void print_rank_part(FILE *out, const struct path_document *d, const struct rank_part *r)
{
    char time[VALUE_TEXT_MAX];
    const double whole = (double)d->path->length / 100;
    print_text(out, "  %-16s %9s %5.1f %% ", r->file->label,
               value_time((double)r->all, d->ascii, time), whole > 0 ? (double)r->all / whole : 0);
    for (int i = 0; i < PATH_PARTS; i++)
        if (r->ns[i])
            print_text(out, "  %s %s", path_part_label((enum path_part)i),
                       value_time((double)r->ns[i], d->ascii, time));
    fputc('\n', out);
}

/* Prints the begin of the next rank's step, and after what the path came to it. */
static void print_hand_over(FILE *out, const struct path_document *d, uint32_t step)
{
    const struct graph *g = d->trace->calls;
    const struct critical_step *to = &d->path->steps[step], *from = to - 1;
    char time[VALUE_TEXT_MAX], name[NAME_BYTES];
    print_text(out, "  %9s  %s to %s, after %s\n", value_time((double)to->start, d->ascii, time),
               find_file_of_step(d, step - 1)->label, find_file_of_step(d, step)->label,
               briefs_fit(d->trace->briefs, graph_name(g, from->node), NAME_CELLS, d->ascii, name,
                          sizeof name));
}

/* Adds up the steps of each file; returns the number of times the path goes over to another. */
static uint32_t sum_rank_parts(const struct path_document *d, struct rank_part *parts)
{
    const struct critical_path *p = d->path;
    uint32_t changes = 0;
    for (uint32_t i = 0; i < d->trace->nfiles; i++)
        parts[i].file = &d->trace->files[i];
    for (uint32_t i = 0; i < p->nsteps; i++) {
        const struct trace_file *file = find_file_of_step(d, i);
        struct rank_part *r = &parts[file - d->trace->files];
        r->ns[p->steps[i].part] += p->steps[i].length;
        r->all += p->steps[i].length;
        changes += i && file != find_file_of_step(d, i - 1);
    }
    return changes;
}

static void print_hand_overs(FILE *out, const struct path_document *d, uint32_t changes)
{
    uint32_t shown = 0;
    print_text(out, "It goes over to another rank %u %s:\n", changes,
               plural(changes, "time", "times"));
    for (uint32_t i = 1; i < d->path->nsteps && shown < HAND_OVERS_SHOWN; i++)
        if (find_file_of_step(d, i) != find_file_of_step(d, i - 1)) {
            print_hand_over(out, d, i);
            shown++;
        }
    if (changes > shown)
        fprintf(out, "  ... and %u more\n", changes - shown);
    fputc('\n', out);
}

void print_path_ranks(FILE *out, const struct path_document *d)
{
    const uint32_t n = d->trace->nfiles;
    if (n < 2 || d->path->nsteps == 0)
        return;
    struct rank_part *parts = xcalloc(n, sizeof *parts);
    const uint32_t changes = sum_rank_parts(d, parts);
    qsort(parts, n, sizeof *parts, compare_rank_parts);
    if (changes) {
        fputs("The path by rank or file:\n", out);
        for (uint32_t i = 0; i < n && i < RANKS_SHOWN && parts[i].all; i++)
            print_rank_part(out, d, &parts[i]);
        if (n > RANKS_SHOWN && parts[RANKS_SHOWN].all)
            fputs("  ...\n", out);
        print_hand_overs(out, d, changes);
    }
    free(parts);
}

/* --- JSON --- */

static void write_json_rank(FILE *out, const struct path_document *d, const struct rank_part *r)
{
    const char *before = "";
    fprintf(out, "{\"file\":%u,\"ns\":%" PRIu64 ",\"parts\":[",
            (unsigned)(r->file - d->trace->files), r->all);
    for (int i = 0; i < PATH_PARTS; i++)
        if (r->ns[i]) {
            print_json(out, "%s{\"part\":\"%s\",\"ns\":%" PRIu64 "}", before,
                       path_part_name((enum path_part)i), r->ns[i]);
            before = ",";
        }
    fputs("]}", out);
}

static void write_json_hand_overs(FILE *out, const struct path_document *d)
{
    bool first = true;
    for (uint32_t i = 1; i < d->path->nsteps; i++) {
        const struct trace_file *from = find_file_of_step(d, i - 1), *to = find_file_of_step(d, i);
        if (from == to)
            continue;
        fputs(first ? "\n" : ",\n", out);
        fprintf(out, "{\"step\":%u,\"start_ns\":%" PRIu64 ",\"from\":%u,\"to\":%u}", i,
                d->path->steps[i].start, (unsigned)(from - d->trace->files),
                (unsigned)(to - d->trace->files));
        first = false;
    }
}

void write_path_ranks(FILE *out, const struct path_document *d)
{
    const uint32_t n = d->trace->nfiles;
    if (n < 2)
        return;
    struct rank_part *parts = xcalloc(n, sizeof *parts);
    sum_rank_parts(d, parts);
    qsort(parts, n, sizeof *parts, compare_rank_parts);
    fputs(",\"ranks\":[", out);
    for (uint32_t i = 0; i < n && parts[i].all; i++) {
        fputs(i ? ",\n" : "\n", out);
        write_json_rank(out, d, &parts[i]);
    }
    fputs("\n],\"hand_overs\":[", out);
    write_json_hand_overs(out, d);
    fputs("\n]", out);
    free(parts);
}
