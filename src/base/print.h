/*
 * How documents and messages spell text that came from outside: names of processes, kernels, spans,
 * files, users, and everything else that somebody else may have chosen. One form a format.
 * docs/SECURITY.md says what each promises.
 *
 * What base/printable.h refuses, and every byte that is no UTF-8, is spelt
 *   '?'     for people: text, messages, the screen;
 *   U+FFFD  in CSV, SVG, DOT and folded stacks;
 *   \uXXXX  in JSON, which keeps it (a byte that is no UTF-8: U+FFFD).
 * And
 *   CSV     quotes where RFC 4180 or a spreadsheet needs it. A text whose first character other
 * than a space is one of = + - @ (their wide forms too) gets an apostrophe in front, so that no
 * spreadsheet takes it for a formula; so does one that begins with an apostrophe. To read it back:
 * take one leading apostrophe away. XML     the five entities. DOT     backslashes and quotes
 * escaped, no entity is left. folded  ';' is ':'.
 *
 * The functions below are printf whose every %s (with width and precision in cells, not bytes) is
 * spelt so; the format itself and all numbers are ours and printed as they are. scripts/raw.sh,
 * part of `make lint`, holds every writer to them. They return nothing: a FILE remembers its
 * errors.
 */
#ifndef ROOFTOP_BASE_PRINT_H
#define ROOFTOP_BASE_PRINT_H

#include <stddef.h>
#include <stdio.h>

enum print_form {
    PRINT_TEXT,
    PRINT_ASCII, /* PRINT_TEXT where only ASCII may be shown: '?' for the rest */
    PRINT_JSON,
    PRINT_CSV,
    PRINT_XML,
    PRINT_DOT,
    PRINT_FOLDED,
    PRINT_TOML, /* as JSON, but \\UXXXXXXXX for what lies above U+FFFF */
};

void print_text(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void print_json(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void print_csv(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void print_xml(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void print_dot(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* One text, without a format. */
void print_put(FILE *out, enum print_form form, const char *text);
/* So many bytes of it, which may be those of no whole text. */
void print_put_n(FILE *out, enum print_form form, const char *text, size_t n);
/* How many of the first n bytes stand for themselves. */
size_t print_plain(enum print_form form, const char *text, size_t n);
/* As PRINT_JSON in quotes; as PRINT_CSV in quotes in any case. */
void print_json_quoted(FILE *out, const char *text);
void print_csv_quoted(FILE *out, const char *text);

/* A text of several lines, each as PRINT_TEXT; tabs are spaces. */
void print_lines(FILE *out, const char *text);

/*
 * As snprintf with every %s as PRINT_TEXT; what does not fit is cut at the end of a character.
 * Returns its bytes.
 */
size_t print_line(char *out, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * A document in JSON that another writer made, of which no string holds what print_json would not
 * leave: takes the text (malloc'ed; NULL stays NULL), returns it or another.
 */
char *print_json_document(char *text);

#endif
