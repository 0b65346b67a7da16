/*
 * A harness: which function is judged, its arguments, how their inputs are made, and how far its
 * outputs may be from the baseline's. It is a TOML file; docs/JUDGE.md describes its keys.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum judge_type {
    JUDGE_VOID, /* only of a result */
    JUDGE_INT8,
    JUDGE_UINT8,
    JUDGE_INT16,
    JUDGE_UINT16,
    JUDGE_INT32,
    JUDGE_UINT32,
    JUDGE_INT64,
    JUDGE_UINT64,
    JUDGE_FLOAT32,
    JUDGE_FLOAT64,
    JUDGE_TYPES
};
/* Name ("float32"), and bytes of one. */
extern const struct judge_type_row {
    const char *name;
    size_t size;
    bool real;
} judge_types[JUDGE_TYPES];

enum judge_direction { JUDGE_IN, JUDGE_OUT, JUDGE_INOUT };
enum judge_generator { JUDGE_NORMAL, JUDGE_UNIFORM, JUDGE_GENERATORS };

enum {
    JUDGE_ARGUMENTS = 16,
    JUDGE_NAME = 128,
    JUDGE_VALUES = 16,
    JUDGE_TURN_BITS = 8,
    JUDGE_ALIGN_MOST = 4096,
};

struct judge_argument {
    char name[JUDGE_NAME];
    enum judge_type type;
    bool array;    /* a pointer to `length` values; else a value */
    size_t length; /* values */
    double value;  /* of one that is no array; of several the largest size where it is a length */
    double values[JUDGE_VALUES]; /* of which each call gets one, where there are several */
    size_t nvalues;
    bool is_length; /* lengths of arrays follow from it (judge_shapes.h) */
    size_t align;   /* bytes of an array's address; 0: those of a value */
    enum judge_direction direction;
    enum judge_generator generator;
    double low, high; /* JUDGE_UNIFORM; for whole numbers both are in it */
    int line;         /* of its table in the file */
};

struct harness {
    char function[JUDGE_NAME];
    /* 0 to narguments: as they are passed; the result, where there is one, stands after them as an
     * output of length 1. */
    struct judge_argument arguments[JUDGE_ARGUMENTS + 1];
    size_t n;                  /* passed */
    enum judge_type result;    /* JUDGE_VOID: none */
    double relative, absolute; /* an output may be |want| * relative + absolute away; 0: the same */
    bool exact_on_bits;        /* inputs of zeros and ones give the same bits */
    bool special;              /* NaN, infinities, denormal and huge numbers are inputs, too */
    bool other_lengths;        /* so are other lengths than those of the file */
    /* What a call cannot do without: bytes that it loads and stores, operations on real numbers. By
     * default those of its arrays, and 0. */
    double work_bytes, work_flops;
    double work_instructions; /* in user mode; 0: the harness does not say */
};

/* Bytes of an argument's values; 0 of one that is no array. */
size_t judge_bytes(const struct judge_argument *a);
/* Whether it is no array, and calls get other values. */
bool judge_is_varied(const struct judge_argument *a);
/* The value of a scalar in a call. draw: its lowest JUDGE_TURN_BITS bits go through the values, the
 * rest says where that begins; a word of 31 bits. */
double judge_value_of(const struct judge_argument *a, size_t argument, uint32_t sample);
/* Stores a number as a value of a type, which has it (rounded, where it is a real one). */
void judge_store(enum judge_type type, double v, void *to);
/* How many buffers there are: arguments, and the result. */
size_t harness_buffers(const struct harness *h);
bool judge_is_output(const struct judge_argument *a);
bool judge_is_input(const struct judge_argument *a);

/*
 * Reads a file. Returns 0 with the hash of its bytes, or -errno with err, which names file, line
 * and column. Limits: 16 arguments, 64 MiB of arrays in all.
 */
int harness_read(struct harness *out, const char *path, uint64_t *hash, struct error *err);
/* The same from a text; path is for messages. */
int harness_parse(struct harness *out, const char *text, size_t n, const char *path,
                  struct error *err);
