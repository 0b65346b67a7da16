/*
 * A captured GPU dispatch, read from its folder: what docs/CAPTURE.md describes, and captures of
 * rocm-perf-lab and of kerncap. Nothing in the folder is trusted: sizes are bounded and checked
 * against the files, names never lead out of the folder, regions do not overlap, and every block's
 * checksum is compared where there is one. Memory is read block by block.
 */
#ifndef ROOFTOP_ENGINE_CAPTURE_CAPTURE_H
#define ROOFTOP_ENGINE_CAPTURE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum capture_origin { CAPTURE_ROOFTOP, CAPTURE_SEED, CAPTURE_KERNCAP };
enum capture_segment { CAPTURE_DEVICE, CAPTURE_HOST, CAPTURE_KERNARG_POOL };
enum capture_encoding { CAPTURE_RAW, CAPTURE_ZSTD };

/* Bytes in a file of the folder. */
struct capture_blob {
    const char *file; /* below the folder: "memory/region_7f….bin"; NULL: there is none */
    enum capture_encoding encoding;
    uint64_t stored;   /* bytes of the file */
    uint64_t checksum; /* of the contents, where has_checksum */
    bool has_checksum;
};

struct capture_region {
    uint64_t base, size; /* bytes; sorted by base, disjoint */
    enum capture_segment segment;
    bool vmem, contains_kernarg;
    uint64_t reserved_base, reserved_size; /* 0: none */
    struct capture_blob before, after;     /* before.file NULL: could not be read, see error;
                                              after.file NULL: none, or after_same */
    bool after_same;                       /* the kernel left it as it was */
    const char *error;                     /* NULL: none */
};

struct capture_variable {
    const char *name;
    uint64_t address, size;   /* address 0: unknown, to be found by its name */
    struct capture_blob blob; /* file NULL: could not be read */
};

struct capture {
    const char *path; /* the folder */
    enum capture_origin origin;
    const char *mangled_name, *demangled_name; /* without ".kd"; never NULL */
    const char *agent_name, *isa_name;         /* "" unknown */
    const char *product_name, *host, *time, *runtime_version, *tool_version; /* "" unknown */
    const char *command;                               /* as a shell would take it; "" unknown */
    uint32_t wavefront_size;                           /* 0 unknown */
    uint32_t grid[3], block[3];                        /* work-items */
    uint32_t group_segment_size, private_segment_size; /* bytes */
    uint64_t kernel_object, kernarg_address;           /* 0 unknown */
    uint64_t kernarg_size;                             /* bytes */
    uint32_t header, setup;                            /* of the packet; 0 unknown */
    uint64_t dispatch_index, pid, queue_id;
    uint64_t gpu_ns, pause_ns;     /* 0 unknown */
    uint64_t code_base, code_size; /* where the code object was loaded; 0 unknown */
    bool drained;
    bool has_after; /* some region has an after, or after_same: there is something to verify with */

    const uint8_t *kernarg; /* kernarg_size bytes */
    const uint8_t *code;    /* the code object */
    size_t code_bytes;
    struct capture_region *regions;
    size_t nregions;
    uint64_t bytes; /* of all regions */
    struct capture_variable *variables;
    size_t nvariables;
    const char **notes; /* what is odd but does no harm, a line each */
    size_t nnotes;
};

/*
 * Reads and checks everything but the contents of memory. path: a capture, or a folder that holds
 * just one. 0, or ERROR_INPUT with file and place: damaged, incomplete (no capture_complete), of a
 * later version, not a capture, not there.
 */
int capture_open(struct capture **out, const char *path, struct error *err);
void capture_free(struct capture *c); /* NULL allowed */

/* What is in a folder of captures, or in a capture itself. Sorted by time, newest first. */
struct capture_list {
    struct capture_item {
        char *path;           /* of the capture */
        struct capture *head; /* without code, arguments, contents; NULL: see why */
        char *why;            /* why it cannot be opened; NULL: it can */
    } * items;
    size_t n;
};
/* Looks into each of the folders, two levels deep at most. Folders that are absent are empty. */
int capture_list_read(struct capture_list *out, const char *const *folders, size_t nfolders,
                      struct error *err);
void capture_list_free(struct capture_list *l);

/*
 * The contents of a blob, for restoring, comparing and looking: block by block, by any number of
 * threads at once. A block has CAPTURE_BLOCK bytes, the last one less.
 */
struct capture_contents;
int capture_contents_open(struct capture_contents **out, const struct capture *c,
                          const struct capture_blob *blob, uint64_t size, struct error *err);
size_t capture_contents_blocks(const struct capture_contents *o);
/*
 * Block i into to, which has room for it; zero: set where it is a hole or a frame of zeros, and
 * then nothing is written to `to`. to NULL: nothing is read, zero tells only that. sum: its
 * XXH3-64, not of a block that is not read; NULL: not wanted, which saves its time. ERROR_INPUT
 * where the file is damaged. Thread-safe.
 */
int capture_contents_block(const struct capture_contents *o, size_t i, void *to, bool *zero,
                           uint64_t *sum, struct error *err);
/* Of the blocks' sums, in order: against the blob's own. Right where it has none. */
int capture_contents_check(const struct capture_contents *o, const uint64_t *sums,
                           struct error *err);
void capture_contents_close(struct capture_contents *o);

/* All of it, for what is small or must be checked before the GPU is touched: reads every block of
 * every region and variable on several threads, compares the checksums. progress: bytes so far, by
 * one thread at a time; may be NULL. */
int capture_verify(const struct capture *c, void (*progress)(void *ctx, uint64_t bytes), void *ctx,
                   struct error *err);

/* The region that an address lies in; NULL none. */
const struct capture_region *capture_region_at(const struct capture *c, uint64_t address);

#endif
