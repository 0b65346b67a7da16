/* rooftop compare of two folders that the ranks of a job recorded into. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/compare/compare.h"
#include "cli/options/exit.h"
#include "cli/run/output.h"
#include "cli/run/trace_input.h"
#include "export/job/job_changes_export.h"

bool compare_are_jobs(const struct options *o)
{
    return o->noperands == 2 && job_folder_is(o->operands[0]) && job_folder_is(o->operands[1]);
}

int compare_refuse_half_job(const struct options *o, struct error *err)
{
    const size_t job = o->noperands == 2 && job_folder_is(o->operands[1]);
    if (o->noperands != 2 || !job_folder_is(o->operands[job]))
        return 0;
    if (access(o->operands[1 - job], F_OK) != 0)
        return error_set(err, ERROR_INPUT, errno, NULL, o->operands[1 - job], "%s",
                         strerror(errno));
    return error_set(err, ERROR_USAGE, EINVAL, "name two folders that rooftop job wrote",
                     o->operands[1 - job], "this is no folder of a job, and %.120s is one",
                     o->operands[job]);
}

struct job_changes_document {
    struct job_changes_shown shown;
    const struct options *o;
};

static void write_job_changes(FILE *f, const void *what)
{
    const struct job_changes_document *d = what;
    const struct job_changes_shown *s = &d->shown;
    const struct options *o = d->o;
    const char *format = o->format ? o->format : "text";
    struct brief b = {.command = o->words};
    if (options_brief(o)) {
        job_changes_brief(&b, s);
        brief_next(&b, "rooftop compare --format text", (const char *const *)o->operands,
                   o->noperands);
        brief_write(f, &b, o->format);
    } else if (strcmp(format, "json") == 0) {
        job_changes_json(f, s);
    } else if (strcmp(format, "csv") == 0) {
        job_changes_csv(f, s);
    } else {
        job_changes_text(f, s);
    }
}

static int print_job_changes(const struct job_changes *c, const struct options *o,
                             struct error *err)
{
    const struct job_changes_document d = {{c, o->operands[0], o->operands[1], trace_ascii(o)}, o};
    static const char help[] = "--format text, json, csv or markdown";
    if (o->format && strcmp(o->format, "svg") == 0)
        return error_set(err, ERROR_USAGE, EINVAL, help, "--format svg",
                         "jobs of ranks have no picture");
    if (o->format && strcmp(o->format, "openmetrics") == 0)
        return error_set(err, ERROR_USAGE, EINVAL, help, "--format openmetrics",
                         "it is not made of jobs of ranks");
    return output_made(o->output, write_job_changes, &d, err);
}

static void print_job_notes(const struct job_folder *f)
{
    char line[1000];
    for (uint32_t i = 0; i < f->nnotes; i++) {
        snprintf(line, sizeof line, "%.400s: %.500s", f->path, f->notes[i]);
        exit_note(line);
    }
}

int compare_jobs(const struct options *o, double percent, int *status, struct error *err)
{
    struct job_folder side[2] = {{.path = NULL}, {.path = NULL}};
    struct job_changes c = {.matched = 0};
    int rc = 0;
    for (int i = 0; i < 2 && rc == 0; i++) {
        rc = job_folder_open(&side[i], o->operands[i], err);
        print_job_notes(&side[i]);
    }
    if (rc == 0)
        rc = job_changes_find(&c, &side[0], &side[1], err);
    if (rc == 0)
        rc = print_job_changes(&c, o, err);
    if (rc == 0 && percent >= 0 && c.list[0].changed &&
        c.list[0].change >= percent / 100 * c.list[0].before)
        *status = EXIT_DIFFERS;
    job_folder_free(&side[0]);
    job_folder_free(&side[1]);
    return rc;
}
