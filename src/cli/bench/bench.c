/* rooftop compare bench: one or two commands, run until the answer is certain. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/shell_word.h"
#include "cli/bench/bench.h"
#include "cli/options/command.h"
#include "cli/options/exit.h"
#include "cli/run/output.h"
#include "cli/run/progress_note.h"
#include "engine/bench/bench.h"
#include "engine/bench/relink.h"
#include "engine/bench/server.h"
#include "export/bench/bench_export.h"
#include "export/brief.h"
#include "tui/term/term.h"

enum { USUAL_FOR_S = 10 };

/* Joins the words of a command with blanks. That is its name in results. */
static char *join_command_words(char **argv)
{
    size_t n = 1;
    for (char **w = argv; *w; w++)
        n += strlen(*w) + 1;
    char *text = xcalloc(1, n);
    for (char **w = argv; *w; w++) {
        if (w != argv)
            strcat(text, " ");
        strcat(text, *w);
    }
    return text;
}

/* Parses "1%" or "1" as 0.01, above 0 and below 100 %. */
static int parse_percent(const char *option, const char *text, double *out, bool *sign,
                         struct error *err)
{
    char *end;
    double v = strtod(text, &end);
    *sign = *end == '%';
    if (end == text || (*end && strcmp(end, "%") != 0) || isnan(v))
        return error_set(err, ERROR_USAGE, EINVAL, "a share, such as 1% or 0.5%", option,
                         "'%s' is not understood", text);
    if (v <= 0 || v >= 100)
        return error_set(err, ERROR_USAGE, EINVAL, "a share above 0% and below 100%", option,
                         "'%s' is out of range", text);
    *out = v / 100;
    return 0;
}

int bench_percent(const char *option, const char *text, double fallback, double *out,
                  struct error *err)
{
    bool sign;
    double share = fallback;
    int rc = text ? parse_percent(option, text, &share, &sign, err) : 0;
    if (rc == 0 && text && !sign && share < 0.01) {
        char help[96];
        snprintf(help, sizeof help, "write the sign: %.20s%%, or %g%%", text, 1e4 * share);
        return error_set(err, ERROR_USAGE, EINVAL, help, option,
                         "'%s' can mean a share of 1 or of 100", text);
    }
    *out = rc ? fallback : share;
    return rc;
}

int bench_confidence(const char *text, double *out, struct error *err)
{
    int rc = bench_percent("--confidence", text, 0.99, out, err);
    if (rc == 0 && *out < 0.5)
        return error_set(err, ERROR_USAGE, EINVAL, "give 95% or 99%", "--confidence",
                         "'%s' is less than 50%%, and so would decide by chance", text);
    return rc;
}

/* Splits the words after "--" at the next "--". */
static int split_commands(struct bench *b, char **argv, struct error *err)
{
    if (!argv || !argv[0] || strcmp(argv[0], "--") == 0)
        return error_set(err, ERROR_USAGE, EINVAL, "rooftop compare -- COMMAND... [-- COMMAND...]",
                         "compare bench", "there is no command");
    b->side[0].argv = argv;
    b->sides = 1;
    for (char **w = argv; *w; w++) {
        if (strcmp(*w, "--") != 0)
            continue;
        *w = NULL;
        if (!w[1])
            return error_set(err, ERROR_USAGE, EINVAL, "rooftop compare -- COMMAND -- COMMAND",
                             "compare bench", "there is no command after the second --");
        for (char **more = w + 1; *more; more++)
            if (strcmp(*more, "--") == 0)
                return error_set(
                    err, ERROR_USAGE, EINVAL, "a command that needs a -- of its own: sh -c '...'",
                    "compare bench", "there is a third command, or a -- in the second");
        b->side[1].argv = w + 1;
        b->sides = 2;
        return 0;
    }
    return 0;
}

/* Takes up to two quoted lines for the shell, as hyperfine does: bench 'sort a' 'sort b'. */
static int take_quoted_commands(struct bench *b, struct options *o, struct error *err)
{
    if (o->noperands > 2)
        return error_set(err, ERROR_USAGE, EINVAL, "give one or two, each in quotes",
                         o->operands[2], "a third command");
    b->sides = o->noperands;
    for (size_t i = 0; i < o->noperands; i++) {
        if (!o->operands[i][strspn(o->operands[i], " \t\n")])
            return error_set(err, ERROR_USAGE, EINVAL, "is the variable of the shell set?",
                             "compare bench", "line %zu has no command", i + 1);
        char **argv = arena_alloc(&o->storage, 4 * sizeof *argv);
        argv[0] = arena_strdup(&o->storage, "sh");
        argv[1] = arena_strdup(&o->storage, "-c");
        argv[2] = o->operands[i];
        argv[3] = NULL;
        b->side[i].argv = argv;
    }
    return 0;
}

struct bench_options {
    const char *precision, *margin, *confidence, *relink, *db, *fail_on; /* NULL: not given */
    long runs, warmup;
    bool duet, any_status, cpu_time, no_store;
};

static int fill_bench_plan(struct bench *b, const struct options *o, struct error *err)
{
    const struct bench_options *own = o->own;
    struct bench_plan *p = &b->plan;
    p->runs = (size_t)own->runs;
    p->warmup = (size_t)own->warmup;
    p->for_s = o->for_s > 0 ? o->for_s : USUAL_FOR_S;
    p->duet = own->duet;
    p->any_status = own->any_status;
    p->cpu_time = own->cpu_time;
    p->relink = own->relink;
    /* a limit such as slower=2% may need more than a clear difference */
    p->to_precision = own->precision || (own->fail_on && strchr(own->fail_on, '='));
    int rc = bench_percent("--margin", own->margin, 0.01, &p->margin, err);
    if (rc == 0)
        rc = bench_percent("--precision", own->precision, 0.01, &p->precision, err);
    if (rc == 0)
        rc = bench_confidence(own->confidence, &p->confidence, err);
    if (rc == 0 && p->relink)
        rc = relink_check(p->relink, err);
    if (rc == 0 && p->duet && b->sides < 2)
        rc = error_set(err, ERROR_USAGE, EINVAL, "rooftop compare --duet -- COMMAND -- COMMAND",
                       "--duet", "it needs two commands");
    return rc;
}

/* Whether the verdict is the one that --fail-on names: "slower", "slower=2%", "faster",
 * "not-decided", … */
static int is_failing_answer(const struct bench *b, const char *fail_on, bool *out,
                             struct error *err)
{
    double least = 0;
    *out = false;
    if (!fail_on)
        return 0;
    if (b->sides < 2)
        return error_set(err, ERROR_USAGE, EINVAL, "rooftop compare -- COMMAND -- COMMAND",
                         "--fail-on", "it needs two commands");
    bool bare = strcmp(fail_on, "slower") == 0, undecided = strcmp(fail_on, "not-faster") == 0;
    if (!bare && !undecided && strncmp(fail_on, "slower=", 7) != 0)
        return error_set(err, ERROR_USAGE, EINVAL, "slower, slower=5% or not-faster", "--fail-on",
                         "'%s' is not understood", fail_on);
    bool sign;
    int rc = bare || undecided ? 0 : parse_percent("--fail-on", fail_on + 7, &least, &sign, err);
    if (rc != 0)
        return rc;
    if (!undecided && !bench_comparable(b))
        return error_set(err, ERROR_TARGET, ECHILD, "leave out --any-status to stop at the first",
                         "--fail-on", "runs failed, so that the commands cannot be compared");
    const struct bench_answer a = bench_answer_of(b);
    *out = undecided ? a.verdict != VERDICT_FASTER
                     : a.verdict == VERDICT_SLOWER && bench_answer_ratio(&a)->estimate >= 1 + least;
    return 0;
}

static void write_bench_brief(FILE *out, const struct bench *b, const struct options *o)
{
    struct brief brief = {.command = o->words};
    bench_brief(&brief, b, o->ascii || (!o->utf8 && !term_utf8()));
    brief_next(&brief, "rooftop compare history", NULL, 0);
    brief_write(out, &brief, o->format);
}

struct bench_judged {
    const struct bench *bench;
    bool fails; /* --fail-on: the command fails */
};

static void write_bench_annotations(FILE *out, const void *what)
{
    const struct bench_judged *j = what;
    bench_annotate(out, j->bench, j->fails);
}

static int print_bench(const struct bench *b, const struct options *o, struct error *err)
{
    const char *format = o->format ? o->format : "text";
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    if (!f)
        return error_set(err, ERROR_INTERNAL, errno, NULL, "write", "%s", strerror(errno));
    if (options_brief(o))
        write_bench_brief(f, b, o);
    else if (strcmp(format, "text") == 0)
        bench_write_text(f, b, o->ascii || (!o->utf8 && !term_utf8()));
    else if (strcmp(format, "json") == 0)
        bench_write_json(f, b);
    else if (strcmp(format, "csv") == 0)
        bench_write_csv(f, b);
    else if (strcmp(format, "openmetrics") == 0)
        bench_write_openmetrics(f, b);
    else {
        struct bench_results r;
        bench_results_of(&r, b);
        bench_write_as(f, &r, format);
        bench_results_free(&r);
    }
    fclose(f);
    int rc = output_file(o->output, text, len, err);
    free(text);
    return rc;
}

/* Stores the results in the history. 1: it does not, because of --no-store, or because that failed
 * and no --db was given. */
static int store_in_history(const struct bench *b, const struct options *o, struct error *err)
{
    const struct bench_options *own = o->own;
    struct bench_results r;
    if (own->no_store)
        return 1;
    bench_results_of(&r, b);
    const int rc = bench_keep(&r, own->db, own->db, err);
    bench_results_free(&r);
    return rc;
}

int bench_open(struct bench_history **h, const char *db, bool to_read, struct error *err)
{
    char note[256];
    const int rc = bench_history_open(h, db, to_read, note, sizeof note, err);
    if (*note)
        exit_note(note);
    return rc;
}

void bench_say_waiting(const struct bench_history *h)
{
    if (bench_history_late(h))
        exit_note("the server has not taken them: they wait on this machine, and the next command "
                  "that uses the history sends them");
}

int bench_keep(const struct bench_results *r, const char *db, bool named, struct error *err)
{
    struct bench_history *h = NULL;
    char text[512];
    int rc = bench_open(&h, db, false, err);
    if (rc == 0)
        rc = bench_history_add(h, r, NULL, err);
    if (rc == 0)
        bench_say_waiting(h);
    bench_history_close(h);
    if (rc == 0 || named)
        return rc;
    exit_note(error_format(err, text, sizeof text));
    *err = (struct error)ERROR_INIT;
    return 1;
}

const char *bench_db_name(const char *db, char out[BENCH_DB_NAME])
{
    struct error ignored = ERROR_INIT;
    if (!db)
        db = "bench.db of the state folder";
    if (!server_is_url(db) || server_name(db, out, &ignored) != 0)
        snprintf(out, BENCH_DB_NAME, "%s", server_is_url(db) ? "the server" : db);
    return out;
}

void bench_say_kept(const char *db)
{
    char line[1000], where[BENCH_DB_NAME], *file = db ? shell_path(db) : NULL;
    if (server_is_url(db)) /* the address may have a password */
        snprintf(line, sizeof line, "kept in the history at %s", bench_db_name(db, where));
    else if (file)
        snprintf(line, sizeof line, "kept in %.400s; show it: rooftop compare history --db %.400s",
                 file, file);
    else
        snprintf(line, sizeof line, "kept in the history; show it: rooftop compare history");
    exit_note(line);
    free(file);
}

int bench_check_db(const char *db, struct error *err)
{
    char note[256];
    int rc = bench_history_check(db, note, sizeof note, err);
    if (*note)
        exit_note(note);
    return rc;
}

int bench_both(int stored, const struct error *why, int rc, struct error *err)
{
    if (stored >= 0)
        return rc;
    if (rc != 0)
        exit_report(why);
    else
        *err = *why;
    return rc ? rc : stored;
}

/* What is drawn while it runs. */
struct bench_shown {
    struct progress_note note;
    bool ascii;
};

static void show_so_far(void *ctx, const struct bench *b, double left)
{
    struct bench_shown *s = ctx;
    char line[256];
    if (progress_note_due(&s->note)) {
        bench_line(line, sizeof line, b, left, s->ascii);
        progress_note_show(&s->note, line);
    }
}

/* Measures, with a line on a terminal. The first signal ends the measurement, not rooftop. */
static int measure_shown(struct bench *b, const struct options *o, struct error *err)
{
    struct bench_shown shown = {.ascii = o->ascii || (!o->utf8 && !term_utf8())};
    b->plan.watch = show_so_far;
    b->plan.watch_ctx = &shown;
    runner.stop_in_order();
    progress_note_begin(&shown.note); /* after it, so that the signals stay the runner's */
    const int rc = bench_measure(b, &runner, err);
    progress_note_end(&shown.note);
    return rc;
}

/* Whether --fail-on makes the command fail; says so to GitHub. */
static int judge_bench_answer(const struct bench *b, const char *fail_on, bool *failed,
                              struct error *err)
{
    struct error why = ERROR_INIT;
    const int rc = is_failing_answer(b, fail_on, failed, err);
    const struct bench_judged j = {b, *failed || rc != 0};
    const int told = b->sides == 2 ? output_annotations(write_bench_annotations, &j, &why) : 0;
    return bench_both(told, &why, rc, err);
}

/* stopped: the signal that ended the measurement early, or 0. */
static int measure_and_print(struct options *o, bool *failed, int *stopped, struct error *err)
{
    const struct bench_options *own = o->own;
    struct bench b = {.sides = 0};
    const bool quoted = !o->argv && o->noperands;
    if (o->argv && o->noperands)
        return error_set(err, ERROR_USAGE, EINVAL, "give all commands in quotes, or all after --",
                         o->operands[0], "a line in quotes beside a command");
    const int before = quoted ? 2 : 0; /* words that are not the user's: sh -c */
    int rc = quoted ? take_quoted_commands(&b, o, err) : split_commands(&b, o->argv, err);
    if (rc == 0)
        rc = fill_bench_plan(&b, o, err);
    if (rc == 0)
        rc = is_failing_answer(&b, own->fail_on, failed, err);
    /* only a file that --db names must be writable */
    if (rc == 0 && own->db && !own->no_store)
        rc = bench_check_db(own->db, err);
    if (rc != 0)
        return rc;
    char *names[2] = {join_command_words(b.side[0].argv + before),
                      b.sides == 2 ? join_command_words(b.side[1].argv + before) : NULL};
    b.side[0].name = names[0];
    b.side[1].name = names[1];
    rc = measure_shown(&b, o, err);
    *stopped = b.stopped;
    if (rc == 0 && b.stopped) {
        rc = print_bench(&b, o, err);
        exit_note("stopped early: this is what was known; it is not kept in the history");
    } else if (rc == 0) {
        struct error why = ERROR_INIT;
        const int stored = store_in_history(&b, o, &why);
        rc = bench_both(stored, &why, print_bench(&b, o, err), err);
        if (rc == 0 && stored == 0)
            bench_say_kept(own->db);
    }
    if (rc == 0)
        rc = judge_bench_answer(&b, own->fail_on, failed, err);
    bench_free(&b);
    free(names[0]);
    free(names[1]);
    return rc;
}

static int bench_run(struct options *o)
{
    struct error err = ERROR_INIT;
    bool failed = false;
    int stopped = 0;
    const int rc = measure_and_print(o, &failed, &stopped, &err);
    if (stopped) {
        if (rc != 0)
            exit_report(&err);
        return exit_by_signal(stopped);
    }
    if (rc != 0)
        return err.kind == ERROR_TARGET && (err.code == ENOENT || err.code == EACCES)
                   ? exit_report_command(&err)
                   : exit_report(&err);
    return failed ? EXIT_DIFFERS : EXIT_DONE;
}

static const struct command_option options[] = {
    TAKES_AS(FOR, .help = "time that the runs may take, warm-up not counted; 10 s unless given"),
    OWN(.name = "runs", OWN_AT(bench_options, runs), .letter = 'n', .type = OPTION_INT, .arg = "N",
        .min = 1, .max = 5000, .fallback = "1000", .help = "run each command this often at most"),
    OWN(.name = "warmup", OWN_AT(bench_options, warmup), .letter = 'w', .type = OPTION_INT,
        .arg = "N", .min = 0, .max = 1000, .fallback = "1",
        .help = "runs of each command before those that count"),
    OWN(.name = "precision", OWN_AT(bench_options, precision), .type = OPTION_STRING,
        .arg = "SHARE",
        .help =
            "stop when the interval reaches no further than this to each side; unless given 1%, or "
            "as soon as the difference is clear: eight times as large as its uncertainty"),
    OWN(.name = "margin", OWN_AT(bench_options, margin), .type = OPTION_STRING, .arg = "SHARE",
        .help = "what counts as no difference: two commands within it are equivalent; 1% unless "
                "given"),
    OWN(.name = "confidence", OWN_AT(bench_options, confidence), .type = OPTION_STRING,
        .arg = "SHARE",
        .help = "the confidence of intervals and verdicts, however often they are "
                "looked at; 99% unless given"),
    OWN(.name = "duet", OWN_AT(bench_options, duet), .type = OPTION_FLAG,
        .help = "run both commands at the same time, each on a core of its own, so that both meet "
                "the same disturbance; for an idle machine whose memory is not the limit"),
    OWN(.name = "relink", OWN_AT(bench_options, relink), .type = OPTION_STRING, .arg = "CMD",
        .help = "link anew before each pair, with the words of CMD that end in .o in an order that "
                "chance chooses, so that no lucky layout decides"),
    OWN(.name = "cpu-time", OWN_AT(bench_options, cpu_time), .type = OPTION_FLAG,
        .help = "compare user and system time, not elapsed time: the turns of other programs are "
                "not in it, and neither is waiting"),
    OWN(.name = "any-status", OWN_AT(bench_options, any_status), .type = OPTION_FLAG,
        .help =
            "count runs that fail, too, and say how many; else the first one ends the measurement. "
            "Commands whose runs do not all end with one status get no verdict"),
    OWN(.name = "fail-on", OWN_AT(bench_options, fail_on), .type = OPTION_STRING, .arg = "ANSWER",
        .help = "end with status 9: slower[=PERCENT] where the second command is slower beyond "
                "chance, and by so many percent at least; not-faster where it is not shown to be "
                "faster"),
    OWN(.name = "db", OWN_AT(bench_options, db), .type = OPTION_STRING, .arg = "DATABASE",
        .help =
            "the database of the history, a file, made where it is missing, or "
            "postgresql://HOST/DATABASE; unless given, what ROOFTOP_HISTORY says, else bench.db "
            "in the state folder"),
    OWN(.name = "no-store", OWN_AT(bench_options, no_store), .type = OPTION_FLAG,
        .help = "keep nothing in the history"),
    TAKES_AS(FORMAT, .choices = "text|json|csv|openmetrics|hyperfine|google-benchmark|pytest-"
                                "benchmark|criterion|markdown"),
    TAKES(BRIEF),
    TAKES(OUTPUT),
    TAKES_DRAWN,
    TAKES_GENERAL,
};

const struct command command_bench = {
    .name = "bench",
    .summary = "how long a command takes, or which of two is faster, beyond chance",
    .usage =
        "rooftop compare bench [--brief] [--for SECONDS] [--runs N] [--fail-on slower[=PERCENT]] "
        "[--format FORMAT] [-o FILE] -- COMMAND... [-- COMMAND...]",
    .run = bench_run,
    .starts = true,
    .options = options,
    .examples = EXAMPLES(
        {"rooftop compare -- ./prog input", "its median time, and how sure that is"},
        {"rooftop compare --fail-on slower=2% -- ./old -- ./new",
         "two programs in pairs of random order: status 9 where the new one is slower by 2 %"},
        {"rooftop compare bench 'sort a.txt' 'sort -s a.txt'",
         "two lines for the shell, in quotes"}),
    .exits = EXITS({.code = EXIT_DIFFERS, .text = "the answer is the one of --fail-on"},
                   {.code = EXIT_TARGET, .text = "a run failed"}, {.code = EXIT_UNSUPPORTED},
                   {.code = EXIT_CANNOT_EXEC}, {.code = EXIT_NOT_FOUND}),
};
