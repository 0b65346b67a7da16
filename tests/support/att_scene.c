#include "support/att_scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/att_made.h"

/* category as the decoder gives it; cycles of one execution, and how many of them stalled; source
 * line */
static const struct {
    const char *isa;
    uint8_t category;
    uint32_t cycles, stall, source;
} code[] = {
    {"s_load_dwordx4 s[0:3], s[4:5], 0x0", ATT_SMEM, 6, 2, 12},
    {"s_waitcnt lgkmcnt(0)", ATT_IMMED, 180, 176, 12},
    {"v_lshlrev_b32_e32 v0, 2, v0", ATT_VALU, 4, 0, 14},
    {"global_load_dwordx4 v[2:5], v0, s[0:1]", ATT_VMEM, 16, 8, 18},
    {"global_load_dwordx4 v[6:9], v0, s[0:1] offset:16", ATT_VMEM, 16, 8, 18},
    {"s_waitcnt vmcnt(1)", ATT_IMMED, 500, 496, 20},
    {"ds_write_b128 v10, v[2:5]", ATT_LDS, 12, 4, 20},
    {"s_waitcnt lgkmcnt(0)", ATT_IMMED, 60, 58, 20},
    {"s_barrier", ATT_IMMED, 90, 88, 21},
    {"ds_read_b128 v[12:15], v11", ATT_LDS, 12, 4, 24},
    {"ds_read_b128 v[16:19], v11 offset:64", ATT_LDS, 12, 4, 24},
    {"s_waitcnt lgkmcnt(0)", ATT_IMMED, 80, 78, 26},
    {"v_mfma_f32_32x32x8_f16 a[0:15], v[12:13], v[16:17], a[0:15]", ATT_VALU, 32, 16, 26},
    {"v_mfma_f32_32x32x8_f16 a[0:15], v[14:15], v[18:19], a[0:15]", ATT_VALU, 32, 16, 26},
    {"s_add_i32 s6, s6, 1", ATT_SALU, 4, 0, 16},
    {"s_cmp_lt_i32 s6, s7", ATT_SALU, 4, 0, 16},
    {"s_cbranch_scc1 65522", ATT_JUMP, 8, 0, 16},
    {"v_accvgpr_read_b32 v2, a0", ATT_VALU, 8, 2, 30},
    {"global_store_dwordx4 v20, v[2:5], s[2:3]", ATT_VMEM, 20, 12, 31},
    {"s_endpgm", ATT_IMMED, 4, 0, 33},
};
enum { CODE = sizeof code / sizeof *code, LOOP = 3, LOOP_END = 17, ROUNDS = 5 };

static struct att_set set;
static uint32_t seed;

static uint32_t chance(uint32_t below)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % below;
}

static void add_code(struct att *a)
{
    uint64_t vaddr = 4096;
    struct att_row *r = att_made_row(a, "; gemm.kd", vaddr, 0, 0, 0);
    r->isa = "void gemm_tn<half, 128, 64>(half const*, half const*, float*, int)";
    r->line = 0;
    for (uint32_t i = 0; i < CODE; i++) {
        r = att_made_row(a, code[i].isa, vaddr, 0, 0, 0);
        r->line = i + 1;
        r->source = arena_printf(&a->memory, "/home/user/gemm/gemm.hip:%u", code[i].source);
        att_row_complete(a, a->nrows - 1);
        r->text = code[i].source == 20 ? "*(float4 *)&tile[lane] = load(a, k);" : NULL;
        vaddr += *code[i].isa == 's' ? 4 : 8;
    }
}

/* Executes one instruction; returns the time after it. */
static int64_t execute(struct att *a, uint32_t i, int64_t time, int64_t ended)
{
    struct att_row *r = &a->rows[i + 1];
    uint32_t stall = code[i].cycles > 40 ? code[i].stall * (50 + chance(110)) / 100 : code[i].stall;
    uint32_t cycles = stall + code[i].cycles - code[i].stall;
    r->hits++;
    r->latency += cycles;
    r->stall += stall;
    r->idle += (uint64_t)(time - ended);
    att_made_instruction(a, code[i].category, cycles, stall);
    a->instructions[a->ninstructions - 1].time = time;
    a->instructions[a->ninstructions - 1].line = i + 1;
    att_made_period(a, ATT_STATE_IDLE, (uint64_t)(time - ended));
    att_made_period(a, code[i].category == ATT_IMMED ? ATT_STATE_WAIT : ATT_STATE_STALL, stall);
    att_made_period(a, ATT_STATE_EXEC, cycles - stall);
    return time + cycles;
}

static void add_wave(struct att *a, uint32_t se, uint32_t simd, uint32_t slot)
{
    int64_t begin = 1000 + chance(800) + slot * 2250, ended = begin;
    struct att_wave *w = att_made_wave(a, se, 1, begin, begin);
    w->simd = simd;
    w->slot = slot;
    for (uint32_t i = 0, round = 1; i < CODE; i++) {
        ended = execute(a, i, ended + 4 * chance(3), ended);
        if (i + 1 == LOOP_END && round < ROUNDS)
            i = LOOP - 1, round++;
    }
    a->waves[a->nwaves - 1].end = ended;
    att_made_event(a, se, begin, simd * 8 + slot, true);
    att_made_event(a, se, ended, simd * 8 + slot, false);
}

static void make_traced(struct att *a)
{
    static const struct att_wait waits[] = {{2, 1}, {6, 4}, {8, 7}, {12, 10}, {12, 11}};
    static const struct att_clock clocks[] = {{1000, 10, 0}, {22000, 1010, 0}};
    *a = (struct att){.agent = 1, .dispatch = 4, .gfx = 9, .gfxv = "vega", .frequency = 1e8};
    a->name = "ui_output_agent_1_dispatch_4";
    add_code(a);
    for (uint32_t i = 0; i < 32; i++)
        add_wave(a, i / 16, i / 4 % 4, i % 4);
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        a->waits = att_grow(a->waits, a->nwaits, sizeof *a->waits);
        a->waits[a->nwaits++] = waits[i];
    }
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
        a->clocks = att_grow(a->clocks, a->nclocks, sizeof *a->clocks);
        a->clocks[a->nclocks++] = clocks[i];
    }
    att_finish(a);
}

static void make_sampled(struct att *a)
{
    *a = (struct att){.agent = 1, .dispatch = 9, .gfx = 11, .gfxv = "navi", .reasons_used = 8};
    a->name = "ui_output_agent_1_dispatch_9";
    add_code(a);
    for (uint32_t i = 1; i < a->nrows; i++) {
        struct att_row *r = &a->rows[i];
        uint64_t reasons[ATT_REASONS_MAX] = {chance(5), chance(9), chance(40), 0, chance(20)};
        r->service = ATT_STOCHASTIC_SAMPLED;
        r->issued = chance(100);
        r->stalled = reasons[0] + reasons[1] + reasons[2] + reasons[4];
        a->reasons = att_grow(a->reasons, a->nreasons, sizeof *a->reasons);
        memcpy(a->reasons[a->nreasons], reasons, sizeof reasons);
        r->reasons = a->nreasons++;
    }
    att_note(a, "no waves: their time lines and instructions per cycle are not known");
    att_finish(a);
}

static void forget(void)
{
    att_set_free(&set);
}

const struct att_set *att_scene(void)
{
    struct att a;
    if (set.n)
        return &set;
    seed = 1;
    set.list = xcalloc(2, sizeof *set.list);
    make_traced(&a);
    att_digest_make(&set.list[set.n++], &a);
    make_sampled(&a);
    att_digest_make(&set.list[set.n++], &a);
    atexit(forget);
    return &set;
}
