/* What the files of symbols share among themselves. */
#pragma once

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/strings.h"
#include "symbols/elf/debug_file.h"
#include "symbols/elf/dwarf_info.h"
#include "symbols/elf/elf_symbols.h"
#include "symbols/elf/names.h"
#include "symbols/symbols.h"

/* The struct symbols that the files of symbols/ share. */
struct kernel_symbols;
struct jit_maps;

struct symbols {
    size_t limit;
    uint64_t clock; /* counts the calls, to find the least recently used file */
    struct strings strings;
    struct symbol_file **files;
    size_t nfiles, cap;
    struct symbol_file *vdso;
    bool vdso_tried;
    struct kernel_symbols *kernel;
    struct jit_maps *jit;
    bool ended; /* jit is of processes that have ended */
};

struct file_segment {
    uint64_t offset, size, address;
};

struct symbol_file {
    struct symbols *owner;
    char *path;        /* NULL: the vDSO */
    struct stat state; /* its state when it was first opened */
    struct file_segment *segments;
    size_t nsegments;
    struct image *image; /* NULL: not read yet, or dropped to save memory */
    uint64_t used;       /* owner's clock at its last use */
    uint64_t checked_ns; /* when it was last found unchanged */
    bool gone;           /* it can no longer be read, or was replaced */
};

/*
 * The symbols of a file and its debug information, if it has any. It can be dropped and read again.
 */
struct image {
    int fd; /* -1: read from memory */
    Elf *elf;
    struct strings *strings; /* borrowed */
    bool read;               /* the fields below are filled */
    struct elf_symbols table;
    struct debug_file debug, packed;
    struct symbol_names names;
    struct dwarf_info *dwarf; /* NULL: none */
    size_t bytes;             /* memory that the tables use */
};

/* Opens an image from a file, whose descriptor the image then owns, or from memory, which must
 * outlive it. NULL if it is no ELF file; then the descriptor is closed. */
struct image *image_open(int fd, struct strings *strings);
struct image *image_open_memory(void *data, size_t size, struct strings *strings);
void image_close(struct image *image);

/* Like symbol_file_resolve. path: debug files are searched next to it; NULL: not searched. */
size_t image_resolve(struct image *image, const char *path, uint64_t address,
                     struct symbol_frame *out, size_t max);

/* Reads perf-<pid>.map, in which run-time compilers describe the code that they made. One line for
 * each function: address and size in hexadecimal digits, then the name. */
struct jit_maps;
/* strings is borrowed; ended: see symbols_ended. */
struct jit_maps *jit_maps_new(struct strings *strings, bool ended);
void jit_maps_free(struct jit_maps *m);
/* Like symbols_jit. */
bool jit_maps_find(struct jit_maps *m, pid_t pid, uint64_t ip, struct symbol_frame *out);
size_t jit_maps_memory(const struct jit_maps *m);

/* The lines of a perf-<pid>.map as a table of functions. */
struct jit_function;

struct jit_map {
    struct jit_function *rows;
    size_t n, cap;
    size_t sorted;  /* the first `sorted` rows are in order of address */
    uint32_t count; /* lines taken so far */
    char *text;     /* NUL-terminated names */
    size_t used, room;
};

/* Takes whole lines and skips malformed ones. Returns how many bytes were taken. */
size_t jit_map_add(struct jit_map *m, const char *text, size_t len);
/* Returns the name of the function that holds ip (of several, the one written last) and its address
 * and size; NULL: none. The name is valid until the next call. */
const char *jit_map_find(struct jit_map *m, uint64_t ip, uint64_t *address, uint64_t *size);
size_t jit_map_memory(const struct jit_map *m);
void jit_map_free(struct jit_map *m);

/* Linux's symbols, from /proc/kallsyms. */
struct kernel_symbols;
struct kernel_symbols *kernel_symbols_new(struct strings *strings); /* strings is borrowed */
void kernel_symbols_free(struct kernel_symbols *k);
/* Like symbols_kernel. */
bool kernel_symbols_find(struct kernel_symbols *k, uint64_t ip, struct symbol_frame *out,
                         const char **module);
size_t kernel_symbols_memory(const struct kernel_symbols *k);

/* Finds a library where the dynamic linker would find it: ld.so(8). */
enum { LIBRARY_FOLDERS_MAX = 256, NEEDED_MAX = 256 };

/* The libraries that an ELF file needs; texts are in the arena. */
struct needed {
    const char *names[NEEDED_MAX];
    size_t n;
    const char *rpath, *runpath; /* NULL: none */
    const char *interpreter;     /* the dynamic linker; NULL: none */
    unsigned char class, data;   /* e_ident */
    unsigned short machine;
};
/* Reads path. false if it is no ELF file. */
bool needed_read(struct needed *out, const char *path, struct arena *texts);

/* The folders of /etc/ld.so.conf and the files it includes, then the default ones. */
struct library_folders {
    const char *list[LIBRARY_FOLDERS_MAX];
    size_t n;
};
void library_folders_read(struct library_folders *out, struct arena *texts);

/* Finds the library `name` that the file at `from` needs, and returns its path in the arena. NULL:
 * no library of the same class and machine was found. */
const char *library_find(const struct library_folders *f, const struct needed *of, const char *from,
                         const char *name, struct arena *texts);

/* The shared object that the kernel maps into every process, from our own memory. */

/* Returns its image and size; NULL if there is none. The kernel owns the memory; it stays valid. */
void *vdso_data(size_t *size);
