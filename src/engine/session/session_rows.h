/*
 * The rows of tables `block` and `tail` in the pages of a session file, each page by itself: for a
 * file of which SQLite reads nothing any more. Nothing of the file is trusted; no row is taken for
 * one of ours that has not the number and types of its columns, and whose bytes are not all there.
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
    uint64_t size, once; /* bytes that are there, and that the header says there were */
    uint32_t page_size, usable, npages;
    bool levels;   /* its schema has them: of blocks and of the tail */
    uint64_t left; /* bytes that rows may still have on pages of their own */
    uint32_t room; /* and on the page: rows that overlap are none */
    unsigned char *page, *overflow;
    struct bytes row;
};

struct session_column {
    uint64_t type;
    const unsigned char *at; /* n bytes, until the next row is read */
    size_t n;
};
enum { SESSION_COLUMNS = 7 };

struct session_row {
    int64_t id;
    bool tail; /* of table tail, else block */
    unsigned n;
    struct session_column c[SESSION_COLUMNS]; /* n of them; c[0] is the id and empty */
};

/* False where the file has no header. Close in either case. */
bool session_rows_open(struct session_rows *r, const char *path);
void session_rows_close(struct session_rows *r);

/* Reads page 1 .. npages: how many rows it has, 0 where it is no leaf of a table. */
uint32_t session_rows_page(struct session_rows *r, uint32_t number);
/* Where row i is in it. */
uint32_t session_rows_cell(const struct session_rows *r, uint32_t i);
/* The row there, of the page that was read last. */
bool session_rows_read(struct session_rows *r, uint32_t cell, struct session_row *out);
/* The same of any page, whatever was read before. */
bool session_rows_again(struct session_rows *r, uint32_t number, uint32_t cell,
                        struct session_row *out);
uint64_t session_column_number(const struct session_column *c);

#endif
