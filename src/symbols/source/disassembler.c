#include "symbols/source/disassembler.h"

#include <elf.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"
#include "gpu/isa.h"
#include "symbols/child.h"

static const uint64_t ASKING_NS = 5000000000u;
/*
 * The oldest LLVM that knows current GPUs (gfx90a came with 13), and a version newer than the
 * newest.
 */
enum { MACHINE_AMDGPU = 224, LLVM_OLDEST = 14, LLVM_NEWEST = 30, ASKING_BYTES = 1 << 16 };

struct disassembler_list {
    struct disassembler *rows;
    size_t n;
    struct arena *arena;
};

static bool read_elf_header(const char *path, Elf64_Ehdr *head)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    ssize_t n = pread(fd, head, sizeof *head, 0);
    close(fd);
    return n == (ssize_t)sizeof *head && memcmp(head->e_ident, ELFMAG, SELFMAG) == 0;
}

bool disassembler_is_gpu(const char *path)
{
    Elf64_Ehdr head;
    return read_elf_header(path, &head) && head.e_machine == MACHINE_AMDGPU;
}

bool disassembler_processor(const char *path, char out[32])
{
    Elf64_Ehdr head;
    struct isa isa;
    if (!read_elf_header(path, &head) || head.e_machine != MACHINE_AMDGPU)
        return false;
    if (isa_of_flags(head.e_flags, 0, &isa))
        snprintf(out, 32, "%s", isa.processor);
    else
        snprintf(out, 32, "GPUs of number 0x%x", head.e_flags & 0xff);
    return true;
}

bool disassembler_knows(const char *tool, const char *path)
{
    Elf64_Ehdr head;
    char file[64], *text;
    if (!read_elf_header(path, &head))
        return false;
    head.e_type = ET_REL;
    head.e_entry = head.e_phoff = head.e_shoff = 0;
    head.e_phnum = head.e_shnum = head.e_shstrndx = 0;
    int fd = child_file(&head, sizeof head, file);
    if (fd < 0)
        return false;
    char *const argv[] = {(char *)tool, "-d", file, NULL};
    int code = child_run(argv, ASKING_NS, ASKING_BYTES, &text);
    free(text);
    close(fd);
    return code == 0;
}

void disassembler_version(const char *tool, char *out, size_t size)
{
    static const char mark[] = "LLVM version ";
    char *text, *const argv[] = {(char *)tool, "--version", NULL};
    int code = child_run(argv, ASKING_NS, ASKING_BYTES, &text);
    const char *at = code == 0 ? strstr(text, mark) : NULL;
    snprintf(out, size, "%s%.*s", at ? "LLVM " : "",
             at ? (int)strspn(at + sizeof mark - 1, "0123456789.") : 0,
             at ? at + sizeof mark - 1 : "");
    free(text);
}

static void add_disassembler(struct disassembler_list *l, const char *name, const char *path)
{
    struct stat own, other;
    if (stat(path, &own) != 0)
        return;
    for (size_t i = 0; i < l->n; i++) /* a link to a listed tool is the same tool */
        if (stat(l->rows[i].path, &other) == 0 && own.st_ino == other.st_ino &&
            own.st_dev == other.st_dev)
            return;
    if (l->n < DISASSEMBLERS_MAX && access(path, X_OK) == 0)
        l->rows[l->n++] = (struct disassembler){.name = arena_strdup(l->arena, name),
                                                .path = arena_strdup(l->arena, path)};
}

static void add_found(struct disassembler_list *l, const char *name)
{
    char path[PATH_MAX];
    if (child_find(name, path, sizeof path))
        add_disassembler(l, name, path);
}

static int newest_first(const void *a, const void *b)
{
    return strverscmp(*(char *const *)b, *(char *const *)a);
}

/* /opt/rocm is a link to the version in use, so it comes first; the others by version. */
static void add_rocm(struct disassembler_list *l)
{
    char path[PATH_MAX];
    const char *root = env_get("ROCM_PATH");
    glob_t g = {0};
    if (root && *root == '/' &&
        snprintf(path, sizeof path, "%s/llvm/bin/llvm-objdump", root) < (int)sizeof path)
        add_disassembler(l, path, path);
    env_path(path, sizeof path, "/opt/rocm/llvm/bin/llvm-objdump");
    add_disassembler(l, path, path);
    env_path(path, sizeof path, "/opt/rocm*/llvm/bin/llvm-objdump");
    if (glob(path, GLOB_NOSORT, NULL, &g) == 0) {
        qsort(g.gl_pathv, g.gl_pathc, sizeof *g.gl_pathv, newest_first);
        for (size_t i = 0; i < g.gl_pathc; i++)
            add_disassembler(l, g.gl_pathv[i], g.gl_pathv[i]);
    }
    globfree(&g);
}

static void add_llvm(struct disassembler_list *l)
{
    char name[32];
    for (int version = LLVM_NEWEST; version >= LLVM_OLDEST; version--) {
        snprintf(name, sizeof name, "llvm-objdump-%d", version);
        add_found(l, name);
    }
}

size_t disassembler_list(bool gpu, struct disassembler out[DISASSEMBLERS_MAX], struct arena *arena)
{
    struct disassembler_list l = {.rows = out, .arena = arena};
    if (gpu) {
        add_rocm(&l);
        add_llvm(&l);
        add_found(&l, "llvm-objdump");
    } else {
        add_found(&l, "objdump");
        add_found(&l, "llvm-objdump");
        add_llvm(&l);
    }
    return l.n;
}
