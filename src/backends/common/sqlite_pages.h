/*
 * Reads the rows of a table directly from the pages of an SQLite file, several times as fast as
 * SQLite itself: for profiles of 10^7 rows. `make bench` measures what that gains for a whole file
 * (docs/PERFORMANCE.md, "Opening profiles"). Only simple cases are read: UTF-8, tables with row
 * ids, rows that lie in one page. Anything else, or damage, ends the pass; the caller then asks
 * SQLite for the rest, which also reports the errors. Source of the format: "Database File Format",
 * sqlite.org/fileformat2.html.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { SQLITE_PAGES_PICKS = 32 }; /* wanted columns, at most */

/* A value. Text and blob: n bytes, not NUL-terminated, valid until the next row. */
enum sqlite_value_kind { VALUE_NULL, VALUE_INT, VALUE_REAL, VALUE_TEXT, VALUE_BLOB };
struct sqlite_cell {
    union {
        int64_t whole;
        double real;
        const unsigned char *bytes;
    };
    uint32_t n;
    enum sqlite_value_kind kind;
};

/* The wanted columns. */
struct sqlite_picks {
    uint8_t column[SQLITE_PAGES_PICKS]; /* index in the table; SQLITE_NO_COLUMN: the cell is NULL */
    uint32_t n;
    int alias; /* the column that is the row id; -1: none */
};
enum { SQLITE_NO_COLUMN = 255 };

struct sqlite_row {
    int64_t rowid;
    struct sqlite_cell cell[SQLITE_PAGES_PICKS]; /* in the order of the picks */
};

struct sqlite_pages;

/* Opens a file; NULL where it does not exist or cannot be read in this way. */
struct sqlite_pages *sqlite_pages_open(const char *path);
uint64_t sqlite_pages_size(const struct sqlite_pages *p); /* bytes of the file */
void sqlite_pages_close(struct sqlite_pages *p);          /* NULL is allowed */
/*
 * Calls each for every row below a root page, in order of row id, until it returns other than 0;
 * that value is returned. each must not start another pass. Returns 0 after all rows; -EAGAIN: rows
 * after *last (a row id; INT64_MIN: no row was read) must be read with SQLite.
 */
int sqlite_pages_each(struct sqlite_pages *p, uint32_t root, const struct sqlite_picks *picks,
                      int (*each)(void *ctx, const struct sqlite_row *row), void *ctx,
                      int64_t *last);
