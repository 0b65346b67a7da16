/* Small ELF files with USDT notes, made byte by byte: any word size, any byte order, any damage. */
#ifndef TESTS_SUPPORT_NOTE_ELF_H
#define TESTS_SUPPORT_NOTE_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Loaded at CODE (executable, the file from its begin on) and DATA (writable, from byte 64 on). */
enum { NOTE_ELF_CODE = 0x400000, NOTE_ELF_DATA = 0x600000, NOTE_ELF_DATA_SIZE = 64 };

struct note_elf {
    int bits;      /* 32, 64 */
    bool big;      /* byte order */
    uint64_t base; /* address of .stapsdt.base now; 0 = there is none */
    uint8_t notes[1 << 16];
    size_t nnotes;
};

void note_elf_init(struct note_elf *e, int bits, bool big);
/* One note of the usual form. */
void note_elf_add(struct note_elf *e, uint64_t address, uint64_t base, uint64_t semaphore,
                  const char *provider, const char *name, const char *arguments);
/* One of any form. */
void note_elf_raw(struct note_elf *e, uint32_t name_size, uint32_t desc_size, uint32_t type,
                  const void *bytes, size_t size);
/* The file; the caller frees it. */
uint8_t *note_elf_make(const struct note_elf *e, size_t *size);

#endif
