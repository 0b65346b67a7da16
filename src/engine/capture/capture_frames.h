/* The frames of a zstd file (RFC 8878): where each begins, found by their headers alone. */
#ifndef ROOFTOP_ENGINE_CAPTURE_CAPTURE_FRAMES_H
#define ROOFTOP_ENGINE_CAPTURE_CAPTURE_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FRAMES_WHY = 160 };

/*
 * The file must be n frames, no more, the i-th of which tells that it holds CAPTURE_BLOCK bytes
 * (the last: what is left of size). offsets: n + 1 of them; zeros: which hold nothing but repeated
 * zeros. false with why in text.
 */
bool frames_find(int fd, uint64_t stored, uint64_t size, uint64_t *offsets, bool *zeros, size_t n,
                 char why[FRAMES_WHY]);

#endif
