/*
 * Finds symbols and debug information that are separate from the code: files found by build-id or
 * by name, and the small table that some systems pack into .gnu_debugdata. Only this machine is
 * searched.
 */
#pragma once

#include <libelf.h>
#include <stddef.h>

/* An Elf and what it owns. elf NULL: there is none. */
struct debug_file {
    int fd; /* -1: none */
    Elf *elf;
    void *memory; /* the unpacked file that elf reads */
    size_t size;  /* bytes of memory */
};

#define DEBUG_FILE_NONE                                                                            \
    {                                                                                              \
        .fd = -1                                                                                   \
    }

/* Finds the debug file of elf, which was read from path (NULL: unknown). Close d with
 * debug_file_close. */
void debug_file_find(struct debug_file *d, Elf *elf, const char *path);
/* Unpacks .gnu_debugdata of elf. Close d with debug_file_close. */
void debug_file_unpack(struct debug_file *d, Elf *elf);
void debug_file_close(struct debug_file *d);

/* The open file, for elf_end; NULL: it cannot be read. It is mapped only if no other user can
 * shorten it, because reading past its end raises SIGBUS. */
Elf *elf_open(int fd);
/* The section of that name; NULL: none. */
Elf_Scn *elf_section(Elf *elf, const char *name);
