#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "cli/lab/lab_keep.h"
#include "cli/lab/lab_limit.h"
#include "cli/bench/bench.h"
#include "cli/options/command.h"
#include "cli/options/exit.h"
#include "cli/run/brief_output.h"
#include "cli/run/output.h"
#include "cli/run/progress_note.h"
#include "cli/run/signals.h"
#include "backends/lab/measure.h"
#include "engine/lab/lab_child.h"
#include "export/lab/lab_export.h"

enum { LOOK_MS = 200 };

struct validate_options {
    const char *db, *templates; /* NULL: not given; those of the fastest path */
    bool keep, measure;
};

/* Runs in the child process: measures, and prints each result as a line. */
static int measure_here(const char *templates)
{
    lab_measure(stdout, templates);
    return EXIT_DONE;
}

static void show_measured(struct progress_note *note, const struct lab_report *r)
{
    char line[200];
    const struct lab_row *last = r->n ? &r->rows[r->n - 1] : NULL;
    print_line(line, sizeof line, "%zu streams measured%s%s%s%s", r->n, last ? "; last: " : "",
               last ? last->load->name : "", last ? ", " : "",
               last ? lab_path_name(last->path) : "");
    progress_note_show(note, line);
}

static int measure_in_child(struct lab_child **child, const char *templates, struct error *err)
{
    struct progress_note note;
    signals_catch(false); /* first: a signal may come as soon as the child is there */
    int rc = lab_child_start(child, templates, err);
    progress_note_begin(&note);
    while (rc == 0 && !signals_caught && !lab_child_done(*child)) {
        struct pollfd p[2] = {{.fd = lab_child_fd(*child), .events = POLLIN},
                              {.fd = signals_fd(), .events = POLLIN}};
        poll(p, 2, LOOK_MS);
        lab_child_poll(*child);
        show_measured(&note, lab_child_report(*child));
    }
    progress_note_end(&note);
    if (rc == 0 && signals_caught)
        lab_child_poll(*child); /* what it wrote before the signal */
    else if (rc == 0)
        rc = lab_child_result(*child, err);
    return rc;
}

static int write_validation(const struct options *o, const struct lab_report *r, struct error *err)
{
    const char *format = o->format ? o->format : "text";
    struct brief b = {.command = o->words};
    lab_brief(&b, r);
    brief_next(&b, "rooftop lab validate", NULL, 0);
    if (o->brief)
        return brief_output(&b, o, err);
    return output_made(o->output,
                       output_make_of(format, lab_export_text, lab_export_json, lab_export_csv), r,
                       err);
}

/* Prints what was measured before the signal. The history keeps whole reports only. */
static int tell_interrupted(const struct options *o, const struct lab_report *r)
{
    struct error err = ERROR_INIT;
    char line[128];
    print_line(line, sizeof line, "interrupted: %zu stream%s measured until then%s", r->n,
               r->n == 1 ? " was" : "s were", r->n ? "; nothing is kept" : "");
    exit_note(line);
    if (r->n && write_validation(o, r, &err) != 0)
        exit_report(&err);
    return exit_by_signal(signals_caught);
}

static int validate_run(struct options *o)
{
    struct error err = ERROR_INIT;
    struct lab_child *child = NULL;
    const struct validate_options *own = o->own;
    bool fails = false;
    if (own->measure)
        return measure_here(own->templates);
    int rc = 0;
    if (o->noperands)
        rc = error_set(&err, ERROR_USAGE, EINVAL, "rooftop lab validate --help", o->operands[0],
                       "it takes no such word");
    else if (own->keep || own->db)
        rc = bench_check_db(own->db, &err);
    if (rc == 0)
        rc = lab_check_templates(own->templates, &err);
    if (rc == 0)
        rc = measure_in_child(&child, own->templates, &err);
    if (rc == 0) {
        static struct lab_report copy;
        const struct lab_report *r = &copy;
        lab_report_copy(&copy, lab_child_report(child));
        if (signals_caught) {
            lab_child_free(child);
            return tell_interrupted(o, r);
        }
        lab_limit_predict(&copy.limit, copy.target);
        fails = lab_fails(r);
        struct error why = ERROR_INIT;
        const int kept = own->keep || own->db ? lab_keep(r, own->db, &why) : 0;
        rc = write_validation(o, r, &err);
        rc = bench_both(kept, &why, rc, &err);
        if (rc == 0 && (own->keep || own->db))
            bench_say_kept(own->db);
    }
    lab_child_free(child);
    if (rc < 0)
        return exit_report(&err);
    return fails ? EXIT_DIFFERS : EXIT_DONE;
}

static const struct command_option validate_options[] = {
    TAKES_AS(FORMAT, .choices = "text|json|csv"),
    TAKES(BRIEF),
    TAKES(OUTPUT),
    OWN(.name = "keep", OWN_AT(validate_options, keep), .type = OPTION_FLAG,
        .help = "keep vTPU operations per cycle in the history of benchmarks (rooftop "
                "compare history)"),
    OWN(.name = "db", OWN_AT(validate_options, db), .type = OPTION_STRING, .arg = "DATABASE",
        .help = "keep them in this database, made where it is missing"),
    OWN(.name = "templates", OWN_AT(validate_options, templates), .type = OPTION_STRING,
        .arg = "NAME",
        .help = "compile for this one (x86-64, x86-64 with AVX-512, x86-64 with AVX-512 less "
                "vpmullq, arm64), not for the one by which the balanced stream is fastest here"),
    /* Only measures, and prints a line for each run: the process that engine/lab starts. */
    INTERNAL(.name = "measure", OWN_AT(validate_options, measure), .type = OPTION_FLAG),
    TAKES_GENERAL,
};

const struct command command_lab_validate = {
    .name = "lab validate",
    .summary = "streams of ops on this CPU, interpreted and compiled, against a prediction",
    .usage = "rooftop lab validate [--brief] [--format text|json|csv] [-o FILE] [--templates NAME] "
             "[--keep] "
             "[--db FILE]",
    .run = validate_run,
    .options = validate_options,
    .examples =
        EXAMPLES({"rooftop lab validate", "the table and the gates, in about 5 s"},
                 {"rooftop lab validate --format json -o lab.json", "for a script"},
                 {"rooftop lab validate --keep",
                  "each night: rooftop compare history then tells when ops a cycle became fewer"}),
    .exits = EXITS({.code = EXIT_DIFFERS, .text = "a gate fails"}),
};
