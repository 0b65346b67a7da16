#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "base/watch.h"
#include "cli/options/command.h"
#include "cli/options/exit.h"
#include "cli/run/brief_output.h"
#include "cli/run/output.h"
#include "cli/run/progress_note.h"
#include "cli/run/signals.h"
#include "engine/roofs/host_roofs.h"
#include "engine/roofs/roofs_meter.h"
#include "engine/value/list_field_document.h"
#include "engine/value/value.h"

enum { NAME_CELLS = 26 };

/* --- text --- */

static void write_rate(FILE *out, double v, const char *unit)
{
    static const char *const prefix[] = {"", "k", "M", "G", "T", "P"};
    int p = 0;
    while (v >= 1000 && p < 5)
        v /= 1000, p++;
    print_text(out, " %7.*f %s%s", (v < 100) + (v < 10), v, prefix[p], unit);
}

/* Ends a row with the spread. Too few slices show none. */
static void write_spread(FILE *out, const struct host_roof *r)
{
    if (isfinite(r->spread))
        print_text(out, " %6.1f %%\n", 100 * r->spread);
    else
        print_text(out, " %8s\n", "n/a");
}

static const char *size_text(uint64_t bytes, char out[VALUE_TEXT_MAX])
{
    struct value v = value_ok((double)bytes, UNIT_BYTES);
    return value_format(&v, true, out);
}

static void write_share(FILE *out, const struct host_roof *r)
{
    if (isfinite(r->per_cycle))
        print_text(out, " %8.2f", r->per_cycle);
    else
        print_text(out, " %8s", "");
    if (isfinite(r->theory))
        print_text(out, " %7.2f %6.1f %%", r->theory, 100 * r->per_cycle / r->theory);
    else
        print_text(out, " %7s %8s", "", "");
}

/* Writes the reason in place of the numbers where a row could not be measured. */
static bool is_measured(FILE *out, const struct host_roof *r)
{
    if (!isfinite(r->value))
        print_text(out, " n/a: %s\n", r->refused);
    return isfinite(r->value);
}

static void write_operations(FILE *out, const struct host_roofs *r, uint32_t threads)
{
    bool any = false;
    for (size_t i = 0; i < r->n; i++) {
        const struct host_roof *row = &r->rows[i];
        if (row->kind != HOST_ROOF_OPERATIONS || row->threads != threads)
            continue;
        if (!any)
            print_text(out, "\n%-*s %-5s %14s %8s %7s %8s %8s %7s\n", NAME_CELLS,
                       threads == 1 ? "operations, one core" : "operations, all cores", "type",
                       "a second", "a cycle", "theory", "reached", "clock", "spread");
        any = true;
        print_text(out, "%-*s %-5s", NAME_CELLS, row->name, row->type);
        if (!is_measured(out, row))
            continue;
        write_rate(out, row->value, "op/s");
        write_share(out, row);
        print_text(out, " %4.2f GHz", row->clock / 1e9);
        write_spread(out, row);
        if (row->refused[0])
            print_text(out, "  refused: %s\n", row->refused);
    }
}

static void write_bandwidth(FILE *out, const struct host_roofs *r, uint32_t threads)
{
    bool any = false;
    for (size_t i = 0; i < r->n; i++) {
        const struct host_roof *row = &r->rows[i];
        char set[VALUE_TEXT_MAX];
        if (row->kind != HOST_ROOF_BANDWIDTH || row->threads != threads || row->nodes)
            continue;
        if (!any)
            print_text(out, "\n%-*s %-5s %13s %8s %7s %8s %9s %7s\n", NAME_CELLS,
                       threads == 1 ? "memory, one core" : "memory, all cores", "level", "a second",
                       "a cycle", "theory", "reached", "each has", "spread");
        any = true;
        print_text(out, "%-*s %-5s", NAME_CELLS, row->name, row->level);
        if (!is_measured(out, row))
            continue;
        write_rate(out, row->value, "B/s");
        write_share(out, row);
        print_text(out, " %9s", size_text(row->working_set, set));
        write_spread(out, row);
        if (row->refused[0])
            print_text(out, "  refused: %s\n", row->refused);
    }
}

static void write_latency(FILE *out, const struct host_roofs *r)
{
    bool any = false;
    for (size_t i = 0; i < r->n; i++) {
        const struct host_roof *row = &r->rows[i];
        char set[VALUE_TEXT_MAX], time[VALUE_TEXT_MAX];
        if (row->kind != HOST_ROOF_LATENCY || row->nodes)
            continue;
        if (!any)
            print_text(out, "\n%-*s %12s %8s %8s\n", NAME_CELLS, "latency, by size", "of a load",
                       "cycles", "spread");
        any = true;
        print_text(out, "%-10s%-*s %12s %8.1f", size_text(row->working_set, set), NAME_CELLS - 10,
                   strstr(row->name, "small pages") ? "small pages" : "",
                   value_time(row->value * 1e9, true, time), row->per_cycle);
        write_spread(out, row);
    }
}

static void write_loaded(FILE *out, const struct host_roofs *r)
{
    bool any = false;
    for (size_t i = 0; i < r->n; i++) {
        const struct host_roof *row = &r->rows[i];
        char time[VALUE_TEXT_MAX];
        if (row->kind != HOST_ROOF_LOADED)
            continue;
        if (!any)
            print_text(out, "\n%-*s %6s %13s %12s %8s\n", NAME_CELLS, "DRAM under load, all cores",
                       "reads", "moved", "of a load", "spread");
        any = true;
        print_text(out, "%-*s %4.0f %%", NAME_CELLS, row->name, 100 * row->reads);
        write_rate(out, row->load, "B/s");
        print_text(out, " %12s", value_time(row->value * 1e9, true, time));
        write_spread(out, row);
    }
}

/* The row of another kind for the same pair of nodes, or NULL. */
static const struct host_roof *of_pair(const struct host_roofs *r, const struct host_roof *as,
                                       enum host_roof_kind kind)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->rows[i].nodes && r->rows[i].kind == kind && !r->rows[i].refused[0] &&
            r->rows[i].cpu_node == as->cpu_node && r->rows[i].memory_node == as->memory_node)
            return &r->rows[i];
    return NULL;
}

static void write_nodes(FILE *out, const struct host_roofs *r)
{
    bool any = false;
    for (size_t i = 0; i < r->n; i++) {
        const struct host_roof *row = &r->rows[i];
        char name[64], time[VALUE_TEXT_MAX];
        if (!row->nodes || row->kind != HOST_ROOF_BANDWIDTH)
            continue;
        if (!any)
            print_text(out, "\n%-*s %19s %12s %8s\n", NAME_CELLS, "NUMA nodes, one core",
                       "loads a second", "of a load", "spread");
        any = true;
        snprintf(name, sizeof name, "CPU of %u, memory of %u", row->cpu_node, row->memory_node);
        print_text(out, "%-*s      ", NAME_CELLS, name);
        if (!is_measured(out, row))
            continue;
        const struct host_roof *latency = of_pair(r, row, HOST_ROOF_LATENCY);
        write_rate(out, row->value, "B/s");
        print_text(out, " %12s", value_time(latency ? latency->value * 1e9 : NAN, true, time));
        write_spread(out, row);
    }
}

static void write_roofs_text(FILE *out, const void *what)
{
    const struct host_roofs *r = what;
    print_text(out, "roofs of %s, %u CPU%s, measured %s%s\n", r->cpu[0] ? r->cpu : "this CPU",
               r->cpus, r->cpus == 1 ? "" : "s", r->made, r->quick ? " (--quick)" : "");
    print_text(out, "microcode %s, governor %s, kernel %s\n",
               r->microcode[0] ? r->microcode : "unknown", r->governor[0] ? r->governor : "unknown",
               r->kernel);
    write_operations(out, r, 1);
    write_bandwidth(out, r, 1);
    if (r->cpus > 1) {
        write_operations(out, r, r->cpus);
        write_bandwidth(out, r, r->cpus);
    }
    write_latency(out, r);
    write_loaded(out, r);
    write_nodes(out, r);
}

/* --- the short answer --- */

/* What most readers ask for: a row for each. */
static const struct {
    enum host_roof_kind kind;
    const char *level, *type; /* NULL: any */
} wanted_roofs[BRIEF_ROWS] = {{HOST_ROOF_OPERATIONS, NULL, "FP64"},
                              {HOST_ROOF_BANDWIDTH, "DRAM", NULL},
                              {HOST_ROOF_BANDWIDTH, "L3", NULL},
                              {HOST_ROOF_BANDWIDTH, "L1", NULL},
                              {HOST_ROOF_LATENCY, NULL, NULL}};

/* The best of a kind, of as many threads as were measured; of latencies the longest. NULL: none. */
static const struct host_roof *find_best_roof(const struct host_roofs *r, size_t wanted)
{
    const char *level = wanted_roofs[wanted].level, *type = wanted_roofs[wanted].type;
    const struct host_roof *best = NULL;
    for (size_t i = 0; i < r->n; i++) {
        const struct host_roof *x = &r->rows[i];
        if (x->kind != wanted_roofs[wanted].kind || x->nodes || x->refused[0] ||
            !isfinite(x->value))
            continue;
        if ((level && strcmp(x->level, level) != 0) || (type && strcmp(x->type, type) != 0))
            continue;
        if (!best || x->threads > best->threads ||
            (x->threads == best->threads && x->value > best->value))
            best = x;
    }
    return best;
}

static void brief_roof_row(struct brief *b, const struct host_roof *r)
{
    static const enum unit units[HOST_ROOF_KINDS] = {UNIT_FLOP_PER_S, UNIT_BYTES_PER_S,
                                                     UNIT_SECONDS, UNIT_SECONDS};
    char text[VALUE_TEXT_MAX], name[96];
    if (!r)
        return;
    const struct value v = value_ok(r->value, units[r->kind]);
    print_line(name, sizeof name, "%s%s%s%s%s, %u thread%s", r->name, *r->type ? " " : "", r->type,
               *r->level ? " " : "", r->level, r->threads, r->threads == 1 ? "" : "s");
    brief_row(b, name, "%s", value_format(&v, true, text));
}

static int write_roofs_brief(const struct host_roofs *r, const struct options *o, struct error *err)
{
    struct brief b = {.command = o->words};
    size_t refused = 0;
    for (size_t i = 0; i < r->n; i++)
        refused += r->rows[i].refused[0] != '\0';
    brief_verdict(&b, "%zu roofs of %s, %u CPU%s%s", r->n - refused,
                  r->cpu[0] ? r->cpu : "this CPU", r->cpus, r->cpus == 1 ? "" : "s",
                  r->quick ? ", measured quickly" : "");
    brief_evidence(&b, "measured %s; microcode %s, governor %s, kernel %s", r->made,
                   r->microcode[0] ? r->microcode : "unknown",
                   r->governor[0] ? r->governor : "unknown", r->kernel);
    if (refused)
        brief_evidence(&b, "%zu could not be measured, or are above what the CPU can do", refused);
    for (size_t i = 0; i < BRIEF_ROWS; i++)
        brief_roof_row(&b, find_best_roof(r, i));
    if (signals_caught)
        brief_evidence(&b, "interrupted: the others were not measured, and nothing is stored");
    b.left_out = r->n - b.nrows;
    brief_next(&b, signals_caught ? "rooftop lab roofs" : "rooftop lab roofs --stored", NULL, 0);
    return brief_output(&b, o, err);
}

/* --- documents --- */

static void write_roofs_json(FILE *out, const void *what)
{
    host_roofs_write_json(out, what);
}

static void write_roofs_csv(FILE *out, const void *what)
{
    const struct host_roofs *r = what;
    list_fields_csv(out, host_roofs_fields, "\n", r->rows, r->n, sizeof *r->rows);
}

/* --- the command --- */

static void show_progress(void *note, const char *what, unsigned done, unsigned of)
{
    char line[96];
    snprintf(line, sizeof line, "roof %u of %u: %s", done + 1, of, what);
    progress_note_show(note, line);
}

struct roofs_options {
    bool quick, stored;
};

/* A signal ends it after the row that is being measured. */
static int obtain_roofs(struct host_roofs *r, const struct roofs_options *own, struct error *err)
{
    static const struct watch watch = {signals_none, NULL};
    struct progress_note note;
    if (own->stored) {
        int rc = host_roofs_load(r, err);
        if (rc == -ENOENT && err->kind == ERROR_NONE)
            error_set(err, ERROR_INPUT, ENOENT, "rooftop lab roofs measures them", "roofs",
                      "none are stored for this host");
        return rc;
    }
    signals_catch(false);
    const struct watch *before = watch_set(&watch);
    progress_note_begin(&note);
    int rc = roofs_meter.measure(
        r, &(struct roofs_wish){.quick = own->quick, .progress = show_progress, .ctx = &note}, err);
    progress_note_end(&note);
    watch_set(before);
    return rc;
}

/* Stores the results before they are printed. They are printed even if they cannot be stored. */
static void store_roofs(const struct host_roofs *r)
{
    struct error err = ERROR_INIT;
    if (host_roofs_store(r, &err) != 0)
        exit_report(&err);
}

static int write_roofs(const struct host_roofs *r, const struct options *o, struct error *err)
{
    const char *format = o->format ? o->format : "text";
    if (o->brief)
        return write_roofs_brief(r, o, err);
    return output_made(o->output,
                       output_make_of(format, write_roofs_text, write_roofs_json, write_roofs_csv),
                       r, err);
}

/* Prints the rows that were measured before the signal. They are not stored: other commands take
 * what is stored for all roofs of the host. */
static void tell_roofs_interrupted(const struct host_roofs *r, const struct options *o)
{
    struct error err = ERROR_INIT;
    char line[128];
    print_line(line, sizeof line, "interrupted: %zu roof%s measured until then; nothing is stored",
               r->n, r->n == 1 ? " was" : "s were");
    exit_note(line);
    if (r->n && write_roofs(r, o, &err) != 0)
        exit_report(&err);
}

/* That nothing is stored is an answer, too, where a short one was asked for. */
static int write_no_roofs(const struct options *o, struct error *err)
{
    struct brief b = {.command = o->words};
    brief_verdict(&b, "no roofs of this host are stored");
    brief_next(&b, "rooftop lab roofs", NULL, 0);
    return brief_output(&b, o, err);
}

static int lab_roofs_run(struct options *o)
{
    struct error err = ERROR_INIT;
    struct host_roofs r;
    const struct roofs_options *own = o->own;
    if (o->noperands) {
        error_set(&err, ERROR_USAGE, EINVAL, "rooftop lab roofs --help", o->operands[0],
                  "it takes no such word");
        return exit_report(&err);
    }
    int rc = obtain_roofs(&r, own, &err);
    if (rc == -ENOENT && own->stored && o->brief && write_no_roofs(o, &err) == 0)
        return EXIT_INPUT;
    if (rc == 0 && !own->stored)
        store_roofs(&r);
    if (rc == 0)
        rc = write_roofs(&r, o, &err);
    else if (rc == -ECANCELED)
        tell_roofs_interrupted(&r, o);
    host_roofs_free(&r);
    if (rc == -ECANCELED)
        return exit_by_signal(signals_caught);
    return rc == 0 ? EXIT_DONE : exit_report(&err);
}

static const struct command_option options[] = {
    OWN(.section = "Roofs", .name = "quick", OWN_AT(roofs_options, quick), .type = OPTION_FLAG,
        .help = "ten seconds in place of a minute; the figures spread more"),
    OWN(.section = "Roofs", .name = "stored", OWN_AT(roofs_options, stored), .type = OPTION_FLAG,
        .help = "print the roofs that were measured last, if they are of this host as it is"),
    TAKES_AS(FORMAT, .choices = "text|json|csv"),
    TAKES(BRIEF),
    TAKES(OUTPUT),
    TAKES_GENERAL,
};

const struct command command_lab_roofs = {
    .name = "lab roofs",
    .summary = "measure what this host can do: operations, bandwidth and latency of each level",
    .usage = "rooftop lab roofs [--brief] [--quick | --stored] [--format text|json|csv] [-o FILE]",
    .run = lab_roofs_run,
    .options = options,
    .examples = EXAMPLES({"rooftop lab roofs", "measure and store the roofs of this host"},
                         {"rooftop lab roofs --quick --format json", "the same in 10 to 40 s"},
                         {"rooftop lab roofs --stored", "those that were measured last"}),
    .exits = EXITS({.code = EXIT_INPUT, .text = "no roofs are stored, or they are of another host"},
                   {.code = EXIT_UNSUPPORTED, .text = "there are no loops for this CPU"}),
};
