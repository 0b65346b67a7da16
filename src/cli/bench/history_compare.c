/* rooftop compare runs: two runs of a series. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench.h"
#include "cli/options/command.h"
#include "cli/options/exit.h"
#include "cli/run/brief_output.h"
#include "cli/run/output.h"
#include "engine/bench/history_pair.h"
#include "export/bench/history_pair_export.h"
#include "tui/term/term.h"

/* A word with fewer digits than this is the number of a run, not a commit. */
enum { LEAST_COMMIT = 6 };

/* Whether the word names the series: "NAME", or "NAME on HOST" if several hosts have it. */
static bool is_series_named(const struct history_series *s, const char *name)
{
    size_t n = strlen(s->name);
    return strcmp(s->name, name) == 0 ||
           (strncmp(name, s->name, n) == 0 && strncmp(name + n, " on ", 4) == 0 &&
            strcmp(name + n + 4, s->host) == 0);
}

static int find_named_series(const struct history_list *l, const char *name,
                             const struct history_series **out, struct error *err)
{
    const struct history_series *named = NULL, *contains = NULL;
    size_t nnamed = 0, ncontain = 0;
    for (size_t i = 0; i < l->n; i++) {
        const struct history_series *s = &l->list[i];
        if (is_series_named(s, name) && ++nnamed)
            named = s;
        if (strstr(s->name, name) && ++ncontain)
            contains = s;
    }
    *out = nnamed == 1 ? named : NULL;
    if (nnamed == 0 && ncontain == 1)
        *out = contains;
    if (*out)
        return 0;
    if (ncontain == 0 && nnamed == 0)
        return error_set(err, ERROR_USAGE, ENOENT, "rooftop compare history lists their names",
                         "compare runs", "there is no series with '%s' in its name", name);
    return error_set(err, ERROR_USAGE, EINVAL,
                     "give the whole name, or \"NAME on HOST\": rooftop compare history lists them",
                     "compare runs", "%zu series have '%s' in their name",
                     nnamed ? nnamed : ncontain, name);
}

/* Finds the run that a word names: by its number, counted from 1, or by the beginning of its
 * commit. If several runs are of that commit, it is the last of them. */
static int find_run(const struct history_series *s, const char *word, size_t *out,
                    struct error *err)
{
    char *end;
    errno = 0;
    unsigned long number = strtoul(word, &end, 10);
    if (isdigit((unsigned char)*word) && *end == '\0' && errno == 0 && number >= 1 &&
        number <= s->n) {
        *out = number - 1;
        return 0;
    }
    size_t digits = strspn(word, "0123456789abcdef");
    for (size_t i = s->n; i-- > 0 && word[digits] == '\0' && digits >= LEAST_COMMIT;)
        if (strncmp(s->points[i].conditions.commit, word, digits) == 0) {
            *out = i;
            return 0;
        }
    return error_set(err, ERROR_USAGE, ENOENT,
                     "a number from 1 (the first run), six digits or more of a commit, or the "
                     "series of another host: \"NAME on HOST\"",
                     "compare runs", "the series has %zu run%s, none of which is '%s'", s->n,
                     s->n == 1 ? "" : "s", word);
}

/* Chooses the last run and the one before it, unless words name others. */
static int choose_two_runs(const struct history_series *s, const struct options *o,
                           struct history_two *two, struct error *err)
{
    int rc = 0;
    two->s = s;
    if (o->noperands > 1)
        rc = find_run(s, o->operands[1], &two->first, err);
    if (rc == 0 && o->noperands > 2)
        rc = find_run(s, o->operands[2], &two->second, err);
    if (rc != 0)
        return rc;
    if (s->n < 2)
        return error_set(err, ERROR_INPUT, ENOENT, "rooftop compare -- CMD adds runs",
                         "compare runs", "the series has %zu run%s, and two are compared", s->n,
                         s->n == 1 ? "" : "s");
    if (o->noperands < 2)
        two->first = s->n - 2;
    if (o->noperands < 3)
        two->second = s->n - 1;
    if (two->first == two->second)
        return error_set(err, ERROR_USAGE, EINVAL, "rooftop compare runs NAME FIRST SECOND",
                         "compare runs", "both are run %zu", two->first + 1);
    return 0;
}

static int print_two(const struct history_two *two, const struct options *o, struct error *err)
{
    const bool ascii = o->ascii || (!o->utf8 && !term_utf8());
    char *text = NULL;
    size_t len = 0;
    if (o->brief) {
        struct brief b = {.command = o->words};
        history_pair_brief(&b, two, ascii);
        brief_next_about(&b, o, (const char *const[]){"rooftop compare runs", NULL});
        return brief_output(&b, o, err);
    }
    FILE *f = open_memstream(&text, &len);
    if (!f)
        return error_set(err, ERROR_INTERNAL, errno, NULL, "write", "%s", strerror(errno));
    if (o->format && strcmp(o->format, "json") == 0)
        history_pair_write_json(f, two);
    else
        history_pair_write_text(f, two, ascii);
    fclose(f);
    int rc = output_file(o->output, text, len, err);
    free(text);
    return rc;
}

/* Reads the samples of both runs, prints what they say, and sets *worse. */
static int judge_two(struct bench_history *h, const struct history_two *of, const struct options *o,
                     bool *worse, struct error *err)
{
    struct history_pair pair = {.id = {0}};
    struct history_two two = *of;
    const struct history_series *s = of->s;
    const struct history_point *a = &s->points[two.first], *b = &s->points[two.second];
    const int64_t id[2] = {a->id, b->id};
    char unlike[256] = "";
    int rc = history_pair_read(h, id, &pair, err);
    two.pair = &pair;
    if (two.hosts[0])
        history_unlike(a, b, unlike, sizeof unlike);
    if (rc == 0 && !history_comparable(a, b))
        *worse = b->ends.failed > 0;
    else if (rc == 0 && pair.n[0] && pair.n[1] && !*unlike)
        *worse = strcmp(history_pair_word(s, pair.verdict), "worse") == 0;
    if (rc == 0)
        rc = print_two(&two, o, err);
    history_pair_free(&pair);
    return rc;
}

/* The series that the word names whole; NULL: none. */
static const struct history_series *find_whole_series(const struct history_list *l,
                                                      const char *name)
{
    for (size_t i = 0; i < l->n; i++)
        if (is_series_named(&l->list[i], name))
            return &l->list[i];
    return NULL;
}

/* The last runs of one program on two hosts. */
static int compare_two_hosts(struct bench_history *h, const struct history_series *a,
                             const struct history_series *b, const struct options *o, bool *worse,
                             struct error *err)
{
    if (strcmp(a->unit, b->unit) != 0 || a->more_is_good != b->more_is_good)
        return error_set(err, ERROR_USAGE, EINVAL, NULL, "compare runs",
                         "one series is in %s, the other in %s", a->unit, b->unit);
    struct history_point points[2] = {a->points[a->n - 1], b->points[b->n - 1]};
    struct history_series s = *a;
    s.points = points;
    s.n = 2;
    struct history_two two = {.s = &s, .second = 1, .why = "", .hosts = {a->host, b->host}};
    return judge_two(h, &two, o, worse, err);
}

static int compare_two_runs(struct bench_history *h, const struct history_list *l,
                            const struct options *o, bool *worse, struct error *err)
{
    const struct history_series *s, *other = NULL;
    struct history_two two = {.why = "", .chosen = o->noperands > 1};
    int rc = find_named_series(l, o->operands[0], &s, err);
    if (rc == 0 && s && o->noperands == 2)
        other = find_whole_series(l, o->operands[1]);
    if (rc == 0 && s && other && other != s && s->n && other->n)
        return compare_two_hosts(h, s, other, o, worse, err);
    if (rc == 0 && s)
        rc = choose_two_runs(s, o, &two, err);
    if (rc != 0 || !s)
        return rc;
    return judge_two(h, &two, o, worse, err);
}

struct history_compare_options {
    const char *db, *fail_on; /* NULL: not given */
};

static int compare_history(struct options *o, bool *worse, struct error *err)
{
    struct bench_history *h = NULL;
    struct history_list l = {.n = 0};
    const struct history_compare_options *own = o->own;
    if (o->noperands < 1 || o->noperands > 3)
        return error_set(err, ERROR_USAGE, EINVAL, "rooftop compare runs NAME [FIRST [SECOND]]",
                         "compare runs", "%s",
                         o->noperands ? "two runs are compared" : "no series is named");
    int rc = bench_open(&h, own->db, true, err);
    if (rc == 0)
        rc = bench_history_load(h, NULL, NULL, NULL, &l, err);
    if (rc == 0)
        rc = compare_two_runs(h, &l, o, worse, err);
    bench_history_list_free(&l);
    bench_history_close(h);
    return rc;
}

static int history_compare_run(struct options *o)
{
    struct error err = ERROR_INIT;
    const struct history_compare_options *own = o->own;
    bool worse = false;
    if (compare_history(o, &worse, &err) != 0)
        return exit_report(&err);
    return own->fail_on && worse ? EXIT_DIFFERS : EXIT_DONE;
}

static const struct command_option options[] = {
    OWN(.name = "db", OWN_AT(history_compare_options, db), .type = OPTION_STRING, .arg = "DATABASE",
        .help = "the database of the history, as in rooftop compare history"),
    OWN(.name = "fail-on", OWN_AT(history_compare_options, fail_on), .type = OPTION_CHOICE,
        .arg = "WHAT", .choices = "worse",
        .help = "end with status 9 where the samples say that the second run is worse"),
    TAKES_AS(FORMAT, .choices = "text|json"),
    TAKES(BRIEF),
    TAKES(OUTPUT),
    TAKES_DRAWN,
    TAKES_GENERAL,
};

const struct command command_history_compare = {
    .name = "history compare",
    .summary = "two runs of a series: what their samples say, and what else differs",
    .usage = "rooftop compare runs [--brief] [--db FILE] [--fail-on worse] [--format text|json] "
             "[-o FILE] "
             "NAME [FIRST [SECOND] | NAME]",
    .run = history_compare_run,
    .options = options,
    .examples = EXAMPLES(
        {"rooftop compare runs './prog input'", "the last run and the one before it"},
        {"rooftop compare runs './prog input' 12 1f2e3d4c", "run 12 and the last run of a commit"},
        {"rooftop compare runs './prog on epyc1' './prog on epyc2'", "its last runs on two hosts"}),
    .exits =
        EXITS({.code = EXIT_DIFFERS, .text = "the second run is worse (--fail-on worse)"},
              {.code = EXIT_INPUT,
               .text = "--db is not there or is malformed; bench.db is damaged; the series has "
                       "a single run"},
              {.code = EXIT_UNSUPPORTED, .text = "the database is of another rooftop"}),
};
