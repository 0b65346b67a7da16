/* rooftop compare history: what benchmarks measured before, and whether it became worse. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"
#include "cli/bench/bench.h"
#include "cli/options/command.h"
#include "cli/options/exit.h"
#include "cli/run/brief_output.h"
#include "cli/run/output.h"
#include "engine/bench/history_filter.h"
#include "engine/value/text_file.h"
#include "export/bench/history_export.h"
#include "tui/term/term.h"

enum { USUAL_COLS = 80, LEAST_COLS = 20, MOST_COLS = 1000, IMPORT_MOST = 1 << 30 };

/* The database that results are imported into, and how many results were read and added. */
struct importing {
    struct bench_history *h;
    size_t all, added;
};

static int import_results(void *ctx, const struct bench_results *results, struct error *err)
{
    struct importing *i = ctx;
    struct bench_results r = *results;
    size_t added = 0;
    if (!*r.conditions.host && gethostname(r.conditions.host, sizeof r.conditions.host - 1) != 0)
        *r.conditions.host = '\0';
    int rc = bench_history_add(i->h, &r, &added, err);
    i->all += r.n;
    i->added += added;
    return rc;
}

/* A document that says neither when nor where it was measured gets the time of its last change, and
 * this host. */
static int import_document(struct importing *i, const char *path, char tool[64], struct error *err)
{
    struct bench_results r = {.tool = NULL};
    char *text = NULL;
    size_t n = 0;
    struct stat st;
    int rc = text_file_read_most(&text, &n, path, IMPORT_MOST, err);
    if (rc == 0)
        rc = bench_results_read(&r, path, text, n, err);
    free(text);
    if (r.wall_ns == 0 && stat(path, &st) == 0)
        r.wall_ns = (uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec;
    if (rc == 0)
        rc = import_results(i, &r, err);
    snprintf(tool, 64, "%s", r.tool ? r.tool : "");
    bench_results_free(&r);
    return rc;
}

static int import_file(struct bench_history *h, const char *path, struct error *err)
{
    struct importing i = {.h = h};
    char note[512], tool[64] = "rooftop's replays";
    int rc = bench_is_database(path) ? bench_replays_read(path, import_results, &i, err)
                                     : import_document(&i, path, tool, err);
    snprintf(note, sizeof note, "%s: %zu results of %s, %zu of them new", path, i.all, tool,
             i.added);
    if (rc == 0) {
        exit_note(note);
        bench_say_waiting(h);
    }
    return rc;
}

static int accept_series(struct bench_history *h, const char *name, struct error *err)
{
    size_t changed;
    int rc = bench_history_accept(h, name, &changed, err);
    if (rc == 0 && changed == 0)
        rc = error_set(err, ERROR_USAGE, ENOENT, "rooftop compare history lists their names",
                       "--accept", "there is no series '%s'", name);
    return rc;
}

static int history_width(const struct options *o)
{
    struct winsize ws;
    if (o->output || ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) != 0 || ws.ws_col < LEAST_COLS)
        return USUAL_COLS;
    return ws.ws_col < MOST_COLS ? ws.ws_col : MOST_COLS;
}

/* A series whose last two runs can be compared, by the name that compare runs takes; NULL: none.
 * The caller frees it. */
static char *name_comparable_series(const struct history_list *l)
{
    const struct history_series *s = NULL;
    size_t same = 0;
    for (size_t i = 0; i < l->n && !s; i++)
        s = l->list[i].n > 1 ? &l->list[i] : NULL;
    for (size_t i = 0; i < l->n && s; i++)
        same += strcmp(l->list[i].name, s->name) == 0;
    if (!s)
        return NULL;
    if (same == 1)
        return xstrdup(s->name);
    const size_t size = strlen(s->name) + strlen(s->host) + sizeof " on ";
    char *name = xcalloc(size, 1);
    snprintf(name, size, "%s on %s", s->name, s->host);
    return name;
}

static int write_history_brief(const struct history_list *l, const struct options *o,
                               const char *db, struct error *err)
{
    struct brief b = {.command = o->words};
    history_brief(&b, l, o->ascii || (!o->utf8 && !term_utf8()));
    char *name = name_comparable_series(l);
    const char *const words[] = {db, name};
    const size_t from = db ? 0 : 1;
    brief_next(&b, db ? "rooftop compare history --db" : "rooftop compare history", words + from,
               1 - from);
    if (name)
        brief_next(&b, db ? "rooftop compare runs --db" : "rooftop compare runs", words + from,
                   2 - from);
    const int rc = brief_output(&b, o, err);
    free(name);
    return rc;
}

static int print_history(struct bench_history *h, const struct history_list *l,
                         const struct options *o, struct error *err)
{
    const char *format = o->format ? o->format : "text";
    char *text = NULL;
    size_t len = 0;
    int rc = 0;
    FILE *f = open_memstream(&text, &len);
    if (!f)
        return error_set(err, ERROR_INTERNAL, errno, NULL, "write", "%s", strerror(errno));
    if (strcmp(format, "json") == 0)
        rc = history_write_json(f, h, l, err);
    else if (strcmp(format, "csv") == 0)
        history_write_csv(f, l);
    else
        history_write_text(f, l, history_width(o), o->ascii || (!o->utf8 && !term_utf8()));
    fclose(f);
    if (rc == 0)
        rc = output_file(o->output, text, len, err);
    free(text);
    return rc;
}

struct history_options {
    const char *db, *accept, *margin, *fail_on, *where; /* NULL: not given */
    long baseline;
    bool import;
};

/* An unknown series is a mistake, and so is an alarm asked for where nothing is stored: a
 * nightly job that looks at the wrong series or file must not pass. */
static int check_found(const struct history_list *l, const char *name,
                       const struct history_options *own, struct error *err)
{
    char where[BENCH_DB_NAME];
    if (l->n > 0)
        return 0;
    if (own->where)
        return error_set(err, ERROR_USAGE, ENOENT, "rooftop compare history --format csv has all",
                         "--where", "no run is '%s'", own->where);
    if (name)
        return error_set(err, ERROR_USAGE, ENOENT, "rooftop compare history lists their names",
                         "compare history", "there is no series with '%s' in its name", name);
    if (own->fail_on)
        return error_set(err, ERROR_INPUT, ENOENT, "rooftop compare -- CMD stores what it measures",
                         "--fail-on alarm", "nothing is stored in %s",
                         bench_db_name(own->db, where));
    return 0;
}

struct history_judged {
    const struct history_list *list;
    bool fails; /* --fail-on */
};

static void write_history_annotations(FILE *out, const void *what)
{
    const struct history_judged *j = what;
    history_annotate(out, j->list, j->fails);
}

/* Judges what the filter leaves: what was measured elsewhere is no change. */
static int load_judged(struct bench_history *h, const char *name, const char *where,
                       const struct change_rule *rule, struct history_list *l, struct error *err)
{
    struct history_filter filter;
    *l = (struct history_list){.n = 0};
    int rc = history_filter_read(&filter, where, err);
    if (rc == 0)
        rc = bench_history_load(h, name, where ? NULL : rule, NULL, l, err);
    if (rc != 0 || !where)
        return rc;
    history_filter_keep(&filter, l);
    for (size_t i = 0; i < l->n; i++)
        history_judge(&l->list[i], rule);
    return 0;
}

/* Loads, judges and prints the series; sets *alarmed. */
static int show_history(struct bench_history *h, const struct options *o, bool *alarmed,
                        struct error *err)
{
    const struct history_options *own = o->own;
    struct history_list l;
    struct change_rule rule = change_rule_usual;
    const char *name = o->noperands && !own->import ? o->operands[0] : NULL;
    rule.baseline = (size_t)own->baseline;
    int rc = bench_percent("--margin", own->margin, change_rule_usual.least, &rule.least, err);
    if (rc != 0)
        return rc;
    rc = load_judged(h, name, own->where, &rule, &l, err);
    if (rc == 0 && own->fail_on && bench_history_late(h))
        rc = error_set(err, ERROR_INPUT, ENOTCONN, "try again when the server answers",
                       "--fail-on alarm", "what others added is not known");
    if (rc == 0)
        rc = check_found(&l, name, own, err);
    for (size_t i = 0; i < l.n; i++)
        *alarmed |= history_alarmed(&l.list[i]);
    if (rc == 0 && o->brief)
        rc = write_history_brief(&l, o, own->db, err);
    else if (rc == 0)
        rc = print_history(h, &l, o, err);
    const struct history_judged judged = {&l, own->fail_on != NULL};
    if (rc == 0)
        rc = output_annotations(write_history_annotations, &judged, err);
    bench_history_list_free(&l);
    return rc;
}

static int check_history_words(const struct options *o, struct error *err)
{
    const struct history_options *own = o->own;
    if (own->import && o->noperands == 0)
        return error_set(err, ERROR_USAGE, EINVAL, "rooftop compare history --import FILE",
                         "--import", "there is no file");
    if (!own->import && o->noperands > 1)
        return error_set(err, ERROR_USAGE, EINVAL, "rooftop compare history [NAME]",
                         "compare history", "one name is enough, %zu given", o->noperands);
    return 0;
}

static int history_run(struct options *o)
{
    struct error err = ERROR_INIT;
    struct bench_history *h = NULL;
    const struct history_options *own = o->own;
    bool alarmed = false, change = own->import || own->accept;
    int rc = check_history_words(o, &err);
    if (rc == 0)
        rc = bench_open(&h, own->db, !change, &err);
    for (size_t i = 0; own->import && i < o->noperands && rc == 0; i++)
        rc = import_file(h, o->operands[i], &err);
    if (rc == 0 && own->accept)
        rc = accept_series(h, own->accept, &err);
    if (rc == 0)
        rc = show_history(h, o, &alarmed, &err);
    bench_history_close(h);
    if (rc != 0)
        return exit_report(&err);
    return own->fail_on && alarmed ? EXIT_DIFFERS : EXIT_DONE;
}

static const struct command_option options[] = {
    OWN(.name = "db", OWN_AT(history_options, db), .type = OPTION_STRING, .arg = "DATABASE",
        .help = "the database of the history, a file or postgresql://HOST/DATABASE; unless given, "
                "what ROOFTOP_HISTORY says, else bench.db in the state folder"),
    OWN(.name = "import", OWN_AT(history_options, import), .type = OPTION_FLAG,
        .help = "add the results in these files first: JSON of rooftop compare bench, hyperfine, "
                "Google "
                "Benchmark, pytest-benchmark or criterion, or replays.db"),
    OWN(.name = "accept", OWN_AT(history_options, accept), .type = OPTION_STRING, .arg = "NAME",
        .help = "accept the present level of the series: its changes so far raise no "
                "alarm, and the test begins anew"),
    OWN(.name = "fail-on", OWN_AT(history_options, fail_on), .type = OPTION_CHOICE, .arg = "WHAT",
        .choices = "alarm",
        .help = "end with status 9 where the last change of a series made it worse, or operations "
                "per cycle are below 2.5"),
    OWN(.name = "where", OWN_AT(history_options, where), .type = OPTION_STRING,
        .arg = "KEY=TEXT[,…]",
        .help = "only runs of this host, branch, commit, cpu, kernel, governor or compiler; they "
                "are judged as if there were no others"),
    OWN(.name = "baseline", OWN_AT(history_options, baseline), .type = OPTION_INT, .arg = "N",
        .min = 5, .max = 10000, .fallback = "20",
        .help = "runs of a series before the first look for a change"),
    OWN(.name = "margin", OWN_AT(history_options, margin), .type = OPTION_STRING, .arg = "SHARE",
        .help = "the smallest change that counts; 1% unless given"),
    TAKES_AS(FORMAT, .choices = "text|json|csv"),
    TAKES(BRIEF),
    TAKES(OUTPUT),
    TAKES_DRAWN,
    TAKES_GENERAL,
};

const struct command command_history = {
    .name = "history",
    .summary = "what benchmarks measured over time: changes, and an alarm that is not false",
    .usage = "rooftop compare history [--brief] [--db FILE] [--import] [--accept NAME] [--fail-on "
             "alarm] "
             "[--where KEY=TEXT] [--format text|json|csv] [-o FILE] [NAME | FILE...]",
    .run = history_run,
    .files = true,
    .options = options,
    .examples = EXAMPLES({"rooftop compare history", "all series, with their changes"},
                         {"rooftop compare history --db ci.db --import run.json --fail-on alarm",
                          "in a nightly job: status 9 where something became worse"},
                         {"rooftop compare history --where branch=main,cpu=9654",
                          "one branch on one kind of machine"}),
    .exits = EXITS({.code = EXIT_DIFFERS, .text = "a series is alarmed (--fail-on alarm)"},
                   {.code = EXIT_INPUT,
                    .text = "--db or a file to import is not there or is malformed; bench.db is "
                            "damaged; nothing is stored that --fail-on could judge"},
                   {.code = EXIT_UNSUPPORTED, .text = "the database is of another rooftop"}),
};
