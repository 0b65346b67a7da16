#include "backends/att/json.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NESTING_MAX = 128, NUMBER_MAX = 64 };

void json_open(struct json *j, const char *file, const char *text, size_t size, struct error *err)
{
    *j = (struct json){.file = file, .text = text, .size = size, .err = err};
}

void json_fail(struct json *j, size_t at, const char *fmt, ...)
{
    char why[160];
    size_t line = 1, begin = 0;
    va_list args;
    if (j->rc != 0)
        return;
    va_start(args, fmt);
    vsnprintf(why, sizeof why, fmt, args);
    va_end(args);
    for (size_t i = 0; i < at && i < j->size; i++)
        if (j->text[i] == '\n') {
            line++;
            begin = i + 1;
        }
    j->rc =
        error_set(j->err, ERROR_INPUT, EINVAL, "take the file away to read the others without it",
                  j->file, "byte %zu (line %zu, column %zu): %s", at, line, at - begin + 1, why);
}

static void space(struct json *j)
{
    while (j->at < j->size && (j->text[j->at] == ' ' || j->text[j->at] == '\n' ||
                               j->text[j->at] == '\r' || j->text[j->at] == '\t'))
        j->at++;
}

/* The next byte that is no blank; 0 at the end. */
static char next(struct json *j)
{
    space(j);
    return j->at < j->size ? j->text[j->at] : '\0';
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

char json_type(struct json *j)
{
    char c = next(j);
    if (c == '-' || (c >= '0' && c <= '9'))
        return '0';
    return c && strchr("{[\"tfn", c) ? c : '\0';
}

static void unexpected(struct json *j, const char *what, const char *wanted)
{
    char type = json_type(j);
    if (j->at >= j->size)
        json_fail(j, j->at, "the text ends where %s should be: %s", what, wanted);
    else
        json_fail(j, j->at, "%s should be %s, here is %s", what, wanted, kind_name(type));
}

static bool word(struct json *j, const char *text)
{
    size_t n = strlen(text);
    if (j->size - j->at < n || memcmp(j->text + j->at, text, n) != 0)
        return false;
    j->at += n;
    return true;
}

static bool enter(struct json *j, char open, const char *wanted)
{
    if (j->rc != 0)
        return false;
    char type = json_type(j);
    if (type == 'n' && word(j, "null")) {
        j->first = false;
        return false;
    }
    if (type != open) {
        unexpected(j, "this", wanted);
        return false;
    }
    j->at++;
    j->first = true;
    return true;
}

bool json_object(struct json *j)
{
    return enter(j, '{', "an object");
}

bool json_array(struct json *j)
{
    return enter(j, '[', "an array");
}

/* To the next item or member of what ends with `close`. */
static bool more(struct json *j, char close)
{
    if (j->rc != 0)
        return false;
    char c = next(j);
    if (c == close) {
        j->at++;
        j->first = false; /* of what is around it */
        return false;
    }
    if (!j->first) {
        if (c != ',') {
            json_fail(j, j->at, c ? "',' or '%c' should be here" : "the text ends before its '%c'",
                      close);
            return false;
        }
        j->at++;
    } else if (!c) {
        json_fail(j, j->at, "the text ends before its '%c'", close);
        return false;
    }
    j->first = false;
    return true;
}

bool json_item(struct json *j)
{
    return more(j, ']');
}

bool json_column(struct json *j, const char *what)
{
    if (j->rc == 0 && next(j) == ']') {
        json_fail(j, j->at, "the row ends before its column \"%s\"", what);
        return false;
    }
    return more(j, ']');
}

void json_leave(struct json *j)
{
    while (json_item(j))
        json_skip(j);
}

/* --- texts --- */

static int hex4(const char *s)
{
    int v = 0;
    for (int i = 0; i < 4; i++) {
        char c = s[i];
        int d = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                       : -1;
        if (d < 0)
            return -1;
        v = v << 4 | d;
    }
    return v;
}

/* A code point of \u, both halves of a pair taken; -1 malformed. */
static long code_point(struct json *j)
{
    int v = j->size - j->at >= 4 ? hex4(j->text + j->at) : -1;
    if (v < 0)
        return -1;
    j->at += 4;
    if (v >= 0xd800 && v < 0xdc00 && j->size - j->at >= 6 && j->text[j->at] == '\\' &&
        j->text[j->at + 1] == 'u') {
        int low = hex4(j->text + j->at + 2);
        if (low >= 0xdc00 && low < 0xe000) {
            j->at += 6;
            return 0x10000L + ((v - 0xd800L) << 10) + (low - 0xdc00);
        }
    }
    return (v >= 0xd800 && v < 0xe000) || v == 0 ? 0xfffd : v;
}

static size_t put_utf8(char out[4], long c)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--, c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)(c | (n == 2 ? 0xc0 : n == 3 ? 0xe0 : 0xf0));
    return n;
}

/* One character of a text, resolved into out; its bytes, 0 after a fault. */
static size_t character(struct json *j, char out[4])
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    char c = j->text[j->at++];
    if (c != '\\') {
        if ((unsigned char)c < ' ') {
            json_fail(j, j->at - 1, "a control character in a text");
            return 0;
        }
        out[0] = c;
        return 1;
    }
    const char *simple = j->at < j->size && j->text[j->at] ? strchr(from, j->text[j->at]) : NULL;
    if (simple) {
        j->at++;
        out[0] = to[simple - from];
        return 1;
    }
    long v = -1;
    if (j->at < j->size && j->text[j->at++] == 'u')
        v = code_point(j);
    if (v < 0) {
        json_fail(j, j->at - 1, "an escape that there is not");
        return 0;
    }
    return put_utf8(out, v);
}

/* Past the text whose quote is next; into out what fits, never half a character. */
static void string(struct json *j, char *out, size_t size)
{
    size_t n = 0, begin = j->at++;
    bool full = size == 0;
    while (j->rc == 0 && j->at < j->size && j->text[j->at] != '"') {
        char c[4];
        size_t k = character(j, c);
        full = full || n + k >= size;
        if (!full) {
            memcpy(out + n, c, k);
            n += k;
        }
    }
    if (size)
        out[n] = '\0';
    if (j->rc == 0 && j->at >= j->size)
        json_fail(j, begin, "a text that does not end");
    else
        j->at++;
}

bool json_key(struct json *j, char *key, size_t size)
{
    if (!more(j, '}'))
        return false;
    if (json_type(j) != '"') {
        unexpected(j, "a member's name", "a text");
        return false;
    }
    string(j, key, size);
    if (j->rc == 0 && next(j) != ':')
        json_fail(j, j->at, "':' should be here");
    j->at++;
    return j->rc == 0;
}

/* Whether a text is next; null is passed over. */
static bool text_next(struct json *j, const char *what)
{
    if (j->rc != 0)
        return false;
    char type = json_type(j);
    if (type == 'n' && word(j, "null"))
        return false;
    if (type != '"')
        unexpected(j, what, "a text");
    return type == '"';
}

void json_copy(struct json *j, const char *what, char *out, size_t size)
{
    out[0] = '\0';
    if (text_next(j, what))
        string(j, out, size);
}

const char *json_text(struct json *j, const char *what, struct arena *memory)
{
    if (!text_next(j, what))
        return "";
    /* what stands between the quotes is never shorter than what it means */
    size_t n = j->at + 1;
    while (n < j->size && j->text[n] != '"')
        n += j->text[n] == '\\' ? 2 : 1;
    size_t room = (n < j->size ? n : j->size) - j->at + 1;
    char *out = arena_alloc(memory, room);
    string(j, out, room);
    return out;
}

/* --- numbers --- */

static size_t digits(const struct json *j, size_t at)
{
    size_t n = 0;
    while (at + n < j->size && j->text[at + n] >= '0' && j->text[at + n] <= '9')
        n++;
    return n;
}

/* Length of the number that is next; 0: it is none. */
static size_t number_length(const struct json *j)
{
    size_t at = j->at + (j->text[j->at] == '-'), n = digits(j, at);
    if (n == 0 || (n > 1 && j->text[at] == '0'))
        return 0;
    at += n;
    if (at < j->size && j->text[at] == '.') {
        if ((n = digits(j, at + 1)) == 0)
            return 0;
        at += 1 + n;
    }
    if (at < j->size && (j->text[at] == 'e' || j->text[at] == 'E')) {
        at++;
        at += at < j->size && (j->text[at] == '+' || j->text[at] == '-');
        if ((n = digits(j, at)) == 0)
            return 0;
        at += n;
    }
    return at - j->at;
}

double json_double(struct json *j, const char *what)
{
    char text[NUMBER_MAX];
    if (j->rc != 0)
        return 0;
    if (json_type(j) != '0') {
        unexpected(j, what, "a number");
        return 0;
    }
    size_t n = number_length(j);
    if (n == 0 || n >= sizeof text) {
        json_fail(j, j->at, "%s is not a number that can be read", what);
        return 0;
    }
    memcpy(text, j->text + j->at, n);
    text[n] = '\0';
    double v = strtod(text, NULL);
    if (isinf(v)) {
        json_fail(j, j->at, "%s is too large: %s", what, text);
        return 0;
    }
    j->at += n;
    return v;
}

int64_t json_i64(struct json *j, const char *what)
{
    int64_t v = 0;
    if (j->rc != 0)
        return 0;
    json_type(j);
    size_t begin = j->at, at = begin;
    bool negative = at < j->size && j->text[at] == '-';
    size_t n = digits(j, at += negative);
    char after = at + n < j->size ? j->text[at + n] : ' ';
    if (n == 0 || n > 15 || after == '.' || after == 'e' || after == 'E' || j->text[at] == '0') {
        double d = json_double(j, what); /* the rare forms, and what is wrong */
        if (j->rc == 0 && (d != floor(d) || fabs(d) > (double)JSON_INTEGER_MAX))
            json_fail(j, begin, "%s is not a whole number up to 2^53", what);
        return j->rc == 0 ? (int64_t)d : 0;
    }
    for (size_t i = 0; i < n; i++)
        v = v * 10 + (j->text[at + i] - '0');
    j->at = at + n;
    return negative ? -v : v;
}

uint64_t json_u64(struct json *j, const char *what)
{
    json_type(j);
    size_t begin = j->at;
    int64_t v = json_i64(j, what);
    if (v < 0)
        json_fail(j, begin, "%s is negative: %lld", what, (long long)v);
    return v < 0 ? 0 : (uint64_t)v;
}

uint32_t json_u32(struct json *j, const char *what)
{
    json_type(j);
    size_t begin = j->at;
    uint64_t v = json_u64(j, what);
    if (v >= UINT32_MAX)
        json_fail(j, begin, "%s is too large: %llu", what, (unsigned long long)v);
    return v >= UINT32_MAX ? 0 : (uint32_t)v;
}

/* --- over what is not wanted --- */

static void scalar(struct json *j, char type)
{
    if (type == '"')
        string(j, NULL, 0);
    else if (type == '0')
        json_double(j, "this");
    else if (!word(j, type == 't' ? "true" : type == 'f' ? "false" : "null"))
        unexpected(j, "this", "a value");
}

/* The key of a member that is passed over. */
static bool skip_key(struct json *j)
{
    char none[1];
    return json_key(j, none, sizeof none);
}

void json_skip(struct json *j)
{
    bool object[NESTING_MAX];
    size_t depth = 0;
    do {
        if (j->rc != 0)
            return;
        char type = json_type(j);
        if (type == '{' || type == '[') {
            if (depth == NESTING_MAX) {
                json_fail(j, j->at, "nested more than %d deep", NESTING_MAX);
                return;
            }
            object[depth++] = type == '{';
            j->at++;
            j->first = true;
        } else if (!type) {
            unexpected(j, "this", "a value");
        } else {
            scalar(j, type);
        }
        while (depth && !(object[depth - 1] ? skip_key(j) : json_item(j)))
            depth--;
    } while (depth);
    /* an array or object that was left is an item of what is around it */
    j->first = false;
}

void json_end(struct json *j)
{
    if (j->rc == 0 && next(j))
        json_fail(j, j->at, "something follows the document");
    else if (j->rc == 0 && j->at < j->size)
        json_fail(j, j->at, "a NUL");
}
