/*
 * What differs between vendors of GPUs, above all their words for its parts. Texts about kernels
 * are written in AMD's words: waves, CU, LDS, VGPR, workgroup, work-item. gpu_say translates them
 * for the device's vendor: warps, SM, shared memory, registers, block, thread. gpu_words.c has the
 * table; all views and documents use it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct gpu_word {
    const char *ours, *theirs;
};
struct gpu_words {        /* a vendor */
    const char *vendor;   /* "amd", "nvidia"; NULL: unknown vendor */
    bool scalar;          /* scalar and accumulation registers are told apart from vector ones */
    const char *counters; /* command that puts hardware counters into a profile that rooftop reads;
                             NULL: rooftop reads none of this vendor's */
    const struct gpu_word *words;
};

/* The words for an architecture ("gfx942", "sm_90"), else for a model ("NVIDIA H200"); either may
 * be
 * "". */
const struct gpu_words *gpu_words_of(const char *arch, const char *model);
/* The words for two devices: those of their vendor if it is the same, else neutral ones. first may
 * be NULL. */
const struct gpu_words *gpu_words_both(const struct gpu_words *first, const struct gpu_words *next);
/* Translates text. Returns text itself if nothing differs, else out. words NULL: neutral words. */
const char *gpu_say(const struct gpu_words *words, const char *text, char *out, size_t size);
