/* Reads the tokens: strings with their escapes, numbers, the three words. */
#include "json/token_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"

enum { REPLACED = 0xfffd };
#define LOOSE (UINT32_MAX - 1) /* no escape: its text was kept */

enum json_token json_token_bad(struct json_tokens *j, const char *why)
{
    j->why = why;
    return JSON_BAD;
}

enum json_token json_token_no_more(const struct json_tokens *j)
{
    return j->in->rc != 0 ? JSON_BAD : JSON_CUT;
}

static inline bool has_input(struct json_input *in)
{
    return in->p < in->end || json_input_more(in);
}

/* --- strings --- */

/* Finds the next quote or backslash, or end, eight bytes at a time. */
static const char *find_special_byte(const char *p, const char *end)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
    for (uint64_t v; end - p >= 8; p += 8) {
        memcpy(&v, p, sizeof v);
        uint64_t quote = v ^ ones * '"', slash = v ^ ones * '\\';
        if ((((quote - ones) & ~quote) | ((slash - ones) & ~slash)) & tops)
            break;
    }
    while (p < end && *p != '"' && *p != '\\')
        p++;
    return p;
}

/* Whether the text has a control character where only escapes of them are allowed. */
static bool has_control(const struct json_tokens *j, const char *p, const char *end)
{
    while (j->strict && p < end && (unsigned char)*p >= ' ')
        p++;
    return j->strict && p < end;
}

static enum json_token refuse_control(struct json_tokens *j, const char *from)
{
    while ((unsigned char)*from >= ' ')
        from++;
    j->in->p = from;
    return json_token_bad(j, "a control character in a text");
}

static void keep_token_text(struct json_tokens *j, const char *p, size_t n)
{
    size_t room = JSON_TEXT - j->size;
    n = n < room ? n : room;
    memcpy(j->kept + j->size, p, n);
    j->size += n;
}

static void keep_utf8(struct json_tokens *j, uint32_t c)
{
    char out[4];
    size_t n = 1u + (c >= 0x80) + (c >= 0x800) + (c >= 0x10000);
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = n; i-- > 1; c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)(lead[n] | c);
    if (JSON_TEXT - j->size >= n)
        keep_token_text(j, out, n);
}

/* Keeps a backslash that is no escape, as in a Windows path, with the characters read after it. */
static void keep_loose(struct json_tokens *j, const char *behind, size_t n)
{
    keep_token_text(j, "\\", 1);
    keep_token_text(j, behind, n);
    j->loose++;
}

/* Reads four hexadecimal digits; UINT32_MAX: not four digits, or the input ends. LOOSE: not four
 * digits, and kept as text. */
static uint32_t read_four_hex_digits(struct json_tokens *j)
{
    uint32_t v = 0;
    char read[4] = "u";
    for (int i = 0; i < 4; i++) {
        if (!has_input(j->in))
            return UINT32_MAX;
        const int digit = ascii_hex(*j->in->p);
        if (digit < 0 && !j->strict) {
            keep_loose(j, read, (size_t)i + 1);
            return LOOSE;
        }
        if (digit < 0)
            return UINT32_MAX;
        if (i < 3)
            read[i + 1] = *j->in->p;
        v = v << 4 | (uint32_t)digit;
        j->in->p++;
    }
    return v;
}

/* Reads what follows the first half of a surrogate pair: the second half, or another character. */
static uint32_t second_half(struct json_tokens *j, uint32_t first)
{
    if (!has_input(j->in) || *j->in->p != '\\')
        return REPLACED;
    j->in->p++;
    if (!has_input(j->in) || *j->in->p != 'u') {
        j->escaped = true;
        return REPLACED;
    }
    j->in->p++;
    uint32_t second = read_four_hex_digits(j);
    if (second >= 0xdc00 && second < 0xe000)
        return 0x10000 + ((first & 0x3ff) << 10 | (second & 0x3ff));
    if (second != UINT32_MAX)
        keep_utf8(j, REPLACED);
    return second;
}

/* Reads an escape after \u. An unpaired half becomes U+FFFD, as does NUL, because names are C
 * strings. */
static bool read_unicode_escape(struct json_tokens *j)
{
    uint32_t c = read_four_hex_digits(j);
    while (c >= 0xd800 && c < 0xdc00)
        c = second_half(j, c);
    if (c == UINT32_MAX || c == LOOSE)
        return c == LOOSE;
    keep_utf8(j, c == 0 || (c >= 0xdc00 && c < 0xe000) ? REPLACED : c);
    return true;
}

/* Reads an escape after its backslash. JSON_STRING: continue. */
static enum json_token read_escape(struct json_tokens *j)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    j->escaped = false;
    if (!has_input(j->in))
        return json_token_no_more(j);
    char c = *j->in->p;
    const char *at = c ? strchr(from, c) : NULL;
    if (at) {
        j->in->p++;
        keep_token_text(j, &to[at - from], 1);
        return JSON_STRING;
    }
    if (c != 'u' && !j->strict) {
        keep_loose(j, "", 0);
        return JSON_STRING;
    }
    if (c != 'u')
        return json_token_bad(j,
                              "a backslash in a string stands before one of \" \\ / b f n r t u");
    j->in->p++;
    if (read_unicode_escape(j))
        return JSON_STRING;
    return has_input(j->in) ? json_token_bad(j, "\\u wants four hexadecimal digits")
                            : json_token_no_more(j);
}

/* Reads a string with escapes, or one that crosses the end of the buffer, piece by piece. */
static enum json_token long_string(struct json_tokens *j)
{
    struct json_input *in = j->in;
    j->size = 0;
    j->escaped = false;
    for (;;) {
        if (j->escaped) {
            enum json_token t = read_escape(j);
            if (t != JSON_STRING)
                return t;
            continue;
        }
        const char *at = find_special_byte(in->p, in->end);
        if (has_control(j, in->p, at))
            return refuse_control(j, in->p);
        keep_token_text(j, in->p, (size_t)(at - in->p));
        in->p = at;
        if (!has_input(in))
            return json_token_no_more(j);
        j->escaped = *in->p == '\\';
        if (*in->p != '"' && *in->p != '\\') /* a new piece */
            continue;
        in->p++;
        if (!j->escaped)
            break;
    }
    j->text = j->kept;
    return JSON_STRING;
}

/* Reads a string after its quote. */
enum json_token json_token_string(struct json_tokens *j)
{
    const char *at = find_special_byte(j->in->p, j->in->end);
    if (at == j->in->end || *at != '"')
        return long_string(j);
    if (has_control(j, j->in->p, at))
        return refuse_control(j, j->in->p);
    j->text = j->in->p;
    j->size = (size_t)(at - j->text);
    if (j->size > JSON_TEXT)
        j->size = JSON_TEXT;
    j->in->p = at + 1;
    return JSON_STRING;
}

/* --- numbers and words --- */

static inline bool is_word_character(char c)
{
    return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z');
}

static size_t count_token_digits(const char *p, const char *end)
{
    const char *from = p;
    while (p < end && *p >= '0' && *p <= '9')
        p++;
    return (size_t)(p - from);
}

static bool is_json_number(const char *p, const char *end)
{
    p += *p == '-';
    size_t n = count_token_digits(p, end);
    p += n;
    if (n && p < end && *p == '.') {
        n = count_token_digits(p + 1, end);
        p += 1 + n;
    }
    if (n && p < end && (*p == 'e' || *p == 'E')) {
        p += p + 1 < end && (p[1] == '+' || p[1] == '-') ? 2 : 1;
        n = count_token_digits(p, end);
        p += n;
    }
    return n > 0 && p == end;
}

bool json_tokens_are(const struct json_tokens *j, const char *text)
{
    return j->size == strlen(text) && memcmp(j->text, text, j->size) == 0;
}

static enum json_token what_word(struct json_tokens *j)
{
    if (j->size && is_json_number(j->text, j->text + j->size))
        return JSON_NUMBER;
    if (json_tokens_are(j, "true") || json_tokens_are(j, "false") || json_tokens_are(j, "null"))
        return JSON_WORD;
    if (!j->strict && (json_tokens_are(j, "NaN") || json_tokens_are(j, "Infinity") ||
                       json_tokens_are(j, "-Infinity")))
        return JSON_NUMBER; /* its value is unknown */
    return json_token_bad(j, j->size ? "neither a number nor true, false, null"
                                     : "a value was expected here");
}

/* Reads a word or number at the end of the buffer, which may continue in the next one. */
static enum json_token long_word(struct json_tokens *j)
{
    struct json_input *in = j->in;
    j->size = 0;
    do {
        const char *at = in->p;
        while (at < in->end && is_word_character(*at))
            at++;
        size_t n = (size_t)(at - in->p);
        if (j->size + n > JSON_DIGITS)
            return json_token_bad(j, "a number of more than 400 characters");
        keep_token_text(j, in->p, n);
        in->p = at;
    } while (in->p == in->end && json_input_more(in));
    if (in->p == in->end && (in->rc != 0 || j->depth > 0))
        return json_token_no_more(j);
    j->text = j->kept;
    return what_word(j);
}

/* The end of a number that is complete in the buffer and has no exponent; NULL: it needs a closer
 * look. */
static const char *plain_number(const char *p, const char *end)
{
    const char *from = p += *p == '-';
    while (p < end && *p >= '0' && *p <= '9')
        p++;
    if (p == from || p == end)
        return NULL;
    if (*p == '.') {
        from = ++p;
        while (p < end && *p >= '0' && *p <= '9')
            p++;
        if (p == from || p == end)
            return NULL;
    }
    return is_word_character(*p) ? NULL : p;
}

enum json_token json_token_word(struct json_tokens *j)
{
    const char *at = plain_number(j->in->p, j->in->end);
    if (at && at - j->in->p <= JSON_DIGITS) {
        j->text = j->in->p;
        j->size = (size_t)(at - j->text);
        j->in->p = at;
        return JSON_NUMBER;
    }
    at = j->in->p;
    while (at < j->in->end && is_word_character(*at))
        at++;
    if (at == j->in->end)
        return long_word(j);
    j->text = j->in->p;
    j->size = (size_t)(at - j->text);
    if (j->size > JSON_DIGITS)
        return json_token_bad(j, "a number of more than 400 characters");
    enum json_token t = what_word(j);
    if (t != JSON_BAD)
        j->in->p = at;
    return t;
}
