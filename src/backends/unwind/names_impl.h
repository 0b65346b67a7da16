/* What names.c (keeping answers) and names_ask.c (finding answers) share. */
#ifndef ROOFTOP_BACKENDS_UNWIND_NAMES_IMPL_H
#define ROOFTOP_BACKENDS_UNWIND_NAMES_IMPL_H

#include "backends/unwind/eh_index.h"
#include "backends/unwind/names.h"
#include "base/hash_table.h"
#include "symbols/symbols.h"

enum { INLINES_MAX = 32, INDEX_BYTES_MAX = 16 << 20, SYMBOLS_BYTES_MAX = 64 << 20 };

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
    const char *module; /* where there is no file */
};

void names_ask(struct frame_names *n, const struct names_query *q, const struct name_wanted *w,
               struct name_found *f);

#endif
