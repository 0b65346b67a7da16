#include "cli/compare/compare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/env.h"
#include "cli/options/command.h"
#include "cli/options/exit.h"
#include "cli/run/dashboard.h"
#include "cli/run/output.h"
#include "engine/functions/hot_profile.h"
#include "export/stacks/export_flame.h"
#include "tui/canvas/render.h"
#include "tui/term/term.h"

enum { DEFAULT_COLS = 100, LEAST_COLS = 60, MOST_COLS = 160 };

static int comparison_width(const struct options *o)
{
    struct winsize ws;
    int cols = o->size_cols;
    if (cols == 0 && !o->output && ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) == 0 && ws.ws_col > 0)
        cols = ws.ws_col;
    cols = cols ? cols : DEFAULT_COLS;
    if (cols < LEAST_COLS)
        return LEAST_COLS;
    return cols > MOST_COLS ? MOST_COLS : cols;
}

static int write_comparison_text(FILE *f, const struct options *o, const struct comparison *k,
                                 struct error *err)
{
    struct canvas c;
    struct theme *theme = NULL;
    bool color = !o->output && isatty(STDOUT_FILENO) && term_depth(o->color) != DEPTH_NONE;
    int rc = theme_load(&theme, o->theme, err);
    if (rc != 0)
        return rc;
    canvas_init(&c);
    c.ascii = o->ascii || (!o->utf8 && !term_utf8());
    compare_draw(&c, comparison_width(o), k, o->operands[0], o->operands[1]);
    rc = color ? render_ansi(f, &c, theme, term_depth(o->color)) : render_text(f, &c);
    canvas_free(&c);
    theme_free(theme);
    return rc == 0 ? 0
                   : error_set(err, ERROR_INTERNAL, -rc, NULL, "draw the comparison", "%s",
                               strerror(-rc));
}

static void write_compare_brief(FILE *out, const struct comparison *k, const struct options *o)
{
    const char *const *files = (const char *const *)o->operands;
    struct brief b = {.command = o->words};
    compare_brief(&b, k, o->ascii || (!o->utf8 && !term_utf8()));
    brief_next(&b, "rooftop compare --format text", files, o->noperands);
    brief_write(out, &b, o->format);
}

struct comparison_judged {
    const struct comparison *comparison;
    bool fails; /* --fail-on: the command fails */
};

static void write_compare_annotations(FILE *out, const void *what)
{
    const struct comparison_judged *j = what;
    compare_annotate(out, j->comparison, j->fails);
}

/* The picture of two files of a CPU profiler. */
static int write_compare_flame(FILE *out, const struct compare_files side[2], struct error *err)
{
    for (int i = 0; i < 2; i++)
        if (side[i].n != 1 || !side[i].profile || !side[i].profile->trace.samples)
            return error_set(err, ERROR_USAGE, EINVAL,
                             "--format text, json, csv or markdown; rooftop help compare",
                             "--format svg",
                             "it draws two files of a CPU profiler as a flame graph, and %s is "
                             "none",
                             side[i].paths[0]);
    export_flame_difference(out, &side[0].profile->trace.samples->stacks,
                            &side[1].profile->trace.samples->stacks);
    return 0;
}

static int print_comparison_document(const struct options *o, const struct compare_files side[2],
                                     const struct comparison *k, struct error *err)
{
    char *text = NULL;
    size_t len = 0;
    const char *format = o->format ? o->format : "text";
    FILE *f = open_memstream(&text, &len);
    int rc = f ? 0 : error_set(err, ERROR_INTERNAL, errno, NULL, "write", "%s", strerror(errno));
    if (rc == 0 && options_brief(o))
        write_compare_brief(f, k, o);
    else if (rc == 0 && strcmp(format, "json") == 0)
        compare_json(f, k, o->operands[0], o->operands[1]);
    else if (rc == 0 && strcmp(format, "csv") == 0)
        compare_csv(f, k);
    else if (rc == 0 && strcmp(format, "openmetrics") == 0)
        compare_openmetrics(f, k);
    else if (rc == 0 && strcmp(format, "svg") == 0)
        rc = write_compare_flame(f, side, err);
    else if (rc == 0)
        rc = write_comparison_text(f, o, k, err);
    if (f)
        fclose(f);
    if (rc == 0)
        rc = output_file(o->output, text, len, err);
    free(text);
    return rc;
}

/* Parses "slower", "slower=5%" or "slower=2.5": slower by at least so many percent. */
static int parse_fail_on(const char *text, double *percent, struct error *err)
{
    char *end;
    *percent = -1;
    if (!text)
        return 0;
    *percent = 0;
    if (strcmp(text, "slower") == 0)
        return 0;
    if (strncmp(text, "slower=", 7) == 0 && text[7] >= '0' && text[7] <= '9') {
        *percent = strtod(text + 7, &end);
        if ((*end == '\0' || strcmp(end, "%") == 0) && *percent < 1e6)
            return 0;
    }
    return error_set(err, ERROR_USAGE, EINVAL, "slower, or slower=5%", "--fail-on",
                     "'%s' is not understood", text);
}

struct compare_options {
    const char *fail_on; /* NULL: nothing */
};

/* Whether all words are lines in quotes, as bench takes them, and no files. */
static bool are_command_lines(const struct options *o)
{
    size_t lines = 0;
    for (size_t i = 0; i < o->noperands; i++)
        lines += strchr(o->operands[i], ' ') && access(o->operands[i], F_OK) != 0;
    return lines > 0 && lines == o->noperands;
}

static int check_compare_options(const struct options *o, double *percent, struct error *err)
{
    const struct compare_options *own = o->own;
    if (are_command_lines(o))
        return error_set(err, ERROR_USAGE, ENOENT,
                         "to run such lines: rooftop compare bench 'LINE' 'LINE'", o->operands[0],
                         "there is no such file");
    if (o->noperands != 2)
        return error_set(err, ERROR_USAGE, EINVAL, "rooftop compare A B, or A1,A2 B1,B2", "compare",
                         "two sides are needed, %zu given: sessions, profiles, or what --headless "
                         "--format json printed",
                         o->noperands);
    return parse_fail_on(own->fail_on, percent, err);
}

/* Whether the comparison is shown on the screen: stdin and stdout are terminals, and no document
 * was requested. */
static bool is_screen(const struct options *o)
{
    const struct compare_options *own = o->own;
    const char *term = env_get("TERM");
    return !o->format && !o->brief && !o->output && !own->fail_on && !o->headless &&
           isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && term && strcmp(term, "dumb") != 0;
}

static void fill_dashboard(struct app *a, const void *shown)
{
    app_compare(a, shown);
}

/* Shows the comparison in the dashboard, with the files that are open already. */
static int show_comparison(struct options *o, const struct compare_files side[2],
                           const struct comparison *k)
{
    const struct shown_comparison shown = {.c = k,
                                           .names = {o->operands[0], o->operands[1]},
                                           .profiles = {side[0].profile, side[1].profile},
                                           .sessions = {side[0].session, side[1].session}};
    o->noperands = 0;
    return dashboard_show(o, fill_dashboard, &shown);
}

static int compare_and_print(struct options *o, int *status, struct error *err)
{
    struct compare_files side[2] = {{.n = 0}, {.n = 0}};
    double percent = -1;
    int rc = check_compare_options(o, &percent, err);
    if (rc == 0 && compare_are_jobs(o))
        return compare_jobs(o, percent, status, err);
    if (rc == 0)
        rc = compare_refuse_half_job(o, err);
    for (int i = 0; i < 2 && rc == 0; i++)
        rc = compare_files_load(&side[i], o->operands[i], o, err);
    if (rc == 0) {
        struct comparison *k = compare_runs(&side[0].runs, &side[1].runs);
        *status = percent >= 0 && compare_slower(k, percent) ? EXIT_DIFFERS : EXIT_DONE;
        if (is_screen(o))
            *status = show_comparison(o, side, k);
        else
            rc = print_comparison_document(o, side, k, err);
        const struct comparison_judged judged = {k, *status == EXIT_DIFFERS};
        if (rc == 0 && !is_screen(o))
            rc = output_annotations(write_compare_annotations, &judged, err);
        if (rc == 0 && percent >= 0 && k->answer == ANSWER_NONE && compare_work_unlike(&k->work))
            rc = error_set(err, ERROR_INPUT, ENODATA, NULL, "--fail-on",
                           "there is no verdict: the runs did not do the same work");
        comparison_free(k);
    }
    compare_files_unload(&side[0]);
    compare_files_unload(&side[1]);
    return rc;
}

static int compare_run(struct options *o)
{
    struct error err = ERROR_INIT;
    int status = EXIT_DONE;
    if (compare_and_print(o, &status, &err) != 0)
        return exit_report(&err);
    return status;
}

static const struct command_option options[] = {
    OWN(.name = "fail-on", OWN_AT(compare_options, fail_on), .type = OPTION_STRING,
        .arg = "slower[=PERCENT]",
        .help = "end with status 9 where B is slower than A beyond chance, and by so many percent "
                "at least"),
    TAKES(GROUP),
    TAKES_AS(FORMAT, .choices = "text|json|csv|openmetrics|markdown|svg"),
    TAKES(BRIEF),
    TAKES(OUTPUT),
    TAKES(SIZE),
    TAKES_OPENED,
    TAKES(THEME),
    TAKES(COLOR),
    TAKES_DRAWN,
    TAKES_GENERAL,
};

const struct command command_compare = {
    .name = "compare",
    .summary = "before and after: what got faster or slower, beyond chance",
    .usage = "rooftop compare [--brief] [--group G] [--fail-on slower[=PERCENT]] "
             "[--format text|json|csv|openmetrics|markdown|svg] "
             "[-o FILE] A[,A...] B[,B...]",
    .run = compare_run,
    .files = true,
    .options = options,
    .examples =
        EXAMPLES({"rooftop compare before.db after.db", "two profiles, kernel by kernel"},
                 {"rooftop compare before/ after/", "two folders of rooftop job, rank by rank"},
                 {"rooftop compare --fail-on slower=5% before.json after.json",
                  "in a script: status 9 where it became slower by 5 % or more"},
                 {"rooftop compare --format svg -o diff.svg before.data after.data",
                  "two recordings of perf as one flame graph, coloured by what changed"}),
    .exits =
        EXITS({.code = EXIT_DIFFERS, .text = "B is slower than A (--fail-on)"},
              {.code = EXIT_INPUT,
               .text = "a file is malformed; with --fail-on, the runs did not do the same work"},
              {.code = EXIT_TERMINAL}),
};
