#include "symbols/source/disassembler.h"

#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/toolbox.h"
#include "gpu/isa.h"

static const uint64_t ASKING_NS = 5000000000u;
enum { MACHINE_AMDGPU = 224, ASKING_BYTES = 1 << 16 };

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

size_t disassembler_list(bool gpu, struct disassembler out[DISASSEMBLERS_MAX], struct arena *arena)
{
    static const enum toolbox_row order[] = {TOOLBOX_OBJDUMP, TOOLBOX_LLVM_OBJDUMP};
    struct toolbox_tool *found = xcalloc(TOOLBOX_MAX, sizeof *found);
    size_t n = 0;
    for (size_t k = gpu; k < sizeof order / sizeof *order; k++) {
        size_t rows = toolbox_list(order[k], found);
        for (size_t i = 0; i < rows && n < DISASSEMBLERS_MAX; i++)
            out[n++] = (struct disassembler){.name = arena_strdup(arena, found[i].name),
                                             .path = arena_strdup(arena, found[i].path)};
    }
    free(found);
    return n;
}
