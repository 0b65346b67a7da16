/* rooftop check golden: captures what a run does, and checks later runs against it. */
#include "cli/golden/golden_impl.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/plural.h"
#include "base/print.h"
#include "base/shell_word.h"
#include "cli/options/command.h"
#include "cli/options/exit.h"
#include "cli/run/output.h"
#include "cli/run/progress_note.h"
#include "cli/run/traced.h"

enum {
    CONTEXT = 3,
    MORE_RUNS = 4, /* capture runs so many times as often while each run shows something new */
    CHECKS = 3     /* runs of a command of which only the order of calls differs */
};

/* One scenario of a command line: what is run, and its name. */
struct golden_task_line {
    const char *name;
    char *const *argv; /* NULL: that of the stored trace */
    enum golden_level level;
};

struct golden_work {
    const struct options *o;
    const struct golden_options *own;
    struct golden_scenarios scenarios;
    bool differs;
    FILE *out; /* differences */
    struct golden_summary summary;
    struct progress_note note;
};

static int refuse_usage(const struct options *o, struct error *err, const char *why)
{
    const struct command *c = command_named(o->command);
    return error_set(err, ERROR_USAGE, EINVAL, c->usage, command_words(c), "%s", why);
}

/* The file of scenarios; it may be absent unless it was asked for. */
static int load_scenarios(struct golden_work *w, struct error *err)
{
    char path[4096];
    if (w->own->scenarios)
        return golden_scenarios_load(&w->scenarios, w->own->scenarios, err);
    golden_path(w->own, GOLDEN_SCENARIOS, "", path);
    if (access(path, F_OK) != 0 && !w->own->all)
        return 0;
    int rc = golden_trusted(w->own, GOLDEN_FOLDER, err);
    if (rc == 0)
        rc = golden_trusted(w->own, path, err);
    return rc ? rc : golden_scenarios_load(&w->scenarios, path, err);
}

/* --- what each command does with one scenario --- */

/* Between the runs, because the command may write to the terminal while it runs: its first words
 * remove the line (cli/run/tee.c). */
static void show_run(struct golden_work *w, const char *name, long run, long runs)
{
    char line[200];
    print_line(line, sizeof line, "%s: run %ld of %ld", name, run, runs);
    progress_note_show(&w->note, line);
}

/* Runs the command once more and adds its time. With --repeat the run must do the same as the
 * first one; without it, the trace records what differs as free. */
static int measure_again(struct golden_work *w, const struct golden_task_line *t, struct golden *g,
                         struct error *err)
{
    struct golden_run run;
    struct golden_diff d = {0};
    int rc = golden_run_make(&run, w->o, NULL, t->argv, t->level, &w->scenarios.redactions, err);
    if (rc == 0 && w->own->repeat <= 1)
        rc = golden_settle(g, &run.trace, err);
    if (rc == 0) {
        if (w->own->repeat > 1)
            golden_compare(g, &run.trace, &d);
        if (d.n) {
            golden_diff_write(w->out, g, &run.trace, &d, CONTEXT);
            rc = error_set(err, ERROR_INPUT, EINVAL,
                           "make it repeatable, or redact what differs: docs/GOLDEN.md", t->name,
                           "two runs of it differ in %zu place%s", d.n, d.n == 1 ? "" : "s");
        } else {
            g->wall_ms = xrealloc(g->wall_ms, g->nwall + 1, sizeof *g->wall_ms);
            g->wall_ms[g->nwall++] = run.trace.wall_ms[0];
        }
    }
    golden_diff_free(&d);
    golden_run_free(&run);
    return rc;
}

/* Runs the command again until `runs` runs were made, and more while they show what is chance. */
static int settle_runs(struct golden_work *w, const struct golden_task_line *t, struct golden *g,
                       long runs, struct error *err)
{
    unsigned news = 0; /* freedoms before the last run */
    int rc = 0;
    for (long i = 1; rc == 0 && (i < runs || (news < g->news && i < MORE_RUNS * runs)); i++) {
        news = g->news;
        show_run(w, t->name, i + 1, i < runs ? runs : i + 1);
        rc = measure_again(w, t, g, err);
    }
    return rc;
}

static void say_captured(struct golden_work *w, const char *name, const char *path)
{
    char then[600], *folder;
    if (golden_wants_brief(w->o))
        return;
    folder = w->own->folder ? shell_path(w->own->folder) : NULL;
    snprintf(then, sizeof then, "check a later run: rooftop check golden %s%.300s%s%.100s",
             folder ? "--folder " : "", folder ? folder : "", folder ? " " : "", name);
    progress_note_erase();
    output_written(path, NAN, then);
    free(folder);
}

static int capture_scenario(struct golden_work *w, const struct golden_task_line *t,
                            struct error *err)
{
    char path[4096];
    struct golden_run run;
    golden_path(w->own, t->name, ".json", path);
    if (access(path, F_OK) == 0 && !w->own->force)
        return error_set(
            err, ERROR_OUTPUT, EEXIST,
            "rooftop check golden diff shows what changed, accept takes it; --force replaces", path,
            "it is there already");
    int rc = golden_run_make(&run, w->o, NULL, t->argv, t->level, &w->scenarios.redactions, err);
    if (rc == 0)
        rc = settle_runs(w, t, &run.trace, w->own->repeat > 1 ? w->own->repeat : w->own->runs, err);
    if (rc == 0) {
        run.trace.name = xstrdup(t->name);
        rc = golden_save(w->own, &run.trace, run.summary, err);
    }
    if (rc == 0) {
        say_captured(w, t->name, path);
        golden_summary_stored(&w->summary, w->own, &run.trace);
    }
    for (size_t i = 0; rc == 0 && i < run.trace.nfreedoms; i++) {
        const struct golden_freedom *f = &run.trace.freedoms[i];
        print_text(w->out, "%s: free in %s: %s: %s\n", t->name, f->section, f->what, f->why);
    }
    golden_run_free(&run);
    return rc;
}

static int read_stored(struct golden_work *w, struct golden_task_line *t, struct golden *stored,
                       struct error *err)
{
    char path[4096];
    golden_path(w->own, t->name, ".json", path);
    int rc = golden_trusted(w->own, GOLDEN_FOLDER, err);
    if (rc == 0)
        rc = golden_trusted(w->own, path, err);
    if (rc == 0)
        rc = golden_read(stored, path, err);
    t->argv = t->argv || rc != 0 ? t->argv : stored->command;
    if (rc == 0 && (!t->argv || !t->argv[0]))
        rc = refuse_usage(w->o, err, "the stored trace has no command: give one after --");
    return rc;
}

/* Runs the scenario at the level of its stored trace. */
static int run_scenario_again(struct golden_work *w, const struct golden_task_line *t,
                              const struct golden *stored, struct golden_run *run,
                              struct error *err)
{
    int rc =
        golden_run_make(run, w->o, NULL, t->argv, stored->level, &w->scenarios.redactions, err);
    if (rc == 0) { /* what is free stays free, even if this run is stored */
        golden_free_as(&run->trace, stored);
        for (size_t i = 0; i < stored->nfreedoms; i++)
            golden_freedom_add(&run->trace, stored->freedoms[i].section, stored->freedoms[i].what,
                               stored->freedoms[i].why);
        run->trace.news = 0;
    }
    return rc;
}

/* Runs of one command, and how each differs from the stored trace. */
struct golden_runs {
    struct golden_run run[CHECKS];
    struct golden_diff d[CHECKS];
    int n;
};

static bool differs_in(const struct golden_diff *d, const char *title)
{
    for (size_t i = 0; i < d->n; i++)
        if (strcmp(d->list[i].title, title) == 0)
            return true;
    return false;
}

/* Leaves out of d the sections that were as stored in the run before. */
static void keep_common(struct golden_diff *d, const struct golden_diff *before)
{
    size_t kept = 0;
    for (size_t i = 0; i < d->n; i++)
        if (differs_in(before, d->list[i].title))
            d->list[kept++] = d->list[i];
    d->n = kept;
}

/*
 * If only the order of calls differs, the command is run again: a thread or process whose calls are
 * as stored in any of the runs did nothing new. A difference in what left the processes counts at
 * once. A command that was captured with one run is run once.
 */
static int run_until_same(struct golden_work *w, const struct golden_task_line *t,
                          const struct golden *stored, struct golden_runs *r, struct error *err)
{
    const int most = stored->nwall > 1 ? CHECKS : 1;
    int rc = 0;
    for (bool over = false; rc == 0 && !over;) {
        struct golden_diff *d = &r->d[r->n];
        show_run(w, t->name, r->n + 1, most);
        rc = run_scenario_again(w, t, stored, &r->run[r->n], err);
        if (rc != 0) {
            golden_run_free(&r->run[r->n]);
            break;
        }
        golden_compare(stored, &r->run[r->n].trace, d);
        if (r->n)
            keep_common(d, d - 1);
        r->n++;
        over = d->n == 0 || r->n == most || differs_in(d, "effects");
    }
    return rc;
}

static void free_golden_runs(struct golden_runs *r)
{
    for (int i = 0; i < r->n; i++) {
        golden_diff_free(&r->d[i]);
        golden_run_free(&r->run[i]);
    }
}

static void print_difference(struct golden_work *w, const char *name, size_t hunks, int runs)
{
    if (hunks)
        print_text(w->out, "%s: differs in %zu place%s\n", name, hunks, hunks == 1 ? "" : "s");
    else if (runs > 1)
        print_text(w->out, "%s: as before, in %d runs: their calls have not one order\n", name,
                   runs);
    else
        print_text(w->out, "%s: as before\n", name);
}

/* On a terminal each difference is shown, and accepted or rejected with a key. */
static int review_differences(struct golden_work *w, const struct golden_task_line *t,
                              struct golden *stored, const struct golden_run *run,
                              const struct golden_diff *d, struct error *err)
{
    struct golden_review r;
    golden_review_begin(&r, t->name, stored, &run->trace, d);
    int rc = golden_review_run(&r, w->o, err);
    const size_t accepted = rc == 0 && r.store ? golden_review_count(&r, GOLDEN_ACCEPTED) : 0;
    if (accepted) {
        golden_review_take(&r, stored);
        rc = golden_save(w->own, stored, run->summary, err);
    }
    if (rc == 0)
        print_text(w->out, "%s: %zu of %zu %s accepted\n", t->name, accepted, d->n,
                   plural(d->n, "difference", "differences"));
    w->differs |= accepted < d->n;
    golden_review_end(&r);
    return rc;
}

static bool is_reviewed(const struct golden_work *w)
{
    return strcmp(w->o->command, command_golden_diff.name) == 0 && !w->o->output && !w->own->all &&
           !golden_wants_brief(w->o) && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

static int check_against_stored(struct golden_work *w, const struct golden_task_line *of,
                                struct error *err)
{
    struct golden_task_line t = *of;
    struct golden stored = {0};
    struct golden_runs r = {0};
    int rc = read_stored(w, &t, &stored, err);
    if (rc == 0)
        rc = run_until_same(w, &t, &stored, &r, err);
    if (rc == 0) {
        const struct golden_run *run = &r.run[r.n - 1];
        const struct golden_diff *d = &r.d[r.n - 1];
        if (d->n && is_reviewed(w)) {
            rc = review_differences(w, &t, &stored, run, d, err);
        } else {
            if (strcmp(w->o->command, command_golden_diff.name) == 0 || d->n)
                golden_diff_write(w->out, &stored, &run->trace, d, CONTEXT);
            print_difference(w, t.name, d->n, r.n);
            golden_summary_add(&w->summary, w->own, t.name, &stored, &run->trace, d);
            w->differs |= d->n > 0;
        }
    }
    free_golden_runs(&r);
    golden_free(&stored);
    return rc;
}

/* The new trace is made as capture makes one, from as many runs. */
static int accept_all(struct golden_work *w, const struct golden_task_line *of, struct error *err)
{
    struct golden_task_line t = *of;
    struct golden stored = {0};
    struct golden_run run = {0};
    struct golden_diff d = {0};
    int rc = read_stored(w, &t, &stored, err);
    if (rc == 0)
        rc = run_scenario_again(w, &t, &stored, &run, err);
    if (rc == 0)
        rc = settle_runs(w, &t, &run.trace, stored.nwall > 1 ? 2 : 1, err);
    if (rc == 0) {
        golden_free_as(&stored, &run.trace);
        golden_compare(&stored, &run.trace, &d);
        golden_diff_write(w->out, &stored, &run.trace, &d, CONTEXT);
        golden_summary_add(&w->summary, w->own, t.name, &stored, &run.trace, &d);
        if (d.n) {
            run.trace.name = xstrdup(t.name);
            rc = golden_save(w->own, &run.trace, run.summary, err);
        }
        if (rc == 0)
            print_text(w->out, "%s: %zu %s accepted\n", t.name, d.n,
                       plural(d.n, "difference", "differences"));
    }
    golden_diff_free(&d);
    golden_run_free(&run);
    golden_free(&stored);
    return rc;
}

/* --- scenarios --- */

static int for_each(struct golden_work *w,
                    int (*act)(struct golden_work *, const struct golden_task_line *,
                               struct error *),
                    struct error *err)
{
    const struct options *o = w->o;
    const struct golden_options *own = w->own;
    int rc = 0;
    if (own->all) {
        for (size_t i = 0; rc == 0 && i < w->scenarios.n; i++) {
            const struct golden_scenario *s = &w->scenarios.list[i];
            rc = act(w, &(struct golden_task_line){s->name, s->command, s->level}, err);
        }
        return rc;
    }
    struct golden_task_line t = {
        .name = o->operands[0],
        .argv = o->argv,
        .level = own->level && strcmp(own->level, "effects") == 0 ? GOLDEN_EFFECTS : GOLDEN_ORDER};
    const struct golden_scenario *s = golden_scenario_named(&w->scenarios, t.name);
    if (!t.argv && s) {
        t.argv = s->command;
        t.level = own->level ? t.level : s->level;
    }
    if (!t.argv && act == capture_scenario)
        return refuse_usage(o, err, "no command: give one after --, or a scenario of that name");
    return act(w, &t, err);
}

static int check_golden_words(const struct options *o, struct error *err)
{
    const struct golden_options *own = o->own;
    if (own->all && (o->noperands || o->argv))
        return refuse_usage(o, err,
                            "--all runs the scenarios of the file: give no name and no command");
    if (!own->all && o->noperands != 1)
        return refuse_usage(o, err, "give the name of one golden trace, or --all");
    if (!own->all && !golden_name_ok(o->operands[0]))
        return refuse_usage(o, err, "a name has letters, digits, '.', '-' and '_', at most 100");
    return 0;
}

/* Prints what was collected to standard output or -o, then reports an error. */
static int print_collected(struct golden_work *w, char **text, size_t *size, int rc,
                           struct error *err)
{
    struct error writing = ERROR_INIT;
    const bool not_started = rc != 0 && w->o->argv && err->kind == ERROR_TARGET;
    fclose(w->out);
    int wrote = 0;
    if (*size && !golden_wants_brief(w->o))
        wrote = output_file(w->o->output, *text, *size, &writing);
    if (rc == 0 && wrote == 0)
        wrote = golden_summary_end(&w->summary, w->o, &writing);
    golden_summary_free(&w->summary);
    free(*text);
    golden_scenarios_free(&w->scenarios);
    if (rc != 0 && traced_interrupted())
        return traced_exit(err);
    if (rc != 0)
        return not_started ? exit_report_command(err) : exit_report(err);
    if (wrote != 0)
        return exit_report(&writing);
    return w->differs ? EXIT_DIFFERS : EXIT_DONE;
}

static int golden_do(struct options *o, int (*act)(struct golden_work *,
                                                   const struct golden_task_line *, struct error *))
{
    struct error err = ERROR_INIT;
    char *text = NULL;
    size_t size = 0;
    struct golden_work w = {.o = o, .own = o->own, .out = open_memstream(&text, &size)};
    if (!w.out)
        abort();
    int rc = check_golden_words(o, &err);
    if (rc == 0)
        rc = load_scenarios(&w, &err);
    progress_note_begin(&w.note);
    if (rc == 0)
        rc = for_each(&w, act, &err);
    progress_note_end(&w.note);
    return print_collected(&w, &text, &size, rc, &err);
}

static int capture_run(struct options *o)
{
    return golden_do(o, capture_scenario);
}

static int check_run(struct options *o)
{
    return golden_do(o, check_against_stored);
}

static int accept_run(struct options *o)
{
    return golden_do(o, accept_all);
}

/* --- two runs without a stored trace --- */

/* The two sides: commands before and after the second "--", or two saved traces. */
static int take_two_sides(struct options *o, char *const *argv[2], struct error *err)
{
    argv[0] = argv[1] = NULL;
    if (!o->argv)
        return o->noperands == 2
                   ? 0
                   : refuse_usage(o, err, "give two saved traces, or two commands, each after --");
    if (o->noperands > 1)
        return refuse_usage(o, err, "give at most one name before the commands");
    argv[0] = o->argv;
    for (char **word = o->argv; *word; word++)
        if (strcmp(*word, "--") == 0) {
            *word = NULL;
            argv[1] = word + 1;
            break;
        }
    return argv[0][0] && argv[1] && argv[1][0]
               ? 0
               : refuse_usage(o, err, "the second command is missing: give it after another --");
}

static int compare_run(struct options *o)
{
    struct error err = ERROR_INIT;
    char *text = NULL;
    size_t size = 0;
    char *const *argv[2];
    struct golden_run run[2] = {{{0}, NULL}, {{0}, NULL}};
    struct golden_work w = {.o = o, .own = o->own, .out = open_memstream(&text, &size)};
    enum golden_level level =
        w.own->level && strcmp(w.own->level, "order") == 0 ? GOLDEN_ORDER : GOLDEN_EFFECTS;
    if (!w.out)
        abort();
    int rc = take_two_sides(o, argv, &err);
    if (rc == 0)
        rc = load_scenarios(&w, &err);
    progress_note_begin(&w.note);
    for (int i = 0; rc == 0 && i < 2; i++) {
        const struct golden_task_line t = {"compare", argv[i], level};
        rc = golden_run_make(&run[i], o, argv[i] ? NULL : o->operands[i], argv[i], level,
                             &w.scenarios.redactions, &err);
        if (rc == 0 && argv[i])
            rc = settle_runs(&w, &t, &run[i].trace, w.own->runs, &err);
    }
    progress_note_end(&w.note);
    if (rc == 0) {
        struct golden_diff d;
        golden_free_as(&run[0].trace, &run[1].trace);
        golden_free_as(&run[1].trace, &run[0].trace);
        golden_compare(&run[0].trace, &run[1].trace, &d);
        golden_diff_write(w.out, &run[0].trace, &run[1].trace, &d, CONTEXT);
        if (d.n)
            print_text(w.out, "the two differ in %zu place%s\n", d.n, d.n == 1 ? "" : "s");
        else
            print_text(w.out, "the two have the same effects\n");
        w.differs = d.n > 0;
        golden_summary_add(&w.summary, w.own, "compare", &run[0].trace, &run[1].trace, &d);
        golden_diff_free(&d);
    }
    golden_run_free(&run[0]);
    golden_run_free(&run[1]);
    return print_collected(&w, &text, &size, rc, &err);
}

/* --- the commands --- */

#define FOLDER                                                                                     \
    OWN(.section = "Golden traces", .name = "folder", OWN_AT(golden_options, folder),              \
        .type = OPTION_STRING, .arg = "DIR",                                                       \
        .help = "the folder of golden traces, instead of golden_traces")
#define LEVEL                                                                                      \
    OWN(.section = "Golden traces", .name = "level", OWN_AT(golden_options, level),                \
        .type = OPTION_CHOICE, .arg = "LEVEL", .choices = "effects|order",                         \
        .help = "effects: what left the processes; order: their calls in order too")
#define SCENARIOS                                                                                  \
    OWN(.section = "Golden traces", .name = "scenarios", OWN_AT(golden_options, scenarios),        \
        .type = OPTION_STRING, .arg = "FILE",                                                      \
        .help = "the file of scenarios and redactions, instead of golden.toml in the folder")
#define ALL                                                                                        \
    OWN(.section = "Golden traces", .name = "all", OWN_AT(golden_options, all),                    \
        .type = OPTION_FLAG, .help = "every scenario of the file")

#define RUNS                                                                                       \
    OWN(.section = "Golden traces", .name = "runs", OWN_AT(golden_options, runs),                  \
        .type = OPTION_INT, .arg = "N", .min = 1, .max = 1000, .fallback = "2",                    \
        .help =                                                                                    \
            "run it so often, and more often while runs still differ; leave out and name what "    \
            "differs; 1 for a command that must not run twice")

static const struct command_option capture_options[] = {
    FOLDER,
    LEVEL,
    SCENARIOS,
    ALL,
    OWN(.section = "Golden traces", .name = "force", OWN_AT(golden_options, force),
        .type = OPTION_FLAG, .help = "replace what is there"),
    OWN(.section = "Golden traces", .name = "repeat", OWN_AT(golden_options, repeat), .letter = 'r',
        .type = OPTION_INT, .arg = "N", .min = 1, .max = 1000, .fallback = "1",
        .help = "run it this many times: all runs must do the same, and all their times "
                "are stored"),
    RUNS,
    TAKES(BY),
    TAKES_ANSWER,
    TAKES_GENERAL,
};
#define TAKES_BRIEF                                                                                \
    TAKES_AS(FORMAT, .choices = "text|json|markdown",                                              \
             .help = "json and markdown are the short answer; text unless given"),                 \
        TAKES(BRIEF)

static const struct command_option check_options[] = {
    FOLDER, SCENARIOS, ALL, TAKES(BY), TAKES_BRIEF, TAKES(OUTPUT), TAKES_GENERAL,
};
static const struct command_option accept_options[] = {
    FOLDER, SCENARIOS, ALL, TAKES(BY), TAKES_ANSWER, TAKES(OUTPUT), TAKES_GENERAL,
};
static const struct command_option diff_options[] = {
    FOLDER,        SCENARIOS,    ALL,          TAKES(BY),   TAKES_BRIEF,
    TAKES(OUTPUT), TAKES(THEME), TAKES(COLOR), TAKES_DRAWN, TAKES_GENERAL,
};
static const struct command_option compare_options[] = {
    FOLDER, LEVEL, SCENARIOS, RUNS, TAKES(BY), TAKES_BRIEF, TAKES(OUTPUT), TAKES_GENERAL,
};
static const struct command_option golden_options[] = {TAKES_GENERAL};

#define EXITS_GOLDEN                                                                               \
    EXITS({.code = EXIT_DIFFERS, .text = "the run differs from the golden trace"},                 \
          {.code = EXIT_INPUT,                                                                     \
           .text = "there is no such golden trace, or a file is malformed; the run was empty; "    \
                   "runs end differently"},                                                        \
          {.code = EXIT_UNSUPPORTED, .text = "calls of the run were lost"})

const struct command command_golden = {
    .name = "golden",
    .summary = "golden traces: what a run does, stored, and later runs checked against it",
    .usage = "rooftop check golden capture|check|diff|accept|compare [OPTION...] ...",
    .options = golden_options,
    .examples = EXAMPLES({"rooftop check golden --help", "the options of one of them"}),
};

const struct command command_golden_capture = {
    .name = "golden capture",
    .summary = "run a command and store what it does",
    .usage = "rooftop check golden capture [OPTION...] NAME [-- COMMAND...] | --all",
    .run = capture_run,
    .starts = true,
    .options = capture_options,
    .examples =
        EXAMPLES({"rooftop check golden capture sort -- sort -n in.txt", "store it as sort"},
                 {"rooftop check golden capture --all", "all scenarios of golden.toml"}),
    .exits = EXITS_GOLDEN,
};

const struct command command_golden_check = {
    .name = "golden check",
    .summary = "run a command again and compare it with what is stored",
    .usage = "rooftop check golden [OPTION...] NAME [-- COMMAND...] | --all",
    .run = check_run,
    .starts = true,
    .options = check_options,
    .examples = EXAMPLES({"rooftop check golden sort", "run the stored command again"},
                         {"rooftop check golden --all", "what a CI job runs"}),
    .exits = EXITS_GOLDEN,
};

const struct command command_golden_diff = {
    .name = "golden diff",
    .summary = "every difference; on a terminal, accept or reject each with a key",
    .usage = "rooftop check golden diff [OPTION...] NAME [-- COMMAND...] | --all",
    .run = check_run,
    .starts = true,
    .options = diff_options,
    .examples = EXAMPLES({"rooftop check golden diff sort", "what changed"}),
    .exits = EXITS_GOLDEN,
};

const struct command command_golden_accept = {
    .name = "golden accept",
    .summary = "run a command again and store what it does now",
    .usage = "rooftop check golden accept [OPTION...] NAME [-- COMMAND...] | --all",
    .run = accept_run,
    .starts = true,
    .options = accept_options,
    .examples = EXAMPLES({"rooftop check golden accept sort", "take all differences"}),
    .exits = EXITS_GOLDEN,
};

const struct command command_golden_compare = {
    .name = "golden compare",
    .summary = "compare what two commands, or two saved traces, do",
    .usage = "rooftop check golden compare [OPTION...] (A B | -- COMMAND... -- COMMAND...)",
    .run = compare_run,
    .files = true,
    .starts = true,
    .options = compare_options,
    .examples = EXAMPLES({"rooftop check golden compare -- python3 cli.py -- ./cli",
                          "whether a translation does the same"},
                         {"rooftop check golden compare a.json b.json", "two traces of before"}),
    .exits = EXITS_GOLDEN,
};
