/*
 * A small good capture, put together by hand (not by the writer that is tested with it), and ways
 * to damage it. Six regions: every kind of memory, contents that change and that do not, one that
 * could not be read, one that is longer than a block and mostly zero; two module variables.
 */
#ifndef TESTS_SUPPORT_MADE_CAPTURE_H
#define TESTS_SUPPORT_MADE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MADE_DEVICE  0x7f0000000000u /* 64 KiB, device memory; other contents after */
#define MADE_ZSTD    0x7f0000100000u /* 4 MiB + 4096, device, compressed; the same after */
#define MADE_SPARSE  0x7f0000800000u /* 8 MiB + 1, virtual; a 7 at 5 MiB, all else is 0 */
#define MADE_LOST    0x7f0001200000u /* 4096, could not be read */
#define MADE_HOST    0x7f0002000000u /* 4096, host memory; the same after */
#define MADE_KERNARG 0x7f0003000000u /* 4096, with the arguments at its begin */
#define MADE_MAX     (8u << 20 | 1u) /* bytes of the largest */

enum { MADE_REGIONS = 6, MADE_KERNARG_SIZE = 48 };

struct made_capture {
    char dir[64]; /* below /tmp */
};

void made_capture_make(struct made_capture *m);
void made_capture_remove(struct made_capture *m);
/* A region's contents as they are on disk: `size` bytes of them. */
void made_capture_bytes(uint64_t base, bool after, uint8_t *to, size_t size);

/* All of a file, with a NUL after it; the caller frees it. n may be NULL. */
char *made_capture_read(const struct made_capture *m, const char *file, size_t *n);
/* Puts a file into the folder; bytes NULL takes it away. */
void made_capture_write(const struct made_capture *m, const char *file, const void *bytes,
                        size_t n);
/* Puts other bytes into a file of which dispatch.json has the checksum, and seals. */
void made_capture_replace(const struct made_capture *m, const char *file, const void *bytes,
                          size_t n);
/* Puts `to` in place of the first `from` of a text file, which must have it, and seals. */
void made_capture_change(const struct made_capture *m, const char *file, const char *from,
                         const char *to);
/* capture_complete anew: the JSON files are right as they are now. */
void made_capture_seal(const struct made_capture *m);

#endif
