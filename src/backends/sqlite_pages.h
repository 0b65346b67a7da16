/*
 * The rows of a table straight from the pages of an SQLite file, several times as fast as SQLite's
 * machine hands them out: for profiles of 10^7 rows. Only what is plain is read so: UTF-8, a table
 * with row ids, rows within their page. Whatever else comes, or looks damaged, ends the pass; the
 * caller asks SQLite for the rest, which is where errors are told.
 *   Source of the format: "Database File Format", sqlite.org/fileformat2.html.
 */
#ifndef ROOFTOP_BACKENDS_SQLITE_PAGES_H
#define ROOFTOP_BACKENDS_SQLITE_PAGES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { SQLITE_PAGES_COLUMNS = 64 }; /* in a row, at most; those after are not seen */

struct sqlite_row {
    int64_t rowid;
    const unsigned char *at[SQLITE_PAGES_COLUMNS]; /* each value's bytes */
    uint32_t type[SQLITE_PAGES_COLUMNS];           /* as the format numbers them */
    uint32_t n;                                    /* of values that are told */
};

struct sqlite_pages;

/* NULL: no such file, or one that is not to be read like this. */
struct sqlite_pages *sqlite_pages_open(const char *path);
uint64_t sqlite_pages_size(const struct sqlite_pages *p); /* bytes of the file */
void sqlite_pages_close(struct sqlite_pages *p);          /* NULL allowed */
/*
 * Calls each for every row below a root page, by row id, until it returns other than 0, which is
 * handed on; each begins no other pass. columns: how many values each needs. 0: that were all;
 * -EAGAIN: what comes after *last (a row id, INT64_MIN none was read) is for SQLite.
 */
int sqlite_pages_each(struct sqlite_pages *p, uint32_t root, uint32_t columns,
                      int (*each)(void *ctx, const struct sqlite_row *row), void *ctx,
                      int64_t *last);

/* Of a value: NULL 0; 1 a whole number in *v; 2 a real one in *d; 3 a text, 4 a blob of *n bytes.
 */
enum sqlite_value_kind { VALUE_NULL, VALUE_INT, VALUE_REAL, VALUE_TEXT, VALUE_BLOB };
static inline enum sqlite_value_kind sqlite_row_value(const struct sqlite_row *r, uint32_t column,
                                                      int64_t *v, double *d, uint32_t *n)
{
    static const uint8_t sizes[8] = {0, 1, 2, 3, 4, 6, 8, 8};
    uint32_t type = r->type[column];
    const unsigned char *p = r->at[column];
    if (type == 0)
        return VALUE_NULL;
    if (type == 8 || type == 9) {
        *v = type - 8;
        return VALUE_INT;
    }
    if (type >= 12) {
        *n = (type - 12) / 2;
        return type & 1 ? VALUE_TEXT : VALUE_BLOB;
    }
    uint64_t bits = type < 7 && *p & 0x80 ? UINT64_MAX : 0;
    for (uint32_t i = 0; i < sizes[type & 7]; i++)
        bits = bits << 8 | p[i];
    if (type < 7) {
        *v = (int64_t)bits;
        return VALUE_INT;
    }
    memcpy(d, &bits, sizeof *d);
    return *d == *d ? VALUE_REAL : VALUE_NULL; /* as SQLite has it: no number is NULL */
}

#endif
