/*
 * Pieces of pages of SQLite files, for those who read them without SQLite. Source of the format:
 * "Database File Format", sqlite.org/fileformat2.html.
 */
#pragma once

#include <stdint.h>

enum {
    SQLITE_PAGE_HEADER = 100, /* bytes of the file's header */
    SQLITE_PAGE_INNER = 5,    /* types of pages of tables with row ids */
    SQLITE_PAGE_LEAF = 13
};

static inline uint32_t sqlite_page_16(const unsigned char *p)
{
    return (uint32_t)p[0] << 8 | p[1];
}

static inline uint32_t sqlite_page_32(const unsigned char *p)
{
    return sqlite_page_16(p) << 16 | sqlite_page_16(p + 2);
}

/* The size of pages, as the file's header has it. */
static inline uint32_t sqlite_page_size(const unsigned char *header)
{
    const uint32_t size = sqlite_page_16(header + 16);
    return size == 1 ? 65536 : size;
}

/* Reads a varint; returns its length in bytes, or 0 if it goes past the end. */
static inline uint32_t sqlite_page_varint(const unsigned char *p, const unsigned char *end,
                                          uint64_t *out)
{
    uint64_t v = 0;
    if (p < end && *p < 128) {
        *out = *p;
        return 1;
    }
    for (uint32_t i = 0; i < 9 && p + i < end; i++) {
        v = i == 8 ? v << 8 | p[i] : v << 7 | (p[i] & 127);
        if (i == 8 || p[i] < 128) {
            *out = v;
            return i + 1;
        }
    }
    return 0;
}

/* Bytes of a value of this serial type in a record. */
static inline uint64_t sqlite_page_value_size(uint64_t type)
{
    static const uint8_t sizes[12] = {0, 1, 2, 3, 4, 6, 8, 8};
    return type < sizeof sizes ? sizes[type] : (type - 12) / 2;
}
