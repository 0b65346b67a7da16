#include "backends/rocprof_csv/csv.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/list.h"
#include "json/look.h"

enum { BLOCK = 1 << 17, ROW_MAX = 1 << 20 };

int csv_refuse(struct csv *c, const char *column, const char *why_fmt, ...)
{
    char why[160], what[192];
    va_list args;
    va_start(args, why_fmt);
    vsnprintf(why, sizeof why, why_fmt, args);
    va_end(args);
    snprintf(what, sizeof what, "%.110s:%llu%s%.40s", c->path, (unsigned long long)c->line,
             column ? ": " : "", column ? column : "");
    return error_set(c->err, ERROR_INPUT, EINVAL, "copy the file again, or profile again", what,
                     "%s", why);
}

int csv_open(struct csv *c, const char *path, struct trace *t, struct error *err)
{
    *c = (struct csv){.path = path, .err = err};
    int rc = trace_stream_open(&c->stream, path, t, err);
    if (rc == 0 && unpack_wanted(&c->stream)) {
        c->unpack = unpack_start(&c->stream, path, err);
        return c->unpack ? 0 : -ENOMEM;
    }
    c->block = c->own = rc == 0 ? xcalloc(1, BLOCK) : NULL;
    return rc;
}

bool csv_is_possible(const unsigned char *head, size_t size)
{
    /* All of a JSON text may be one line, and as a row it would be read up to a row's limit. */
    return unpack_is_gzip(head, size) || (!json_look_begins((const char *)head, size) &&
                                          !memchr(head, '\0', size) && memchr(head, ',', size));
}

void csv_open_bytes(struct csv *c, const unsigned char *bytes, size_t n)
{
    *c = (struct csv){.path = "", .stream = {.fd = -1}, .own = xcalloc(1, BLOCK)};
    c->block = c->own;
    c->have = c->read = n < TRACE_STREAM_HEAD ? n : TRACE_STREAM_HEAD;
    memcpy(c->block, bytes, c->have);
    if (c->have >= 3 && memcmp(c->block, "\xef\xbb\xbf", 3) == 0)
        c->at = 3;
}

void csv_close(struct csv *c)
{
    unpack_free(c->unpack);
    trace_stream_close(&c->stream);
    free(c->own);
    free(c->text);
    free(c->field);
    c->block = c->own = c->text = NULL;
    c->unpack = NULL;
    c->field = NULL;
}

/* Reads the next bytes into the block. Returns how many, 0 at the end, or -errno. */
static ssize_t refill_csv_block(struct csv *c)
{
    struct error unasked = ERROR_INIT;
    uint64_t taken;
    size_t n = 0;
    if (!c->unpack)
        return c->stream.fd < 0 ? 0
                                : trace_stream_read(&c->stream, c->block, BLOCK, c->path, c->err);
    int rc = unpack_next(c->unpack, &c->block, &n, &taken, c->err ? c->err : &unasked);
    if (rc == 0 && unpack_was_cut(c->unpack))
        return csv_refuse(c, NULL, "the packed file ends in its midst");
    return rc < 0 ? rc : (ssize_t)n;
}

/* The next byte, which is not consumed; -1: end of file; lower: -errno - 1. */
static int peek_csv_byte(struct csv *c)
{
    if (c->at == c->have) {
        ssize_t n = refill_csv_block(c);
        if (n < 0)
            return (int)n - 1;
        c->at = 0;
        c->have = (size_t)n;
        if (n == 0)
            return -1;
        if (c->read == 0 && n >= 3 && memcmp(c->block, "\xef\xbb\xbf", 3) == 0)
            c->at = 3;
        c->read += (uint64_t)n;
        if (c->at == c->have)
            return peek_csv_byte(
                c); /* the block had only the byte order mark; happens at most once */
    }
    return (unsigned char)c->block[c->at];
}

static int put_byte(struct csv *c, char byte)
{
    if (c->used == c->cap) {
        if (c->cap == ROW_MAX)
            return csv_refuse(c, NULL, "a row of more than %d bytes", ROW_MAX);
        c->cap = c->cap ? c->cap * 2 : 1024;
        c->text = xrealloc(c->text, c->cap, 1);
    }
    c->text[c->used++] = byte;
    return 0;
}

/* Whether a byte ends a field: a comma, the end of the line or of the file. */
static bool ends_csv_field(int byte)
{
    return byte == ',' || byte == '\n' || byte < 0;
}

static int read_quoted_field(struct csv *c)
{
    int byte, rc = 0;
    c->at++;
    while (rc == 0 && (byte = peek_csv_byte(c)) >= 0) {
        c->at++;
        if (byte == '"') {
            if (peek_csv_byte(c) != '"')
                break;
            c->at++;
        }
        c->lines += byte == '\n';
        rc = byte ? put_byte(c, (char)byte) : csv_refuse(c, NULL, "a NUL byte");
    }
    if (rc != 0 || byte < -1)
        return rc ? rc : byte + 1;
    if (byte == -1)
        return csv_refuse(c, NULL, "a quote is opened and never closed");
    byte = peek_csv_byte(c);
    if (byte == '\r') {
        c->at++;
        byte = peek_csv_byte(c);
    }
    if (!ends_csv_field(byte))
        return csv_refuse(c, NULL, "text after the closing quote of field %u", c->nfields + 1);
    return byte < -1 ? byte + 1 : 0;
}

static int read_unquoted_field(struct csv *c)
{
    size_t from = c->used;
    int byte, rc = 0;
    while (rc == 0 && !ends_csv_field(byte = peek_csv_byte(c))) {
        c->at++;
        rc = byte ? put_byte(c, (char)byte) : csv_refuse(c, NULL, "a NUL byte");
    }
    if (rc == 0 && byte != ',' && c->used > from && c->text[c->used - 1] == '\r')
        c->used--;
    return rc == 0 && byte < -1 ? byte + 1 : rc;
}

/* Reads one row, including its end of line. */
static int read_csv_row(struct csv *c)
{
    int byte;
    c->used = c->nfields = 0;
    c->line = ++c->lines;
    do {
        if (c->nfields == CSV_FIELDS)
            return csv_refuse(c, NULL, "more than %d fields", CSV_FIELDS);
        uint32_t start = (uint32_t)c->used;
        int rc = peek_csv_byte(c) == '"' ? read_quoted_field(c) : read_unquoted_field(c);
        if (rc == 0)
            rc = put_byte(c, '\0');
        if (rc != 0)
            return rc;
        LIST_ADD(c->field, c->nfields, c->fields_cap, start);
        byte = peek_csv_byte(c);
        if (byte >= 0)
            c->at++;
    } while (byte == ',');
    return byte < -1 ? byte + 1 : 0;
}

int csv_next(struct csv *c)
{
    for (;;) {
        int byte = peek_csv_byte(c);
        if (byte < 0)
            return byte + 1;
        int rc = read_csv_row(c);
        if (rc != 0)
            return rc;
        if (c->nfields > 1 || c->text[0])
            return 1;
    }
}
