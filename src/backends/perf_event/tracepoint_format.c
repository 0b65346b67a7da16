#include "backends/perf_event/tracepoint_format.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"

long tracepoint_format(const char *system, const char *event, char out[TRACEPOINT_FORMAT_BYTES])
{
    static const char *const mounts[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
    char path[PATH_MAX];
    int fd = -1;
    for (size_t i = 0; i < 2 && fd < 0; i++)
        fd = open(env_path(path, sizeof path, "%s/events/%s/%s/format", mounts[i], system, event),
                  O_RDONLY | O_CLOEXEC);
    out[0] = '\0';
    if (fd < 0)
        return -errno;
    size_t used = 0;
    ssize_t n;
    while (used < TRACEPOINT_FORMAT_BYTES - 1 &&
           (n = read(fd, out + used, TRACEPOINT_FORMAT_BYTES - 1 - used)) > 0)
        used += (size_t)n;
    close(fd);
    out[used] = '\0';
    return (long)used;
}

/* The place of `word` in the n bytes, or NULL. */
static const char *find_format_word(const char *text, size_t n, const char *word)
{
    return n ? memmem(text, n, word, strlen(word)) : NULL;
}

/* The number behind "key:", at most 65535; -1: there is none. */
static long read_format_number(const char *line, size_t n, const char *key)
{
    const char *p = find_format_word(line, n, key), *end = line + n;
    long v = 0;
    if (!p || (p += strlen(key)) == end || !isdigit((unsigned char)*p))
        return -1;
    for (; p < end && isdigit((unsigned char)*p); p++)
        if ((v = v * 10 + (*p - '0')) > UINT16_MAX)
            return -1;
    return v;
}

/* "field:TYPE NAME;" in a line: whether NAME is this one. */
static bool is_field(const char *line, size_t n, const char *name)
{
    const char *field = find_format_word(line, n, "field:");
    const char *end = field ? memchr(field, ';', (size_t)(line + n - field)) : NULL;
    const size_t length = strlen(name);
    return end && (size_t)(end - field) > length + strlen("field:") &&
           memcmp(end - length, name, length) == 0 && end[-(long)length - 1] == ' ';
}

bool tracepoint_field_find(const char *text, size_t n, const char *name,
                           struct tracepoint_field *out)
{
    *out = (struct tracepoint_field){0};
    for (const char *line = text, *end = text + n; line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        const size_t length = (size_t)((stop ? stop : end) - line);
        if (is_field(line, length, name)) {
            const long offset = read_format_number(line, length, "\toffset:"),
                       size = read_format_number(line, length, "\tsize:");
            if (offset < 0 || (size != 1 && size != 2 && size != 4 && size != 8))
                return false;
            *out = (struct tracepoint_field){
                .offset = (uint16_t)offset,
                .size = (uint16_t)size,
                .is_signed = read_format_number(line, length, "\tsigned:") == 1};
            return true;
        }
        line += length + 1;
    }
    return false;
}

uint64_t tracepoint_field_of(const struct tracepoint_field *f, const void *record, size_t n)
{
    uint64_t v = 0;
    if (f->size == 0 || f->size > sizeof v || (size_t)f->offset + f->size > n)
        return 0;
    uint8_t bytes[sizeof v] = {0};
    memcpy(bytes, (const uint8_t *)record + f->offset, f->size);
    for (unsigned i = f->size; i-- > 0;) /* both architectures are little-endian */
        v = v << 8 | bytes[i];
    const unsigned unused = 64 - 8u * f->size;
    return f->is_signed && unused ? (uint64_t)((int64_t)(v << unused) >> unused) : v;
}
