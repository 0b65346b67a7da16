/* Small ELF files with USDT notes, built byte by byte with any word size, byte order and damage. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The file is mapped at CODE (executable, from its beginning) and at DATA (writable, from byte 64
 * on). */
enum { NOTE_ELF_CODE = 0x400000, NOTE_ELF_DATA = 0x600000, NOTE_ELF_DATA_SIZE = 64 };

struct note_elf {
    int bits;      /* 32 or 64 */
    bool big;      /* big endian */
    uint64_t base; /* address of .stapsdt.base; 0 = it does not exist */
    uint8_t notes[1 << 16];
    size_t nnotes;
};

void note_elf_init(struct note_elf *e, int bits, bool big);
/* Adds a note of the usual form. */
void note_elf_add(struct note_elf *e, uint64_t address, uint64_t base, uint64_t semaphore,
                  const char *provider, const char *name, const char *arguments);
/* Adds a note of any form. */
void note_elf_raw(struct note_elf *e, uint32_t name_size, uint32_t desc_size, uint32_t type,
                  const void *bytes, size_t size);
/* Makes the file; the caller frees it. */
uint8_t *note_elf_make(const struct note_elf *e, size_t *size);
