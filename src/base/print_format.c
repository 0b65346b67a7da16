/* The functions of base/print.h that work like printf. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "base/text.h"

struct spec {
    char flags[8];
    int width, precision; /* -1: none */
    char length;          /* h, H (hh), l, L (ll), z, j, t; 0 */
    char conversion;
};

static int take_width(const char **p, va_list *ap)
{
    int n = 0;
    if (**p == '*') {
        ++*p;
        return va_arg(*ap, int);
    }
    for (; **p >= '0' && **p <= '9'; ++*p)
        n = n * 10 + (**p - '0');
    return n;
}

/* Parses a conversion after its '%'. */
static void parse_spec(struct spec *s, const char **p, va_list *ap)
{
    size_t n = 0;
    *s = (struct spec){.precision = -1};
    for (; **p && strchr("-+ #0'", **p) && n < sizeof s->flags - 1; ++*p)
        s->flags[n++] = **p;
    s->width = take_width(p, ap);
    if (**p == '.') {
        ++*p;
        s->precision = take_width(p, ap);
    }
    for (; **p && strchr("hlzjtL", **p); ++*p) {
        if (s->length == 'l')
            s->length = 'L';
        else
            s->length = s->length == 'h' ? 'H' : **p;
    }
    s->conversion = **p;
    *p += **p != 0;
}

/* One argument: an integer as the widest type, a double, or a pointer. */
union argument {
    intmax_t i;
    uintmax_t u;
    double f;
    void *p;
    const char *s;
};

static intmax_t take_signed_argument(char length, va_list *ap)
{
    switch (length) {
    case 'l':
        return va_arg(*ap, long);
    case 'L':
        return va_arg(*ap, long long);
    case 'z':
        return va_arg(*ap, ssize_t);
    case 'j':
        return va_arg(*ap, intmax_t);
    case 't':
        return va_arg(*ap, ptrdiff_t);
    case 'h':
        return (short)va_arg(*ap, int);
    case 'H':
        return (signed char)va_arg(*ap, int);
    default:
        return va_arg(*ap, int);
    }
}

static uintmax_t take_unsigned_argument(char length, va_list *ap)
{
    switch (length) {
    case 'l':
        return va_arg(*ap, unsigned long);
    case 'L':
        return va_arg(*ap, unsigned long long);
    case 'z':
        return va_arg(*ap, size_t);
    case 'j':
        return va_arg(*ap, uintmax_t);
    case 't':
        return (uintmax_t)va_arg(*ap, ptrdiff_t);
    case 'h':
        return (unsigned short)va_arg(*ap, unsigned);
    case 'H':
        return (unsigned char)va_arg(*ap, unsigned);
    default:
        return va_arg(*ap, unsigned);
    }
}

static union argument take_conversion_argument(const struct spec *s, va_list *ap)
{
    switch (s->conversion) {
    case 'd':
    case 'i':
        return (union argument){.i = take_signed_argument(s->length, ap)};
    case 'c':
        return (union argument){.i = va_arg(*ap, int)};
    case 'u':
    case 'x':
    case 'X':
    case 'o':
        return (union argument){.u = take_unsigned_argument(s->length, ap)};
    case 's':
        return (union argument){.s = va_arg(*ap, const char *)};
    case 'p':
        return (union argument){.p = va_arg(*ap, void *)};
    case '%':
        return (union argument){.i = 0};
    default:
        return (union argument){.f = va_arg(*ap, double)};
    }
}

/* Width and precision count cells for people and characters elsewhere; the two differ only for wide
 * characters. */
static void put_string(FILE *out, enum print_form form, const struct spec *s, const char *text)
{
    bool left = strchr(s->flags, '-') != NULL || s->width < 0;
    int width = s->width < 0 ? -s->width : s->width;
    text = text ? text : "(null)";
    size_t n = s->precision < 0 ? strlen(text) : text_fit_cells(text, s->precision);
    int pad = width;
    for (const char *p = text; pad > 0 && p < text + n;)
        pad -= text_char_width(text_next_shown(&p));
    if (!left && pad > 0)
        fprintf(out, "%*s", pad, "");
    print_put_n(out, form, text, n);
    if (left && pad > 0)
        fprintf(out, "%*s", pad, "");
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void put_formatted_number(FILE *out, const struct spec *s, union argument a)
{
    char format[24];
    const char *wide = strchr("diuxXo", s->conversion) ? "j" : "";
    snprintf(format, sizeof format, "%%%s*.*%s%c", s->flags, wide, s->conversion);
    if (s->conversion == 'c')
        fputc((int)a.i, out);
    else if (s->conversion == '%')
        fputc('%', out);
    else if (s->conversion == 'p')
        fprintf(out, "%p", a.p);
    else if (s->conversion == 'd' || s->conversion == 'i')
        fprintf(out, format, s->width, s->precision, a.i);
    else if (*wide)
        fprintf(out, format, s->width, s->precision, a.u);
    else
        fprintf(out, format, s->width, s->precision, a.f);
}
#pragma GCC diagnostic pop

static bool plain_string(enum print_form form, const struct spec *s, const char *text)
{
    if (!text)
        return false;
    size_t n = s->precision < 0 ? strlen(text) : strnlen(text, (size_t)s->precision);
    if (form == PRINT_CSV && n && (strchr("=+-@ ", text[0]) || text[n - 1] == ' '))
        return false;
    if (s->precision >= 0 && text[n] & 0x80) /* a combining mark of the last character may follow */
        return false;
    return print_plain(form, text, n) == n;
}

/* Nearly all texts are plain; printf itself then prints them. */
static bool all_plain(enum print_form form, const char *format, va_list ap)
{
    va_list mine;
    bool is = true;
    va_copy(mine, ap);
    for (const char *p = format; is && (p = strchr(p, '%'));) {
        struct spec s;
        p++;
        parse_spec(&s, &p, &mine);
        union argument a = take_conversion_argument(&s, &mine);
        is = s.conversion != 's' || plain_string(form, &s, a.s);
    }
    va_end(mine);
    return is;
}

static void put_formatted(FILE *out, enum print_form form, const char *format, va_list ap)
{
    va_list mine;
    va_copy(mine, ap);
    for (const char *p = format; *p;) {
        size_t n = strcspn(p, "%");
        struct spec s;
        if (n)
            fwrite(p, 1, n, out);
        p += n;
        if (!*p++)
            break;
        parse_spec(&s, &p, &mine);
        union argument a = take_conversion_argument(&s, &mine);
        if (s.conversion == 's')
            put_string(out, form, &s, a.s);
        else
            put_formatted_number(out, &s, a);
    }
    va_end(mine);
}

static void print_form(FILE *out, enum print_form form, const char *format, va_list ap)
{
    if (all_plain(form, format, ap))
        vfprintf(out, format, ap);
    else
        put_formatted(out, form, format, ap);
}

#define PRINTS(name, form)                                                                         \
    void name(FILE *out, const char *format, ...)                                                  \
    {                                                                                              \
        va_list ap;                                                                                \
        va_start(ap, format);                                                                      \
        print_form(out, form, format, ap);                                                         \
        va_end(ap);                                                                                \
    }

PRINTS(print_text, PRINT_TEXT)
PRINTS(print_json, PRINT_JSON)
PRINTS(print_csv, PRINT_CSV)
PRINTS(print_xml, PRINT_XML)
PRINTS(print_dot, PRINT_DOT)
PRINTS(print_markdown, PRINT_MARKDOWN)

size_t print_line(char *out, size_t size, const char *format, ...)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    va_list ap;
    *out = 0;
    if (!f)
        return 0;
    va_start(ap, format);
    print_form(f, PRINT_TEXT, format, ap);
    va_end(ap);
    if (fclose(f) == 0) {
        size_t n = text_fit(text, size - 1);
        memcpy(out, text, n);
        out[n] = 0;
    }
    free(text);
    return strlen(out);
}
