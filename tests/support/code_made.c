#include "support/code_made.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <elf.h>

#include "base/toolbox.h"
#include "skip.h"
#include "symbols/source/disassembler.h"

void made_byte(struct code_made *m, unsigned byte)
{
    assert_true(m->n < CODE_MADE_MAX);
    m->bytes[m->n++] = (uint8_t)byte;
}

void made_map(struct code_made *m, unsigned pairs)
{
    made_byte(m, 0x80 | pairs);
}

void made_array(struct code_made *m, unsigned elements)
{
    made_byte(m, 0xdc);
    made_byte(m, elements >> 8);
    made_byte(m, elements & 255);
}

void made_text(struct code_made *m, const char *text)
{
    made_byte(m, 0xd9);
    made_byte(m, (unsigned)strlen(text));
    for (; *text; text++)
        made_byte(m, (unsigned char)*text);
}

void made_number(struct code_made *m, uint64_t v)
{
    made_byte(m, 0xcf);
    for (int shift = 56; shift >= 0; shift -= 8)
        made_byte(m, v >> shift & 255);
}

void made_pair(struct code_made *m, const char *key, uint64_t v)
{
    made_text(m, key);
    made_number(m, v);
}

uint8_t *code_made_elf(const struct code_made *m, size_t *n)
{
    static const char owner[] = "AMDGPU";
    Elf64_Ehdr h = {
        .e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT, 64, 3},
        .e_type = ET_DYN,
        .e_machine = 224,
        .e_version = EV_CURRENT,
        .e_phoff = sizeof h,
        .e_flags = 0x54c,
        .e_ehsize = sizeof h,
        .e_phentsize = sizeof(Elf64_Phdr),
        .e_phnum = 1,
    };
    Elf64_Nhdr note = {.n_namesz = sizeof owner, .n_descsz = (Elf64_Word)m->n, .n_type = 32};
    size_t notes = sizeof note + 8 + ((m->n + 3) & ~(size_t)3), at = sizeof h + sizeof(Elf64_Phdr);
    Elf64_Phdr p = {.p_type = PT_NOTE, .p_offset = at, .p_filesz = notes, .p_memsz = notes};
    *n = at + notes;
    uint8_t *file = calloc(1, *n);
    assert_non_null(file);
    memcpy(file, &h, sizeof h);
    memcpy(file + sizeof h, &p, sizeof p);
    memcpy(file + at, &note, sizeof note);
    memcpy(file + at + sizeof note, owner, sizeof owner);
    memcpy(file + at + sizeof note + 8, m->bytes, m->n);
    return file;
}

const char *code_path(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "tests/data/gpu/hsaco/%s", name);
    return path;
}

uint8_t *code_file(const char *name, size_t *n)
{
    enum { MOST = 1 << 20 };
    FILE *f = fopen(code_path(name), "rb");
    uint8_t *room = malloc(MOST);
    *n = f && room ? fread(room, 1, MOST, f) : 0;
    if (f)
        fclose(f);
    if (*n == 0)
        fail_msg("%s is not there", code_path(name));
    /* of exactly this size, so that a sanitizer notices reads beyond its end */
    uint8_t *bytes = malloc(*n ? *n : 1);
    if (!bytes || !room)
        abort();
    memcpy(bytes, room, *n);
    free(room);
    return bytes;
}

void needs_disassembler(const char *path)
{
    struct disassembler tools[DISASSEMBLERS_MAX];
    struct arena arena = {0};
    char processor[32] = "code of this machine";
    bool known = false, gpu = disassembler_processor(path, processor);
    size_t n = disassembler_list(gpu, tools, &arena);
    for (size_t i = 0; i < n && !known; i++)
        known = disassembler_knows(tools[i].path, path);
    arena_free(&arena);
    if (!known)
        skip_because("none of %zu disassemblers here knows %s; %s", n, processor,
                     toolbox_help(gpu ? TOOLBOX_LLVM_OBJDUMP : TOOLBOX_OBJDUMP));
}

static void put(uint8_t *out, size_t *at, const void *bytes, size_t n)
{
    memcpy(out + *at, bytes, n);
    *at += n;
}

uint8_t *code_bundle(const struct code_part *parts, size_t n, size_t *size)
{
    static const char magic[] = "__CLANG_OFFLOAD_BUNDLE__";
    uint64_t offset = 32, count = n;
    size_t at = 0;
    for (size_t i = 0; i < n; i++)
        offset += 24 + strlen(parts[i].target);
    *size = offset;
    for (size_t i = 0; i < n; i++)
        *size += parts[i].n;
    uint8_t *out = calloc(1, *size);
    assert_non_null(out);
    put(out, &at, magic, 24);
    put(out, &at, &count, 8);
    for (size_t i = 0; i < n; i++) {
        uint64_t length = parts[i].n, name = strlen(parts[i].target);
        put(out, &at, &offset, 8);
        put(out, &at, &length, 8);
        put(out, &at, &name, 8);
        put(out, &at, parts[i].target, name);
        offset += length;
    }
    for (size_t i = 0; i < n; i++)
        if (parts[i].n)
            put(out, &at, parts[i].bytes, parts[i].n);
    return out;
}
