/*
 * rocpd databases. First byte 'S': the rest is SQL that changes a good one, schema and values
 * alike ([rocpd_x_a] are its tables). Else the good one is damaged in places the input chooses:
 * offset, length, bytes; a last byte that is odd cuts it.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "engine/trace.h"
#include "support/rocpd_sql.h"

enum { SIZE = 1 << 18, STEPS = 200, VALUE = 100000 };
static unsigned char whole[SIZE];
static size_t whole_size;
static char path[64];

static const char rows[] =
    "INSERT INTO \"rocpd_event@\"(id, stack_id) VALUES (1, 7), (2, 7), (3, 8), (4, 8);"
    "INSERT INTO \"rocpd_region@\"(start, \"end\", name_id, event_id) VALUES (1, 50, 1, 1),"
    " (5, 9, 3, 3), (6, 8, 1, NULL);"
    "INSERT INTO \"rocpd_kernel_dispatch@\"(dispatch_id, start, \"end\", event_id, stream_id)"
    " VALUES (1, 10, 20, 2, 0), (2, 20, 30, NULL, 1);"
    "INSERT INTO \"rocpd_memory_copy@\"(start, \"end\", event_id) VALUES (6, 8, 4);"
    "INSERT INTO \"rocpd_info_pmc@\"(id, name) VALUES (1, 'SQ_WAVES');"
    "INSERT INTO \"rocpd_pmc_event@\"(event_id, pmc_id, value) VALUES (2, 1, 1), (2, 1, 2);";

static sqlite3 *make(void)
{
    static const char *const sql[] = {rocpd_sql_schema, rocpd_sql_names, rows};
    sqlite3 *db;
    if (sqlite3_open(":memory:", &db) != SQLITE_OK)
        abort();
    sqlite3_exec(db, "PRAGMA page_size=512", NULL, NULL, NULL);
    for (int i = 0; i < 3; i++) {
        char *with_guid = i == 0 ? rocpd_sql_put(sql[i], '%', "g1", '\'') : strdup(sql[i]);
        char *text = rocpd_sql_put(with_guid, '@', "_a", '"');
        if (sqlite3_exec(db, text, NULL, NULL, NULL) != SQLITE_OK)
            abort();
        free(with_guid);
        free(text);
    }
    return db;
}

static size_t keep(sqlite3 *db, unsigned char *out)
{
    sqlite3_int64 size = 0;
    unsigned char *bytes = sqlite3_serialize(db, "main", &size, 0);
    size_t n = bytes && size <= SIZE ? (size_t)size : 0;
    if (n)
        memcpy(out, bytes, n);
    sqlite3_free(bytes);
    return n;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    sqlite3 *db = make();
    whole_size = keep(db, whole);
    sqlite3_close(db);
    if (whole_size < 4096)
        abort();
    snprintf(path, sizeof path, "/tmp/rooftop-fuzz-rocpd-%d", (int)getpid());
    return 0;
}

static int enough(void *left)
{
    return --*(int *)left < 0;
}

/* The good one, in memory, to be changed. */
static sqlite3 *good_copy(void)
{
    enum { FLAGS = SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE };
    sqlite3 *db;
    unsigned char *bytes = sqlite3_malloc64(whole_size);
    if (!bytes || sqlite3_open(":memory:", &db) != SQLITE_OK)
        abort();
    memcpy(bytes, whole, whole_size);
    if (sqlite3_deserialize(db, "main", bytes, (sqlite3_int64)whole_size, (sqlite3_int64)whole_size,
                            FLAGS) != SQLITE_OK)
        abort();
    return db;
}

static size_t by_sql(unsigned char *out, const uint8_t *data, size_t size)
{
    sqlite3 *db = good_copy();
    int left = STEPS;
    char *sql = calloc(1, size + 1);
    if (!sql)
        abort();
    memcpy(sql, data, size);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, VALUE);
    sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_progress_handler(db, 100, enough, &left);
    sqlite3_exec(db, sql, NULL, NULL, NULL);
    sqlite3_progress_handler(db, 0, NULL, NULL);
    size_t n = keep(db, out);
    sqlite3_close(db);
    free(sql);
    return n;
}

static size_t damaged(unsigned char *out, const uint8_t *data, size_t size)
{
    size_t n = whole_size;
    memcpy(out, whole, n);
    for (size_t i = 1; i + 4 <= size;) {
        uint32_t at = (uint32_t)data[i] | (uint32_t)data[i + 1] << 8 | (uint32_t)data[i + 2] << 16;
        size_t length = data[i + 3] & 15;
        length = length < size - i - 4 ? length : size - i - 4;
        at %= (uint32_t)n - 16;
        memcpy(out + at, data + i + 4, length);
        i += 4 + length;
    }
    return data[size - 1] & 1 ? (size_t)data[size - 1] * n / 256 : n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static unsigned char copy[SIZE];
    struct error err = ERROR_INIT;
    struct trace t = {0};
    const char *file = path;
    if (size < 2)
        return 0;
    size_t n = data[0] == 'S' ? by_sql(copy, data + 1, size - 1) : damaged(copy, data, size);
    int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    if (fd < 0 || write(fd, copy, n) != (ssize_t)n)
        abort();
    close(fd);
    trace_open(&t, &file, 1, &err);
    trace_free(&t);
    unlink(path);
    return 0;
}
