/*
 * A small valid capture, built by hand (not by the writer that is tested with it), and ways to
 * damage it. Six regions: every kind of memory, contents that the kernel changes and does not
 * change, one that could not be read, and one that is longer than a block and mostly zero; two
 * module variables.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MADE_DEVICE  0x7f0000000000u /* 64 KiB of device memory; changed by the kernel */
#define MADE_ZSTD    0x7f0000100000u /* 4 MiB + 4096 of device memory, compressed; not changed */
#define MADE_SPARSE  0x7f0000800000u /* 8 MiB + 1 of virtual memory; a 7 at 5 MiB, the rest is 0 */
#define MADE_LOST    0x7f0001200000u /* 4096 bytes that could not be read */
#define MADE_HOST    0x7f0002000000u /* 4096 bytes of host memory; not changed */
#define MADE_KERNARG 0x7f0003000000u /* 4096 bytes that begin with the arguments */
#define MADE_MAX     (8u << 20 | 1u) /* bytes of the largest region */

enum { MADE_REGIONS = 6, MADE_KERNARG_SIZE = 48 };

struct made_capture {
    char dir[64]; /* below /tmp */
};

void made_capture_make(struct made_capture *m);
void made_capture_remove(struct made_capture *m);
/* The contents of a region as the capture should have them: `size` bytes. */
void made_capture_bytes(uint64_t base, bool after, uint8_t *to, size_t size);

/* Reads a whole file and adds a NUL; the caller frees it. n may be NULL. */
char *made_capture_read(const struct made_capture *m, const char *file, size_t *n);
/* Writes a file of the folder; bytes NULL removes it. */
void made_capture_write(const struct made_capture *m, const char *file, const void *bytes,
                        size_t n);
/* Replaces a file whose checksum is in dispatch.json, and seals the capture again. */
void made_capture_replace(const struct made_capture *m, const char *file, const void *bytes,
                          size_t n);
/* Replaces the first `from` in a text file by `to` and seals the capture; fails the test if `from`
 * is not there. */
void made_capture_change(const struct made_capture *m, const char *file, const char *from,
                         const char *to);
/* Writes capture_complete anew, so that the JSON files count as intact. */
void made_capture_seal(const struct made_capture *m);
