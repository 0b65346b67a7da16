/* The capture's folder and its files. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "capture/writer/writer_impl.h"

enum { ENTRIES = 4096 };

void *writer_map(size_t size)
{
    void *p =
        mmap(NULL, size ? size : 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

void writer_unmap(void *p, size_t size)
{
    if (p)
        munmap(p, size ? size : 1);
}

/* --- signals --- */

void quiet_begin(struct quiet *q)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    sigset_t all, waiting;
    sigfillset(&all);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&all, faults[i]);
    pthread_sigmask(SIG_SETMASK, &all, &q->before);
    q->pending = sigpending(&waiting) == 0 && sigismember(&waiting, SIGXFSZ) == 1;
}

void quiet_end(const struct quiet *q)
{
    sigset_t size_limit;
    const struct timespec now = {0};
    sigemptyset(&size_limit);
    sigaddset(&size_limit, SIGXFSZ);
    while (!q->pending && sigtimedwait(&size_limit, NULL, &now) == -1 && errno == EINTR)
        continue;
    pthread_sigmask(SIG_SETMASK, &q->before, NULL);
}

/* --- reading a folder without opendir, which allocates --- */

struct folder_entry { /* the kernel's layout */
    uint64_t inode;
    int64_t next;
    uint16_t size;
    uint8_t type;
    char name[];
};

/* Returns any name in the folder; "": it is empty. */
static void any_name(int folder, char name[256])
{
    _Alignas(struct folder_entry) char bytes[ENTRIES];
    long n;
    name[0] = '\0';
    lseek(folder, 0, SEEK_SET);
    while ((n = syscall(SYS_getdents64, folder, bytes, sizeof bytes)) > 0)
        for (long at = 0; at < n;) {
            const struct folder_entry *e = (const struct folder_entry *)(bytes + at);
            at += e->size;
            if (strcmp(e->name, ".") == 0 || strcmp(e->name, "..") == 0)
                continue;
            snprintf(name, 256, "%s", e->name);
            return;
        }
}

static void unlink_all_in(int folder)
{
    char name[256];
    for (any_name(folder, name); name[0]; any_name(folder, name))
        if (unlinkat(folder, name, 0) != 0)
            return;
}

/* --- the folder --- */

static const char *const below[] = {CAPTURE_MEMORY, CAPTURE_AFTER, CAPTURE_VARIABLES};
enum { BELOW = sizeof below / sizeof *below };

int folder_make(struct capture_writer *w, const char *path)
{
    char name[256];
    if (strlen(path) >= sizeof w->path)
        return ENAMETOOLONG;
    snprintf(w->path, sizeof w->path, "%s", path);
    w->made = mkdir(path, 0700) == 0;
    if (!w->made && errno != EEXIST)
        return errno;
    w->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (w->folder < 0)
        return errno;
    any_name(w->folder, name);
    if (name[0]) {
        close(w->folder);
        w->folder = -1;
        return ENOTEMPTY;
    }
    for (int i = 0; i < BELOW; i++)
        if (mkdirat(w->folder, below[i], 0700) != 0)
            return errno;
    return 0;
}

void folder_drop(const struct capture_writer *w, const char *name)
{
    const int fd = openat(w->folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return;
    unlink_all_in(fd);
    close(fd);
    unlinkat(w->folder, name, AT_REMOVEDIR);
}

void folder_remove(struct capture_writer *w)
{
    static const char *const files[] = {CAPTURE_KERNARG,        CAPTURE_CODE,
                                        CAPTURE_DISPATCH,       CAPTURE_REGIONS,
                                        CAPTURE_COMPLETE,       CAPTURE_DISPATCH ".new",
                                        CAPTURE_REGIONS ".new", CAPTURE_COMPLETE ".new"};
    for (int i = 0; i < BELOW; i++)
        folder_drop(w, below[i]);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        unlinkat(w->folder, files[i], 0);
    if (w->made)
        rmdir(w->path);
}

/* Removes empty folders: a complete capture has none. */
static void remove_empty_folders(const struct capture_writer *w)
{
    for (int i = 0; i < BELOW; i++)
        if (strcmp(below[i], CAPTURE_MEMORY) != 0)
            unlinkat(w->folder, below[i], AT_REMOVEDIR);
}

/* --- the files --- */

int folder_create(const struct capture_writer *w, const char *name, int *fd)
{
    do
        *fd = openat(w->folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    while (*fd < 0 && errno == EINTR);
    return *fd < 0 ? errno : 0;
}

int folder_put(int fd, const void *p, size_t n, uint64_t offset)
{
    const char *from = p;
    while (n > 0) {
        ssize_t k = pwrite(fd, from, n, (off_t)offset);
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return k < 0 ? errno : ENOSPC;
        from += k;
        n -= (size_t)k;
        offset += (uint64_t)k;
    }
    return 0;
}

static int write_temporary_file(struct capture_writer *w, const struct folder_text *f)
{
    char temporary[WRITER_NAME_MAX];
    int fd;
    snprintf(temporary, sizeof temporary, "%s.new", f->name);
    int code = folder_create(w, temporary, &fd);
    if (code)
        return code;
    code = folder_put(fd, f->p, f->n, 0);
    if (close(fd) != 0 && code == 0 && errno != EINTR)
        code = errno;
    return code;
}

static int rename_temporary_file(const struct capture_writer *w, const struct folder_text *f)
{
    char temporary[WRITER_NAME_MAX];
    snprintf(temporary, sizeof temporary, "%s.new", f->name);
    return renameat(w->folder, temporary, w->folder, f->name) == 0 ? 0 : errno;
}

static void drop_new(const struct capture_writer *w, const struct folder_text *f)
{
    char temporary[WRITER_NAME_MAX];
    snprintf(temporary, sizeof temporary, "%s.new", f->name);
    unlinkat(w->folder, temporary, 0);
}

int folder_files(struct capture_writer *w, const struct folder_text *files, size_t n)
{
    const char *which = n ? files[0].name : "";
    int code = w->failed;
    if (code)
        return code;
    for (size_t i = 0; i < n && code == 0; i++) {
        which = files[i].name;
        code = write_temporary_file(w, &files[i]);
    }
    for (size_t i = 0; i < n && code == 0; i++) {
        which = files[i].name;
        if (strcmp(which, CAPTURE_COMPLETE) == 0)
            remove_empty_folders(w);
        code = rename_temporary_file(w, &files[i]);
    }
    for (size_t i = 0; i < n; i++)
        if (code)
            drop_new(w, &files[i]);
        else
            w->stored += files[i].n;
    return code ? writer_fail(w, code, which) : 0;
}

int folder_file(struct capture_writer *w, const char *name, const void *p, size_t n)
{
    const struct folder_text one = {name, p, n};
    return folder_files(w, &one, 1);
}
