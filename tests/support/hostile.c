#include "support/hostile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

const char *const hostile_names[] = {
    "esc\033]0;own\a\033[31m\033[2J",
    "c1\302\23331m\xc2\x85\xc2\x90",
    "bidi\xe2\x80\xaegpj.exe\xe2\x81\xa6x\xe2\x81\xa9\xd8\x9c\xe2\x80\x8f",
    "zero\xe2\x80\x8b\xe2\x80\x8d\xef\xbb\xbf\xc2\xad\xe2\x81\xa0width",
    "tags\xf3\xa0\x81\x81\xf3\xa0\x81\xbf\xf3\xa0\x87\xaf",
    "line\nforged,row\r\ttab\xe2\x80\xa8\xe2\x80\xa9",
    "bad\xff\xfe\xc3(\xed\xa0\x80\xe2\x82",
    "]]><script>alert('x')</script>&#x1b;&amp;\"<!--",
    "=cmd|' /C calc'!A0",
    "@SUM(1+1)*cmd",
    "+1+2",
    "-2+3",
    "  =A1",
    "\357\274\235A1",
    "'apostrophe",
    "quote\",=1,\"",
    "\\N\\G\\\"}];evil[label=\"y",
    "frame;other 12",
    "{\"json\":\"\\u001b[0m\"}",
    "%s%n%d%*d",
    "control\x01\x08\x0c\x7f",
    "nonchar\xef\xbf\xbe\xef\xb7\x90",
    "e\xcc\x81\xcc\x81\xcc\x81 \xe6\xbc\xa2\xe5\xad\x97 \xf0\x9f\x98\x80",
    "cut "
    "\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc"
    "\xa2\xe6\xbc\xa2"
    "\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc"
    "\xa2\xe6\xbc\xa2",
    NULL};

/* Decodes one character and its number of bytes; -1 and one byte if it is not UTF-8. */
static long decode(const unsigned char *s, size_t n, size_t *bytes)
{
    static const long least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t len = s[0] < 0x80       ? 1
                 : s[0] >> 5 == 6  ? 2
                 : s[0] >> 4 == 14 ? 3
                 : s[0] >> 3 == 30 ? 4
                                   : 0;
    *bytes = 1;
    if (len == 0 || len > n)
        return -1;
    long ch = len == 1 ? s[0] : s[0] & (0x7f >> len);
    for (size_t i = 1; i < len; i++) {
        if (s[i] >> 6 != 2)
            return -1;
        ch = ch << 6 | (s[i] & 0x3f);
    }
    if (ch < least[len] || ch > 0x10ffff || (ch >= 0xd800 && ch <= 0xdfff))
        return -1;
    *bytes = len;
    return ch;
}

/* Characters that must not be printed raw, from the Unicode charts: those in the names above and
 * their neighbours. */
static const char *forbidden(long ch)
{
    if (ch < 0)
        return "bytes that are no UTF-8";
    if (ch < 0x20 || ch == 0x7f)
        return "a control character";
    if (ch >= 0x80 && ch < 0xa0)
        return "a C1 control";
    if ((ch >= 0x202a && ch <= 0x202e) || (ch >= 0x2066 && ch <= 0x2069) || ch == 0x200e ||
        ch == 0x200f || ch == 0x61c)
        return "a bidi control";
    if ((ch >= 0x200b && ch <= 0x200d) || ch == 0xfeff || ch == 0xad ||
        (ch >= 0x2060 && ch <= 0x2064) || (ch >= 0xfe00 && ch <= 0xfe0f))
        return "a character without width";
    if (ch == 0x2028 || ch == 0x2029)
        return "a separator of lines";
    if (ch >= 0xe0000 && ch <= 0xe0fff)
        return "a tag";
    if ((ch & 0xfffe) == 0xfffe || (ch >= 0xfdd0 && ch <= 0xfdef))
        return "a noncharacter";
    return NULL;
}

static char *spell(const char *name, bool all)
{
    size_t n = strlen(name), o = 0;
    char *out = calloc(n + 1, 3);
    for (size_t i = 0, bytes; i < n; i += bytes) {
        long ch = decode((const unsigned char *)name + i, n - i, &bytes);
        bool mark = ch < 0 || (all && forbidden(ch));
        memcpy(out + o, mark ? "\xef\xbf\xbd" : name + i, mark ? 3 : bytes);
        o += mark ? 3 : bytes;
    }
    return out;
}

char *hostile_marked(const char *name)
{
    return spell(name, true);
}

char *hostile_decoded(const char *name)
{
    return spell(name, false);
}

/* The length of a colour sequence (ESC [ digits and ; m) at s; 0 if there is none. */
static size_t colour(const char *s)
{
    size_t n = s[0] == '\033' && s[1] == '[' ? 2 + strspn(s + 2, "0123456789;") : 0;
    return n && s[n] == 'm' ? n + 1 : 0;
}

const char *hostile_raw(const char *text, size_t n, unsigned allowed)
{
    static char why[200];
    for (size_t i = 0, bytes; i < n; i += bytes) {
        long ch = decode((const unsigned char *)text + i, n - i, &bytes);
        size_t sgr = allowed & HOSTILE_COLOURS ? colour(text + i) : 0;
        if (sgr) {
            bytes = sgr;
            continue;
        }
        if (ch == '\n' || (ch == '\t' && allowed & HOSTILE_TAB) ||
            (ch == '\r' && allowed & HOSTILE_CRLF && text[i + 1] == '\n'))
            continue;
        if (!forbidden(ch))
            continue;
        size_t from = i > 40 ? i - 40 : 0;
        snprintf(why, sizeof why, "%s (U+%04lX) after '%.*s'", forbidden(ch), ch, (int)(i - from),
                 text + from);
        return why;
    }
    return NULL;
}

/* --- CSV --- */

static const char *const begins[] = {
    "=", "+", "-", "@", "\t", "\r", "\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d", "\xef\xbc\xa0"};

static bool is_formula(const char *cell)
{
    char *end;
    strtod(cell, &end);
    if (*cell && !*end) /* it is a number */
        return false;
    cell += strspn(cell, " ");
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (strncmp(cell, begins[i], strlen(begins[i])) == 0)
            return true;
    return false;
}

/* Copies one cell to out; returns what follows it, or NULL if its quotes are wrong. */
static const char *take(const char *p, char *out)
{
    if (*p == '"') {
        for (p++; *p && !(p[0] == '"' && p[1] != '"'); p++) {
            *out++ = *p;
            p += *p == '"';
        }
        *out = 0;
        return *p == '"' && strchr(",\r\n", p[1]) ? p + 1 : NULL;
    }
    for (; *p && !strchr(",\r\n", *p); p++) {
        if (*p == '"')
            return NULL;
        *out++ = *p;
    }
    *out = 0;
    return p;
}

const char *hostile_csv(const char *text, void (*cell)(void *ctx, const char *text), void *ctx)
{
    static char why[300];
    char *out = malloc(strlen(text) + 1);
    int columns = 0, at = 0, row = 1;
    *why = 0;
    for (const char *p = text; *p && !*why;) {
        const char *next = take(p, out);
        at++;
        if (!next)
            snprintf(why, sizeof why, "quotes in row %d: '%.80s'", row, p);
        else if (is_formula(out))
            snprintf(why, sizeof why, "a formula in row %d: '%.80s'", row, out);
        else
            cell(ctx, out + (out[0] == '\''));
        p = next ? next : p;
        if (*p == ',') {
            p++;
            continue;
        }
        p += *p == '\r';
        if (next && (*p != '\n' || (columns && columns != at)))
            snprintf(why, sizeof why, "row %d has %d cells, the first %d", row, at, columns);
        columns = at;
        at = 0;
        row++;
        p += *p == '\n';
    }
    free(out);
    return *why ? why : NULL;
}

/* --- a profile --- */

static void put_json(FILE *f, const char *text)
{
    fputc('"', f);
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == '"' || *text == '\\')
            fprintf(f, "\\u%04x", *text);
        else
            fputc(*text, f);
    fputc('"', f);
}

static void put_event(FILE *f, const char *ph, const char *name, const char *rest)
{
    fprintf(f, ",\n{\"ph\":\"%s\",\"name\":", ph);
    put_json(f, name);
    fprintf(f, "%s}", rest);
}

void hostile_chrome(const char *path)
{
    FILE *f = fopen(path, "w");
    char rest[512];
    assert_non_null(f);
    fputs("{\"traceEvents\":[{\"ph\":\"M\",\"name\":\"trace\"}", f);
    for (int i = 0; hostile_names[i]; i++) {
        const char *name = hostile_names[i];
        int at = 1000 * i, next = at + 300;
        for (int thread = 0; thread < 2; thread++) {
            fprintf(
                f, ",\n{\"ph\":\"M\",\"name\":\"%s_name\",\"pid\":%d,\"tid\":1,\"args\":{\"name\":",
                thread ? "thread" : "process", 10 + i);
            put_json(f, name);
            fputs("}}", f);
        }
        snprintf(rest, sizeof rest,
                 ",\"cat\":\"cpu_op\",\"pid\":%d,\"tid\":1,\"ts\":%d,\"dur\":900", 10 + i, at);
        put_event(f, "X", name, rest);
        snprintf(rest, sizeof rest,
                 ",\"cat\":\"brick,FFN\",\"pid\":%d,\"tid\":1,\"ts\":%d,\"dur\":90", 10 + i,
                 at + 100);
        put_event(f, "X", name, rest);
        snprintf(rest, sizeof rest,
                 ",\"cat\":\"cuda_runtime\",\"pid\":%d,\"tid\":1,\"ts\":%d,\"dur\":50,\"args\":{"
                 "\"correlation\":%d}",
                 10 + i, at + 210, 100 + i);
        put_event(f, "X", "cudaLaunchKernel", rest);
        snprintf(rest, sizeof rest,
                 ",\"cat\":\"kernel\",\"pid\":0,\"tid\":7,\"ts\":%d,\"dur\":400,\"args\":{"
                 "\"correlation\":%d,\"device\":0,"
                 "\"stream\":7,\"grid\":[2,1,1],\"block\":[64,1,1]}",
                 next, 100 + i);
        put_event(f, "X", name, rest);
    }
    fputs("]}\n", f);
    fclose(f);
}
