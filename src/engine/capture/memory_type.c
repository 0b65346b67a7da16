#include "engine/capture/memory_type.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { UNSIGNED, SIGNED, FLOAT };
static const struct type_row {
    const char *name;
    uint8_t size;
    uint8_t kind;
    uint8_t mantissa, exponent; /* number of bits; floats only */
    uint8_t width;              /* cells that the widest number needs */
    uint8_t digits[2]; /* significant digits to try: from the fewest, to as many as always restore
                          the bits */
    const char *c;     /* names in C, C++ and HIP: "|a|b|" */
} table[MEMORY_TYPES] = {
    [MEMORY_U8] = {"u8", 1, UNSIGNED, 0, 0, 3, {0}, "|unsigned char|uint8_t|bool|uchar|"},
    [MEMORY_U16] = {"u16", 2, UNSIGNED, 0, 0, 5, {0}, "|unsigned short|uint16_t|ushort|"},
    [MEMORY_U32] = {"u32", 4, UNSIGNED, 0, 0, 10, {0}, "|unsigned int|unsigned|uint32_t|uint|"},
    [MEMORY_U64] = {"u64",
                    8,
                    UNSIGNED,
                    0,
                    0,
                    20,
                    {0},
                    "|unsigned long|unsigned long long|uint64_t|size_t|ulong|"},
    [MEMORY_I8] = {"i8", 1, SIGNED, 0, 0, 4, {0}, "|char|signed char|int8_t|"},
    [MEMORY_I16] = {"i16", 2, SIGNED, 0, 0, 6, {0}, "|short|int16_t|"},
    [MEMORY_I32] = {"i32", 4, SIGNED, 0, 0, 11, {0}, "|int|int32_t|"},
    [MEMORY_I64] = {"i64", 8, SIGNED, 0, 0, 20, {0}, "|long|long long|int64_t|"},
    [MEMORY_F16] = {"f16", 2, FLOAT, 10, 5, 11, {1, 5}, "|_Float16|half|__half|__fp16|"},
    [MEMORY_BF16] = {"bf16",
                     2,
                     FLOAT,
                     7,
                     8,
                     10,
                     {1, 4},
                     "|__bf16|std::bfloat16_t|hip_bfloat16|__hip_bfloat16|"},
    [MEMORY_F32] = {"f32", 4, FLOAT, 23, 8, 15, {1, 9}, "|float|"},
    [MEMORY_F64] = {"f64", 8, FLOAT, 52, 11, 24, {1, 17}, "|double|"},
};

const char *memory_type_name(enum memory_type t)
{
    return table[t].name;
}

size_t memory_type_size(enum memory_type t)
{
    return table[t].size;
}

bool memory_type_is_float(enum memory_type t)
{
    return table[t].kind == FLOAT;
}

bool memory_type_find(const char *name, enum memory_type *out)
{
    for (unsigned t = 0; t < MEMORY_TYPES; t++)
        if (strcmp(table[t].name, name) == 0) {
            *out = (enum memory_type)t;
            return true;
        }
    return false;
}

/* Copies the type without qualifiers, pointer and reference marks. */
static void strip_type_marks(const char *from, char *out, size_t size)
{
    static const char *const words[] = {"const",        "volatile",   "restrict",
                                        "__restrict__", "__restrict", "__global"};
    size_t n = 0;
    for (const char *p = from; *p;) {
        size_t len = strcspn(p, " *&");
        bool skip = len == 0;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            skip |= strlen(words[i]) == len && strncmp(p, words[i], len) == 0;
        if (!skip && n + len + 2 < size)
            n += (size_t)snprintf(out + n, size - n, "%s%.*s", n ? " " : "", (int)len, p);
        p += len;
        p += *p != '\0';
    }
    out[n] = '\0';
}

bool memory_type_of_c(const char *c_type, enum memory_type *out)
{
    char plain[64] = "", word[68];
    strip_type_marks(c_type, plain, sizeof plain);
    snprintf(word, sizeof word, "|%s|", plain);
    for (unsigned t = 0; t < MEMORY_TYPES && *plain; t++)
        if (strstr(table[t].c, word)) {
            *out = (enum memory_type)t;
            return true;
        }
    return false;
}

uint64_t memory_bits(enum memory_type t, const void *p)
{
    uint16_t h;
    uint32_t w;
    uint64_t d;
    switch (table[t].size) {
    case 1:
        return *(const uint8_t *)p;
    case 2:
        memcpy(&h, p, sizeof h);
        return h;
    case 4:
        memcpy(&w, p, sizeof w);
        return w;
    default:
        memcpy(&d, p, sizeof d);
        return d;
    }
}

/* The value of an IEEE 754 number with these numbers of bits. */
static double small_float(uint64_t bits, int mantissa, int exponent)
{
    int e = (int)(bits >> mantissa & ((1u << exponent) - 1)), bias = (1 << (exponent - 1)) - 1;
    uint64_t m = bits & (((uint64_t)1 << mantissa) - 1);
    double v;
    if (e == (1 << exponent) - 1)
        v = m ? (double)NAN : HUGE_VAL;
    else if (e == 0)
        v = ldexp((double)m, 1 - bias - mantissa);
    else
        v = ldexp((double)(m | (uint64_t)1 << mantissa), e - bias - mantissa);
    return bits >> (mantissa + exponent) & 1 ? -v : v;
}

static int64_t extend_sign(enum memory_type t, uint64_t bits)
{
    unsigned shift = 64u - 8u * table[t].size;
    return (int64_t)(bits << shift) >> shift;
}

double memory_number(enum memory_type t, uint64_t bits)
{
    uint32_t w = (uint32_t)bits;
    float f;
    double d;
    if (table[t].kind == UNSIGNED)
        return (double)bits;
    if (table[t].kind == SIGNED)
        return (double)extend_sign(t, bits);
    if (t == MEMORY_F32) {
        memcpy(&f, &w, sizeof f);
        return (double)f;
    }
    if (t == MEMORY_F64) {
        memcpy(&d, &bits, sizeof d);
        return d;
    }
    return small_float(bits, table[t].mantissa, table[t].exponent);
}

/* Whether the text, read back, gives the same bits. */
static bool comes_back(enum memory_type t, uint64_t bits, const char *text)
{
    double v = memory_number(t, bits), read = strtod(text, NULL);
    if (t == MEMORY_F64)
        return read == v;
    if (t == MEMORY_F32)
        return (double)strtof(text, NULL) == v;
    uint64_t magnitude = bits & ~((uint64_t)1 << (8 * table[t].size - 1));
    double up = fabs(memory_number(t, magnitude + 1)), down = memory_number(t, magnitude - 1);
    v = fabs(v);
    read = fabs(read);
    return read > (v + down) / 2 && (isinf(up) ? read <= v : read < (v + up) / 2);
}

int memory_format_one(enum memory_type t, uint64_t bits, char *out, size_t size)
{
    if (table[t].kind == UNSIGNED)
        return snprintf(out, size, "%" PRIu64, bits);
    if (table[t].kind == SIGNED)
        return snprintf(out, size, "%" PRId64, extend_sign(t, bits));
    double v = memory_number(t, bits);
    const char *sign = bits >> (8 * table[t].size - 1) & 1 ? "-" : "";
    if (isnan(v))
        return snprintf(out, size, "%snan", sign);
    if (isinf(v) || v == 0)
        return snprintf(out, size, "%s%s", sign, v == 0 ? "0" : "inf");
    int n = 0;
    for (int digits = table[t].digits[0]; digits <= table[t].digits[1]; digits++) {
        char text[40];
        n = snprintf(text, sizeof text, "%.*g", digits, v);
        snprintf(out, size, "%s", text);
        if (comes_back(t, bits, text))
            break;
    }
    return n;
}

int memory_format_width(enum memory_type t, enum memory_look look)
{
    return look == MEMORY_LOOK_HEX ? 2 * table[t].size : table[t].width;
}

const char *memory_format(enum memory_type t, enum memory_look look, const void *p, size_t n,
                          char *out, size_t size)
{
    const uint8_t *at = p;
    size_t used = 0, element = table[t].size;
    char text[40];
    if (size)
        *out = '\0';
    for (size_t step; n && used + 1 < size; at += step, n -= step) {
        bool whole = n >= element;
        int width = whole ? memory_format_width(t, look) : 2;
        step = whole ? element : 1;
        if (whole && look == MEMORY_LOOK_TYPE)
            memory_format_one(t, memory_bits(t, at), text, sizeof text);
        else
            snprintf(text, sizeof text, "%0*" PRIx64, width,
                     whole ? memory_bits(t, at) : (uint64_t)*at);
        snprintf(out + used, size - used, "%s%*s", used ? " " : "", width, text);
        used += strlen(out + used);
    }
    return out;
}
