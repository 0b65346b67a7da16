// The interpreter without a runtime: each instruction of cases.def, assembled by LLVM, with
// difficult values; results as C computes them. Invalid instructions and addresses are faults.
#include "gcn/wave.h"
#include "support/oracle.h"
#include "support/test.h"
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DATA_ADDRESS 0x100000000ull
#define CODE_ADDRESS 0x200000000ull
enum { ROUNDS = 6, DATA_SIZE = 64 * 64, CASE_SIZE = 256, LDS_SIZE = 4096 };

static uint8_t data[DATA_SIZE];
static uint8_t *code;
static size_t code_size;

// Code that runs too long is stopped.
static atomic_bool stop;
static unsigned reads_left;

// The only memory there is: the code, and writable data.
void *gpu_at(uint64_t address, size_t size, bool write)
{
    if (reads_left-- == 0)
        stop = true;
    if (address >= DATA_ADDRESS && address - DATA_ADDRESS <= DATA_SIZE - size)
        return data + (address - DATA_ADDRESS);
    if (!write && address >= CODE_ADDRESS && address - CODE_ADDRESS <= code_size - size)
        return code + (address - CODE_ADDRESS);
    return NULL;
}

#define CLOCK 0x123456789abcdefull
uint64_t gpu_clock(void)
{
    return CLOCK;
}

// What a case is computed from, for one lane.
struct inputs {
    uint64_t A, B, C, A0;
    uint32_t before, lane;
    bool bit;
    const uint32_t *a_of;
    const uint32_t *memory;
};

enum kind { IS_S32, IS_S64, IS_V32, IS_V64, IS_MASK };
#define INPUTS                                                                                     \
    const uint64_t A = in->A, B = in->B, C = in->C, A0 = in->A0;                                   \
    const uint32_t a = (uint32_t)A, b = (uint32_t)B, c = (uint32_t)C, a0 = (uint32_t)A0;           \
    const uint32_t before = in->before, lane = in->lane, *a_of = in->a_of, *memory = in->memory;   \
    const bool bit = in->bit;                                                                      \
    const float fa = f32(a), fb = f32(b), fc = f32(c), high_a = f32(A >> 32),                      \
                high_b = f32(B >> 32);                                                             \
    const double da = f64(A), db = f64(B), dc = f64(C);                                            \
    const uint32_t b0 = scalar_b;                                                                  \
    (void)A, (void)B, (void)C, (void)A0, (void)a, (void)b, (void)c, (void)a0, (void)before,        \
        (void)lane, (void)a_of, (void)memory, (void)bit, (void)fa, (void)fb, (void)fc,             \
        (void)high_a, (void)high_b, (void)da, (void)db, (void)dc, (void)b0

static uint32_t scalar_b; // lane 0's b
#define PASTE_(x, y) x##y
#define PASTE(x, y)  PASTE_(x, y)
#define FUNCTION(suffix, ...)                                                                      \
    static uint64_t PASTE(suffix, __LINE__)(const struct inputs *in)                               \
    {                                                                                              \
        INPUTS;                                                                                    \
        return (uint64_t)(__VA_ARGS__);                                                            \
    }
#define S32(text, value, flag) FUNCTION(value_, value) FUNCTION(scc_, flag)
#define S64(text, value, flag) FUNCTION(value_, value) FUNCTION(scc_, flag)
#define V32(text, ...)         FUNCTION(value_, __VA_ARGS__)
#define V64(text, ...)         FUNCTION(value_, __VA_ARGS__)
#define MASK(text, ...)        FUNCTION(value_, __VA_ARGS__)
#include "cases.def"
#undef S32
#undef S64
#undef V32
#undef V64
#undef MASK

struct test_case {
    const char *text;
    enum kind kind;
    uint64_t (*value)(const struct inputs *in);
    uint64_t (*scc)(const struct inputs *in);
};
#define S32(text, ...)  {text, IS_S32, PASTE(value_, __LINE__), PASTE(scc_, __LINE__)},
#define S64(text, ...)  {text, IS_S64, PASTE(value_, __LINE__), PASTE(scc_, __LINE__)},
#define V32(text, ...)  {text, IS_V32, PASTE(value_, __LINE__), NULL},
#define V64(text, ...)  {text, IS_V64, PASTE(value_, __LINE__), NULL},
#define MASK(text, ...) {text, IS_MASK, PASTE(value_, __LINE__), NULL},
static const struct test_case CASES[] = {
#include "cases.def"
};
enum { CASE_COUNT = sizeof CASES / sizeof CASES[0] };

static uint64_t random64(void)
{
    static uint64_t state = 88172645463325252ull;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

// Random values, often difficult ones.
static uint64_t hard_value(void)
{
    static const uint64_t special[] = {0,
                                       1,
                                       UINT64_MAX,
                                       0x8000000080000000,
                                       0x7fffffff7fffffff,
                                       0x3f8000003f800000,
                                       0x4000000040200000,
                                       0xc1200000c1280000,
                                       31,
                                       32};
    const uint64_t r = random64();
    if (r % 8 == 0)
        return special[r / 8 % (sizeof special / sizeof special[0])];
    const double small = (double)(int64_t)(r % 20001) / 16 - 600;
    if (r % 8 <= 3)
        return b32((float)small) | b32((float)(small * 1.5)) << 32;
    return r % 8 == 4 ? b64(small) : r;
}

struct scene {
    struct gcn_device device;
    struct wave *wave;
    uint64_t A[GCN_LANES], B[GCN_LANES], C[GCN_LANES];
    uint32_t a_of[GCN_LANES], memory[DATA_SIZE / 4], before[GCN_LANES];
    uint8_t lds[LDS_SIZE];
};

static void set_lane(struct wave *w, unsigned r, unsigned lane, uint64_t value)
{
    w->v[r][lane] = (uint32_t)value;
    w->v[r + 1][lane] = (uint32_t)(value >> 32);
}

static void prepare(struct scene *s, size_t index)
{
    struct wave *w = s->wave;
    memset(w, 0, sizeof *w);
    for (unsigned l = 0; l < GCN_LANES; l++) {
        set_lane(w, 0, l, s->A[l] = hard_value());
        set_lane(w, 2, l, s->B[l] = hard_value());
        set_lane(w, 4, l, s->C[l] = hard_value());
        set_lane(w, 8, l, DATA_ADDRESS + 64ull * l);
        s->a_of[l] = (uint32_t)s->A[l];
        w->v[6][l] = s->before[l] = (uint32_t)random64();
        w->v[10][l] = 32 * l;
        w->v[12][l] = l;
    }
    for (unsigned k = 0; k < DATA_SIZE / 4; k++)
        s->memory[k] = (uint32_t)random64();
    memcpy(data, s->memory, sizeof data);
    set_pair(w->s, s->A[0]);
    set_pair(w->s + 2, s->B[0]);
    set_pair(w->s + 4, s->C[0]);
    set_pair(w->s + 8, DATA_ADDRESS);
    set_pair(w->s + VCC, 0x9249249249249249);
    set_pair(w->s + EXEC, UINT64_MAX);
    scalar_b = (uint32_t)s->B[0];
    w->device = &s->device;
    w->lds = s->lds;
    w->lds_size = LDS_SIZE;
    w->pc = CODE_ADDRESS + index * CASE_SIZE;
}

static bool is_nan_pair(const struct test_case *t, uint64_t x, uint64_t y)
{
    if (t->kind == IS_V64 && strstr(t->text, "f64"))
        return isnan(f64(x)) && isnan(f64(y));
    const bool low = x == y || (isnan(f32(x)) && isnan(f32(y)));
    if (strstr(t->text, "f16")) // each half may be one
        return ((x & 0xffff) == (y & 0xffff) || (isnan(f16(x)) && isnan(f16(y)))) &&
               (x >> 16 == y >> 16 || (isnan(f16(x >> 16)) && isnan(f16(y >> 16))) ||
                (isnan(f32(x)) && isnan(f32(y))));
    if (!strstr(t->text, "f32"))
        return false;
    return low && (t->kind != IS_V64 || x >> 32 == y >> 32 ||
                   (isnan(f32(x >> 32)) && isnan(f32(y >> 32))));
}

static struct inputs lane_inputs(const struct scene *s, unsigned lane)
{
    return (struct inputs){s->A[lane], s->B[lane],    s->C[lane], s->A[0],  s->before[lane],
                           lane,       lane % 3 == 0, s->a_of,    s->memory};
}

static void check(const struct scene *s, const struct test_case *t)
{
    const struct wave *w = s->wave;
    const bool scalar = t->kind == IS_S32 || t->kind == IS_S64;
    for (unsigned l = 0; l < (scalar ? 1 : GCN_LANES); l++) {
        const struct inputs in = lane_inputs(s, l);
        uint64_t wanted = t->value(&in), got;
        if (scalar)
            got = t->kind == IS_S64 ? pair(w->s + 6) : w->s[6];
        else if (t->kind == IS_MASK)
            got = pair(w->s + 6) >> l & 1;
        else
            got = w->v[6][l] | (t->kind == IS_V64 ? (uint64_t)w->v[7][l] << 32 : 0);
        if (t->kind == IS_S32 || t->kind == IS_V32)
            wanted = (uint32_t)wanted;
        if (got != wanted && !is_nan_pair(t, got, wanted))
            fail_msg("%s: lane %u gives %#lx, wanted %#lx; a %#lx b %#lx c %#lx", t->text, l,
                     (unsigned long)got, (unsigned long)wanted, (unsigned long)s->A[l],
                     (unsigned long)s->B[l], (unsigned long)s->C[l]);
        if (t->scc && w->scc != (t->scc(&in) != 0))
            fail_msg("%s: SCC is %d; a %#lx b %#lx c %#lx", t->text, w->scc, (unsigned long)s->A[l],
                     (unsigned long)s->B[l], (unsigned long)s->C[l]);
    }
}

// The text section of what the assembler made of cases.def.
static void load_cases(const char *isa)
{
    char path[1024];
    static uint8_t file[1 << 20];
    snprintf(path, sizeof path, "%s/cases.%s.o", getenv("ROOFTOP_GPU_KERNELS"), isa);
    FILE *f = fopen(path, "rbe");
    assert_non_null(f);
    const size_t size = fread(file, 1, sizeof file, f);
    fclose(f);
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)file;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(file + header->e_shoff);
    assert_true(size > sizeof *header && memcmp(header->e_ident, ELFMAG, SELFMAG) == 0);
    for (unsigned k = 0; k < header->e_shnum; k++)
        if (sections[k].sh_type == SHT_PROGBITS && sections[k].sh_flags & SHF_EXECINSTR) {
            code = file + sections[k].sh_offset;
            code_size = sections[k].sh_size;
        }
    assert_true(code_size > (CASE_COUNT - 1) * CASE_SIZE);
}

static void every_case(enum gcn_arch arch, const char *isa)
{
    static struct scene scene;
    load_cases(isa);
    scene.device.arch = arch;
    scene.wave = calloc(1, sizeof *scene.wave);
    assert_non_null(scene.wave);
    for (size_t k = 0; k < CASE_COUNT; k++)
        for (int round = 0; round < ROUNDS; round++) {
            prepare(&scene, k);
            const enum gcn_status status = wave_run(scene.wave);
            if (status != GCN_OK)
                fail_msg("%s on %s: status %d at instruction %#x %#x", CASES[k].text, isa, status,
                         scene.wave->fault.instruction[0], scene.wave->fault.instruction[1]);
            check(&scene, &CASES[k]);
        }
    free(scene.wave);
}

TEST(test_instructions_gfx90a)
{
    every_case(GCN_GFX90A, "gfx90a");
}
TEST(test_instructions_gfx942)
{
    every_case(GCN_GFX942, "gfx942");
}

static enum gcn_status run_words(const uint32_t *words, size_t bytes, enum gcn_arch arch,
                                 struct gcn_fault *fault)
{
    static struct scene scene;
    scene.device.arch = arch;
    scene.wave = calloc(1, sizeof *scene.wave);
    assert_non_null(scene.wave);
    code = (uint8_t *)words;
    code_size = bytes;
    prepare(&scene, 0);
    const enum gcn_status status = wave_run(scene.wave);
    *fault = scene.wave->fault;
    free(scene.wave);
    return status;
}

// Invalid instructions, those that are not emulated, and those of the other GPU.
TEST(test_unknown_is_illegal)
{
    static const struct {
        uint32_t words[2];
        enum gcn_arch arch;
    } cases[] = {
        {{0xbfffdead, 0xbf810000}, GCN_GFX90A},    // SOPP 127
        {{0xbf920001, 0xbf810000}, GCN_GFX90A},    // s_trap
        {{0x7e0c7102, 0xbf810000}, GCN_GFX90A},    // v_mov_b64, of gfx942
        {{0xd2080006, 0x04120300}, GCN_GFX90A},    // v_lshl_add_u64, of gfx942
        {{0xd1c10006, 0x04120300}, GCN_GFX942},    // v_mad_f32, of gfx90a
        {{0xd3c50006, 0x04220902}, GCN_GFX942},    // v_mfma_f32_16x16x4_f32
        {{0xdc000000, 0}, GCN_GFX942},             // FLAT 0
        {{0xd8000000 | 20u << 17, 0}, GCN_GFX90A}, // DS 20
        {{0xc0000000 | 38u << 18, 0}, GCN_GFX90A}, // SMEM 38
        {{0xf0000000, 0}, GCN_GFX90A},             // MIMG
        {{0x7e0002fe, 0xbf810000}, GCN_GFX90A},    // a source that is none (lds_direct)
    };
    struct gcn_fault fault;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const enum gcn_status status = run_words(cases[k].words, 8, cases[k].arch, &fault);
        if (status != GCN_ILLEGAL)
            fail_msg("case %zu, %#x: status %d", k, cases[k].words[0], status);
        assert_int_equal(fault.pc, CODE_ADDRESS);
        assert_int_equal(fault.instruction[0], cases[k].words[0]);
    }
}

TEST(test_unmapped_memory_faults)
{
    // global_store_dword v[8:9], v0, off offset:-4: before the data
    static const uint32_t store[] = {0xdc719ffc, 0x007f0008, 0xbf810000};
    // global_load_dword v6, v[0:1], off: anywhere
    static const uint32_t load[] = {0xdc508000, 0x067f0000, 0xbf810000};
    static const uint32_t lds[] = {0xd81a0000 | 0xffff, 0x0000000a,
                                   0xbf810000}; // ds_write_b32 v10, v0 offset:65535
    static const uint32_t end[] = {0xbf800000}; // runs off its code
    struct gcn_fault fault;
    assert_int_equal(run_words(store, sizeof store, GCN_GFX90A, &fault), GCN_FAULT);
    assert_int_equal(fault.address, DATA_ADDRESS - 4);
    assert_true(fault.write);
    assert_int_equal(run_words(load, sizeof load, GCN_GFX90A, &fault), GCN_FAULT);
    assert_false(fault.write);
    assert_int_equal(run_words(lds, sizeof lds, GCN_GFX90A, &fault), GCN_FAULT);
    assert_int_equal(run_words(end, sizeof end, GCN_GFX90A, &fault), GCN_FAULT);
    assert_int_equal(fault.address, CODE_ADDRESS + 4);
}

// Random words give a status and never a crash. Code that loops for ever is stopped.
TEST(test_any_words)
{
    static struct scene scene;
    uint32_t words[64];
    scene.device.stop = &stop;
    scene.wave = calloc(1, sizeof *scene.wave);
    assert_non_null(scene.wave);
    code = (uint8_t *)words;
    code_size = sizeof words;
    for (int k = 0; k < 30000; k++) {
        for (unsigned n = 0; n < 64; n++) {
            words[n] = (uint32_t)random64();
            if (n % 2 == 0) // an encoding that is known, mostly
                words[n] =
                    (words[n] & 0x03ffffff) | (uint32_t[]){0xd0000000, 0xd8000000, 0xdc000000,
                                                           0xe0000000, 0x7c000000, 0xbc000000,
                                                           0xc0000000, 0x40000000}[random64() % 8];
        }
        prepare(&scene, 0);
        scene.device.arch = k % 2 ? GCN_GFX90A : GCN_GFX942;
        stop = false;
        reads_left = 3000;
        wave_run(scene.wave);
    }
    free(scene.wave);
}
