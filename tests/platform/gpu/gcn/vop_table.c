// The rows of vop1.def, vop2.def, vop3.def: a function each that does all lanes, and the table by
// VOP3 number.
#include "vop.h"
#include <pthread.h>

static inline int64_t i24(uint64_t x)
{
    return (int32_t)((uint32_t)x << 8) >> 8;
}
static inline uint64_t u24(uint64_t x)
{
    return x & 0xffffff;
}
static inline int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}
static inline int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}
static inline int64_t middle(int64_t a, int64_t b, int64_t c)
{
    return most(least(a, b), least(most(a, b), c));
}
static double median(double a, double b, double c)
{
    if (isnan(a) || isnan(b) || isnan(c))
        return number_min(number_min(a, b), c);
    return number_max(number_min(a, b), number_min(number_max(a, b), c));
}
// A product that is rounded before anything is added to it.
static float multiply(float a, float b)
{
    volatile float product = a * b;
    return product;
}
static inline uint64_t below(unsigned lane)
{
    return (1ull << lane) - 1;
}
static inline uint64_t i16_of(int32_t x)
{
    return (uint16_t)most(least(x, 32767), -32768);
}
static inline int signed_overflow(uint64_t a, uint64_t b)
{
    int64_t sum;
    return __builtin_add_overflow((int64_t)a, (int64_t)b, &sum);
}
// Never 1, to which a small negative number would round.
static double fraction(double d, double most)
{
    const double f = d - floor(d);
    return f > most ? most : f;
}
static int exponent_of(double d)
{
    int exponent = 0;
    if (isfinite(d))
        frexp(d, &exponent);
    return exponent;
}
static double mantissa_of(double d)
{
    int exponent;
    return isfinite(d) ? frexp(d, &exponent) : d;
}

#define carry(condition) (out |= (uint64_t)((condition) != 0) << lane)
#define OP(number, name, d_, a_, b_, c_, flags, ...)                                               \
    static void v_##name(struct vop *o)                                                            \
    {                                                                                              \
        uint64_t out = 0;                                                                          \
        for (unsigned lane = 0; lane < GCN_LANES; lane++) {                                        \
            if (!(o->exec >> lane & 1))                                                            \
                continue;                                                                          \
            const uint64_t a = o->a[lane], b = o->b[lane], c = o->c[lane];                         \
            const uint64_t bit = o->carry_in >> lane & 1;                                          \
            uint64_t value = 0;                                                                    \
            int flag = 0;                                                                          \
            (void)a, (void)b, (void)c, (void)bit, (void)value, (void)flag;                         \
            o->d[lane] = (__VA_ARGS__);                                                            \
        }                                                                                          \
        o->mask = out;                                                                             \
    }
#include "vop1.def"
#include "vop2.def"
#include "vop3.def"
#undef OP

// The multiply-adds with a constant: fused on gfx942, rounded twice on gfx90a.
#define FUSED(name, expression)                                                                    \
    static void name(struct vop *o)                                                                \
    {                                                                                              \
        for (unsigned l = 0; l < GCN_LANES; l++)                                                   \
            if (o->exec >> l & 1)                                                                  \
                o->d[l] = b32(expression);                                                         \
    }
FUSED(v_fmak_f32, fmaf(f32(o->a[l]), f32(o->b[l]), f32(o->c[l])))
FUSED(v_madk_f32, multiply(f32(o->a[l]), f32(o->b[l])) + f32(o->c[l]))

// A source of RAW for one lane, a scalar for all.
static uint32_t raw_source(struct vop *o, unsigned code, unsigned lane)
{
    if (code >= FIRST_VGPR)
        return o->w->v[code - FIRST_VGPR][lane];
    return (uint32_t)scalar_read(o->w, code, 32);
}

static void v_readfirstlane_b32(struct vop *o)
{
    const unsigned first = o->exec ? (unsigned)__builtin_ctzll(o->exec) : 0;
    o->w->s[o->vdst & 127] = raw_source(o, o->sources[0], first);
}
static void v_readlane_b32(struct vop *o)
{
    const unsigned lane = scalar_read(o->w, o->sources[1], 32) & (GCN_LANES - 1);
    o->w->s[o->vdst & 127] = raw_source(o, o->sources[0], lane);
}
static void v_writelane_b32(struct vop *o)
{
    const unsigned lane = scalar_read(o->w, o->sources[1], 32) & (GCN_LANES - 1);
    o->w->v[o->vdst][lane] = (uint32_t)scalar_read(o->w, o->sources[0], 32);
}
static void v_swap_b32(struct vop *o)
{
    uint32_t *d = o->w->v[o->vdst], *s = o->w->v[o->sources[0] & 255];
    for (unsigned l = 0; l < GCN_LANES; l++) {
        if (!(o->exec >> l & 1))
            continue;
        const uint32_t t = d[l];
        d[l] = s[l];
        s[l] = t;
    }
}
static void v_accvgpr_mov_b32(struct vop *o)
{
    for (unsigned l = 0; l < GCN_LANES; l++)
        if (o->exec >> l & 1)
            o->w->v[VGPRS + o->vdst][l] = o->w->v[VGPRS + (o->sources[0] & 255)][l];
}

static struct vop_row rows_90a[VOP_ROWS], rows_942[VOP_ROWS];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void add_row(unsigned op, const struct vop_row *row)
{
    if (!(row->flags & ONLY_942))
        rows_90a[op] = *row;
    if (!(row->flags & ONLY_90A))
        rows_942[op] = *row;
}

#define OP(number, name, d_, a_, b_, c_, flags_, ...)                                              \
    {(BASE) + (number), {"v_" #name, v_##name, d_, a_, b_, c_, flags_}},
static const struct {
    unsigned op;
    struct vop_row row;
} ROWS[] = {
#define BASE VOP1_FIRST
#include "vop1.def"
#undef BASE
#define BASE VOP2_FIRST
#include "vop2.def"
#undef BASE
#define BASE 0
#include "vop3.def"
#undef BASE
    {VOP1_FIRST + 2, {"v_readfirstlane_b32", v_readfirstlane_b32, NONE, NONE, NONE, NONE, RAW}},
    {VOP1_FIRST + 81, {"v_swap_b32", v_swap_b32, NONE, NONE, NONE, NONE, RAW}},
    {VOP1_FIRST + 82, {"v_accvgpr_mov_b32", v_accvgpr_mov_b32, NONE, NONE, NONE, NONE, RAW}},
    {0x289, {"v_readlane_b32", v_readlane_b32, NONE, NONE, NONE, NONE, RAW}},
    {0x28a, {"v_writelane_b32", v_writelane_b32, NONE, NONE, NONE, NONE, RAW}},
    {VOP2_FIRST + 23, {"v_madmk_f32", v_madk_f32, F32, F32, F32, F32, CONSTANT_B | ONLY_90A}},
    {VOP2_FIRST + 24, {"v_madak_f32", v_madk_f32, F32, F32, F32, F32, CONSTANT_C | ONLY_90A}},
    {VOP2_FIRST + 23, {"v_fmamk_f32", v_fmak_f32, F32, F32, F32, F32, CONSTANT_B | ONLY_942}},
    {VOP2_FIRST + 24, {"v_fmaak_f32", v_fmak_f32, F32, F32, F32, F32, CONSTANT_C | ONLY_942}},
};
#undef OP

// VOPC: floating point in groups of 16, integers in groups of 8; with bit 4, EXEC is set too.
static void add_comparisons(void)
{
    static const struct {
        uint8_t first, count, kind_a, kind_b;
    } groups[] = {
        {0x10, 1, F32, I32},  {0x12, 1, F64, I32},  {0x14, 1, F16, I32},
        {0x20, 16, F16, F16}, {0x40, 16, F32, F32}, {0x60, 16, F64, F64},
        {0xa0, 16, I16, I16}, {0xc0, 16, I32, I32}, {0xe0, 16, I64, I64},
    };
    for (unsigned g = 0; g < sizeof groups / sizeof groups[0]; g++)
        for (unsigned k = 0; k < groups[g].count; k++) {
            struct vop_row row = {
                "v_cmp", vop_compare,         NONE, groups[g].kind_a, groups[g].kind_b,
                NONE,    CARRY_OUT | COMPARES};
            add_row(groups[g].first + k, &row);
            row.flags |= SETS_EXEC;
            row.name = "v_cmpx";
            add_row(groups[g].first + k + (groups[g].count == 1 ? 1 : 16), &row);
        }
}

static void fill(void)
{
    for (unsigned k = 0; k < sizeof ROWS / sizeof ROWS[0]; k++)
        add_row(ROWS[k].op, &ROWS[k].row);
    add_comparisons();
}

const struct vop_row *vop_row(const struct wave *w, unsigned op)
{
    pthread_once(&once, fill);
    const struct vop_row *row = (w->device->arch == GCN_GFX942 ? rows_942 : rows_90a) + op;
    return row->run ? row : NULL;
}
