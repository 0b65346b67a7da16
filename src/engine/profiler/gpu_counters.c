#include "engine/profiler/gpu_counters.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/words.h"

enum { NAME_MAX_LENGTH = 80 };

static const struct {
    const char *name;
    unsigned family;
} architectures[] = {
    {"gfx90a", GPU_CDNA2}, {"gfx940", GPU_CDNA3},  {"gfx941", GPU_CDNA3},  {"gfx942", GPU_CDNA3},
    {"gfx950", GPU_CDNA4}, {"gfx1100", GPU_RDNA3}, {"gfx1101", GPU_RDNA3}, {"gfx1102", GPU_RDNA3},
};
enum { ARCHITECTURES = sizeof architectures / sizeof *architectures };

/* Number of counter registers in one instance of a block: how many counters of the block one pass
 * can count. Sources: R = rocprof-compute, limits of one pass by block (perfmon_config of gfx90a
 * to gfx950); M = registers <BLOCK>_PERFCOUNTERn_SELECT that the headers of Linux and Mesa for
 * these GPUs define. */
static const struct {
    const char *block;
    unsigned limit;
} limits[] = {
    {"SQ", 8},   /* R; M says 8 for gfx11 */
    {"TA", 2},   /* R, M */
    {"TD", 2},   /* R, M */
    {"TCP", 4},  /* R, M */
    {"TCC", 4},  /* R, M */
    {"TCA", 4},  /* M */
    {"CPC", 2},  /* R, M */
    {"CPF", 2},  /* R, M */
    {"SPI", 6},  /* R, M */
    {"GRBM", 2}, /* R, M */
    {"GL2C", 4}, /* M of gfx10 and gfx11 */
};
enum { BLOCKS = sizeof limits / sizeof *limits };

/* Sets of counters that the formulas of rocprof-compute need (roofline_calc, panels "Wavefront"
 * and "Compute pipeline"). A family has a row only if its counters are known. */
static const struct {
    const char *name;
    unsigned families;
    const char *counters;
} sets[] = {
    {"roofline", GPU_CDNA2 | GPU_CDNA3 | GPU_CDNA4,
     "SQ_INSTS_VALU_ADD_F16 SQ_INSTS_VALU_MUL_F16 SQ_INSTS_VALU_FMA_F16 SQ_INSTS_VALU_TRANS_F16 "
     "SQ_INSTS_VALU_ADD_F32 SQ_INSTS_VALU_MUL_F32 SQ_INSTS_VALU_FMA_F32 SQ_INSTS_VALU_TRANS_F32 "
     "SQ_INSTS_VALU_ADD_F64 SQ_INSTS_VALU_MUL_F64 SQ_INSTS_VALU_FMA_F64 SQ_INSTS_VALU_TRANS_F64 "
     "SQ_INSTS_VALU_INT32 SQ_INSTS_VALU_INT64 SQ_INSTS_VALU_MFMA_MOPS_I8 "
     "SQ_INSTS_VALU_MFMA_MOPS_F16 SQ_INSTS_VALU_MFMA_MOPS_BF16 SQ_INSTS_VALU_MFMA_MOPS_F32 "
     "SQ_INSTS_VALU_MFMA_MOPS_F64 SQ_LDS_IDX_ACTIVE SQ_LDS_BANK_CONFLICT "
     "TCP_TOTAL_CACHE_ACCESSES TCP_TCC_READ_REQ TCP_TCC_WRITE_REQ TCP_TCC_ATOMIC_WITH_RET_REQ "
     "TCP_TCC_ATOMIC_WITHOUT_RET_REQ"},
    {"roofline", GPU_CDNA2,
     "TCC_EA_RDREQ TCC_EA_RDREQ_32B TCC_EA_WRREQ TCC_EA_WRREQ_64B GRBM_GUI_ACTIVE"},
    {"roofline", GPU_CDNA3 | GPU_CDNA4,
     "SQ_INSTS_VALU_MFMA_MOPS_F8 TCC_BUBBLE TCC_EA0_RDREQ TCC_EA0_RDREQ_32B TCC_EA0_WRREQ "
     "TCC_EA0_WRREQ_64B GRBM_GUI_ACTIVE"},
    {"roofline", GPU_CDNA4, "SQ_INSTS_VALU_MFMA_MOPS_F6F4"},
    {"occupancy", GPU_CDNA2 | GPU_CDNA3 | GPU_CDNA4,
     "SQ_WAVES SQ_WAVE_CYCLES SQ_BUSY_CYCLES SQ_BUSY_CU_CYCLES GRBM_GUI_ACTIVE "
     "SPI_RA_WAVE_SIMD_FULL_CSN SPI_RA_VGPR_SIMD_FULL_CSN SPI_RA_SGPR_SIMD_FULL_CSN "
     "SPI_RA_LDS_CU_FULL_CSN SPI_RA_BAR_CU_FULL_CSN SPI_RA_TGLIM_CU_FULL_CSN"},
    {"occupancy", GPU_RDNA3, "SQ_WAVES SQ_WAVE_CYCLES SQ_BUSY_CYCLES GRBM_GUI_ACTIVE"},
    {"stalls", GPU_CDNA2 | GPU_CDNA3 | GPU_CDNA4,
     "SQ_WAVE_CYCLES SQ_WAIT_ANY SQ_WAIT_INST_ANY SQ_WAIT_INST_LDS SQ_ACTIVE_INST_ANY "
     "SQ_ACTIVE_INST_VALU SQ_ACTIVE_INST_VMEM SQ_ACTIVE_INST_LDS TCP_PENDING_STALL_CYCLES "
     "TCP_TCR_TCP_STALL_CYCLES TCP_READ_TAGCONFLICT_STALL_CYCLES "
     "TCP_WRITE_TAGCONFLICT_STALL_CYCLES TA_ADDR_STALLED_BY_TC_CYCLES "
     "TA_ADDR_STALLED_BY_TD_CYCLES"},
    {"stalls", GPU_RDNA3, "SQ_WAVE_CYCLES SQ_WAIT_ANY SQ_WAIT_INST_ANY SQ_WAIT_INST_LDS"},
};
enum { SETS = sizeof sets / sizeof *sets };

unsigned gpu_family(const char *arch)
{
    size_t n = strcspn(arch, ":");
    for (size_t i = 0; i < ARCHITECTURES; i++)
        if (strlen(architectures[i].name) == n && strncmp(arch, architectures[i].name, n) == 0)
            return architectures[i].family;
    return 0;
}

const char *gpu_architectures(void)
{
    return "gfx90a, gfx940, gfx941, gfx942, gfx950, gfx1100, gfx1101, gfx1102";
}

/* Copies the next word, up to a separator, to out; returns false at the end. A word that is too
 * long is cut, so no table has it. */
static bool read_counter_word(const char **at, const char *separators,
                              char out[NAME_MAX_LENGTH + 1])
{
    const char *p = *at + strspn(*at, separators);
    size_t n = strcspn(p, separators), kept = n < NAME_MAX_LENGTH ? n : NAME_MAX_LENGTH;
    memcpy(out, p, kept);
    out[kept] = '\0';
    *at = p + n;
    return n > 0;
}

const char *gpu_counter_block(const char *name, unsigned family)
{
    for (const struct gpu_counter_row *r = gpu_counter_table; r->block; r++)
        if (r->families & family && words_have(r->names, name))
            return r->block;
    return NULL;
}

/* --- lists --- */

struct counter_list {
    struct arena *memory;
    const char *names[GPU_COUNTERS_MAX];
    uint32_t n;
};

static int add_counter_name(struct counter_list *l, const char *name, struct error *err)
{
    for (uint32_t i = 0; i < l->n; i++)
        if (strcmp(l->names[i], name) == 0)
            return 0;
    if (l->n == GPU_COUNTERS_MAX)
        return error_set(err, ERROR_USAGE, E2BIG, "ask for fewer", "--counters",
                         "more than %d counters", GPU_COUNTERS_MAX);
    l->names[l->n++] = arena_strdup(l->memory, name);
    return 0;
}

/* Adds the counters of a named set. Returns -ENOENT and leaves err alone if no set has that
 * name. */
static int add_counter_set(struct counter_list *l, const char *name, unsigned family,
                           struct error *err)
{
    int rc = -ENOENT;
    char word[NAME_MAX_LENGTH + 1];
    for (size_t i = 0; i < SETS; i++) {
        if (strcmp(sets[i].name, name) != 0)
            continue;
        rc = rc == -ENOENT ? 0 : rc;
        const char *at = sets[i].counters;
        while (rc == 0 && (sets[i].families & family) && read_counter_word(&at, " ", word))
            rc = gpu_counter_block(word, sets[i].families & family)
                     ? add_counter_name(l, word, err)
                     : error_set(err, ERROR_INTERNAL, EINVAL, NULL, name, "no counter %s", word);
    }
    return rc;
}

static int refuse_counter(const char *name, unsigned family, const char *arch, struct error *err)
{
    struct nearest near;
    char word[NAME_MAX_LENGTH + 1], help[160] = "rocprofv3 -L lists those of this machine";
    nearest_start(&near, name);
    for (const struct gpu_counter_row *r = gpu_counter_table; r->block; r++)
        for (const char *at = r->names;
             (r->families & family) && read_counter_word(&at, " ", word);)
            nearest_offer(&near, word);
    for (size_t i = 0; i < SETS; i++)
        nearest_offer(&near, sets[i].name);
    if (nearest_found(&near))
        snprintf(help, sizeof help, "did you mean %s?", nearest_found(&near));
    return error_set(err, ERROR_USAGE, EINVAL, help, "--counters",
                     "'%.80s' is no counter of %s and no set (roofline, occupancy, stalls, none)",
                     name, arch);
}

static int fill_counters(struct counter_list *l, const char *list, unsigned family,
                         const char *arch, struct error *err)
{
    char word[NAME_MAX_LENGTH + 1];
    int rc = 0;
    for (const char *at = list; rc == 0 && read_counter_word(&at, ", ", word);) {
        if (strcmp(word, "none") == 0)
            continue;
        rc = add_counter_set(l, word, family, err);
        if (rc != -ENOENT)
            continue;
        rc = gpu_counter_block(word, family) ? add_counter_name(l, word, err)
                                             : refuse_counter(word, family, arch, err);
    }
    return rc;
}

int gpu_counters_check(const char *list, struct error *err)
{
    struct arena memory = {0};
    struct counter_list l = {.memory = &memory};
    unsigned any = GPU_CDNA2 | GPU_CDNA3 | GPU_CDNA4 | GPU_RDNA3;
    int rc = fill_counters(&l, list, any, "any GPU that is known", err);
    arena_free(&memory);
    return rc;
}

int gpu_counters_plan(struct counter_plan *out, struct arena *a, const char *list, const char *arch,
                      struct error *err)
{
    struct counter_list l = {.memory = a};
    unsigned family = gpu_family(arch), used[BLOCKS] = {0};
    *out = (struct counter_plan){0};
    if (!family) {
        char help[160];
        snprintf(help, sizeof help, "known are those of %s", gpu_architectures());
        return error_set(err, ERROR_UNSUPPORTED, ENOTSUP, help, "--counters",
                         "the counters of '%.40s' are not known", arch);
    }
    int rc = fill_counters(&l, list, family, arch, err);
    out->passes = arena_alloc(a, (l.n + 1) * sizeof *out->passes);
    for (size_t b = 0; b < BLOCKS && rc == 0; b++)
        for (uint32_t i = 0; i < l.n; i++) {
            const char *block = gpu_counter_block(l.names[i], family);
            if (!block || strcmp(block, limits[b].block) != 0)
                continue;
            uint32_t pass = used[b]++ / limits[b].limit;
            struct counter_pass *p = &out->passes[pass];
            if (!p->names)
                p->names = arena_alloc(a, l.n * sizeof *p->names);
            p->names[p->n++] = l.names[i];
            out->npasses = pass >= out->npasses ? pass + 1 : out->npasses;
        }
    return rc;
}
