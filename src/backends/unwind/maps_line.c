/* Parses the text of /proc/PID/maps: proc(5). */
#include <stdlib.h>
#include <string.h>

#include "backends/unwind/maps.h"

enum map_kind maps_kind_of(const char *path)
{
    if (strcmp(path, "[vdso]") == 0)
        return MAP_VDSO;
    if (path[0] == '\0' || strncmp(path, "//anon", 6) == 0 || strncmp(path, "[anon", 5) == 0 ||
        strcmp(path, "[heap]") == 0 || strncmp(path, "[stack", 6) == 0 ||
        strncmp(path, "/dev/zero", 9) == 0 || strncmp(path, "/SYSV", 5) == 0)
        return MAP_ANON;
    return path[0] == '/' && path[1] != '/' ? MAP_FILE : MAP_SPECIAL;
}

static bool parse_map_hex(const char **p, char end, uint64_t *out)
{
    char *after;
    if (!((**p >= '0' && **p <= '9') || (**p >= 'a' && **p <= 'f')))
        return false;
    *out = strtoull(*p, &after, 16);
    if (*after != end)
        return false;
    *p = after + 1;
    return true;
}

bool maps_parse_line(const char *line, struct map_line *out)
{
    uint64_t major, minor;
    const char *p = line;
    *out = (struct map_line){0};
    if (!parse_map_hex(&p, '-', &out->start) || !parse_map_hex(&p, ' ', &out->end))
        return false;
    if (strnlen(p, 5) < 5 || p[4] != ' ')
        return false;
    out->executable = p[2] == 'x';
    p += 5;
    if (!parse_map_hex(&p, ' ', &out->offset) || !parse_map_hex(&p, ':', &major) ||
        !parse_map_hex(&p, ' ', &minor))
        return false;
    char *after;
    if (*p < '0' || *p > '9')
        return false;
    out->inode = strtoull(p, &after, 10);
    out->major = (uint32_t)major;
    out->minor = (uint32_t)minor;
    out->path = after + strspn(after, " ");
    return out->end > out->start;
}
