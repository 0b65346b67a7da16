#include "base/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define MARK ".rooftop-"
enum { RANDOM = 6, TRIES = 16 };

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st, (void)kind, (void)at;
    remove(path);
    return 0;
}

void temporary_remove_folder(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Returns whether it is this user's file or folder, and not a link. */
static bool is_our_temporary(const struct stat *st, bool folder)
{
    return st->st_uid == geteuid() && (folder ? S_ISDIR(st->st_mode) : S_ISREG(st->st_mode));
}

/* Removes it if its maker has ended: then nobody holds its lock. */
static void remove_dead(const char *path, bool folder)
{
    struct stat st;
    if (lstat(path, &st) != 0 || !is_our_temporary(&st, folder))
        return;
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &st) == 0 && is_our_temporary(&st, folder)) {
        if (folder)
            temporary_remove_folder(path);
        else
            unlink(path);
    }
    close(fd);
}

/* Returns whether the name is `base`, the mark and six characters. */
static bool is_made_of(const char *name, const char *base, size_t n)
{
    return strncmp(name, base, n) == 0 && strncmp(name + n, MARK, sizeof MARK - 1) == 0 &&
           strlen(name + n) == sizeof MARK - 1 + RANDOM && !strchr(name + n + 1, '.');
}

/* template_ is the path with the Xs. */
static void remove_dead_temporaries(const char *template_, bool folder)
{
    char path[PATH_MAX];
    const char *slash = strrchr(template_, '/'), *base = slash ? slash + 1 : template_;
    const size_t above = (size_t)(base - template_), n = strlen(base) - (sizeof MARK - 1) - RANDOM;
    snprintf(path, sizeof path, "%.*s", (int)above, template_);
    DIR *dir = opendir(above ? path : ".");
    for (struct dirent *e;
         dir && (e = readdir(dir));) { /* NOLINT: no other thread uses this stream */
        if (!is_made_of(e->d_name, base, n))
            continue;
        if ((size_t)snprintf(path, sizeof path, "%.*s%s", (int)above, template_, e->d_name) <
            sizeof path)
            remove_dead(path, folder);
    }
    if (dir)
        closedir(dir);
}

/* Makes a file or folder and locks it. Returns the descriptor or -errno; -EAGAIN if another process
 * removed it before it was locked. */
static int make_one(char *path, bool folder)
{
    struct stat st;
    int fd = -1;
    if (!folder)
        fd = mkostemp(path, O_CLOEXEC);
    else if (mkdtemp(path)) {
        fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0 && errno == ENOENT)
            return -EAGAIN;
    }
    if (fd < 0)
        return -errno;
    while (flock(fd, LOCK_EX) != 0 && errno == EINTR)
        ; /* without locks on this file system, nobody removes it */
    if (fstat(fd, &st) == 0 && st.st_nlink > 0)
        return fd;
    close(fd);
    return -EAGAIN;
}

static int make_temporary(const char *beside, char *path, size_t size, bool folder)
{
    const char *slash = strrchr(beside, '/'), *base = slash ? slash + 1 : beside;
    const int most = NAME_MAX - (int)(sizeof MARK - 1) - RANDOM;
    char name[PATH_MAX + TEMPORARY_MORE];
    const int n = snprintf(name, sizeof name, "%.*s%.*s" MARK "XXXXXX", (int)(base - beside),
                           beside, most, base);
    *path = '\0';
    if (n < 0 || (size_t)n >= sizeof name || (size_t)n >= size)
        return -ENAMETOOLONG;
    remove_dead_temporaries(name, folder);
    int fd = -EAGAIN;
    for (int i = 0; i < TRIES && fd == -EAGAIN; i++) {
        strcpy(path, name);
        fd = make_one(path, folder);
    }
    if (fd < 0)
        *path = '\0';
    return fd;
}

int temporary_file(const char *beside, char *path, size_t size)
{
    return make_temporary(beside, path, size, false);
}

FILE *temporary_stream(int fd)
{
    const int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    FILE *f = own < 0 ? NULL : fdopen(own, "w");
    if (!f && own >= 0)
        close(own);
    return f;
}

int temporary_folder(const char *beside, char *path, size_t size)
{
    return make_temporary(beside, path, size, true);
}
