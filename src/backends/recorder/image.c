#include "backends/recorder/recorder_impl.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { SCRIPTS = 4, HEAD = 256, PROGRAM_HEADERS = 64, PLACE = PATH_MAX + 64 };

/* Writes a path by which rooftop reaches the task's file. */
static void write_reachable_path(char out[PLACE], pid_t tid, int dirfd, const char *path, int flags)
{
    if (path[0] == '/')
        snprintf(out, PLACE, "/proc/%d/root%s", (int)tid, path);
    else if (!path[0] && (flags & AT_EMPTY_PATH))
        snprintf(out, PLACE, "/proc/%d/fd/%d", (int)tid, dirfd);
    else if (dirfd == AT_FDCWD)
        snprintf(out, PLACE, "/proc/%d/cwd/%s", (int)tid, path);
    else
        snprintf(out, PLACE, "/proc/%d/fd/%d/%s", (int)tid, dirfd, path);
}

/* Opens a file that may be executed, or -1. Never a device, whose opening may have effects. */
static int open_regular_program(const char *path)
{
    char same[64];
    struct stat st;
    const int place = open(path, O_PATH | O_CLOEXEC);
    int fd = -1;
    if (place >= 0 && fstat(place, &st) == 0 && S_ISREG(st.st_mode)) {
        snprintf(same, sizeof same, "/proc/self/fd/%d", place);
        fd = open(same, O_RDONLY | O_CLOEXEC);
    }
    if (place >= 0)
        close(place);
    return fd;
}

/* Whether executing the file raises rights. The dynamic linker then preloads nothing, even if root
 * traces. */
static bool raises_rights(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return false;
    return ((st.st_mode & S_ISUID) && st.st_uid != geteuid()) ||
           ((st.st_mode & S_ISGID) && (st.st_mode & S_IXGRP) && st.st_gid != getegid()) ||
           getxattr(path, "security.capability", NULL, 0) > 0;
}

/* Copies the interpreter of a script; false: it is no script. */
static bool read_script_head(const char *head, ssize_t n, char out[HEAD])
{
    if (n < 4 || head[0] != '#' || head[1] != '!')
        return false;
    const char *at = head + 2 + strspn(head + 2, " \t");
    const size_t length = strcspn(at, " \t\n");
    snprintf(out, HEAD, "%.*s", (int)length, at);
    return length > 0;
}

static bool has_usual_linker(int fd, const Elf64_Phdr *p)
{
    static const char linker[] = "/ld-linux-x86-64.so.2";
    char path[HEAD] = "";
    if (p->p_filesz < sizeof linker || p->p_filesz >= sizeof path ||
        pread(fd, path, p->p_filesz, (off_t)p->p_offset) != (ssize_t)p->p_filesz)
        return false;
    const char *slash = strrchr(path, '/');
    return slash && strcmp(slash, linker) == 0;
}

/* --- libraries that must come first in a program --- */

struct program {
    int fd;
    Elf64_Ehdr head;
    int nheaders, ndynamic;
    Elf64_Phdr headers[PROGRAM_HEADERS];
    Elf64_Dyn dynamic[HEAD];
};

/* Reads at most count entries of a table. Returns how many exist. */
static int read_program_table(int fd, void *out, size_t each, uint64_t count, uint64_t offset)
{
    const ssize_t n = pread(fd, out, each * count, (off_t)offset);
    return n < 0 ? 0 : (int)((size_t)n / each);
}

/* The offset of an address in the program's file; 0: none. */
static uint64_t find_file_offset(const struct program *m, uint64_t address)
{
    for (int i = 0; i < m->nheaders; i++) {
        const Elf64_Phdr *p = &m->headers[i];
        if (p->p_type == PT_LOAD && address >= p->p_vaddr && address - p->p_vaddr < p->p_filesz)
            return address - p->p_vaddr + p->p_offset;
    }
    return 0;
}

static uint64_t find_dynamic_entry(const struct program *m, int64_t tag, unsigned nth)
{
    for (int i = 0; i < m->ndynamic; i++)
        if (m->dynamic[i].d_tag == tag && nth-- == 0)
            return m->dynamic[i].d_un.d_val;
    return UINT64_MAX;
}

/* Whether the address sanitizer is in a library: such a program ends at once if another library
 * comes before. */
static bool needs_sanitizer(struct program *m, const Elf64_Phdr *dynamic)
{
    static const char sanitizer[] = "libasan.so";
    char name[sizeof sanitizer] = "";
    const uint64_t count = dynamic->p_filesz / sizeof *m->dynamic;
    m->ndynamic = read_program_table(m->fd, m->dynamic, sizeof *m->dynamic,
                                     count < HEAD ? count : HEAD, dynamic->p_offset);
    const uint64_t texts = find_file_offset(m, find_dynamic_entry(m, DT_STRTAB, 0));
    for (unsigned i = 0; texts; i++) {
        const uint64_t at = find_dynamic_entry(m, DT_NEEDED, i);
        if (at == UINT64_MAX)
            return false;
        if (pread(m->fd, name, sizeof name - 1, (off_t)(texts + at)) == sizeof name - 1 &&
            strcmp(name, sanitizer) == 0)
            return true;
    }
    return false;
}

static bool can_take_recorder(int fd)
{
    struct program m = {.fd = fd};
    bool linked = false;
    const Elf64_Ehdr *h = &m.head;
    if (pread(fd, &m.head, sizeof m.head, 0) != sizeof m.head ||
        memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 || h->e_ident[EI_CLASS] != ELFCLASS64 ||
        h->e_machine != EM_X86_64 || h->e_phentsize != sizeof m.headers[0])
        return false;
    m.nheaders =
        read_program_table(fd, m.headers, sizeof m.headers[0],
                           h->e_phnum < PROGRAM_HEADERS ? h->e_phnum : PROGRAM_HEADERS, h->e_phoff);
    for (int i = 0; i < m.nheaders; i++) {
        if (m.headers[i].p_type == PT_INTERP)
            linked = has_usual_linker(fd, &m.headers[i]);
        if (m.headers[i].p_type == PT_DYNAMIC && needs_sanitizer(&m, &m.headers[i]))
            return false;
    }
    return linked;
}

enum image_kind image_look(pid_t tid, int dirfd, const char *path, int flags)
{
    char place[PLACE], head[HEAD] = "", next[HEAD];
    write_reachable_path(place, tid, dirfd, path, flags);
    for (int depth = 0; depth < SCRIPTS; depth++) {
        const int fd = open_regular_program(place);
        const ssize_t n = fd < 0 ? -1 : pread(fd, head, sizeof head - 1, 0);
        head[n > 0 ? n : 0] = '\0';
        const bool is_script = read_script_head(head, n, next),
                   rights = !is_script && raises_rights(place);
        const bool good = !is_script && !rights && fd >= 0 && can_take_recorder(fd);
        if (fd >= 0)
            close(fd);
        if (rights)
            return geteuid() == 0 ? IMAGE_FOREIGN : IMAGE_RAISES;
        if (!is_script)
            return good ? IMAGE_TAKES : IMAGE_FOREIGN;
        write_reachable_path(place, tid, AT_FDCWD, next, 0);
    }
    return IMAGE_FOREIGN;
}
