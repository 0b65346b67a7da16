#include "exposition/exposition.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/print.h"
#include "exposition/exposition_number.h"

/* --- errors --- */

static int refuse_text(const struct exposition *e, const char *at, struct error *err,
                       const char *why)
{
    char what[160];
    print_line(what, sizeof what, "%.90s, line %zu, column %zu", e->from, e->number,
               (size_t)(at - e->line) + 1);
    return error_set(err, ERROR_INPUT, EINVAL, NULL, what, "%s", why);
}

/* --- characters --- */

static bool begins_metric_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':';
}

static bool continues_metric_name(char c)
{
    return begins_metric_name(c) || (c >= '0' && c <= '9');
}

static char *skip_exposition_blanks(char *p)
{
    while (*p == ' ' || *p == '\t')
        p++;
    return p;
}

/* The end of the name that begins at p; p itself: none does. */
static char *skip_metric_name(char *p)
{
    if (!begins_metric_name(*p))
        return p;
    while (continues_metric_name(*p))
        p++;
    return p;
}

/* Puts the next line at e->line, ended by a 0 where its end was; false: the text is over. */
static bool take_exposition_line(struct exposition *e)
{
    if (e->at >= e->end)
        return false;
    e->line = e->at;
    e->number++;
    char *stop = memchr(e->at, '\n', (size_t)(e->end - e->at));
    e->at = stop ? stop + 1 : e->end;
    stop = stop ? stop : e->end;
    if (stop > e->line && stop[-1] == '\r')
        stop--;
    *stop = '\0';
    e->stop = stop;
    return true;
}

/* Removes the escapes of a text up to its quote, which is returned. NULL: an escape is wrong at
 * *wrong, or the quote is missing there. */
static char *unescape_text(char *p, char **wrong)
{
    char *out = p;
    for (; *p && *p != '"'; p++) {
        if (*p != '\\') {
            *out++ = *p;
            continue;
        }
        *wrong = p++;
        if (*p == 'n')
            *out++ = '\n';
        else if (*p == '\\' || *p == '"')
            *out++ = *p;
        else
            return NULL;
    }
    *wrong = p;
    if (*p != '"')
        return NULL;
    *out = '\0';
    return p;
}

/* The same of a HELP line. What is no escape stays: exporters write any text there. */
static void unescape_help(char *p)
{
    char *out = p;
    for (; *p; p++) {
        const bool escape = *p == '\\' && p[1] && strchr("n\\\"", p[1]);
        p += escape;
        *out++ = escape && *p == 'n' ? '\n' : *p;
    }
    *out = '\0';
}

/* --- lines that begin with # --- */

static const struct {
    const char *word;
    enum exposition_type type;
} type_words[] = {
    {"counter", EXPOSITION_COUNTER},     {"gauge", EXPOSITION_GAUGE},
    {"histogram", EXPOSITION_HISTOGRAM}, {"gaugehistogram", EXPOSITION_GAUGE_HISTOGRAM},
    {"summary", EXPOSITION_SUMMARY},     {"info", EXPOSITION_INFO},
    {"stateset", EXPOSITION_STATE_SET},  {"untyped", EXPOSITION_UNKNOWN},
    {"unknown", EXPOSITION_UNKNOWN},
};

static int take_family_type(struct exposition *e, char *word, struct error *err)
{
    word[strcspn(word, " \t")] = '\0';
    for (size_t i = 0; i < sizeof type_words / sizeof *type_words; i++)
        if (strcmp(type_words[i].word, word) == 0) {
            e->type = type_words[i].type;
            return 0;
        }
    return refuse_text(e, word, err, "no type of metrics has this name");
}

/* Makes the family the current one. What was said about another is forgotten. */
static void begin_metric_family(struct exposition *e, const char *name)
{
    if (strcmp(e->family, name) == 0)
        return;
    e->family = name;
    e->unit = e->help = "";
    e->type = EXPOSITION_UNKNOWN;
}

/* A line "# WORD name rest"; other comments say nothing. */
static int take_exposition_comment(struct exposition *e, struct error *err)
{
    char *word = skip_exposition_blanks(e->line + 1);
    char *wrong;
    const size_t n = strcspn(word, " \t");
    const bool type = n == 4 && memcmp(word, "TYPE", n) == 0;
    const bool help = n == 4 && memcmp(word, "HELP", n) == 0;
    const bool unit = n == 4 && memcmp(word, "UNIT", n) == 0;
    if (e->format == EXPOSITION_OPENMETRICS && strcmp(e->line, "# EOF") == 0)
        e->over = true;
    if (!type && !help && !unit)
        return 0;
    char *name = skip_exposition_blanks(word + n);
    const bool quoted = *name == '"';
    char *stop = quoted ? unescape_text(++name, &wrong) : skip_metric_name(name);
    char *rest = stop ? skip_exposition_blanks(stop + quoted) : NULL;
    if (!rest || stop == name || (*rest && rest == stop + quoted))
        return refuse_text(e, name, err, "the name of a metric is expected");
    *stop = '\0';
    begin_metric_family(e, name);
    if (type)
        return take_family_type(e, rest, err);
    if (unit)
        e->unit = rest;
    else
        unescape_help(rest);
    e->help = unit ? e->help : rest;
    return 0;
}

/* --- samples --- */

/* One label, or the name of the metric in quotes. *p moves behind it. */
static int take_sample_label(struct exposition *e, char **p, struct exposition_sample *s,
                             struct error *err)
{
    char *name = *p;
    char *wrong;
    const bool quoted = *name == '"';
    char *stop = quoted ? unescape_text(++name, &wrong) : skip_metric_name(name);
    if (!stop || stop == name)
        return refuse_text(e, *p, err, "the name of a label is expected");
    char *next = skip_exposition_blanks(quoted ? stop + 1 : stop);
    const char after = *next;
    *stop = '\0';
    if (quoted && after != '=') {
        s->name = *s->name ? s->name : name;
        *p = next;
        return 0;
    }
    if (after != '=')
        return refuse_text(e, next, err, "= is expected after the name of a label");
    char *value = skip_exposition_blanks(next + 1);
    if (*value != '"')
        return refuse_text(e, value, err, "the value of a label begins with a quote");
    stop = unescape_text(value + 1, &wrong);
    if (!stop)
        return refuse_text(e, wrong, err,
                           *wrong ? "an escape is \\\\, \\n or \\\"" : "a quote is not closed");
    if (s->nlabels == EXPOSITION_LABELS)
        return refuse_text(e, name, err, "a sample has more than 128 labels");
    e->labels[s->nlabels++] = (struct exposition_label){name, value + 1};
    *p = skip_exposition_blanks(stop + 1);
    return 0;
}

/* Labels in braces at *p; *p moves behind them. */
static int take_sample_labels(struct exposition *e, char **p, struct exposition_sample *s,
                              struct error *err)
{
    char *at = skip_exposition_blanks(*p + 1);
    while (*at != '}') {
        const int rc = take_sample_label(e, &at, s, err);
        if (rc != 0)
            return rc;
        if (*at == ',')
            at = skip_exposition_blanks(at + 1);
        else if (*at != '}')
            return refuse_text(e, at, err, ", or } is expected after a label");
    }
    *p = at + 1;
    return 0;
}

/* A number at *p up to a blank; *p moves to what follows it. */
static int take_sample_number(struct exposition *e, char **p, double *out, struct error *err)
{
    const size_t n = strcspn(*p, " \t");
    if (!exposition_number(*p, n, out))
        return refuse_text(e, *p, err, n ? "this is no number" : "a number is expected");
    *p = skip_exposition_blanks(*p + n);
    return 0;
}

/* An exemplar: # {labels} value [timestamp]. Its labels use the room behind the sample's own. */
static int take_exemplar(struct exposition *e, char *p, struct exposition_sample *s,
                         struct error *err)
{
    struct exposition_sample own = {.name = "exemplar", .nlabels = s->nlabels};
    double number;
    p = skip_exposition_blanks(p + 1);
    if (*p != '{')
        return refuse_text(e, p, err, "the labels of an exemplar are expected");
    int rc = take_sample_labels(e, &p, &own, err);
    p = skip_exposition_blanks(p);
    if (rc == 0)
        rc = take_sample_number(e, &p, &number, err);
    if (rc == 0 && *p)
        rc = take_sample_number(e, &p, &number, err);
    if (rc == 0 && *p)
        rc = refuse_text(e, p, err, "nothing is expected after an exemplar");
    s->exemplar = true;
    return rc;
}

/* What follows the name and the labels: value, timestamp, exemplar. */
static int take_sample_numbers(struct exposition *e, char *p, struct exposition_sample *s,
                               struct error *err)
{
    p = skip_exposition_blanks(p);
    int rc = take_sample_number(e, &p, &s->value, err);
    if (rc == 0 && *p && *p != '#')
        rc = take_sample_number(e, &p, &s->timestamp_s, err);
    if (rc != 0)
        return rc;
    if (e->format == EXPOSITION_TEXT)
        s->timestamp_s /= 1000;
    if (*p == '#' && e->format == EXPOSITION_OPENMETRICS)
        return take_exemplar(e, p, s, err);
    return *p ? refuse_text(e, p, err, "nothing is expected after the numbers of a sample") : 0;
}

/* Whether the sample belongs to the family: it has its name, or that and an ending. */
static bool is_of_family(const struct exposition *e, const char *name)
{
    static const char *const endings[] = {"_total",  "_bucket", "_count",   "_sum",
                                          "_gcount", "_gsum",   "_created", "_info"};
    const size_t n = strlen(e->family);
    if (n == 0 || strncmp(name, e->family, n) != 0)
        return false;
    for (size_t i = 0; name[n] && i < sizeof endings / sizeof *endings; i++)
        if (strcmp(name + n, endings[i]) == 0)
            return true;
    return name[n] == '\0';
}

static int take_metric_sample(struct exposition *e, struct exposition_sample *s, struct error *err)
{
    *s = (struct exposition_sample){.name = "", .labels = e->labels, .timestamp_s = NAN};
    char *name = skip_exposition_blanks(e->line);
    char *stop = skip_metric_name(name);
    char *p = skip_exposition_blanks(stop);
    const bool named = stop > name;
    const bool braces = *p == '{';
    if (!named && !braces)
        return refuse_text(e, name, err, "the name of a metric is expected");
    if (named && !braces && p == stop)
        return refuse_text(e, p, err, "a blank or { is expected after the name of a metric");
    if (named)
        s->name = name;
    int rc = braces ? take_sample_labels(e, &p, s, err) : 0;
    *stop = named ? '\0' : *stop;
    if (rc == 0 && !*s->name)
        rc = refuse_text(e, name, err, "the sample has no name");
    if (rc == 0)
        rc = take_sample_numbers(e, p, s, err);
    const bool known = rc == 0 && is_of_family(e, s->name);
    s->type = known ? e->type : EXPOSITION_UNKNOWN;
    s->family = known ? e->family : "";
    s->unit = known ? e->unit : "";
    s->help = known ? e->help : "";
    return rc;
}

/* --- the text --- */

enum exposition_format exposition_format_of(const char *content_type)
{
    static const char open[] = "application/openmetrics-text";
    return content_type && strncmp(content_type, open, sizeof open - 1) == 0
               ? EXPOSITION_OPENMETRICS
               : EXPOSITION_TEXT;
}

void exposition_open(struct exposition *e, enum exposition_format format, char *text, size_t size,
                     const char *from)
{
    e->at = e->line = text;
    e->end = text + size;
    e->number = 0;
    e->format = format;
    e->over = false;
    e->from = from;
    e->family = e->unit = e->help = "";
    e->type = EXPOSITION_UNKNOWN;
}

/* The end of the text: what OpenMetrics demands of it. */
static int end_exposition(struct exposition *e, struct error *err)
{
    if (e->format == EXPOSITION_OPENMETRICS && !e->over)
        return refuse_text(e, e->line, err, "the text is cut: its end, # EOF, is missing");
    return 0;
}

int exposition_next(struct exposition *e, struct exposition_sample *s, struct error *err)
{
    int rc = 0;
    while (rc == 0 && take_exposition_line(e)) {
        const char *cut = e->line + strlen(e->line);
        if (cut != e->stop)
            return refuse_text(e, cut, err, "a byte is 0: this is no text");
        if (e->over)
            return refuse_text(e, e->line, err, "nothing is expected after # EOF");
        const char *first = skip_exposition_blanks(e->line);
        if (*first == '#')
            rc = take_exposition_comment(e, err);
        else if (*first) {
            rc = take_metric_sample(e, s, err);
            return rc == 0 ? 1 : rc;
        }
    }
    return rc == 0 ? end_exposition(e, err) : rc;
}

const char *exposition_label(const struct exposition_sample *s, const char *name)
{
    for (size_t i = 0; i < s->nlabels; i++)
        if (strcmp(s->labels[i].name, name) == 0)
            return s->labels[i].value;
    return NULL;
}
