#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/plural.h"
#include "base/print.h"
#include "cli/options/command.h"
#include "cli/options/exit.h"
#include "cli/run/brief_output.h"
#include "cli/run/output.h"
#include "engine/bricks/probe_pairs.h"
#include "engine/value/document.h"
#include "engine/value/record.h"
#include "engine/value/record_rows.h"
#include "symbols/elf/usdt_notes.h"
#include "symbols/objects.h"

enum { PROBES_MAX = 65536 };

/* A probe of a file, with all places where it fires. */
struct probe_row {
    const char *file;
    const struct usdt_probe *first; /* the first of them */
    size_t places, located;
    const char *role, *pair; /* "begin", "end", "" */
};
struct usdt_listing {
    struct usdt_notes *notes; /* one for each file */
    size_t nfiles, missing, damaged;
    struct probe_row *rows;
    size_t n;
    struct probe_pair *pairs;
};

/* --- collecting --- */

static void add_probe_rows(struct usdt_listing *l, const char *file, const struct usdt_notes *notes)
{
    for (size_t i = 0; i < notes->n && l->n < PROBES_MAX; i++) {
        const struct usdt_probe *p = &notes->probes[i], *last = i ? p - 1 : NULL;
        if (!last || strcmp(last->name, p->name) != 0 || strcmp(last->provider, p->provider) != 0) {
            l->rows = xrealloc(l->rows, l->n + 1, sizeof *l->rows);
            l->rows[l->n++] = (struct probe_row){.file = file, .first = p, .role = "", .pair = ""};
        }
        l->rows[l->n - 1].places++;
        l->rows[l->n - 1].located += p->located;
    }
}

/* Marks the probes that --usdt '*' would pair. */
static void find_listed_pairs(struct usdt_listing *l)
{
    struct probe_patterns all;
    struct probe_name *names = xcalloc(l->n + 1, sizeof *names);
    l->pairs = xcalloc(PROBE_PAIRS_MAX, sizeof *l->pairs);
    probe_patterns_parse(&all, "*", NULL);
    for (size_t i = 0; i < l->n; i++)
        names[i] = (struct probe_name){l->rows[i].first->provider, l->rows[i].first->name};
    size_t n = probe_pairs_find(&all, names, l->n, l->pairs, PROBE_PAIRS_MAX);
    for (size_t i = 0; l->rows && i < n; i++) {
        struct probe_row *begin = &l->rows[l->pairs[i].begin], *end = &l->rows[l->pairs[i].end];
        begin->role = "begin";
        end->role = "end";
        begin->pair = end->pair = l->pairs[i].name;
    }
    free(names);
}

static void collect_probes(struct usdt_listing *l, const struct objects *o)
{
    *l = (struct usdt_listing){.nfiles = o->n, .missing = o->missing};
    l->notes = xcalloc(o->n + 1, sizeof *l->notes);
    for (size_t i = 0; i < o->n; i++) {
        usdt_notes_read(&l->notes[i], o->list[i].path, NULL);
        l->damaged += l->notes[i].damaged + l->notes[i].left_out;
        add_probe_rows(l, o->list[i].name, &l->notes[i]);
    }
    find_listed_pairs(l);
}

static void free_listing(struct usdt_listing *l)
{
    for (size_t i = 0; i < l->nfiles; i++)
        usdt_notes_free(&l->notes[i]);
    free(l->notes);
    free(l->rows);
    free(l->pairs);
}

/* --- printing --- */

static void write_usdt_text(FILE *out, const void *what)
{
    const struct usdt_listing *l = what;
    const char *file = NULL;
    for (size_t i = 0; i < l->n; i++) {
        const struct probe_row *r = &l->rows[i];
        if (!file || strcmp(file, r->file) != 0) {
            print_text(out, file ? "\n%s\n" : "%s\n", r->file);
        }
        file = r->file;
        char probe[256];
        print_line(probe, sizeof probe, "%s:%s", r->first->provider, r->first->name);
        print_text(out, "  %-40s %3zu place%s  %-5s %s%s%s\n", probe, r->places,
                   r->places == 1 ? " " : "s", r->role, r->pair,
                   r->first->semaphore_offset ? "  (semaphore)" : "",
                   r->located < r->places ? "  (not all can be watched)" : "");
    }
    if (l->n == 0)
        print_text(out, "no USDT probes in %zu file%s\n", l->nfiles, l->nfiles == 1 ? "" : "s");
    if (l->missing)
        fprintf(out, "\n%zu libraries were not found\n", l->missing);
    if (l->damaged)
        fprintf(out, "\n%zu notes make no sense and were left out\n", l->damaged);
}

#define TYPE struct usdt_probe
static const struct fields usdt_place_record =
    RECORD_OF(HEX(U64, address, "address"), NAMED(BOOL, located, "can_be_watched"));
#undef TYPE

static void write_usdt_json(FILE *out, const void *what)
{
    const struct usdt_listing *l = what;
    cJSON *doc = document_begin("rooftop.usdt/1");
    cJSON_AddNumberToObject(doc, "files", (double)l->nfiles);
    cJSON_AddNumberToObject(doc, "missing_libraries", (double)l->missing);
    cJSON_AddNumberToObject(doc, "damaged_notes", (double)l->damaged);
    cJSON *list = cJSON_AddArrayToObject(doc, "probes");
    for (size_t i = 0; i < l->n; i++) {
        const struct probe_row *r = &l->rows[i];
        cJSON *j = cJSON_CreateObject();
        json_add_text(j, "file", r->file);
        cJSON_AddStringToObject(j, "provider", r->first->provider);
        cJSON_AddStringToObject(j, "name", r->first->name);
        cJSON_AddStringToObject(j, "arguments", r->first->arguments);
        cJSON_AddBoolToObject(j, "semaphore", r->first->semaphore_offset != 0);
        cJSON_AddStringToObject(j, "role", r->role);
        cJSON_AddStringToObject(j, "pair", r->pair);
        record_add_rows(j, "places", usdt_place_record, r->first, r->places);
        cJSON_AddItemToArray(list, j);
    }
    document_end(out, doc);
}

/* Adds the pairs that --usdt makes bricks of, or the probes that have none. Returns their number.
 */
static size_t add_brief_probes(struct brief *b, const struct usdt_listing *l, bool pairs)
{
    size_t n = 0;
    char probe[BRIEF_TEXT / 2];
    for (size_t i = 0; i < l->n; i++) {
        const struct probe_row *r = &l->rows[i];
        if (strcmp(r->role, pairs ? "begin" : "") != 0)
            continue;
        n++;
        print_line(probe, sizeof probe, "%s:%s", r->first->provider, r->first->name);
        if (pairs)
            brief_row(b, r->pair, "begins at %s, in %.60s", probe, r->file);
        else
            brief_row(b, probe, "no pair, in %.60s", r->file);
    }
    return n;
}

static int write_usdt_brief(const struct usdt_listing *l, const struct options *o,
                            struct error *err)
{
    struct brief b = {.command = o->words};
    const size_t pairs = add_brief_probes(&b, l, true);
    add_brief_probes(&b, l, false);
    brief_verdict(&b, "%zu USDT probes in %zu %s; %zu %s of begin and end", l->n, l->nfiles,
                  plural(l->nfiles, "file", "files"), pairs, plural(pairs, "pair", "pairs"));
    if (l->missing)
        brief_evidence(&b, "%zu libraries were not found", l->missing);
    if (l->damaged)
        brief_evidence(&b, "%zu notes make no sense and were left out", l->damaged);
    if (pairs)
        brief_next_about(&b, o, (const char *const[]){"rooftop --usdt '*' --", NULL});
    return brief_output(&b, o, err);
}

/* --- the command --- */

static int find_objects(const struct options *o, struct objects *out, struct error *err)
{
    struct target t;
    bool one = o->pids ? o->noperands == 0 : o->noperands == 1;
    if (!one)
        return error_set(err, ERROR_USAGE, EINVAL,
                         "rooftop doctor usdt [--brief] [--format text|json] PATH | -p PID",
                         "doctor usdt", "name one program");
    if (!o->pids)
        return objects_of_program(out, o->operands[0], err);
    int rc = options_target(o, &t, err);
    if (rc != 0)
        return rc;
    rc = t.npids == 1 ? objects_of_process(out, t.pids[0], err)
                      : error_set(err, ERROR_USAGE, EINVAL, NULL, "--pid", "name one process");
    target_free(&t);
    return rc;
}

static int usdt_run(struct options *o)
{
    struct error err = ERROR_INIT;
    struct usdt_listing l;
    struct objects *objects = xcalloc(1, sizeof *objects);
    struct usdt_notes first = {0};
    const bool json = o->format && strcmp(o->format, "json") == 0;
    int rc = find_objects(o, objects, &err);
    if (rc == 0 && !o->pids) /* a file that the user named must be readable; the libraries it needs
                                may be missing */
        rc = usdt_notes_read(&first, objects->list[0].path, &err);
    usdt_notes_free(&first);
    if (rc == 0) {
        collect_probes(&l, objects);
        if (options_brief(o))
            rc = write_usdt_brief(&l, o, &err);
        else
            rc = output_made(o->output, json ? write_usdt_json : write_usdt_text, &l, &err);
        free_listing(&l);
    }
    objects_free(objects);
    free(objects);
    return rc == 0 ? EXIT_DONE : exit_report(&err);
}

static const struct command_option options[] = {
    TAKES_AS(PID, .arg = "PID", .help = "the program that this process runs"),
    TAKES(CHILDREN),
    TAKES_AS(FORMAT, .choices = "text|json"),
    TAKES(BRIEF),
    TAKES(OUTPUT),
    TAKES_GENERAL,
};

const struct command command_usdt = {
    .name = "usdt",
    .summary = "the USDT probes of a program and its libraries, for --usdt of rooftop",
    .usage = "rooftop doctor usdt [--format text|json] [-o FILE] PATH | -p PID",
    .run = usdt_run,
    .files = true,
    .options = options,
    .examples = EXAMPLES(
        {"rooftop doctor usdt /usr/bin/python3", "the probes of a program"},
        {"rooftop doctor usdt -p 4711 --format json", "those of a process, as a document"}),
    .exits = EXITS({.code = EXIT_TARGET}, {.code = EXIT_PERMISSION}),
};
