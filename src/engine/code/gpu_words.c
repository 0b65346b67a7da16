#include "engine/code/gpu_words.h"

#include <ctype.h>
#include <string.h>

/* Replacements of whole words, longer ones first. NVIDIA's terms are those of the CUDA C
 * Programming Guide and of Nsight Compute, where an SM has partitions with a warp scheduler
 * each. */
static const struct gpu_word nvidia_words[] = {
    {"a SIMD", "a scheduler"},   {"compute units", "SMs"}, {"compute unit", "SM"},
    {"workgroups", "blocks"},    {"workgroup", "block"},   {"work-items", "threads"},
    {"work-item", "thread"},     {"waves", "warps"},       {"wave", "warp"},
    {"WAVES", "WARPS"},          {"CUs", "SMs"},           {"CU", "SM"},
    {"VGPRs", "registers"},      {"VGPR", "registers"},    {"LDS", "shared memory"},
    {"scratch", "local memory"}, {"SCRTCH", "LOCAL"},      {NULL, NULL},
};
/* Words for an unknown vendor. */
static const struct gpu_word no_words[] = {
    {"VGPRs", "registers"}, {"VGPR", "registers"}, {"LDS", "shared memory"}, {NULL, NULL}};
static const struct gpu_word amd_words[] = {{NULL, NULL}};

static const struct gpu_words amd = {"amd", true, "rocprofv3 --pmc", amd_words},
                              nvidia = {"nvidia", false, NULL, nvidia_words},
                              unknown = {NULL, true, "rocprofv3 --pmc (AMD)", no_words};

/* Parts of model names, and the words for them. */
static const struct {
    const char *text;
    const struct gpu_words *words;
} models[] = {{"NVIDIA", &nvidia}, {"Tesla", &nvidia}, {"GeForce", &nvidia}, {"Quadro", &nvidia},
              {"RTX", &nvidia},    {"AMD", &amd},      {"Radeon", &amd},     {"Instinct", &amd},
              {"MI100", &amd},     {"MI2", &amd},      {"MI3", &amd},        {"H100", &nvidia},
              {"H200", &nvidia},   {"A100", &nvidia},  {"V100", &nvidia},    {"P100", &nvidia}};

const struct gpu_words *gpu_words_of(const char *arch, const char *model)
{
    if (strncmp(arch, "sm_", 3) == 0)
        return &nvidia;
    if (strncmp(arch, "gfx", 3) == 0)
        return &amd;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        if (strcasestr(model, models[i].text))
            return models[i].words;
    return &unknown;
}

const struct gpu_words *gpu_words_both(const struct gpu_words *first, const struct gpu_words *next)
{
    return !first || first == next ? next : &unknown;
}

static bool is_gpu_word_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The replacement of the word that begins at p; NULL: none. */
static const struct gpu_word *find_gpu_word_at(const struct gpu_word *list, const char *text,
                                               const char *p)
{
    if (p > text && is_gpu_word_letter(p[-1]))
        return NULL;
    for (; list->ours; list++) {
        size_t n = strlen(list->ours);
        if (strncmp(p, list->ours, n) == 0 && !is_gpu_word_letter(p[n]))
            return list;
    }
    return NULL;
}

const char *gpu_say(const struct gpu_words *words, const char *text, char *out, size_t size)
{
    const struct gpu_word *list = words ? words->words : no_words, *w = NULL;
    size_t n = 0;
    bool differs = false;
    for (const char *p = text; *p && n + 1 < size; p += w ? strlen(w->ours) : 1) {
        w = find_gpu_word_at(list, text, p);
        size_t length = w ? strlen(w->theirs) : 1;
        length = length < size - 1 - n ? length : size - 1 - n;
        memcpy(out + n, w ? w->theirs : p, length);
        n += length;
        differs |= w != NULL;
    }
    out[n] = '\0';
    return differs ? out : text;
}
