/*
 * Addresses to names: of ELF files with their symbol tables and debug information, of the kernel,
 * of the vDSO, and of code that a run-time compiler describes in perf-<pid>.map. Files are read
 * when they are asked about and only as far as needed; nothing is ever fetched from a network.
 * All of one `struct symbols` is used by one thread at a time.
 */
#ifndef ROOFTOP_SYMBOLS_SYMBOLS_H
#define ROOFTOP_SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "symbols/elf/frame.h"

struct symbols;
struct symbol_file;

enum { SYMBOLS_MEMORY_DEFAULT = 256 << 20, SYMBOLS_MEMORY_LEAST = 16 << 20 };

/*
 * memory_limit: bytes for what is kept of the files' tables (0 = SYMBOLS_MEMORY_DEFAULT). Beyond
 * it, what was read of the files that were asked last longest ago is forgotten, and read again when
 * it is needed. Names once returned are kept.
 */
struct symbols *symbols_new(size_t memory_limit);
void symbols_free(struct symbols *s);

/*
 * A file with code. The handle lives as long as s. Files are told apart by path, device, inode,
 * size and time of change: a file replaced under the same path is another one. A path below
 * "/proc/PID/root/" is a container's, whose own debug files are searched too.
 * NULL with err where it cannot be read or is not ELF.
 */
struct symbol_file *symbols_file(struct symbols *s, const char *path, struct error *err);

/* An offset into the file, as mappings have it, to the file's own address space. False where no
 * segment holds it. */
bool symbol_file_address(const struct symbol_file *f, uint64_t file_offset, uint64_t *address);

/*
 * What is at an address of the file's own address space: innermost first, functions inlined there,
 * then the function that holds the code. Returns how many were written (0: unknown); where more
 * than max are nested, the outermost are left out but for the last. Strings live as long as s.
 */
size_t symbol_file_resolve(struct symbol_file *f, uint64_t address, struct symbol_frame *out,
                           size_t max);

/* The kernel's symbol, where /proc/kallsyms shows addresses. module: "[nf_tables]", or NULL in the
 * kernel itself; may be NULL. The list is read once, and again for modules loaded since. */
bool symbols_kernel(struct symbols *s, uint64_t ip, struct symbol_frame *out, const char **module);

/*
 * Code made at run time: perf-<pid>.map of the process' own /tmp, under its own namespace's pid.
 * It must be a plain file of the process' user or root (base/owner.h), written since the process
 * began. What was appended since is read when an address is not found.
 */
bool symbols_jit(struct symbols *s, pid_t pid, uint64_t ip, struct symbol_frame *out);

/* The vDSO, from our own memory image: an address is the offset into its mapping. NULL where there
 * is none. */
struct symbol_file *symbols_vdso(struct symbols *s);

/* Bytes that are held for the tables now. */
size_t symbols_memory(const struct symbols *s);

#endif
