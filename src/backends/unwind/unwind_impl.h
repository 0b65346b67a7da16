/* What the files of backends/unwind share among themselves. */
#pragma once

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "backends/unwind/cfi.h"
#include "backends/unwind/maps.h"
#include "backends/unwind/names.h"
#include "base/hash_table.h"
#include "symbols/symbols.h"

/* DWARF expressions in call frame information: DWARF 5, section 2.5. */

/* Evaluates ops[0..n). cfa: for DW_OP_call_frame_cfa. push: a value to put on the stack first;
 * NULL: none. *value: the result is a value, not an address to read it from. false if it cannot be
 * computed. */
bool cfi_eval(const Dwarf_Op *ops, size_t n, const struct cfi_state *s, uint64_t cfa,
              const uint64_t *push, uint64_t *out, bool *value);

/* Finds the start and end of functions in a file without symbols, through the index of its unwind
 * information (.eh_frame_hdr), which strip keeps. All samples of a nameless function are then one
 * row, not one for each instruction. */
struct eh_index;

/* NULL if the file cannot be read, has no index, or one in an unusual form. */
struct eh_index *eh_index_open(const char *path);
void eh_index_free(struct eh_index *x); /* NULL is allowed */
/* Finds the function that holds address (in the file's own address space). */
bool eh_index_find(const struct eh_index *x, uint64_t address, uint64_t *start, uint64_t *size);
size_t eh_index_bytes(const struct eh_index *x); /* memory used; 0 for NULL */

/* Finds a path under which we can open a file that a process has mapped: its own path may be inside
 * a container, or lead to another file or to none. */

/* Writes the path to out. Tries the path itself, the same below the process's root, and the
 * kernel's link to the mapped file (for deleted files; needs CAP_SYS_ADMIN). false if none leads to
 * the mapped file. */
bool locate_file(const struct map_file *f, pid_t pid, const struct process_map *map, char *out,
                 size_t size);
/* The same for a recorded process, which may have run elsewhere: the i-th path where the file may
 * be, its own and that of perf's cache, which names files by build id. false: there are no more.
 * locate_is_recorded decides: a program may have been built again since. */
bool locate_recorded(const struct map_file *f, size_t i, char *out, size_t size);
/* Whether the file at path, which has this build id (n 0: none), is the recorded one. */
bool locate_is_recorded(const struct map_file *f, const char *path, const void *id, size_t n);
/* The last part of the path, for people. */
const char *locate_short_name(const struct map_file *f);

/* What names.c (keeping answers) and names_ask.c (finding answers) share. */
enum { INLINES_MAX = 32, INDEX_BYTES_MAX = 16 << 20, SYMBOLS_BYTES_MAX = 96 << 20 };

/* Where an address was looked up; part of the key of its answer. */
enum { PLACE_KERNEL = 1, PLACE_VDSO, PLACE_JIT, PLACE_FILE };

struct name_kept {
    uint64_t address;
    uint64_t until_ns; /* valid until this time; UINT64_MAX: always */
    uint32_t place;    /* PLACE_KERNEL, PLACE_VDSO, PLACE_JIT, or PLACE_FILE + file number */
    pid_t pid;         /* of PLACE_JIT */
    uint32_t first, n; /* range in levels; n 0: not asked yet */
};

struct file_state {
    bool tried, index_tried;
    struct eh_index *index;   /* opened when a symbol is missing; NULL: none */
    char *path;               /* path to open; NULL: cannot be opened */
    struct symbol_file *open; /* NULL: cannot be opened */
};

struct frame_names {
    struct names_shared shared;
    struct symbols *symbols;
    struct name_kept *kept;
    size_t nkept, cap;
    struct hash_table by_address;
    struct names_level *levels;
    size_t nlevels, cap_levels;
    struct file_state *files; /* by file number */
    size_t nfiles;
    size_t index_bytes; /* of all files together */
};

/* What was found for an address, before it is interned. */
struct name_found {
    struct symbol_frame frames[INLINES_MAX];
    size_t n;
    struct hot_symbol common; /* module, path, where: the same for all frames */
    char module[256];
    uint64_t address;     /* in the file, or the address itself */
    uint64_t start, size; /* of a function without a name; size 0: unknown */
    uint64_t until_ns;
};

/* The key of an answer, and what is needed to find it. */
struct name_wanted {
    uint32_t place;
    pid_t pid;
    uint64_t address; /* to look up: inside the call instruction, for a caller */
    const struct process_map *map;
    const char *module; /* name if there is no file */
};

void names_ask(struct frame_names *n, const struct names_query *q, const struct name_wanted *w,
               struct name_found *f);
