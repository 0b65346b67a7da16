/*
 * How documents and messages write text from outside: names of processes, kernels, spans, files,
 * users, and all other text that someone else may have chosen. Each format has one form;
 * docs/SECURITY.md explains them.
 *
 * Characters that base/printable.h refuses, and bytes that are not valid UTF-8, are written as
 *   - '?' for people: text, messages, the screen;
 *   - U+FFFD in CSV, SVG, DOT, Markdown, annotations, folded stacks and labels of Prometheus;
 *   - \uXXXX in JSON, which keeps the character (invalid bytes: U+FFFD).
 *
 * In addition:
 *   - CSV: quotes where RFC 4180 or a spreadsheet needs them. A text whose first character other
 *     than a space is one of = + - @ (their wide forms too) gets an apostrophe in front, so that no
 *     spreadsheet takes it for a formula. So does a text that begins with an apostrophe. To read it
 *     back, remove one leading apostrophe.
 *   - XML: the five entities.
 *   - DOT: backslashes and quotes are escaped; no entity is left.
 *   - labels: backslashes and quotes are escaped.
 *   - folded: ';' becomes ':'.
 *   - Markdown: a backslash before what would be markup, or would end a cell of a table.
 *   - GitHub: '%' as %25, ends of lines as %0A and %0D; in properties ':' as %3A and ',' as %2C.
 *
 * The functions below work like printf, but write every %s in this way (width and precision count
 * cells, not bytes). The format itself and all numbers are printed unchanged. scripts/raw.sh, part
 * of `make lint`, checks that every writer uses them. They return nothing: a FILE remembers its
 * errors.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

enum print_form {
    PRINT_TEXT,
    PRINT_ASCII, /* as PRINT_TEXT, but '?' for all characters that are not ASCII */
    PRINT_JSON,
    PRINT_CSV,
    PRINT_XML,
    PRINT_DOT,
    PRINT_FOLDED,
    PRINT_TOML, /* as JSON, but \UXXXXXXXX for characters above U+FFFF */
    PRINT_MARKDOWN,
    PRINT_GITHUB,          /* the message of an annotation in a log of GitHub Actions */
    PRINT_GITHUB_PROPERTY, /* its file */
    PRINT_LABEL,           /* a label's value in the text formats of Prometheus */
};

void print_text(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void print_json(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void print_csv(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void print_xml(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void print_dot(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void print_markdown(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes one text, without a format. */
void print_put(FILE *out, enum print_form form, const char *text);
/* Writes the first n bytes of text, which need not be terminated. */
void print_put_n(FILE *out, enum print_form form, const char *text, size_t n);
/* Returns how many of the first n bytes can be written unchanged. */
size_t print_plain(enum print_form form, const char *text, size_t n);
/* Like PRINT_JSON, in quotes. Like PRINT_CSV, always in quotes. */
void print_json_quoted(FILE *out, const char *text);
void print_csv_quoted(FILE *out, const char *text);

/* Writes a text of several lines, each like PRINT_TEXT; tabs become spaces. */
void print_lines(FILE *out, const char *text);

/* snprintf with every %s like PRINT_TEXT; text that does not fit is cut at the end of a character.
 * Returns the bytes written. */
size_t print_line(char *out, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Makes a JSON document of another writer safe: in its strings, what print_json would escape is
 * escaped. Takes ownership of text (malloc'ed; NULL stays NULL). Returns it or a replacement, which
 * the caller frees. */
char *print_json_document(char *text);
