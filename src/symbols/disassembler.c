#include "symbols/disassembler.h"

#include <elf.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "symbols/child.h"

/* The oldest LLVM that knows GPUs of today (gfx90a came with 13), and one newer than there are. */
enum { MACHINE_AMDGPU = 224, LLVM_OLDEST = 14, LLVM_NEWEST = 30 };

struct list {
    struct disassembler *rows;
    size_t n;
    struct arena *arena;
};

bool disassembler_is_gpu(const char *path)
{
    unsigned char head[sizeof(Elf64_Ehdr)];
    uint16_t machine = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    ssize_t n = pread(fd, head, sizeof head, 0);
    close(fd);
    if (n < (ssize_t)sizeof head || memcmp(head, ELFMAG, SELFMAG) != 0)
        return false;
    memcpy(&machine, head + offsetof(Elf64_Ehdr, e_machine), sizeof machine);
    return machine == MACHINE_AMDGPU;
}

static void add(struct list *l, const char *name, const char *path)
{
    for (size_t i = 0; i < l->n; i++)
        if (strcmp(l->rows[i].path, path) == 0)
            return;
    if (l->n < DISASSEMBLERS_MAX && access(path, X_OK) == 0)
        l->rows[l->n++] = (struct disassembler){.name = arena_strdup(l->arena, name),
                                                .path = arena_strdup(l->arena, path)};
}

static void add_found(struct list *l, const char *name)
{
    char path[PATH_MAX];
    if (child_find(name, path, sizeof path))
        add(l, name, path);
}

static int newest_first(const void *a, const void *b)
{
    return strverscmp(*(char *const *)b, *(char *const *)a);
}

/* /opt/rocm is a link to the one in use: it comes first; then by version. */
static void add_rocm(struct list *l)
{
    char path[PATH_MAX];
    const char *root = env_get("ROCM_PATH");
    glob_t g = {0};
    if (root && *root == '/' &&
        snprintf(path, sizeof path, "%s/llvm/bin/llvm-objdump", root) < (int)sizeof path)
        add(l, path, path);
    env_path(path, sizeof path, "/opt/rocm/llvm/bin/llvm-objdump");
    add(l, path, path);
    env_path(path, sizeof path, "/opt/rocm*/llvm/bin/llvm-objdump");
    if (glob(path, GLOB_NOSORT, NULL, &g) == 0) {
        qsort(g.gl_pathv, g.gl_pathc, sizeof *g.gl_pathv, newest_first);
        for (size_t i = 0; i < g.gl_pathc; i++)
            add(l, g.gl_pathv[i], g.gl_pathv[i]);
    }
    globfree(&g);
}

static void add_llvm(struct list *l)
{
    char name[32];
    for (int version = LLVM_NEWEST; version >= LLVM_OLDEST; version--) {
        snprintf(name, sizeof name, "llvm-objdump-%d", version);
        add_found(l, name);
    }
}

size_t disassembler_list(bool gpu, struct disassembler out[DISASSEMBLERS_MAX], struct arena *arena)
{
    struct list l = {.rows = out, .arena = arena};
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
