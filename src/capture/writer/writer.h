/*
 * Writes a capture (docs/CAPTURE.md), inside of the captured program, while that stands still: no
 * malloc of the program's is called, memory comes from mmap (but the C library takes from malloc
 * what a new thread's local variables need: writer_open is where that happens, and with one thread
 * it starts none); several threads read, look for zeros, checksum and compress. A region is
 * compressed where that is faster than the disk: decided when its first bytes are written, from a
 * sample of it and from how fast the disk was so far. What fails is returned; nothing is printed,
 * no signal is taken away from the program or handled on the writer's threads.
 *
 * A writer is used by one thread at a time. Memory is read through a function, because device
 * memory may have to be copied by the runtime.
 */
#ifndef ROOFTOP_CAPTURE_WRITER_WRITER_H
#define ROOFTOP_CAPTURE_WRITER_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CAPTURE_FAILURE_MAX = 192 };

/*
 * Copies size bytes at address to `to`; 0 or an error number of the caller's own, told in text.
 * Called by several threads at once, for a block (CAPTURE_BLOCK bytes) or a part of one.
 */
typedef int (*capture_read)(void *ctx, void *to, uint64_t address, size_t size, char *why,
                            size_t why_size);

struct writer_region {
    uint64_t base, size;
    const char *segment; /* "device", "host", "kernarg" */
    bool is_pool, is_vmem, contains_kernarg;
    uint64_t handle, access, reserved_base, reserved_size;
    /* filled by writer_before and writer_after: */
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
    bool written; /* filled by writer_variables; not where it could not be read */
};

/* What goes into dispatch.json; strings in UTF-8 or not, NULL unknown. */
struct writer_dispatch {
    const char *mangled_name, *demangled_name, *agent_name, *isa_name, *product_name;
    const char *host, *time, *runtime_version, *tool_version;
    const char *const *command; /* NULL-terminated; NULL unknown */
    uint32_t wavefront_size, grid[3], block[3], group_segment_size, private_segment_size, header,
        setup;
    uint64_t kernel_object, kernarg_address, kernarg_size, dispatch_index, queue_id, pid;
    uint64_t gpu_ns, pause_ns, code_base, code_size;
    bool drained;
};

struct capture_writer;

/*
 * Makes the folder (refuses one that is not empty) and starts the threads (the caller's own is one
 * of them; 0: as many as there are CPUs, eight at most). NULL with why where it cannot.
 */
struct capture_writer *writer_open(const char *folder, int threads, char *why, size_t why_size);
/* How all regions are stored, where it is not left to the writer. */
enum writer_encoding { WRITER_FASTEST, WRITER_RAW, WRITER_ZSTD };
void writer_force(struct capture_writer *w, enum writer_encoding encoding);
/* What follows returns 0 or a positive error number; after a failure only writer_why, writer_stored
 * and writer_close are left to call. kernarg.bin and kernel.hsaco: */
int writer_code(struct capture_writer *w, const void *kernarg, size_t kernarg_size,
                const void *code, size_t code_size);
/* The regions' memory, all of it; sorted by base, disjoint (EINVAL). A region that cannot be read
 * gets its error, and is no failure; a disk that is full is. progress (may be NULL) is set to the
 * bytes done so far. */
int writer_before(struct capture_writer *w, struct writer_region *regions, size_t n,
                  capture_read read, void *ctx, _Atomic uint64_t *progress);
int writer_variables(struct capture_writer *w, struct writer_variable *variables, size_t n,
                     capture_read read, void *ctx);
/* The same regions again: what has another checksum is written below after/. */
int writer_after(struct capture_writer *w, struct writer_region *regions, size_t n,
                 capture_read read, void *ctx, _Atomic uint64_t *progress);
/* The JSON files, then capture_complete. writer_after may still follow, and this once more: a
 * capture is whole before its kernel runs, which may end the program. */
int writer_finish(struct capture_writer *w, const struct writer_dispatch *d,
                  const struct writer_region *regions, size_t nregions,
                  const struct writer_variable *variables, size_t nvariables);
/*
 * Buffer i that `read` copies to, CAPTURE_BLOCK bytes at a page's begin; NULL past the last one.
 * For devices that have to be allowed to write there.
 */
void *writer_buffer(const struct capture_writer *w, int i);
/* They stay when the writer is closed: a device may write to them still. */
void writer_leave_buffers(struct capture_writer *w);
/* Why the last call failed. */
const char *writer_why(const struct capture_writer *w);
uint64_t writer_stored(const struct capture_writer *w); /* bytes on disk so far */
/* Without writer_finish before it: takes away what was written. */
void writer_close(struct capture_writer *w);

#endif
