/* Reads texts and numbers of JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backends/att/json_impl.h"

enum { NUMBER_MAX = 64 };

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

/* Reads a code point after \u, with both halves of a pair; -1: malformed. */
static long code_point(struct att_json *j)
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

/* Reads one character of a text into out. Returns its bytes, 0 after an error. */
static size_t character(struct att_json *j, char out[4])
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

void json_string(struct att_json *j, char *out, size_t size)
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

/* Whether a text is next; null is skipped. */
static bool text_next(struct att_json *j, const char *what)
{
    if (j->rc != 0)
        return false;
    char type = json_type(j);
    if (type == 'n' && json_word(j, "null"))
        return false;
    if (type != '"')
        json_unexpected(j, what, "a text");
    return type == '"';
}

void json_copy(struct att_json *j, const char *what, char *out, size_t size)
{
    out[0] = '\0';
    if (text_next(j, what))
        json_string(j, out, size);
}

const char *json_text(struct att_json *j, const char *what, struct arena *memory)
{
    if (!text_next(j, what))
        return "";
    /* the escaped text is never shorter than its value */
    size_t n = j->at + 1;
    while (n < j->size && j->text[n] != '"')
        n += j->text[n] == '\\' ? 2 : 1;
    size_t room = (n < j->size ? n : j->size) - j->at + 1;
    char *out = arena_alloc(memory, room);
    json_string(j, out, room);
    return out;
}

/* --- numbers --- */

static size_t digits(const struct att_json *j, size_t at)
{
    size_t n = 0;
    while (at + n < j->size && j->text[at + n] >= '0' && j->text[at + n] <= '9')
        n++;
    return n;
}

/* The length of the next number; 0: there is none. */
static size_t number_length(const struct att_json *j)
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

double json_double(struct att_json *j, const char *what)
{
    char text[NUMBER_MAX];
    if (j->rc != 0)
        return 0;
    if (json_type(j) != '0') {
        json_unexpected(j, what, "a number");
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

int64_t json_i64(struct att_json *j, const char *what)
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
        double d = json_double(j, what); /* rare forms, and errors */
        if (j->rc == 0 && (d != floor(d) || fabs(d) > (double)JSON_INTEGER_MAX))
            json_fail(j, begin, "%s is not a whole number up to 2^53", what);
        return j->rc == 0 ? (int64_t)d : 0;
    }
    for (size_t i = 0; i < n; i++)
        v = v * 10 + (j->text[at + i] - '0');
    j->at = at + n;
    return negative ? -v : v;
}

uint64_t json_u64(struct att_json *j, const char *what)
{
    json_type(j);
    size_t begin = j->at;
    int64_t v = json_i64(j, what);
    if (v < 0)
        json_fail(j, begin, "%s is negative: %lld", what, (long long)v);
    return v < 0 ? 0 : (uint64_t)v;
}

uint32_t json_u32(struct att_json *j, const char *what)
{
    json_type(j);
    size_t begin = j->at;
    uint64_t v = json_u64(j, what);
    if (v >= UINT32_MAX)
        json_fail(j, begin, "%s is too large: %llu", what, (unsigned long long)v);
    return v >= UINT32_MAX ? 0 : (uint32_t)v;
}
