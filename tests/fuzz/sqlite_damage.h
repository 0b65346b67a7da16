/*
 * Valid SQLite databases, which a fuzzer damages. If the first byte is 'S', the rest is SQL that
 * changes schema and values of the first one. Otherwise the byte's last bit chooses a database,
 * which is changed in places (offset, length, bytes); an odd last byte also cuts it.
 */
#pragma once

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "engine/trace/trace.h"

enum { DAMAGE_SIZE = 1 << 18, DAMAGE_STEPS = 200, DAMAGE_VALUE = 100000, DAMAGE_LEAST = 4096 };

static struct {
    unsigned char whole[2][DAMAGE_SIZE];
    size_t size[2];
    int n;
    char path[64];
} good;

static size_t damage_keep(sqlite3 *db, unsigned char *out)
{
    sqlite3_int64 size = 0;
    unsigned char *bytes = sqlite3_serialize(db, "main", &size, 0);
    size_t n = bytes && size <= DAMAGE_SIZE ? (size_t)size : 0;
    if (n)
        memcpy(out, bytes, n);
    sqlite3_free(bytes);
    return n;
}

/* Adds a valid database, and closes it. name: of the fuzzer. */
static void damage_add(sqlite3 *db, const char *name)
{
    good.size[good.n] = damage_keep(db, good.whole[good.n]);
    if (good.size[good.n++] < DAMAGE_LEAST)
        abort();
    sqlite3_close(db);
    snprintf(good.path, sizeof good.path, "/tmp/rooftop-fuzz-%s-%d", name, (int)getpid());
}

static int damage_enough(void *left)
{
    return --*(int *)left < 0;
}

/* The first valid one, in memory, to be changed. */
static sqlite3 *damage_copy(void)
{
    enum { FLAGS = SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE };
    sqlite3 *db;
    sqlite3_int64 n = (sqlite3_int64)good.size[0];
    unsigned char *bytes = sqlite3_malloc64(good.size[0]);
    if (!bytes || sqlite3_open(":memory:", &db) != SQLITE_OK)
        abort();
    memcpy(bytes, good.whole[0], good.size[0]);
    if (sqlite3_deserialize(db, "main", bytes, n, n, FLAGS) != SQLITE_OK)
        abort();
    return db;
}

static size_t damage_by_sql(unsigned char *out, const uint8_t *data, size_t size)
{
    sqlite3 *db = damage_copy();
    int left = DAMAGE_STEPS;
    char *sql = calloc(1, size + 1);
    if (!sql)
        abort();
    memcpy(sql, data, size);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, DAMAGE_VALUE);
    sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_progress_handler(db, 100, damage_enough, &left);
    sqlite3_exec(db, sql, NULL, NULL, NULL);
    sqlite3_progress_handler(db, 0, NULL, NULL);
    size_t n = damage_keep(db, out);
    sqlite3_close(db);
    free(sql);
    return n;
}

static size_t damage_bytes(unsigned char *out, const uint8_t *data, size_t size)
{
    int which = (data[0] & 1) % good.n;
    size_t n = good.size[which];
    memcpy(out, good.whole[which], n);
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

/* Writes the database that the input makes to good.path. */
static bool damage_write(const uint8_t *data, size_t size)
{
    static unsigned char copy[DAMAGE_SIZE];
    if (size < 2)
        return false;
    size_t n =
        data[0] == 'S' ? damage_by_sql(copy, data + 1, size - 1) : damage_bytes(copy, data, size);
    int fd = open(good.path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    if (fd < 0 || write(fd, copy, n) != (ssize_t)n)
        abort();
    close(fd);
    return true;
}

/* Opens it as a profile. */
static inline int damage_open(const uint8_t *data, size_t size)
{
    struct error err = ERROR_INIT;
    struct trace t = {0};
    const char *file = good.path;
    if (damage_write(data, size)) {
        trace_open(&t, &file, 1, &err);
        trace_free(&t);
        unlink(good.path);
    }
    return 0;
}
