#include "backends/perf_common/cpus.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cpu_list.h"
#include "base/env.h"

int read_text(char *out, size_t size, const char *abs_path)
{
    char path[512];
    out[0] = '\0';
    int fd = open(env_path(path, sizeof path, "%s", abs_path), O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    ssize_t n = read(fd, out, size - 1);
    int saved = errno;
    close(fd);
    if (n < 0) {
        out[0] = '\0';
        return -saved;
    }
    n -= n > 0 && out[n - 1] == '\n';
    out[n] = '\0';
    return (int)n;
}

int read_line(char *out, size_t size, const char *abs_path)
{
    int n = read_text(out, size, abs_path);
    out[strcspn(out, "\n")] = '\0';
    return n < 0 ? n : (int)strlen(out);
}

long read_number(const char *abs_path, long fallback)
{
    char line[64], *end;
    if (read_line(line, sizeof line, abs_path) <= 0)
        return fallback;
    errno = 0;
    long v = strtol(line, &end, 10);
    return end == line || errno ? fallback : v;
}

int cpus_online(bool *set)
{
    char line[4096];
    int n = 0;
    if (read_line(line, sizeof line, "/sys/devices/system/cpu/online") > 0)
        n = cpu_list_parse(line, set);
    if (n > 0)
        return n;
    memset(set, 0, TARGET_MAX_CPUS * sizeof *set);
    set[0] = true;
    return 1;
}
