/*
 * The words of the device at hand. Texts about kernels are written in AMD's: waves, CU, LDS, VGPR,
 * workgroup, work-item. gpu_say gives them in those of the vendor: warps, SM, shared memory,
 * registers, block, thread. The table is gpu_words.c; every view and document goes through it.
 */
#ifndef ROOFTOP_ENGINE_CODE_GPU_WORDS_H
#define ROOFTOP_ENGINE_CODE_GPU_WORDS_H

#include <stdbool.h>
#include <stddef.h>

struct gpu_word {
    const char *ours, *theirs;
};
struct gpu_words {
    const char *vendor; /* "amd", "nvidia"; NULL: it is not known whose GPU it is */
    bool scalar;        /* scalar and accumulation registers are told apart from vector ones */
    bool launch;        /* shapes are "grid x block"; else "workgroups of work-items" */
    const struct gpu_word *words;
};

/* By architecture ("gfx942", "sm_90"), else by model ("NVIDIA H200"); "" where not known. */
const struct gpu_words *gpu_words_of(const char *arch, const char *model);
/* The one for several: theirs where all have the same, else that of no vendor. first: NULL. */
const struct gpu_words *gpu_words_both(const struct gpu_words *first, const struct gpu_words *next);
/* text in those words. Returns text itself where nothing differs, else out. words: NULL is that of
 * no vendor. */
const char *gpu_say(const struct gpu_words *words, const char *text, char *out, size_t size);

#endif
