#include "json/json.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/watch.h"

enum { NUMBER_MAX = 64 };

void json_open(struct json *j, const char *file, const char *text, size_t size, struct error *err)
{
    *j = (struct json){.file = file, .err = err};
    j->in = (struct json_input){.p = text, .end = text + size, .path = file, .text = text};
    json_tokens_open(&j->tokens, &j->in);
    j->tokens.strict = true;
}

void json_close(struct json *j)
{
    json_tokens_close(&j->tokens);
}

void json_fail(struct json *j, size_t at, const char *fmt, ...)
{
    char why[160];
    struct json_input in = j->in;
    uint64_t line, column;
    va_list args;
    if (j->rc != 0)
        return;
    va_start(args, fmt);
    vsnprintf(why, sizeof why, fmt, args);
    va_end(args);
    in.p = in.text + at;
    json_input_position(&in, &line, &column);
    j->rc = error_set(j->err, ERROR_INPUT, EINVAL, j->help, j->file,
                      "byte %zu (line %llu, column %llu): %s", at, (unsigned long long)line,
                      (unsigned long long)column, why);
}

/* --- tokens --- */

static void fail_syntax(struct json *j, enum json_token t)
{
    const struct json_tokens *s = &j->tokens;
    size_t at = (size_t)(j->in.p - j->in.text);
    if (t == JSON_BAD)
        json_fail(j, at, "%s", s->why);
    else if (s->depth)
        json_fail(j, at, "the text ends before its '%c'", s->in_object[s->depth - 1] ? '}' : ']');
    else
        json_fail(j, at, "the text ends before its value does");
}

static void pull_token(struct json *j)
{
    j->token = json_tokens_next(&j->tokens);
    j->peeked = true;
    if (j->token == JSON_BAD || j->token == JSON_CUT)
        fail_syntax(j, j->token);
}

/* The next token, without consuming it. */
static inline enum json_token peek_token(struct json *j)
{
    if (!j->peeked)
        pull_token(j);
    return j->token;
}

static enum json_token take_json_token(struct json *j)
{
    enum json_token t = peek_token(j);
    j->peeked = j->announced = false;
    return t;
}

size_t json_at(struct json *j)
{
    const char *at = peek_token(j) > JSON_BAD ? j->tokens.begin : j->in.p;
    return (size_t)(at - j->in.text);
}

char json_type(struct json *j)
{
    static const char types[] = {
        [JSON_OBJECT] = '{', [JSON_ARRAY] = '[', [JSON_STRING] = '"', [JSON_NUMBER] = '0'};
    enum json_token t = peek_token(j);
    if (t == JSON_WORD)
        return *j->tokens.text;
    return (size_t)t < sizeof types ? types[t] : '\0';
}

static const char *kind_name(char type)
{
    switch (type) {
    case '{':
        return "an object";
    case '[':
        return "an array";
    case '"':
        return "a text";
    case '0':
        return "a number";
    case 'n':
        return "null";
    case 't':
    case 'f':
        return "true or false";
    default:
        return "no value";
    }
}

/* Takes the next value if it has this type. False: it is null, or an error. */
static bool take_type(struct json *j, char type, const char *what, const char *wanted)
{
    if (j->rc != 0)
        return false;
    char is = json_type(j);
    if (is != type && is != 'n')
        json_fail(j, json_at(j), "%s should be %s, here is %s", what, wanted, kind_name(is));
    if (j->rc == 0)
        take_json_token(j);
    return j->rc == 0 && is == type;
}

/* --- arrays and objects --- */

bool json_object(struct json *j)
{
    return take_type(j, '{', "this", "an object");
}

bool json_array(struct json *j)
{
    return take_type(j, '[', "this", "an array");
}

static bool is_json_wanted(struct json *j)
{
    if (j->rc == 0 && watch_stops(++j->items))
        j->rc = watch_check(j->file, j->err);
    return j->rc == 0;
}

bool json_item(struct json *j)
{
    if (!is_json_wanted(j))
        return false;
    if (j->announced)
        json_fail(j, json_at(j), "a value that nothing reads");
    if (peek_token(j) == JSON_ARRAY_END) {
        take_json_token(j);
        return false;
    }
    j->announced = true;
    return j->rc == 0;
}

bool json_column(struct json *j, const char *what)
{
    if (j->rc == 0 && peek_token(j) == JSON_ARRAY_END)
        json_fail(j, json_at(j), "the row ends before its column \"%s\"", what);
    return json_item(j);
}

void json_leave(struct json *j)
{
    while (json_item(j))
        json_skip(j);
}

/* Copies the text of a token; cuts it at the end of a character if it does not fit. */
static void copy_token(const struct json *j, char *out, size_t size)
{
    const char *text = j->tokens.text;
    size_t n = j->tokens.size < size ? j->tokens.size : size - 1;
    if (n < j->tokens.size)
        while (n > 0 && (text[n] & 0xc0) == 0x80)
            n--;
    memcpy(out, text, n);
    out[n] = '\0';
}

bool json_key(struct json *j, char *key, size_t size)
{
    if (!is_json_wanted(j))
        return false;
    if (peek_token(j) == JSON_KEY)
        copy_token(j, key, size);
    else if (j->token != JSON_OBJECT_END)
        json_fail(j, json_at(j), "a member's name should be here");
    return take_json_token(j) == JSON_KEY && j->rc == 0;
}

void json_skip(struct json *j)
{
    size_t depth = 0;
    if (j->rc == 0 && !json_type(j))
        json_fail(j, json_at(j), "a value should be here");
    do {
        enum json_token t = is_json_wanted(j) ? take_json_token(j) : JSON_BAD;
        depth += t == JSON_OBJECT || t == JSON_ARRAY;
        depth -= t == JSON_OBJECT_END || t == JSON_ARRAY_END;
    } while (depth && j->rc == 0);
}

void json_end(struct json *j)
{
    if (j->rc == 0 && peek_token(j) != JSON_END)
        json_fail(j, json_at(j), "something follows the document");
}

/* --- texts --- */

void json_copy(struct json *j, const char *what, char *out, size_t size)
{
    out[0] = '\0';
    if (take_type(j, '"', what, "a text"))
        copy_token(j, out, size);
}

const char *json_text(struct json *j, const char *what, struct arena *memory)
{
    if (!take_type(j, '"', what, "a text"))
        return "";
    size_t room = j->tokens.size + 1;
    char *out = arena_alloc(memory, room);
    copy_token(j, out, room);
    return out;
}

/* --- numbers --- */

static bool number_next(struct json *j, const char *what)
{
    if (j->rc == 0 && peek_token(j) != JSON_NUMBER)
        json_fail(j, json_at(j), "%s should be a number, here is %s", what,
                  kind_name(json_type(j)));
    return j->rc == 0;
}

double json_double(struct json *j, const char *what)
{
    char text[NUMBER_MAX];
    if (!number_next(j, what))
        return 0;
    const char *from = j->tokens.text;
    size_t n = j->tokens.size, sign = *from == '-';
    if (n >= sizeof text ||
        (n > sign + 1 && from[sign] == '0' && strchr("0123456789", from[sign + 1]))) {
        json_fail(j, json_at(j), "%s is not a number that can be read", what);
        return 0;
    }
    memcpy(text, from, n);
    text[n] = '\0';
    double v = strtod(text, NULL);
    if (isinf(v)) {
        json_fail(j, json_at(j), "%s is too large: %s", what, text);
        return 0;
    }
    take_json_token(j);
    return v;
}

/* Converts up to 15 digits after a sign. False: another form. */
static bool plain_integer(const char *text, size_t n, int64_t *out)
{
    size_t sign = n && *text == '-';
    int64_t v = 0;
    if (n == sign || n - sign > 15 || (text[sign] == '0' && n != 1))
        return false;
    for (size_t i = sign; i < n; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        v = v * 10 + (text[i] - '0');
    }
    *out = sign ? -v : v;
    return true;
}

/* Takes the next value if it is an integer in plain digits, as nearly all are. */
static bool take_plain(struct json *j, int64_t *out)
{
    if (j->rc != 0 || peek_token(j) != JSON_NUMBER ||
        !plain_integer(j->tokens.text, j->tokens.size, out))
        return false;
    j->peeked = j->announced = false;
    return true;
}

int64_t json_i64(struct json *j, const char *what)
{
    int64_t v = 0;
    if (take_plain(j, &v))
        return v;
    size_t begin = json_at(j);
    double d = json_double(j, what);
    if (j->rc == 0 && (d != floor(d) || fabs(d) > (double)JSON_INTEGER_MAX))
        json_fail(j, begin, "%s is not a whole number up to 2^53", what);
    return j->rc == 0 ? (int64_t)d : 0;
}

/* Reads an integer from 0 to most. */
static uint64_t read_natural_number(struct json *j, const char *what, uint64_t most)
{
    size_t begin = json_at(j);
    int64_t v = json_i64(j, what);
    if (v >= 0 && (uint64_t)v <= most)
        return (uint64_t)v;
    json_fail(j, begin, "%s is %s: %lld", what, v < 0 ? "negative" : "too large", (long long)v);
    return 0;
}

uint64_t json_u64(struct json *j, const char *what)
{
    return read_natural_number(j, what, UINT64_MAX);
}

uint32_t json_u32(struct json *j, const char *what)
{
    return (uint32_t)read_natural_number(j, what, UINT32_MAX - 1);
}
