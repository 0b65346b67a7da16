/* What names.c (keeping answers) and names_ask.c (finding them) share. */
#ifndef ROOFTOP_BACKENDS_UNWIND_NAMES_IMPL_H
#define ROOFTOP_BACKENDS_UNWIND_NAMES_IMPL_H

#include "backends/unwind/eh_index.h"
#include "backends/unwind/names.h"
#include "symbols/symbols.h"

enum { INLINES_MAX = 32, INDEX_BYTES_MAX = 64 << 20, SYMBOLS_BYTES_MAX = 128 << 20 };

/* Where an address is looked up, and its answer kept. */
enum { PLACE_KERNEL = 1, PLACE_VDSO, PLACE_JIT, PLACE_FILE };

struct kept {
    uint64_t address;
    uint64_t until_ns; /* valid until; UINT64_MAX = for good */
    uint32_t place;    /* PLACE_KERNEL, PLACE_VDSO, PLACE_FILE + its number; JIT: by pid */
    pid_t pid;         /* PLACE_JIT */
    uint32_t first, n; /* in lists; n = 0: free */
    int line;
    const char *file;
};

struct file_state {
    bool tried, index_tried;
    struct eh_index *index;   /* asked for when a symbol is missing; NULL = none */
    char *path;               /* to open it; NULL = cannot */
    struct symbol_file *open; /* NULL = cannot */
};

struct names {
    struct names_shared shared;
    struct symbols *symbols;
    struct kept *kept; /* by hash, open addressing */
    size_t nkept, cap;
    uint32_t *lists;
    size_t nlists, cap_lists;
    struct file_state *files; /* by number of the maps' files */
    size_t nfiles;
    size_t index_bytes; /* of all files */
};

/* What is known of an address before it is interned. */
struct found {
    struct symbol_frame frames[INLINES_MAX];
    size_t n;
    struct profile_symbol common; /* module, path, where */
    char module[256];
    uint64_t address;     /* in the file, or as it is; of the place itself */
    uint64_t start, size; /* of a function without a name; size 0 = not known */
    uint64_t until_ns;
};

/* What and where: the place and the address there that answers are kept under. */
struct wanted {
    uint32_t place;
    pid_t pid;
    uint64_t address; /* for the lookup: inside the call, for a caller */
    const struct map *map;
    const char *module; /* of places without a file */
};

void names_ask(struct names *n, const struct names_query *q, const struct wanted *w,
               struct found *f);

#endif
