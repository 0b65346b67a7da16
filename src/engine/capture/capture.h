/*
 * A captured GPU dispatch, read from its folder: captures of rooftop (docs/CAPTURE.md), of
 * rocm-perf-lab and of kerncap. Nothing in the folder is trusted: sizes are limited and compared
 * with the files, names cannot lead out of the folder, regions must not overlap, and every block's
 * checksum is compared if the capture has one. Memory is read block by block.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum capture_origin { CAPTURE_ROOFTOP, CAPTURE_SEED, CAPTURE_KERNCAP };
enum capture_segment { CAPTURE_DEVICE, CAPTURE_HOST, CAPTURE_KERNARG_POOL };
enum capture_encoding { CAPTURE_RAW, CAPTURE_ZSTD };

/* Bytes stored in a file of the folder. */
struct capture_blob {
    const char *file; /* relative to the folder: "memory/region_7f….bin"; NULL: there is no file */
    enum capture_encoding encoding;
    uint64_t stored;   /* bytes of the file */
    uint64_t checksum; /* XXH3-64 of the contents, if has_checksum */
    bool has_checksum;
};

struct capture_region {
    uint64_t base,
        size; /* device address and bytes; the list is sorted by base, regions do not overlap */
    enum capture_segment segment;
    bool vmem, contains_kernarg;
    uint64_t reserved_base, reserved_size; /* 0: none */
    struct capture_blob before, after; /* before.file NULL: could not be read, see error. after.file
                                          NULL: not captured, or after_same */
    bool after_same;                   /* the kernel did not change the region */
    const char *error;                 /* why memory could not be read; NULL: it could */
};

struct capture_variable {
    const char *name;
    uint64_t address, size;   /* address 0: unknown; the variable is found by its name */
    struct capture_blob blob; /* file NULL: could not be read */
};

struct capture {
    const char *path; /* of the folder */
    enum capture_origin origin;
    const char *mangled_name, *demangled_name; /* without ".kd"; never NULL */
    const char *agent_name, *isa_name;         /* "" = unknown */
    const char *product_name, *host, *time, *runtime_version, *tool_version; /* "" = unknown */
    const char *command;                               /* quoted for a shell; "" = unknown */
    uint32_t wavefront_size;                           /* 0 = unknown */
    uint32_t grid[3], block[3];                        /* work-items */
    uint32_t group_segment_size, private_segment_size; /* bytes */
    uint64_t kernel_object, kernarg_address;           /* 0 = unknown */
    uint64_t kernarg_size;                             /* bytes */
    uint32_t header, setup;                            /* fields of the AQL packet; 0 = unknown */
    uint64_t dispatch_index, pid, queue_id;
    uint64_t gpu_ns, pause_ns;     /* 0 = unknown */
    uint64_t code_base, code_size; /* where the code object was loaded; 0 = unknown */
    bool drained;
    bool has_after; /* whether any region has `after` or after_same, so that a replay can be
                       verified */

    const uint8_t *kernarg; /* kernarg_size bytes */
    const uint8_t *code;    /* the ELF code object */
    size_t code_bytes;
    struct capture_region *regions;
    size_t nregions;
    uint64_t bytes; /* of all regions together */
    struct capture_variable *variables;
    size_t nvariables;
    const char **notes; /* sentences about what is unusual but harmless */
    size_t nnotes;
};

/* Reads and checks everything except the contents of memory. path: a capture, or a folder that
 * contains exactly one. Returns 0, or -errno with ERROR_INPUT that names file and place: the
 * capture is absent, damaged, incomplete (no capture_complete), of a later version, or the folder
 * is no capture. */
int capture_open(struct capture **out, const char *path, struct error *err);
void capture_free(struct capture *c); /* NULL allowed */

/* The captures in some folders, newest first. */
struct capture_list {
    struct capture_item {
        char *path; /* of the capture's folder */
        /* the documents only, without code, arguments and contents; NULL: see why */
        struct capture *head;
        char *why; /* why it cannot be opened; NULL: it can be */
    } * items;
    size_t n;
};
/* Searches each folder, at most two levels deep. A folder may itself be a capture. Folders that do
 * not exist count as empty. */
int capture_list_read(struct capture_list *out, const char *const *folders, size_t nfolders,
                      struct error *err);
void capture_list_free(struct capture_list *l);

/* The contents of a blob, read block by block. Any number of threads may read at once. A block has
 * CAPTURE_BLOCK bytes; the last one may have fewer. */
struct capture_contents;
int capture_contents_open(struct capture_contents **out, const struct capture *c,
                          const struct capture_blob *blob, uint64_t size, struct error *err);
size_t capture_contents_blocks(const struct capture_contents *o);
/* Reads block i into `to`, which must have room for it. *zero is set if the block is a hole of the
 * file or a frame of zeros; then `to` is not written. to NULL: only *zero is found out, nothing is
 * read. sum: receives the block's XXH3-64 (not if `to` is NULL and the block is not zero); NULL
 * saves the time. ERROR_INPUT if the file is damaged. Thread-safe. */
int capture_contents_block(const struct capture_contents *o, size_t i, void *to, bool *zero,
                           uint64_t *sum, struct error *err);
/* Compares the checksum over the blocks' sums, in order, with that of the blob. Returns 0 also if
 * the blob has no checksum. */
int capture_contents_check(const struct capture_contents *o, const uint64_t *sums,
                           struct error *err);
void capture_contents_close(struct capture_contents *o);

/* Reads every block of every region and variable on several threads and compares the checksums, so
 * that damage is found before the GPU is used. progress: called with the bytes read so far, by one
 * thread at a time; may be NULL. */
int capture_verify(const struct capture *c, void (*progress)(void *ctx, uint64_t bytes), void *ctx,
                   struct error *err);

/* The region that contains the address; NULL if none does. */
const struct capture_region *capture_region_at(const struct capture *c, uint64_t address);
