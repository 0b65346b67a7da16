#include "engine/value/query.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/nearest.h"

enum { NODES_MAX = 64, DEPTH_MAX = 16, ALL = -1 };

enum node_kind { NODE_AND, NODE_OR, NODE_NOT, NODE_WORD, NODE_NUMBER, NODE_TEXT, NODE_REGEX };
enum compare { CMP_EQ, CMP_NE, CMP_GT, CMP_GE, CMP_LT, CMP_LE, CMP_MATCH, CMP_NO_MATCH };

struct node {
    enum node_kind kind;
    int left, right; /* operands of AND, OR, NOT */
    enum compare cmp;
    const struct list_field *field;
    double number;
    char *text;
    regex_t *regex;
};

struct query {
    const struct list_field *fields;
    struct node node[NODES_MAX];
    int n, root;
};

struct query_parser {
    struct query *q;
    const char *text, *at;
    int depth;
    struct error *err;
};

/* --- errors --- */

static int refuse_query(const struct query_parser *p, const char *at, const char *help,
                        const char *why, const char *detail)
{
    char what[64];
    snprintf(what, sizeof what, "filter, column %d", (int)(at - p->text) + 1);
    return error_set(p->err, ERROR_USAGE, EINVAL, help, what, why, detail);
}

static int unknown_field(const struct query_parser *p, const char *at, const char *name)
{
    struct nearest near;
    char help[320];
    nearest_start(&near, name);
    for (const struct list_field *f = p->q->fields; f->name; f++) {
        if (f->unfiltered)
            continue;
        nearest_offer(&near, f->name);
        if (f->alias)
            nearest_offer(&near, f->alias);
    }
    if (nearest_found(&near)) {
        snprintf(help, sizeof help, "did you mean '%s'?", nearest_found(&near));
    } else {
        size_t n = (size_t)snprintf(help, sizeof help, "fields are");
        for (const struct list_field *f = p->q->fields; f->name && n < sizeof help; f++)
            if (!f->unfiltered)
                n += (size_t)snprintf(help + n, sizeof help - n, " %s", f->name);
    }
    return refuse_query(p, at, help, "no field '%.60s'", name);
}

/* --- words --- */

static void skip_query_blanks(struct query_parser *p)
{
    while (isspace((unsigned char)*p->at))
        p->at++;
}

static bool word_char(char c)
{
    return c && !isspace((unsigned char)c) && !strchr("()=<>!~\"", c);
}

/* Reads a quoted text or a bare word. A value ends at a blank or a parenthesis; any other word also
 * ends at an operator. */
static int take_query_word(struct query_parser *p, bool value, char out[QUERY_MAX])
{
    size_t n = 0;
    const char *from = p->at;
    if (*p->at == '"') {
        for (p->at++; *p->at && *p->at != '"'; p->at++) {
            if (*p->at == '\\' && (p->at[1] == '"' || p->at[1] == '\\'))
                p->at++;
            out[n++] = *p->at;
        }
        out[n] = '\0';
        if (*p->at != '"')
            return refuse_query(p, from, "end it with \"", "a quote is not closed%s", "");
        p->at++;
        return 0;
    }
    int open = 0; /* parentheses of a regular expression */
    while (*p->at && !isspace((unsigned char)*p->at) && (value || word_char(*p->at))) {
        open += *p->at == '(';
        if (*p->at == ')' && --open < 0)
            break;
        out[n++] = *p->at++;
    }
    out[n] = '\0';
    return 0;
}

/* Skips the next word if it is `name`; whether it was. */
static bool skip_query_keyword(struct query_parser *p, const char *name)
{
    size_t n = strlen(name);
    if (strncasecmp(p->at, name, n) != 0 || word_char(p->at[n]) ||
        (p->at[n] && strchr("=<>~", p->at[n])))
        return false;
    p->at += n;
    return true;
}

static bool is_query_keyword_next(struct query_parser *p, const char *name)
{
    const char *at = p->at;
    bool is = skip_query_keyword(p, name);
    p->at = at;
    return is;
}

static bool take_compare(struct query_parser *p, enum compare *out)
{
    static const struct {
        const char *text;
        enum compare cmp;
    } table[] = {{"!=", CMP_NE}, {"!~", CMP_NO_MATCH}, {">=", CMP_GE},
                 {"<=", CMP_LE}, {"==", CMP_EQ},       {"=", CMP_EQ},
                 {">", CMP_GT},  {"<", CMP_LT},        {"~", CMP_MATCH}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strncmp(p->at, table[i].text, strlen(table[i].text)) == 0) {
            p->at += strlen(table[i].text);
            *out = table[i].cmp;
            return true;
        }
    return false;
}

/* --- nodes --- */

static int add_query_node(struct query_parser *p, struct node n)
{
    if (p->q->n == NODES_MAX)
        return refuse_query(p, p->at, "make it shorter", "more than %s conditions", "64");
    p->q->node[p->q->n] = n;
    return p->q->n++;
}

/* The suffix's factor; 0 if this unit has no such suffix. For bytes K is 1024. */
static double find_unit_factor(const char *s, enum unit unit)
{
    static const char prefixes[] = "kMGTP";
    static const struct {
        const char *text;
        double seconds;
    } times[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1},
                 {"m", 60},    {"min", 60},  {"h", 3600},  {"d", 86400}};
    if (!*s || strcmp(s, "%") == 0)
        return 1;
    if (unit == UNIT_SECONDS) {
        for (size_t i = 0; i < sizeof times / sizeof *times; i++)
            if (strcmp(s, times[i].text) == 0)
                return times[i].seconds;
        return 0;
    }
    bool bytes = unit == UNIT_BYTES || unit == UNIT_BYTES_PER_S;
    const char *prefix = strchr(prefixes, *s == 'K' ? 'k' : *s);
    if (!prefix)
        return bytes && strcmp(s, "B") == 0 ? 1 : 0;
    bool binary = bytes || s[1] == 'i';
    const char *rest = s + 1 + (s[1] == 'i');
    if (*rest && strcmp(rest, "B") != 0 && strcmp(rest, "Hz") != 0 && strcmp(rest, "/s") != 0)
        return 0;
    return pow(binary ? 1024 : 1000, (double)(prefix - prefixes + 1));
}

static int number_node(struct query_parser *p, struct node n, const char *at, const char *word)
{
    char *end;
    double v = strtod(word, &end), f = find_unit_factor(end, n.field->unit);
    if (n.cmp == CMP_MATCH || n.cmp == CMP_NO_MATCH)
        return refuse_query(p, at, "use = != > >= < <=", "'%s' is a number", n.field->name);
    if (end == word || f == 0 || !isfinite(v * f))
        return refuse_query(p, at, "as in 5, 2.5, 64M, 500ms, 2h", "'%.60s' is no number", word);
    n.kind = NODE_NUMBER;
    n.number = v * f;
    return add_query_node(p, n);
}

/* Repeat counts and back references would let a short text take any amount of memory or time. */
static int regex_node(struct query_parser *p, struct node n, const char *at, const char *word)
{
    char why[128];
    for (const char *s = word; *s; s++) {
        if (*s == '{')
            return refuse_query(p, at, "use *, + and ?", "repeat counts are not supported%s", "");
        if (*s == '\\' && isdigit((unsigned char)s[1]))
            return refuse_query(p, at, NULL, "back references are not supported%s", "");
        s += *s == '\\' && s[1];
    }
    regex_t *re = xcalloc(1, sizeof *re);
    int rc = regcomp(re, word, REG_EXTENDED | REG_ICASE | REG_NOSUB);
    if (rc != 0) {
        regerror(rc, re, why, sizeof why);
        free(re);
        return refuse_query(p, at, "see regex(7)", "no regular expression: %s", why);
    }
    n.kind = NODE_REGEX;
    n.regex = re;
    int at_node = add_query_node(p, n);
    if (at_node < 0) {
        regfree(re);
        free(re);
    }
    return at_node;
}

static int text_node(struct query_parser *p, struct node n, const char *at, const char *word)
{
    if (n.cmp == CMP_MATCH || n.cmp == CMP_NO_MATCH)
        return regex_node(p, n, at, word);
    if (n.cmp != CMP_EQ && n.cmp != CMP_NE)
        return refuse_query(p, at, "use = != ~ !~", "'%s' is a text", n.field->name);
    n.kind = NODE_TEXT;
    n.text = xstrdup(word);
    int at_node = add_query_node(p, n);
    if (at_node < 0)
        free(n.text);
    return at_node;
}

static const struct list_field *find_query_field(const struct list_field *f, const char *name)
{
    for (; f->name; f++)
        if (!f->unfiltered &&
            (strcasecmp(f->name, name) == 0 || (f->alias && strcasecmp(f->alias, name) == 0)))
            return f;
    return NULL;
}

/* --- the grammar --- */

static int parse_or(struct query_parser *p);

static int parse_comparison(struct query_parser *p, const char *at, const char *name,
                            enum compare cmp)
{
    char word[QUERY_MAX];
    struct node n = {.cmp = cmp, .field = find_query_field(p->q->fields, name)};
    if (!n.field)
        return unknown_field(p, at, name);
    skip_query_blanks(p);
    const char *value = p->at;
    int rc = take_query_word(p, true, word);
    if (rc != 0)
        return rc;
    if (!*word && *value != '"')
        return refuse_query(p, value, "as in cpu>5", "a value is missing after '%s'", name);
    return n.field->text ? text_node(p, n, value, word) : number_node(p, n, value, word);
}

static int parse_primary(struct query_parser *p)
{
    char word[QUERY_MAX];
    enum compare cmp;
    const char *at = p->at;
    if (*p->at == '(') {
        p->at++;
        int inner = parse_or(p);
        if (inner < 0)
            return inner;
        skip_query_blanks(p);
        if (*p->at != ')')
            return refuse_query(p, at, "close it with )", "a parenthesis is not closed%s", "");
        p->at++;
        return inner;
    }
    if (is_query_keyword_next(p, "or") || is_query_keyword_next(p, "and"))
        return refuse_query(p, at, "quote it to look for the word",
                            "'%.3s' needs a condition on both sides", at);
    bool quoted = *p->at == '"';
    int rc = take_query_word(p, false, word);
    if (rc != 0)
        return rc;
    if (!*word && !quoted)
        return *p->at
                   ? refuse_query(p, at, "as in cpu>5 and name~ssh", "'%.1s' was not expected here",
                                  at)
                   : refuse_query(p, at, "as in cpu>5 and name~ssh", "something is missing%s", "");
    const char *after = p->at;
    skip_query_blanks(p);
    if (!quoted && take_compare(p, &cmp))
        return parse_comparison(p, at, word, cmp);
    p->at = after;
    struct node n = {.kind = NODE_WORD, .text = xstrdup(word)};
    int node = add_query_node(p, n);
    if (node < 0)
        free(n.text);
    return node;
}

static int parse_not(struct query_parser *p)
{
    skip_query_blanks(p);
    bool negated = skip_query_keyword(p, "not");
    if (!negated && *p->at == '!' && p->at[1] != '=' && p->at[1] != '~') {
        p->at++;
        negated = true;
    }
    if (++p->depth > DEPTH_MAX)
        return refuse_query(p, p->at, "make it flatter", "nested too deeply%s", "");
    int inner = negated ? parse_not(p) : parse_primary(p);
    p->depth--;
    if (inner < 0 || !negated)
        return inner;
    return add_query_node(p, (struct node){.kind = NODE_NOT, .left = inner});
}

static int parse_and(struct query_parser *p)
{
    int left = parse_not(p);
    while (left >= 0) {
        skip_query_blanks(p);
        if (!*p->at || *p->at == ')' || is_query_keyword_next(p, "or"))
            break;
        skip_query_keyword(p, "and");
        int right = parse_not(p);
        if (right < 0)
            return right;
        left = add_query_node(p, (struct node){.kind = NODE_AND, .left = left, .right = right});
    }
    return left;
}

static int parse_or(struct query_parser *p)
{
    int left = parse_and(p);
    while (left >= 0) {
        skip_query_blanks(p);
        if (!skip_query_keyword(p, "or"))
            break;
        int right = parse_and(p);
        if (right < 0)
            return right;
        left = add_query_node(p, (struct node){.kind = NODE_OR, .left = left, .right = right});
    }
    return left;
}

int query_compile(struct query **out, const char *text, const struct list_field *fields,
                  struct error *err)
{
    struct query_parser p = {.text = text, .at = text, .err = err};
    *out = NULL;
    if (strlen(text) >= QUERY_MAX)
        return error_set(err, ERROR_USAGE, E2BIG, NULL, "filter", "longer than %d bytes",
                         QUERY_MAX - 1);
    p.q = xcalloc(1, sizeof *p.q);
    p.q->fields = fields;
    skip_query_blanks(&p);
    p.q->root = *p.at ? parse_or(&p) : ALL;
    int rc = p.q->root < ALL ? p.q->root : 0; /* -errno; NONE (-1) is not an error */
    skip_query_blanks(&p);
    if (rc == 0 && *p.at)
        rc = refuse_query(&p, p.at, "leave it out, or quote it", "'%.1s' was not expected here",
                          p.at);
    if (rc == 0)
        *out = p.q;
    else
        query_free(p.q);
    return rc;
}

void query_free(struct query *q)
{
    if (!q)
        return;
    for (int i = 0; i < q->n; i++) {
        free(q->node[i].text);
        if (q->node[i].regex)
            regfree(q->node[i].regex);
        free(q->node[i].regex);
    }
    free(q);
}

/* --- matching --- */

static bool compare_numbers(double a, enum compare cmp, double b)
{
    switch (cmp) {
    case CMP_EQ:
        return a == b;
    case CMP_NE:
        return a != b;
    case CMP_GT:
        return a > b;
    case CMP_GE:
        return a >= b;
    case CMP_LT:
        return a < b;
    default:
        return a <= b;
    }
}

static bool word_in_row(const struct query *q, const char *word, const void *row)
{
    char buf[FIELD_TEXT_MAX];
    for (const struct list_field *f = q->fields; f->name; f++) {
        if (!f->plain)
            continue;
        const char *text = f->text ? f->text(row, buf) : buf;
        if (!f->text) { /* a number matches whole: 12 does not match 3124 */
            snprintf(buf, sizeof buf, "%.15g", list_field_number(f, row));
            if (strcmp(buf, word) == 0)
                return true;
        } else if (text && strcasestr(text, word)) {
            return true;
        }
    }
    return false;
}

static bool is_query_node_matched(const struct query *q, int at, const void *row)
{
    char buf[FIELD_TEXT_MAX];
    const struct node *n = &q->node[at];
    const char *text = NULL;
    double v;
    switch (n->kind) {
    case NODE_AND:
        return is_query_node_matched(q, n->left, row) && is_query_node_matched(q, n->right, row);
    case NODE_OR:
        return is_query_node_matched(q, n->left, row) || is_query_node_matched(q, n->right, row);
    case NODE_NOT:
        return !is_query_node_matched(q, n->left, row);
    case NODE_WORD:
        return word_in_row(q, n->text, row);
    case NODE_NUMBER:
        v = list_field_number(n->field, row);
        return !isnan(v) && compare_numbers(v, n->cmp, n->number);
    case NODE_TEXT:
        text = n->field->text(row, buf);
        return text && (strcasecmp(text, n->text) == 0) == (n->cmp == CMP_EQ);
    case NODE_REGEX:
        text = n->field->text(row, buf);
        return text && (regexec(n->regex, text, 0, NULL, 0) == 0) == (n->cmp == CMP_MATCH);
    }
    return false;
}

bool query_match(const struct query *q, const void *row)
{
    return !q || q->root < 0 || is_query_node_matched(q, q->root, row);
}
