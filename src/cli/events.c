#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/print.h"
#include "cli/options/command.h"
#include "cli/options/exit.h"
#include "cli/run/brief_output.h"
#include "cli/run/output.h"
#include "engine/live/event_sources.h"
#include "engine/value/document.h"
#include "engine/value/record.h"
#include "engine/value/record_rows.h"
#include "engine/value/list_field_document.h"
#include "symbols/elf/usdt_notes.h"
#include "symbols/objects.h"

enum { NAME_CELLS = 34 };

/* --- finding --- */

/* The USDT probes of a program and its libraries; the kernel is asked for none of them. */
static void add_probes(struct event_catalog *e, const struct objects *o)
{
    for (size_t i = 0; i < o->n; i++) {
        struct usdt_notes notes = {0};
        usdt_notes_read(&notes, o->list[i].path, NULL);
        for (size_t k = 0; k < notes.n; k++) {
            const struct usdt_probe *p = &notes.probes[k];
            char name[512];
            print_line(name, sizeof name, "%s:%s", p->provider, p->name);
            bool again =
                k && strcmp(p[-1].name, p->name) == 0 && strcmp(p[-1].provider, p->provider) == 0;
            if (!again)
                event_catalog_add(e, &(struct event_about){.kind = EVENT_KIND_USDT,
                                                           .name = name,
                                                           .pmu = o->list[i].name,
                                                           .description = p->arguments,
                                                           .modifiers = ""});
        }
        usdt_notes_free(&notes);
    }
}

static int add_processes(struct event_catalog *e, const struct options *o, struct error *err)
{
    struct target t;
    int rc = options_target(o, &t, err);
    if (rc != 0)
        return rc;
    struct objects *objects = xcalloc(1, sizeof *objects);
    for (size_t i = 0; i < t.npids && rc == 0; i++) {
        rc = objects_of_process(objects, t.pids[i], err);
        if (rc == 0)
            add_probes(e, objects);
        objects_free(objects);
    }
    event_catalog_sort(e);
    free(objects);
    target_free(&t);
    return rc;
}

/* --- text --- */

struct kind_sum {
    size_t n, opens, tried;
    const struct catalog_event *refused; /* the first */
    bool one_reason;                     /* all refused events are refused for the same reason */
};

static struct kind_sum sum_of_kind(const struct event_catalog *e, enum event_kind kind)
{
    struct kind_sum s = {.one_reason = true};
    for (size_t i = 0; i < e->n; i++) {
        const struct catalog_event *r = &e->rows[i];
        if (r->kind != kind)
            continue;
        s.n++;
        s.tried += r->state != EVENT_UNTRIED;
        s.opens += r->state == EVENT_OPENS;
        if (r->state != EVENT_REFUSED)
            continue;
        if (s.refused && strcmp(s.refused->why, r->why) != 0)
            s.one_reason = false;
        if (!s.refused)
            s.refused = r;
    }
    return s;
}

static void write_reason(FILE *out, const struct catalog_event *r)
{
    print_text(out, "  %s%s%s\n", r->why, *r->help ? "; " : "", r->help);
}

static void write_event_row(FILE *out, const struct catalog_event *r, bool reasons)
{
    const char *mark = r->state == EVENT_OPENS ? "yes" : "";
    if (r->state == EVENT_REFUSED)
        mark = "no";
    print_text(out, "  %-3s %-*s", mark, NAME_CELLS, r->name);
    print_text(out, " %s", r->description);
    if (reasons && r->state == EVENT_REFUSED)
        print_text(out, " (%s)", r->why);
    fputc('\n', out);
}

static void write_kind(FILE *out, const struct event_catalog *e, enum event_kind kind, bool first)
{
    struct kind_sum s = sum_of_kind(e, kind);
    if (s.n == 0)
        return;
    if (!first)
        fputc('\n', out);
    print_text(out, "%s: %zu", event_kind_title(kind), s.n);
    if (s.tried)
        print_text(out, ", %zu open now", s.opens);
    fputc('\n', out);
    if (s.refused && s.one_reason)
        write_reason(out, s.refused);
    for (size_t i = 0; i < e->n; i++)
        if (e->rows[i].kind == kind)
            write_event_row(out, &e->rows[i], !s.one_reason);
}

static void write_events_text(FILE *out, const void *what)
{
    const struct event_catalog *e = what;
    if (e->n == 0)
        fputs("no event matches\n", out);
    for (int kind = 0; kind < EVENT_KINDS; kind++)
        write_kind(out, e, (enum event_kind)kind, e->n && (int)e->rows[0].kind == kind);
    for (size_t i = 0; i < e->nnotes; i++)
        print_text(out, "\nnot listed: %s: %s%s%s\n", e->notes[i].what, e->notes[i].why,
                   *e->notes[i].help ? "; " : "", e->notes[i].help);
    if (e->left_out)
        print_text(out, "\n%zu more are left out: give a pattern\n", e->left_out);
}

/* --- documents --- */

#define TYPE struct event_note
static const struct fields event_note_record =
    RECORD_OF(ROW(TEXT, what), ROW(TEXT, why), ROW(TEXT, help));
#undef TYPE

static void write_events_json(FILE *out, const void *what)
{
    const struct event_catalog *e = what;
    cJSON *doc = document_begin("rooftop.events/1");
    cJSON_AddNumberToObject(doc, "left_out", (double)e->left_out);
    record_add_rows(doc, "not_listed", event_note_record, e->notes, e->nnotes);
    cJSON *rows = cJSON_AddArrayToObject(doc, "events");
    for (size_t i = 0; i < e->n; i++)
        cJSON_AddItemToArray(rows, list_fields_object(events_fields, &e->rows[i]));
    document_end(out, doc);
}

static void write_events_csv(FILE *out, const void *what)
{
    const struct event_catalog *e = what;
    list_fields_csv(out, events_fields, "\n", e->rows, e->n, sizeof *e->rows);
}

/* --- the short answer --- */

static int write_events_brief(const struct event_catalog *e, const struct options *o,
                              struct error *err)
{
    struct brief b = {.command = o->words};
    struct brief_top top = {.n = 0};
    size_t opens = 0, refused = 0;
    const struct catalog_event *first = NULL;
    for (size_t i = 0; i < e->n; i++) {
        const struct catalog_event *r = &e->rows[i];
        opens += r->state == EVENT_OPENS;
        refused += r->state == EVENT_REFUSED;
        if (r->state == EVENT_REFUSED && !first)
            first = r;
        brief_top_add(&top, i, r->state == EVENT_OPENS ? 1 : 0);
    }
    brief_verdict(&b, "%zu event%s, %zu can be counted now, %zu not", e->n, e->n == 1 ? "" : "s",
                  opens, refused);
    if (first)
        brief_evidence(&b, "%s: %s%s%s", first->name, first->why, *first->help ? "; " : "",
                       first->help);
    for (size_t i = 0; i < e->nnotes; i++)
        brief_evidence(&b, "not listed: %s: %s", e->notes[i].what, e->notes[i].why);
    for (size_t i = 0; i < top.n; i++) {
        const struct catalog_event *r = &e->rows[top.index[i]];
        const char *state = r->state == EVENT_OPENS ? "opens" : "does not open";
        brief_row(&b, r->name, "%s; %s", state, r->description);
    }
    b.left_out = top.left_out + e->left_out;
    brief_next(&b, "rooftop doctor events", (const char *const *)o->operands, o->noperands);
    if (opens)
        brief_next(&b, "rooftop -e", (const char *[]){e->rows[top.index[0]].name}, 1);
    return brief_output(&b, o, err);
}

/* --- the command --- */

static int events_run(struct options *o)
{
    struct error err = ERROR_INIT;
    struct event_catalog e;
    const char *format = o->format ? o->format : "text";
    event_sources_list(&e, backends, (const char *const *)o->operands, o->noperands);
    int rc = o->pids ? add_processes(&e, o, &err) : 0;
    if (rc == 0)
        event_sources_try(&e, backends);
    if (rc == 0 && o->brief)
        rc = write_events_brief(&e, o, &err);
    else if (rc == 0)
        rc = output_made(
            o->output,
            output_make_of(format, write_events_text, write_events_json, write_events_csv), &e,
            &err);
    bool none = e.n == 0;
    event_catalog_free(&e);
    if (rc != 0)
        return exit_report(&err);
    return none ? EXIT_TARGET : EXIT_DONE;
}

static const struct command_option options[] = {
    TAKES_AS(PID, .help = "list the USDT probes of these processes too"),
    TAKES(CHILDREN),
    TAKES_AS(FORMAT, .choices = "text|json|csv"),
    TAKES(BRIEF),
    TAKES(OUTPUT),
    TAKES_GENERAL,
};

const struct command command_events = {
    .name = "events",
    .summary = "the events that this machine can count, for -e, and whether each opens now",
    .usage = "rooftop doctor events [--brief] [-p PID[,PID...]] [--format text|json|csv] [-o FILE] "
             "[PATTERN...]",
    .run = events_run,
    .options = options,
    .examples =
        EXAMPLES({"rooftop doctor events cache", "events with this word in name or description"},
                 {"rooftop doctor events 'sched:*'", "tracepoints of the scheduler"},
                 {"rooftop doctor events --format csv -o events.csv", "all of them, as a table"}),
    .exits = EXITS({.code = EXIT_TARGET, .text = "no event matches, or there is no such process"}),
};
