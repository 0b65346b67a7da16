#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/job/hang_ranks.h"
#include "cli/options/command.h"
#include "cli/run/brief_output.h"
#include "cli/run/output.h"
#include "cli/run/progress.h"
#include "cli/run/trace_input.h"
#include "engine/trace/trace_folder.h"
#include "engine/job/job_folder.h"
#include "export/job/job_export.h"
#include "export/job/ranks_export.h"

enum { LINK_MOST = 1000000 }; /* GB/s */

struct ranks_options {
    const char *link; /* what a link can carry; NULL: not given */
};

/* Says what could not be read or joined, and in which file; of thousands of files, of the first. */
static void print_profile_notes(const struct trace *t, const char *path, uint32_t *told)
{
    enum { MOST = 16 };
    char line[1200];
    for (uint32_t i = 0; i < t->nnotes && *told <= MOST; i++) {
        snprintf(line, sizeof line, "%.400s: %.700s", path, t->notes[i]);
        exit_note((*told)++ < MOST ? line
                                   : "more is to be told of these files; name one to see what");
    }
}

/* Opens one profile, adds it to the job and frees it. told: notes so far. */
static int add_profile(struct job *j, const char *path, uint32_t *told, struct error *err)
{
    struct trace t = {.nfiles = 0};
    int rc = progress_trace_open(&t, &path, 1, err);
    print_profile_notes(&t, path, told);
    if (rc == 0)
        rc = progress_refuse_samples(&t, path, err);
    if (rc == 0)
        rc = job_add(j, &t, path, err);
    trace_free(&t);
    return rc;
}

static void tell_left_out(const struct error *why)
{
    char line[1200], text[1024];
    snprintf(line, sizeof line, "left out: %s", error_format(why, text, sizeof text));
    exit_note(line);
}

/* Adds the profiles of a folder. One that cannot be read is told and left out, as long as another
 * one can be read. */
static int add_profiles(struct job *j, const struct trace_places *places, uint32_t *told,
                        struct error *err)
{
    uint32_t bad = 0;
    for (uint32_t i = 0; i < places->n; i++) {
        struct error why = ERROR_INIT;
        const int rc = add_profile(j, places->paths[i], told, &why);
        if (rc == 0)
            continue;
        *err = why;
        if (rc == -ECANCELED || ++bad == places->n)
            return rc;
        j->left_out++;
        tell_left_out(&why);
    }
    return 0;
}

/* Says which files of a folder are not read. */
static void tell_not_read(const char *path, const struct trace_places *places)
{
    char line[PLACES_LINE];
    for (int k = 0; trace_places_tell(places, path, &k, line);)
        exit_note(line);
}

/* Adds a file, or all profiles of a folder. */
static int add_operand(struct job *j, const char *path, uint32_t *told, struct error *err)
{
    struct trace_places places = {.n = 0};
    if (!trace_folder_is(path))
        return add_profile(j, path, told, err);
    int rc = trace_folder_list(&places, path, err);
    if (rc == 0) {
        tell_not_read(path, &places);
        rc = add_profiles(j, &places, told, err);
    }
    trace_places_free(&places);
    return rc;
}

/* What a command writes about: the profiles of a job's ranks, what its ranks recorded, or both. */
struct ranks_document {
    const struct job *profiles;      /* NULL: there are none */
    const struct job_folder *folder; /* NULL: it is no folder that ranks recorded into */
    const struct options *o;
};

/* The verdict on calls of MPI is the folder's, too: it is not told twice. */
static bool is_verdict_shown(const struct ranks_document *d)
{
    return d->folder && d->profiles->mpi;
}

static void write_job_brief(FILE *out, const struct ranks_document *d)
{
    const struct options *o = d->o;
    static const char *const next[] = {"rooftop report path", "rooftop", NULL};
    struct brief b = {.command = o->words};
    if (d->folder)
        ranks_brief(&b, d->folder, trace_ascii(o));
    if (d->profiles)
        job_brief(&b, d->profiles, is_verdict_shown(d), trace_ascii(o));
    brief_next_about(&b, o, d->folder ? next + 1 : next);
    brief_write(out, &b, o->format);
}

/* JSON and CSV are one document each: of what the ranks recorded, where they did. */
static void write_ranks_as_asked(FILE *f, const void *what)
{
    const struct ranks_document *d = what;
    const char *format = d->o->format ? d->o->format : "text";
    if (options_brief(d->o))
        write_job_brief(f, d);
    else if (strcmp(format, "json") == 0 && d->folder)
        ranks_export_json(f, d->folder);
    else if (strcmp(format, "json") == 0)
        job_export_json(f, d->profiles);
    else if (strcmp(format, "csv") == 0 && d->folder)
        ranks_export_csv(f, d->folder);
    else if (strcmp(format, "csv") == 0)
        job_export_csv(f, d->profiles);
    else {
        if (d->folder)
            ranks_export_text(f, d->folder, trace_ascii(d->o));
        if (d->folder && d->profiles)
            fputc('\n', f);
        if (d->profiles)
            job_export_text(f, d->profiles, is_verdict_shown(d), trace_ascii(d->o));
    }
}

/* The profiles of a folder that ranks recorded into: each program may have written one into the
 * folder of its rank. There may be none; where they cannot be read, the summaries are left. */
static int add_recorded_profiles(struct job *j, const char *path, struct error *err)
{
    struct trace_places places = {.n = 0};
    struct error none = ERROR_INIT;
    uint32_t told = 0;
    int rc = 0;
    if (trace_folder_list(&places, path, &none) == 0) {
        rc = add_profiles(j, &places, &told, err);
        tell_not_read(path, &places);
    }
    trace_places_free(&places);
    if (rc == 0 && j->n)
        rc = job_finish(j, err);
    if (rc == 0 || rc == -ECANCELED)
        return rc;
    tell_left_out(err);
    job_free(j);
    *err = (struct error)ERROR_INIT;
    return 0;
}

/* "450" or "450GB/s": what a link can carry, in the unit of nccl-tests and data sheets. */
static int read_link(const struct options *o, double *bytes_per_s, struct error *err)
{
    const char *link = ((const struct ranks_options *)o->own)->link;
    char *end = NULL;
    const double v = link ? strtod(link, &end) : 0;
    if (link && (end == link || !(v > 0 && v < LINK_MOST) || (*end && strcmp(end, "GB/s") != 0)))
        return error_set(err, ERROR_USAGE, EINVAL, "450 or 450GB/s: 10^9 bytes a second", "--link",
                         "'%.40s' is no bandwidth", link);
    *bytes_per_s = v * 1e9;
    return 0;
}

static int report_recorded_ranks(const struct options *o, struct error *err)
{
    struct job_folder f;
    struct job j = {.n = 0};
    int rc = read_link(o, &j.link, err);
    if (rc != 0)
        return rc;
    rc = job_folder_open(&f, o->operands[0], err);
    if (rc == 0)
        rc = add_recorded_profiles(&j, o->operands[0], err);
    if (rc == 0 && j.n)
        job_folder_take_mpi(&f, &j);
    else if (rc == 0) /* ranks that run, whose folders have no name yet */
        rc = job_folder_read_mpi(&f, err);
    const struct ranks_document d = {.profiles = j.n ? &j : NULL, .folder = &f, .o = o};
    if (rc == 0)
        rc = output_made(o->output, write_ranks_as_asked, &d, err);
    job_free(&j);
    job_folder_free(&f);
    return rc;
}

static int report_profiled_ranks(const struct options *o, struct error *err)
{
    struct job j = {.n = 0};
    uint32_t told = 0;
    int rc = read_link(o, &j.link, err);
    for (size_t i = 0; i < o->noperands && rc == 0; i++)
        rc = add_operand(&j, o->operands[i], &told, err);
    if (rc == 0)
        rc = job_finish(&j, err);
    const struct ranks_document d = {.profiles = &j, .o = o};
    if (rc == 0)
        rc = output_made(o->output, write_ranks_as_asked, &d, err);
    job_free(&j);
    return rc;
}

static int ranks_run(struct options *o)
{
    struct error err = ERROR_INIT;
    int rc = o->noperands ? progress_want(o, &err)
                          : error_set(&err, ERROR_USAGE, EINVAL,
                                      "name the folder of a job, or a profile a rank",
                                      "report ranks", "no file is named");
    if (rc == 0 && o->noperands == 1 && job_folder_is(o->operands[0]))
        rc = report_recorded_ranks(o, &err);
    else if (rc == 0)
        rc = hang_ranks_are(o) ? hang_ranks_write(o, &err) : report_profiled_ranks(o, &err);
    return rc == 0 ? EXIT_DONE : exit_report(&err);
}

static const struct command_option options[] = {
    TAKES_AS(FORMAT, .choices = "text|json|csv"),
    TAKES(BRIEF),
    TAKES(OUTPUT),
    OWN(.name = "link", OWN_AT(ranks_options, link), .type = OPTION_STRING, .arg = "GB/S",
        .help = "what a link can carry in a direction, in 10^9 bytes/s (as of a data sheet): the "
                "bandwidths of collectives are shown as shares of it too"),
    TAKES_OPENED,
    TAKES_DRAWN,
    TAKES_GENERAL,
};

const struct command command_ranks = {
    .name = "ranks",
    .summary = "the ranks of a job: who holds the others up, and by what; why it hangs",
    .usage = "rooftop report ranks [--brief] [--format text|json|csv] FOLDER | FILE...",
    .run = ranks_run,
    .files = true,
    .options = options,
    .examples = EXAMPLES({"rooftop report ranks run1/", "what rooftop job -o run1 recorded"},
                         {"rooftop report ranks traces/", "a folder with a profile of each rank"},
                         {"rooftop report ranks --brief rank0.json.gz rank1.json.gz",
                          "who holds the other up, in a few lines"},
                         {"rooftop report ranks dumps/",
                          "dumps of the flight recorder of PyTorch: which rank a hang waits for"}),
};
