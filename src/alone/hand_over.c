#include "alone/hand_over.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The oldest glibc that the other program runs with; scripts/portable.sh builds it so. */
#define OLDEST "GLIBC_2.29"

/* What the psABI of each processor names. */
#if defined(__aarch64__)
#define LOADER "/lib/ld-linux-aarch64.so.1"
#else
#define LOADER "/lib64/ld-linux-x86-64.so.2"
#endif

bool hand_over_has_version(const char *libc, const char *version)
{
    struct stat st;
    const int fd = open(libc, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    const size_t n =
        fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 ? (size_t)st.st_size : 0;
    char *bytes = n ? mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    close(fd);
    if (bytes == MAP_FAILED)
        return false;
    /* The zero after it keeps GLIBC_2.2 from being found in GLIBC_2.29. */
    const bool found = memmem(bytes, n, version, strlen(version) + 1) != NULL;
    munmap(bytes, n);
    return found;
}

/* Replaces what follows the last slash of path. */
static bool put_beside(char path[PATH_MAX], const char *name)
{
    char *slash = strrchr(path, '/');
    if (!slash || (size_t)(slash + 1 - path) + strlen(name) >= PATH_MAX)
        return false;
    strcpy(slash + 1, name);
    return true;
}

bool hand_over_find(const char *self, const char *loader, char out[PATH_MAX])
{
    char libc[PATH_MAX];
    if (strlen(self) >= PATH_MAX || !realpath(loader, libc) || !put_beside(libc, "libc.so.6") ||
        !hand_over_has_version(libc, OLDEST))
        return false;
    strcpy(out, self);
    return put_beside(out, "../glibc/bin/rooftop") && access(out, X_OK) == 0;
}

void hand_over(char **argv)
{
    char self[PATH_MAX], other[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    if (getauxval(AT_SECURE) == 0 && hand_over_find(self, LOADER, other))
        execv(other, argv); /* where it fails, this program does what it can */
}
