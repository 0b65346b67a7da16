/*
 * Symbols and debug information that lie apart from the code: files found by build-id or by name,
 * and the small table that some systems pack into .gnu_debugdata. Only this machine is searched.
 */
#ifndef ROOFTOP_SYMBOLS_ELF_DEBUG_FILE_H
#define ROOFTOP_SYMBOLS_ELF_DEBUG_FILE_H

#include <libelf.h>
#include <stddef.h>

/* An Elf of its own, and what it needs. elf NULL: there is none. */
struct debug_file {
    int fd; /* -1 none */
    Elf *elf;
    void *memory; /* what elf was unpacked to */
    size_t size;  /* of memory */
};

#define DEBUG_FILE_NONE                                                                            \
    {                                                                                              \
        .fd = -1                                                                                   \
    }

/* The file that belongs to elf, which lies at path (NULL unknown). */
void debug_file_find(struct debug_file *d, Elf *elf, const char *path);
/* What .gnu_debugdata holds. */
void debug_file_unpack(struct debug_file *d, Elf *elf);
void debug_file_close(struct debug_file *d);

/* The section of that name; NULL none. */
Elf_Scn *elf_section(Elf *elf, const char *name);

#endif
