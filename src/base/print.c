#include "base/print.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "base/utf8.h"

/* --- one text --- */

static const char *choose_replacement(enum print_form form)
{
    return form == PRINT_TEXT || form == PRINT_ASCII ? "?" : UTF8_REPLACEMENT;
}

static const char *escape_markup(char c)
{
    static const char marks[] = "\\`*_<>[]|~&$";
    static const char escaped[][3] = {"\\\\", "\\`", "\\*", "\\_", "\\<", "\\>",
                                      "\\[",  "\\]", "\\|", "\\~", "\\&", "\\$"};
    const char *at = c ? strchr(marks, c) : NULL;
    return at ? escaped[at - marks] : NULL;
}

/* GitHub, "Workflow commands for GitHub Actions"; the runner's ActionCommand.cs has the list. */
static const char *escape_annotation(enum print_form form, char c)
{
    if (c == '%')
        return "%25";
    if (form != PRINT_GITHUB_PROPERTY)
        return NULL;
    if (c == ':')
        return "%3A";
    return c == ',' ? "%2C" : NULL;
}

/* How a form writes a printable character; NULL: unchanged. */
static const char *escape_of(enum print_form form, char c)
{
    static const char xml[][2] = {"<", ">", "&", "\"", "'"};
    static const char *const entity[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&apos;"};
    for (size_t i = 0; form == PRINT_XML && i < sizeof xml / sizeof *xml; i++)
        if (c == xml[i][0])
            return entity[i];
    switch (form) {
    case PRINT_JSON:
    case PRINT_TOML:
    case PRINT_DOT:
    case PRINT_LABEL:
        if (c == '"')
            return "\\\"";
        if (c == '\\')
            return "\\\\";
        return c == '&' && form == PRINT_DOT ? "&amp;" : NULL;
    case PRINT_CSV:
        return c == '"' ? "\"\"" : NULL;
    case PRINT_FOLDED:
        return c == ';' ? ":" : NULL;
    case PRINT_MARKDOWN:
        return escape_markup(c);
    case PRINT_GITHUB:
    case PRINT_GITHUB_PROPERTY:
        return escape_annotation(form, c);
    default:
        return NULL;
    }
}

size_t print_plain(enum print_form form, const char *text, size_t n)
{
    enum {
        J = 1 << PRINT_JSON | 1 << PRINT_TOML,
        C = 1 << PRINT_CSV,
        X = 1 << PRINT_XML,
        D = 1 << PRINT_DOT,
        F = 1 << PRINT_FOLDED,
        M = 1 << PRINT_MARKDOWN,
        P = 1 << PRINT_GITHUB_PROPERTY,
        G = 1 << PRINT_GITHUB | P,
        L = 1 << PRINT_LABEL
    };
    static const unsigned short special[128] = {['"'] = J | C | X | D | L,
                                                ['\\'] = J | D | M | L,
                                                ['<'] = X | M,
                                                ['>'] = X | M,
                                                ['&'] = X | D | M,
                                                ['\''] = X | C,
                                                [','] = C | P,
                                                ['|'] = C | M,
                                                [';'] = C | F,
                                                ['%'] = G,
                                                [':'] = P,
                                                ['`'] = M,
                                                ['*'] = M,
                                                ['_'] = M,
                                                ['['] = M,
                                                [']'] = M,
                                                ['~'] = M,
                                                ['$'] = M,
                                                [0x7f] = 0xffff};
    size_t i = 0;
    for (; i < n; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c < ' ' || c >= 0x80 || special[c] & 1 << form)
            break;
    }
    return i;
}

static void put_unprintable(FILE *out, enum print_form form, uint32_t ch)
{
    const bool annotation = form == PRINT_GITHUB || form == PRINT_GITHUB_PROPERTY;
    if (annotation && (ch == '\n' || ch == '\r'))
        fputs(ch == '\n' ? "%0A" : "%0D", out);
    else if (form != PRINT_JSON && form != PRINT_TOML)
        fputs(choose_replacement(form), out);
    else if (ch < 0x10000)
        fprintf(out, "\\u%04x", ch);
    else if (form == PRINT_TOML)
        fprintf(out, "\\U%08x", ch);
    else
        fprintf(out, "\\u%04x\\u%04x", 0xd800 + ((ch - 0x10000) >> 10), 0xdc00 + (ch & 0x3ff));
}

static void put_character(FILE *out, enum print_form form, const char *text, size_t n)
{
    const char *other = n == 1 ? escape_of(form, *text) : NULL;
    uint32_t ch = n ? utf8_value(text, n) : 0;
    if (n == 0)
        fputs(choose_replacement(form), out);
    else if (!text_printable(ch) || (form == PRINT_ASCII && ch > 0x7e))
        put_unprintable(out, form, ch);
    else if (other)
        fputs(other, out);
    else
        fwrite(text, 1, n, out);
}

static void put_print_bytes(FILE *out, enum print_form form, const char *text, size_t n)
{
    for (size_t i = 0; i < n;) {
        size_t run = print_plain(form, text + i, n - i);
        if (run)
            fwrite(text + i, 1, run, out);
        i += run;
        if (i == n)
            break;
        size_t len = utf8_sequence(text + i, n - i);
        put_character(out, form, text + i, len);
        i += len ? len : 1;
    }
}

/* --- cells of CSV --- */

/* Returns whether a spreadsheet would take the text for a formula, or whether it begins with the
 * apostrophe that prevents this. */
static bool is_formula(const char *text)
{
    static const char *const begins[] = {
        "=", "+", "-", "@", "\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d", "\xef\xbc\xa0"};
    if (*text == '\'')
        return true;
    text += strspn(text, " ");
    if (!*text || !strchr("=+-@\xef", *text)) /* the first characters of formulas */
        return false;
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (strncmp(text, begins[i], strlen(begins[i])) == 0)
            return true;
    return false;
}

static void put_csv_cell(FILE *out, const char *text, size_t n)
{
    if (is_formula(text))
        fputc('\'', out);
    put_print_bytes(out, PRINT_CSV, text, n);
}

static bool needs_quotes(const char *text, size_t n)
{
    for (size_t i = print_plain(PRINT_CSV, text, n); i < n; i++)
        if (strchr(",;\"'|", text[i]))
            return true;
    return n && (is_formula(text) || text[0] == ' ' || text[n - 1] == ' ');
}

void print_put_n(FILE *out, enum print_form form, const char *text, size_t n)
{
    if (form != PRINT_CSV) {
        put_print_bytes(out, form, text, n);
        return;
    }
    bool quotes = needs_quotes(text, n);
    if (quotes)
        fputc('"', out);
    put_csv_cell(out, text, n);
    if (quotes)
        fputc('"', out);
}

void print_put(FILE *out, enum print_form form, const char *text)
{
    print_put_n(out, form, text, strlen(text));
}

void print_json_quoted(FILE *out, const char *text)
{
    fputc('"', out);
    print_put(out, PRINT_JSON, text);
    fputc('"', out);
}

void print_csv_quoted(FILE *out, const char *text)
{
    fputc('"', out);
    put_csv_cell(out, text, strlen(text));
    fputc('"', out);
}

void print_lines(FILE *out, const char *text)
{
    while (*text) {
        size_t n = strcspn(text, "\n\t");
        put_print_bytes(out, PRINT_TEXT, text, n);
        if (text[n])
            fputc(text[n] == '\t' ? ' ' : '\n', out);
        text += n + (text[n] != 0);
    }
}

/* Counts the bytes of JSON text that can be copied; white space between its parts stays. */
static size_t json_plain(const char *text)
{
    size_t n = 0;
    for (const char *p = text; *p;) {
        if ((*p >= ' ' && *p < 0x7f) || *p == '\n' || *p == '\t') {
            p++;
            n++;
            continue;
        }
        size_t len = utf8_sequence(p, strnlen(p, 4));
        if (len == 0 || !text_printable(utf8_value(p, len)))
            break;
        p += len;
        n += len;
    }
    return n;
}

char *print_json_document(char *text)
{
    char *made = NULL;
    size_t len = 0, n = text ? json_plain(text) : 0;
    FILE *f = text && text[n] ? open_memstream(&made, &len) : NULL;
    if (!f)
        return text;
    for (const char *p = text; *p; n = json_plain(p)) {
        fwrite(p, 1, n, f);
        p += n;
        if (*p) {
            size_t bytes = utf8_sequence(p, strnlen(p, 4));
            put_character(f, PRINT_JSON, p, bytes);
            p += bytes ? bytes : 1;
        }
    }
    fclose(f);
    free(text);
    return made;
}
