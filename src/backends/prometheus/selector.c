/* Selectors of series, as PromQL writes them. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "backends/prometheus/exporters.h"

static int refuse_selector(const char *text, const char *at, const char *what, const char *why,
                           struct error *err)
{
    return error_set(err, ERROR_USAGE, EINVAL, "as in: {job=\"node\",instance=~\"gpu.*\"}", what,
                     "byte %zu: %s", (size_t)(at - text) + 1, why);
}

static const char *skip_selector_blanks(const char *p)
{
    return p + strspn(p, " \t");
}

static size_t selector_name_length(const char *p, const char *more)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    if (!*p || (!strchr(letters, *p) && !strchr(more, *p)))
        return 0;
    size_t n = 1;
    while (p[n] && (strchr(letters, p[n]) || strchr("0123456789", p[n]) || strchr(more, p[n])))
        n++;
    return n;
}

static const char *take_operator(const char *p, enum matcher_kind *kind)
{
    static const char words[][3] = {
        [MATCH_EQUAL] = "=", [MATCH_OTHER] = "!=", [MATCH_REGEX] = "=~", [MATCH_NOT_REGEX] = "!~"};
    static const enum matcher_kind order[] = {MATCH_REGEX, MATCH_NOT_REGEX, MATCH_OTHER,
                                              MATCH_EQUAL};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        const size_t n = strlen(words[order[i]]);
        if (strncmp(p, words[order[i]], n) == 0) {
            *kind = order[i];
            return p + n;
        }
    }
    return NULL;
}

/* A value in quotes, single or double. Returns what follows it; NULL: it is not closed. */
static const char *take_quoted(const char *p, struct arena *texts, const char **out)
{
    const char quote = *p++;
    char *value = arena_alloc(texts, strlen(p) + 1);
    size_t n = 0;
    for (; *p && *p != quote; p++) {
        if (*p == '\\' && (p[1] == quote || p[1] == '\\'))
            p++;
        value[n++] = *p;
    }
    *out = value;
    return *p ? p + 1 : NULL;
}

/* Regular expressions of PromQL fit the whole value. */
static bool compile_regex(struct matcher *m, struct arena *texts)
{
    const char *whole = arena_printf(texts, "^(%s)$", m->value);
    return regcomp(&m->regex, whole, REG_EXTENDED | REG_NOSUB) == 0;
}

static int take_matcher(struct selector *s, struct arena *texts, const char *text, const char **at,
                        const char *what, struct error *err)
{
    const char *p = skip_selector_blanks(*at);
    const size_t n = selector_name_length(p, "");
    if (n == 0)
        return refuse_selector(text, p, what, "the name of a label is expected", err);
    if (s->nmatchers == MATCHERS_MAX)
        return refuse_selector(text, p, what, "more than 8 conditions", err);
    struct matcher m = {.label = arena_strndup(texts, p, n)};
    const char *quoted = take_operator(skip_selector_blanks(p + n), &m.kind);
    if (!quoted)
        return refuse_selector(text, p + n, what, "=, !=, =~ or !~ is expected", err);
    quoted = skip_selector_blanks(quoted);
    if (*quoted != '"' && *quoted != '\'')
        return refuse_selector(text, quoted, what, "a value in quotes is expected", err);
    p = take_quoted(quoted, texts, &m.value);
    if (!p)
        return refuse_selector(text, quoted, what, "a quote is not closed", err);
    if (m.kind >= MATCH_REGEX && !compile_regex(&m, texts))
        return refuse_selector(text, quoted, what, "the regular expression is wrong", err);
    s->matchers[s->nmatchers++] = m;
    *at = skip_selector_blanks(p);
    return 0;
}

static int take_names(struct selector *s, struct arena *texts, const char *text, const char **at,
                      const char *what, struct error *err)
{
    const char *p = *at;
    for (;;) {
        const size_t n = selector_name_length(p, ":");
        if (n == 0 || s->nnames == NAMES_MAX)
            return refuse_selector(text, p, what, "the name of a metric is expected", err);
        s->names[s->nnames++] = arena_strndup(texts, p, n);
        p += n;
        if (*p != '|')
            break;
        p++;
    }
    *at = skip_selector_blanks(p);
    return 0;
}

int selector_parse(struct selector *s, struct arena *texts, const char *text, bool names,
                   const char *what, struct error *err)
{
    *s = (struct selector){0};
    const char *p = skip_selector_blanks(text);
    int rc = names ? take_names(s, texts, text, &p, what, err) : 0;
    if (rc == 0 && *p == '{') {
        p = skip_selector_blanks(p + 1);
        while (rc == 0 && *p != '}') {
            rc = take_matcher(s, texts, text, &p, what, err);
            if (rc == 0 && *p == ',')
                p = skip_selector_blanks(p + 1);
            else if (rc == 0 && *p != '}')
                rc = refuse_selector(text, p, what, ", or } is expected", err);
        }
        p += rc == 0;
    } else if (rc == 0 && !names) {
        rc = refuse_selector(text, p, what, "{ is expected", err);
    }
    if (rc == 0 && *skip_selector_blanks(p))
        rc = refuse_selector(text, p, what, "nothing is expected here", err);
    if (rc != 0)
        selector_free(s);
    return rc;
}

void selector_free(struct selector *s)
{
    for (size_t i = 0; i < s->nmatchers; i++)
        if (s->matchers[i].kind >= MATCH_REGEX)
            regfree(&s->matchers[i].regex);
    s->nmatchers = 0;
}

bool selector_fits(const struct selector *s, const struct exposition_sample *sample)
{
    for (size_t i = 0; i < s->nmatchers; i++) {
        const struct matcher *m = &s->matchers[i];
        const char *value = exposition_label(sample, m->label);
        value = value ? value : ""; /* as in PromQL: a label that is missing is empty */
        bool fits;
        if (m->kind >= MATCH_REGEX)
            fits = regexec(&m->regex, value, 0, NULL, 0) == 0;
        else
            fits = strcmp(value, m->value) == 0;
        if (fits == (m->kind == MATCH_OTHER || m->kind == MATCH_NOT_REGEX))
            return false;
    }
    return true;
}
