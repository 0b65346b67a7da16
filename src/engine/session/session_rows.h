/*
 * Reads the rows of tables `block` and `tail` directly from the pages of a session file, each page
 * by itself. It is used for a damaged file that SQLite cannot read. Nothing in the file is
 * trusted: a row counts only if it has the number and types of our columns and all of its bytes
 * are there.
 *   Source of the format: "Database File Format", sqlite.org/fileformat2.html.
 */
#ifndef ROOFTOP_ENGINE_SESSION_SESSION_ROWS_H
#define ROOFTOP_ENGINE_SESSION_SESSION_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/value/bytes.h"

struct session_rows {
    int fd;
    uint64_t size, once; /* bytes of the file; bytes it had according to its header */
    uint32_t page_size, usable, npages;
    bool levels;   /* whether the tables have the column `levels`; those of schema 1 had none */
    uint64_t left; /* bytes that rows may still have on overflow pages */
    uint32_t room; /* bytes left on the page: rows whose sum is larger overlap, and are refused */
    unsigned char *page, *overflow;
    struct bytes row;
};

struct session_column {
    uint64_t type;
    const unsigned char *at; /* n bytes, valid until the next row is read */
    size_t n;
};
enum { SESSION_COLUMNS = 7 };

struct session_row {
    int64_t id;
    bool tail; /* a row of table tail; otherwise of table block */
    unsigned n;
    struct session_column c[SESSION_COLUMNS]; /* n columns; c[0] is the id and empty */
};

/* Returns false if the file has no SQLite header. Call session_rows_close in either case. */
bool session_rows_open(struct session_rows *r, const char *path);
void session_rows_close(struct session_rows *r);

/* Reads page 1 .. npages. Returns its number of rows, or 0 if it is not a leaf page of a table. */
uint32_t session_rows_page(struct session_rows *r, uint32_t number);
/* The offset of row i in the page. */
uint32_t session_rows_cell(const struct session_rows *r, uint32_t i);
/* Reads the row at that offset of the page that was read last. */
bool session_rows_read(struct session_rows *r, uint32_t cell, struct session_row *out);
/* The same for any page, independent of what was read before. */
bool session_rows_again(struct session_rows *r, uint32_t number, uint32_t cell,
                        struct session_row *out);
uint64_t session_column_number(const struct session_column *c);

#endif
