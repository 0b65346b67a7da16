/*
 * Writes a capture (docs/CAPTURE.md), inside the captured program while it is stopped. The
 * program's malloc is not called; memory comes from mmap. One exception: the C library allocates a
 * new thread's local variables, in writer_open; with one thread it starts none. Several threads
 * read, look for zeros, checksum and compress. A region is compressed if that is faster than the
 * disk. This is decided when its first bytes are written, from a sample of it and the disk's speed
 * so far. Errors are returned; nothing is printed. Signals are neither taken from the program nor
 * handled on the writer's threads.
 *
 * One thread at a time may use a writer. Memory is read through a function, because the runtime may
 * have to copy device memory.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CAPTURE_FAILURE_MAX = 192 };

/* Copies size bytes at address to `to`. Returns 0, or an error number of the caller with the reason
 * in why. Several threads call it at once, for a block (CAPTURE_BLOCK bytes) or a part of one. */
typedef int (*capture_read)(void *ctx, void *to, uint64_t address, size_t size, char *why,
                            size_t why_size);

struct writer_region {
    uint64_t base, size;
    const char *segment; /* "device", "host", "kernarg" */
    bool is_pool, is_vmem, contains_kernarg;
    uint64_t handle, access, reserved_base, reserved_size;
    /* set by writer_before and writer_after: */
    struct writer_blob {
        bool written, same;
        bool zstd;
        uint64_t stored, checksum;
    } before, after;
    char error[CAPTURE_FAILURE_MAX];
};

struct writer_variable {
    const char *name;
    uint64_t address, size, checksum;
    bool written; /* set by writer_variables; false if it could not be read */
};

/* The contents of dispatch.json. Strings need not be valid UTF-8; NULL: unknown. */
struct writer_dispatch {
    const char *mangled_name, *demangled_name, *agent_name, *isa_name, *product_name;
    const char *host, *time, *runtime_version, *tool_version;
    const char *const *command; /* NULL-terminated; NULL: unknown */
    uint32_t wavefront_size, grid[3], block[3], group_segment_size, private_segment_size, header,
        setup;
    uint64_t kernel_object, kernarg_address, kernarg_size, dispatch_index, queue_id, pid;
    uint64_t gpu_ns, pause_ns, code_base, code_size;
    bool drained;
};

struct capture_writer;

/* Makes the folder (an existing one must be empty) and starts the threads. threads: how many,
 * including the caller's own; 0: one for each CPU, at most eight. NULL with the reason in why. Free
 * it with writer_close. */
struct capture_writer *writer_open(const char *folder, int threads, char *why, size_t why_size);
/* How all regions are stored; WRITER_FASTEST lets the writer choose. */
enum writer_encoding { WRITER_FASTEST, WRITER_RAW, WRITER_ZSTD };
void writer_force(struct capture_writer *w, enum writer_encoding encoding);
/* The functions below return 0 or a positive error number. After an error only writer_why,
 * writer_stored and writer_close may be called. Writes kernarg.bin and kernel.hsaco: */
int writer_code(struct capture_writer *w, const void *kernarg, size_t kernarg_size,
                const void *code, size_t code_size);
/* Writes the memory of all regions; they must be sorted by base and must not overlap (EINVAL). A
 * region that cannot be read gets its `error` and does not fail the call; a full disk does.
 * progress (may be NULL) is set to the bytes done so far. */
int writer_before(struct capture_writer *w, struct writer_region *regions, size_t n,
                  capture_read read, void *ctx, _Atomic uint64_t *progress);
int writer_variables(struct capture_writer *w, struct writer_variable *variables, size_t n,
                     capture_read read, void *ctx);
/* Reads the same regions again and writes those with another checksum below after/. */
int writer_after(struct capture_writer *w, struct writer_region *regions, size_t n,
                 capture_read read, void *ctx, _Atomic uint64_t *progress);
/* Writes the JSON files, then capture_complete. writer_after may follow, and then this once more:
 * the capture is complete before its kernel runs, because the kernel may end the program. */
int writer_finish(struct capture_writer *w, const struct writer_dispatch *d,
                  const struct writer_region *regions, size_t nregions,
                  const struct writer_variable *variables, size_t nvariables);
/* The i-th buffer that `read` copies to: CAPTURE_BLOCK bytes, page-aligned; NULL after the last.
 * For devices that need permission to write there. */
void *writer_buffer(const struct capture_writer *w, int i);
/* Keeps the buffers mapped when the writer is closed: a device may still write to them. */
void writer_leave_buffers(struct capture_writer *w);
/* Why the last call failed. */
const char *writer_why(const struct capture_writer *w);
uint64_t writer_stored(const struct capture_writer *w); /* bytes on disk so far */
/* Frees the writer. Without a writer_finish before, removes what was written. */
void writer_close(struct capture_writer *w);
