/*
 * The rows of a table straight from the pages of an SQLite file, several times as fast as SQLite's
 * machine hands them out: for profiles of 10^7 rows. Only what is plain is read so: UTF-8, a table
 * with row ids, rows within their page. Whatever else comes, or looks damaged, ends the pass; the
 * caller asks SQLite for the rest, which is where errors are told.
 *   Source of the format: "Database File Format", sqlite.org/fileformat2.html.
 */
#ifndef ROOFTOP_BACKENDS_COMMON_SQLITE_PAGES_H
#define ROOFTOP_BACKENDS_COMMON_SQLITE_PAGES_H

#include <stdbool.h>
#include <stdint.h>

enum { SQLITE_PAGES_PICKS = 32 }; /* columns that are wanted, at most */

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

/* What is wanted of each row. */
struct sqlite_picks {
    uint8_t column[SQLITE_PAGES_PICKS]; /* by its place in the table; SQLITE_NO_COLUMN: NULL */
    uint32_t n;
    int alias; /* the column that is the row id; -1: none */
};
enum { SQLITE_NO_COLUMN = 255 };

struct sqlite_row {
    int64_t rowid;
    struct sqlite_cell cell[SQLITE_PAGES_PICKS]; /* in the order of the picks */
};

struct sqlite_pages;

/* NULL: no such file, or one that is not to be read like this. */
struct sqlite_pages *sqlite_pages_open(const char *path);
uint64_t sqlite_pages_size(const struct sqlite_pages *p); /* bytes of the file */
void sqlite_pages_close(struct sqlite_pages *p);          /* NULL allowed */
/*
 * Calls each for every row below a root page, by row id, until it returns other than 0, which is
 * handed on; each begins no other pass. 0: that were all; -EAGAIN: what comes after *last (a row
 * id, INT64_MIN none was read) is for SQLite.
 */
int sqlite_pages_each(struct sqlite_pages *p, uint32_t root, const struct sqlite_picks *picks,
                      int (*each)(void *ctx, const struct sqlite_row *row), void *ctx,
                      int64_t *last);

#endif
