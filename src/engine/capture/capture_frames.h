/* Finds where each frame of a zstd file (RFC 8878) begins, from the headers alone. */
#ifndef ROOFTOP_ENGINE_CAPTURE_CAPTURE_FRAMES_H
#define ROOFTOP_ENGINE_CAPTURE_CAPTURE_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FRAMES_WHY = 160 };

/*
 * Walks over the file, which must consist of exactly n frames. Frame i must say that it contains
 * CAPTURE_BLOCK bytes (the last: the rest of `size`). Fills n + 1 offsets, and in zeros whether
 * each frame contains only zeros. Returns false with the reason in why.
 */
bool frames_find(int fd, uint64_t stored, uint64_t size, uint64_t *offsets, bool *zeros, size_t n,
                 char why[FRAMES_WHY]);

#endif
