#include "support/note_elf.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

struct writer {
    uint8_t *to;
    size_t n;
    bool big;
    int bits;
};

static void put(struct writer *w, uint64_t v, size_t size)
{
    for (size_t i = 0; i < size; i++)
        w->to[w->n + (w->big ? size - 1 - i : i)] = (uint8_t)(v >> 8 * i);
    w->n += size;
}

static void word(struct writer *w, uint64_t v)
{
    put(w, v, w->bits == 32 ? 4 : 8);
}

void note_elf_init(struct note_elf *e, int bits, bool big)
{
    *e = (struct note_elf){.bits = bits, .big = big};
}

void note_elf_raw(struct note_elf *e, uint32_t name_size, uint32_t desc_size, uint32_t type,
                  const void *bytes, size_t size)
{
    struct writer w = {.to = e->notes, .n = e->nnotes, .big = e->big};
    put(&w, name_size, 4);
    put(&w, desc_size, 4);
    put(&w, type, 4);
    memcpy(e->notes + w.n, bytes, size);
    e->nnotes = w.n + size;
}

void note_elf_add(struct note_elf *e, uint64_t address, uint64_t base, uint64_t semaphore,
                  const char *provider, const char *name, const char *arguments)
{
    uint8_t bytes[8192] = "stapsdt";
    struct writer w = {.to = bytes, .n = 8, .big = e->big, .bits = e->bits};
    const char *texts[] = {provider, name, arguments};
    word(&w, address);
    word(&w, base);
    word(&w, semaphore);
    for (int i = 0; i < 3; i++) {
        memcpy(bytes + w.n, texts[i], strlen(texts[i]) + 1);
        w.n += strlen(texts[i]) + 1;
    }
    note_elf_raw(e, 8, (uint32_t)w.n - 8, 3, bytes, (w.n + 3) & ~(size_t)3);
}

static void segment(struct writer *w, uint32_t flags, uint64_t offset, uint64_t address,
                    uint64_t size)
{
    put(w, PT_LOAD, 4);
    if (w->bits == 64)
        put(w, flags, 4);
    word(w, offset);
    word(w, address);
    word(w, address);
    word(w, size);
    word(w, size);
    if (w->bits == 32)
        put(w, flags, 4);
    word(w, 1);
}

static void section(struct writer *w, uint32_t name, uint32_t type, uint64_t address,
                    uint64_t offset, uint64_t size)
{
    put(w, name, 4);
    put(w, type, 4);
    word(w, 0);
    word(w, address);
    word(w, offset);
    word(w, size);
    put(w, 0, 4);
    put(w, 0, 4);
    word(w, 4);
    word(w, 0);
}

static void header(struct writer *w, uint64_t sections, unsigned nsections)
{
    bool wide = w->bits == 64;
    static const uint8_t magic[] = {0x7f, 'E', 'L', 'F'};
    memcpy(w->to, magic, 4);
    w->to[4] = wide ? ELFCLASS64 : ELFCLASS32;
    w->to[5] = w->big ? ELFDATA2MSB : ELFDATA2LSB;
    w->to[6] = EV_CURRENT;
    w->n = 16;
    put(w, ET_EXEC, 2);
    put(w, wide ? EM_X86_64 : EM_386, 2);
    put(w, EV_CURRENT, 4);
    word(w, NOTE_ELF_CODE);
    word(w, wide ? 64 : 52);
    word(w, sections);
    put(w, 0, 4);
    put(w, wide ? 64 : 52, 2);
    put(w, wide ? 56 : 32, 2);
    put(w, 2, 2);
    put(w, wide ? 64 : 40, 2);
    put(w, nsections, 2);
    put(w, 1, 2);
}

uint8_t *note_elf_make(const struct note_elf *e, size_t *size)
{
    static const char names[] = "\0.shstrtab\0.note.stapsdt\0.stapsdt.base";
    enum { TEXTS = 192, NOTES = 256 };
    uint64_t sections = NOTES + ((e->nnotes + 7) & ~(size_t)7);
    unsigned n = e->base ? 4 : 3;
    *size = sections + (size_t)n * (e->bits == 64 ? 64 : 40);
    struct writer w = {.to = xcalloc(1, *size), .big = e->big, .bits = e->bits};
    header(&w, sections, n);
    segment(&w, PF_R | PF_X, 0, NOTE_ELF_CODE, *size);
    segment(&w, PF_R | PF_W, 64, NOTE_ELF_DATA, NOTE_ELF_DATA_SIZE);
    memcpy(w.to + TEXTS, names, sizeof names);
    memcpy(w.to + NOTES, e->notes, e->nnotes);
    w.n = sections;
    section(&w, 0, SHT_NULL, 0, 0, 0);
    section(&w, 1, SHT_STRTAB, 0, TEXTS, sizeof names);
    section(&w, 11, SHT_NOTE, 0, NOTES, e->nnotes);
    if (e->base)
        section(&w, 25, SHT_PROGBITS, e->base, 0, 1);
    return w.to;
}
