#include "backends/common/proc_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"

ssize_t kept_read(struct kept_file *f, const char *abs_path, char *buf, size_t size)
{
    char path[512];
    if (f->state < 0)
        return f->state;
    if (f->state == 0) {
        int fd = open(env_path(path, sizeof path, "%s", abs_path), O_RDONLY | O_CLOEXEC);
        f->state = fd < 0 ? -errno : fd + 1;
        if (fd < 0)
            return f->state;
    }
    ssize_t n = pread(f->state - 1, buf, size, 0);
    return n < 0 ? -errno : n;
}

void kept_close(struct kept_file *f)
{
    if (f->state > 0)
        close(f->state - 1);
    f->state = 0;
}

ssize_t file_read(const char *abs_path, char *out, size_t size)
{
    char path[512];
    out[0] = '\0';
    int fd = open(env_path(path, sizeof path, "%s", abs_path), O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    size_t used = 0;
    ssize_t n = 0;
    while (used < size - 1 && (n = read(fd, out + used, size - 1 - used)) > 0)
        used += (size_t)n;
    int saved = errno;
    close(fd);
    if (n < 0 && used == 0)
        return -saved;
    out[used] = '\0';
    return (ssize_t)used;
}

int file_line(const char *abs_path, char *out, size_t size)
{
    ssize_t n = file_read(abs_path, out, size);
    if (n < 0)
        return (int)n;
    out[strcspn(out, "\n")] = '\0';
    return (int)strlen(out);
}

long file_number(const char *abs_path, long fallback)
{
    char line[64], *end;
    if (file_line(abs_path, line, sizeof line) <= 0)
        return fallback;
    errno = 0;
    long v = strtol(line, &end, 10);
    return end == line || errno ? fallback : v;
}

long status_number(pid_t tid, const char *name)
{
    char path[64], line[64], status[2048];
    snprintf(path, sizeof path, "/proc/%d/status", (int)tid);
    snprintf(line, sizeof line, "\n%s:\t", name);
    if (file_read(path, status, sizeof status) <= 0)
        return -1;
    const char *at = strstr(status, line);
    return at ? strtol(at + strlen(line), NULL, 10) : -1;
}

bool file_exists(const char *abs_path)
{
    char path[512];
    return access(env_path(path, sizeof path, "%s", abs_path), F_OK) == 0;
}

bool file_proc_mounted(void)
{
    return file_exists("/proc/self/stat") || file_exists("/proc/stat");
}

bool file_recorded(void)
{
    char path[512];
    return strcmp(env_path(path, sizeof path, "/"), "/") != 0;
}
