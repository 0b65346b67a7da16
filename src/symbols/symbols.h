/*
 * Finds names for addresses: in ELF files through their symbol tables and debug information, in
 * Linux's kernel, in the vDSO, and in code that a run-time compiler describes in perf-<pid>.map.
 * Files are read on first use and only as far as needed; nothing is fetched from a network. One
 * `struct symbols` and everything it returns is used by one thread at a time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "symbols/elf/frame.h"

struct symbols;
struct symbol_file;

enum { SYMBOLS_MEMORY_DEFAULT = 256 << 20, SYMBOLS_MEMORY_LEAST = 16 << 20 };

/* memory_limit: bytes for the tables of files (0 = SYMBOLS_MEMORY_DEFAULT). Beyond it, the tables
 * of the least recently used files are dropped, and read again when needed. Names that were
 * returned stay valid. Free the result with symbols_free. */
struct symbols *symbols_new(size_t memory_limit);
void symbols_free(struct symbols *s);

/* Opens a file with code. The handle lives as long as s. A file is identified by path, device,
 * inode, size and time of change: a file that was replaced under the same path is another one. A
 * path below "/proc/PID/root/" is in a container, whose own debug files are searched too. Returns
 * NULL with err if it cannot be read or is not ELF. */
struct symbol_file *symbols_file(struct symbols *s, const char *path, struct error *err);

/* Converts an offset in the file, as in /proc/PID/maps, to an address of the file's own address
 * space. false if no segment holds the offset. */
bool symbol_file_address(const struct symbol_file *f, uint64_t file_offset, uint64_t *address);

/* Writes the functions at an address of the file's own address space to out: first those inlined
 * there, innermost first, then the function that holds the code. Returns how many (0: unknown). If
 * more than max are nested, out ends with the outermost function, and the levels before it are left
 * out. Strings live as long as s. */
size_t symbol_file_resolve(struct symbol_file *f, uint64_t address, struct symbol_frame *out,
                           size_t max);

/* Finds the kernel's symbol, if /proc/kallsyms shows addresses. *module becomes "[nf_tables]", or
 * NULL in the kernel itself; module may be NULL. The list is read once, and again for modules
 * loaded since. False: not found. */
bool symbols_kernel(struct symbols *s, uint64_t ip, struct symbol_frame *out, const char **module);

/* The build id of the file; 0: it has none. *id lives as long as its image is not dropped. */
size_t symbol_file_build_id(struct symbol_file *f, const void **id);

/* From now on, symbols_jit is asked about processes that have ended: it reads perf-<pid>.map of our
 * own /tmp, which must belong to us or to root. */
void symbols_ended(struct symbols *s);

/* Finds code made at run time: in perf-<pid>.map of the process's own /tmp, under its pid in its
 * own namespace. The file must be a regular file of the process's user or of root (base/owner.h),
 * written since the process began. Text that was appended is read when an address is not found.
 * False: not found. */
bool symbols_jit(struct symbols *s, pid_t pid, uint64_t ip, struct symbol_frame *out);

/* The vDSO, read from our own memory. An address is an offset into its mapping. NULL if there is
 * none. */
struct symbol_file *symbols_vdso(struct symbols *s);

/* The bytes that the tables use now. */
size_t symbols_memory(const struct symbols *s);
