#include "backends/processes/processes_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"

/* FILES_FREE: descriptors that always stay free for other code. */
enum { FILES_MAX = 4096, FILES_FREE = 16, STAT_SIZE = 1024, CMDLINE_SIZE = 4096 };

void task_reader_init(struct task_reader *r, int proc_fd, struct users *users)
{
    struct rlimit limit;
    *r = (struct task_reader){.proc_fd = proc_fd, .users = users};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    if (limit.rlim_cur < limit.rlim_max && limit.rlim_cur < 4 * FILES_MAX) {
        struct rlimit more = {.rlim_cur = limit.rlim_max, .rlim_max = limit.rlim_max};
        if (setrlimit(RLIMIT_NOFILE, &more) == 0)
            limit = more;
    }
    r->fd_most = limit.rlim_cur < INT_MAX ? (int)limit.rlim_cur - FILES_FREE : INT_MAX;
    r->files_max = limit.rlim_cur / 4 < FILES_MAX ? (int)(limit.rlim_cur / 4) : FILES_MAX;
}

static int open_stat(const struct task_reader *r, pid_t pid)
{
    char path[32];
    snprintf(path, sizeof path, "%d/stat", (int)pid);
    int fd = openat(r->proc_fd, path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0)
        return fd;
    return errno == ENOENT ? -ESRCH : -errno;
}

void task_drop_file(struct task_reader *r, struct task *t)
{
    if (t->fd < 0)
        return;
    close(t->fd);
    t->fd = -1;
    r->files--;
}

int task_read_stat(struct task_reader *r, struct task *t, struct pid_stat *out)
{
    char buf[STAT_SIZE];
    bool kept = t->fd >= 0;
    int fd = kept ? t->fd : open_stat(r, t->pid);
    if (fd < 0)
        return fd;
    r->reads++;
    ssize_t n = pread(fd, buf, sizeof buf, 0);
    int rc = n < 0 ? -errno : -ESRCH;
    if (n > 0)
        rc = parse_pid_stat(buf, (size_t)n, out);
    if (rc == 0 && out->pid != t->pid)
        rc = -EINVAL;
    /* The kernel gives the lowest free number: all below fd are in use. */
    if (!kept && rc == 0 && r->files < r->files_max && fd < r->fd_most) {
        t->fd = fd;
        r->files++;
    } else if (!kept) {
        close(fd);
    }
    return rc;
}

void task_read_owner(struct task_reader *r, struct task *t)
{
    char path[16];
    struct stat st;
    /* The owner of the directory: the files in it belong to root if the process is not dumpable. */
    snprintf(path, sizeof path, "%d", (int)t->pid);
    if (fstatat(r->proc_fd, path, &st, 0) != 0)
        return;
    t->uid = st.st_uid;
    t->user = users_index(r->users, t->uid);
}

/* Arguments end with NUL bytes; they are shown with spaces between them. */
static size_t join_arguments(char *buf, size_t n)
{
    while (n > 0 && (buf[n - 1] == '\0' || buf[n - 1] == ' '))
        n--;
    for (size_t i = 0; i < n; i++)
        if (buf[i] == '\0')
            buf[i] = ' ';
    return n;
}

static void read_cmdline(struct task_reader *r, struct task *t)
{
    char path[32], buf[CMDLINE_SIZE];
    snprintf(path, sizeof path, "%d/cmdline", (int)t->pid);
    int fd = openat(r->proc_fd, path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, buf, sizeof buf);
    if (fd >= 0)
        close(fd);
    size_t len = n > 0 ? join_arguments(buf, (size_t)n) : 0;
    if (len == 0 && (n < 0 || t->stat.state == 'Z'))
        return; /* it is ending: its previous command line is the best name */
    if (len == t->cmdline_len && (len == 0 || memcmp(t->cmdline, buf, len) == 0))
        return;
    free(t->cmdline);
    t->cmdline = NULL;
    t->cmdline_len = len;
    if (len) {
        t->cmdline = xcalloc(len, 1);
        memcpy(t->cmdline, buf, len);
    }
}

void task_read_identity(struct task_reader *r, struct task *t)
{
    task_read_owner(r, t);
    if (!t->stat.kernel_thread)
        read_cmdline(r, t);
}

void task_free(struct task_reader *r, struct task *t)
{
    task_drop_file(r, t);
    free(t->cmdline);
    free(t);
}
