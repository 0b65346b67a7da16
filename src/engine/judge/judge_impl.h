/* What the files of engine/judge share among themselves. */
#pragma once

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/judge/sandbox.h"
#include "engine/judge/harness.h"
#include "engine/judge/judge.h"

/*
 * What pairs of times say: when it looks, when it ends, which verdict it gives. Where the pairs
 * come from is not its matter: from processes, or from a test.
 */
struct judge_pair {
    double ns[2];           /* of the baseline, of the candidate: all calls together */
    double elapsed_ns[2];   /* what went by meanwhile; 0: not known */
    double instructions[2]; /* the same; NAN: not counted */
    size_t calls;           /* of each side; at least 1 */
};

struct judge_pairs {
    /* Measures a pair whose order chance chose. 0, 1 with the refusal in the result, or -errno. */
    int (*take)(void *ctx, bool cold, struct judge_pair *out, struct error *err);
    uint64_t (*now_ns)(void *ctx); /* judge_now_ns, or a test's clock */
    void *ctx;
    bool warm_only; /* there are no pairs with cold caches */
};

uint64_t judge_now_ns(void *ctx);

/*
 * Takes pairs until they are decided or plan->for_s is over, and where they say "faster" once more,
 * to confirm it. Fills the times, intervals, pairs and the verdict of the result. Returns 0, 1 with
 * result->refusal, or -errno with err.
 */
int judge_decide(const struct judge_plan *plan, const struct judge_pairs *pairs,
                 struct judge_result *result, struct error *err);

/* Refuses as judge_refuse does, unless the plan allows it: then 0. */
int judge_refuse_by_guard(const struct judge_plan *plan, struct judge_result *result,
                          enum judge_guard guard, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* What the steps of the judge share. */
enum { JUDGE_SIDES = 2 }; /* 0: the baseline, 1: the candidate */

struct judging {
    const struct judge_plan *plan;
    const struct harness *harness;
    struct judge_result *result;
    struct sandbox_memory *memory[JUDGE_SIDES];
    struct sandbox *sandbox[JUDGE_SIDES];
    char *stripped; /* a copy of the candidate that runs nothing when it is loaded; NULL: allowed */
    size_t batch;   /* the most calls of a timed batch */
    bool clean;     /* a side's calls write to memory that is brought back: that is done for both */
    double elapsed_ns;               /* what went by in all timed batches */
    uint64_t ended_ns;               /* CPU time of processes whose memory is closed */
    void *pool[JUDGE_ARGUMENTS + 1]; /* of each input: values from which calls take theirs */
};

/* All of these return 0, 1 with result->refusal, or -errno with err. */
int judge_start(struct judging *j, unsigned side, size_t slots, struct error *err);
void judge_stop(struct judging *j, unsigned side);
/* CPU time so far, of this process and of the ended ones that made calls. */
uint64_t judge_own_ns(const struct judging *j);
/* Turns a refusal of the baseline into an error: nothing can be judged then. */
int judge_side_result(struct judging *j, unsigned side, int rc, struct error *err);
int judge_check(struct judging *j, struct error *err);
int judge_time(struct judging *j, struct error *err);

/* What came out of a call, against what the baseline gave for the same inputs. */
struct judge_difference {
    size_t n, first;    /* how many values are wrong, the index of the first */
    double wanted, got; /* of the first */
    double worst;       /* the largest |got - wanted| of those that may differ; 0: none */
};

/* One value of an array as a double, for messages and real comparisons. */
double judge_value(enum judge_type type, const void *p, size_t i);

/* How far a real value may be away. Whole ones may not at all. */
enum judge_rule {
    JUDGE_EACH,    /* |wanted| * relative + absolute */
    JUDGE_WHOLE,   /* the largest |wanted| of the output * relative + absolute: where large values
                      cancel each other, what is left has their rounding, in the baseline, too */
    JUDGE_EXACT,   /* the same bits, but for the sign of zero and the payload of NaN */
    JUDGE_LEAST,   /* as JUDGE_EACH, and where |wanted| * relative is less, 1024 times the smallest
                      number, or the smallest normal one * relative: denormal ones have few bits */
    JUDGE_ENDLESS, /* as JUDGE_EACH, and a NaN is as right as an infinity: inf - inf is NaN, and in
                      another order an infinity may come first */
    JUDGE_FINITE,  /* as JUDGE_WHOLE, where the baseline's is finite: what overflows there need not
                      in another order, or with more bits */
};
/*
 * Compares an output of an argument. A NaN equals a NaN only, an infinity the same one. Returns
 * whether it is right.
 */
bool judge_same(const struct harness *h, const struct judge_argument *a, const void *wanted,
                const void *got, enum judge_rule rule, struct judge_difference *d);

/*
 * Wrong answers that a check must see; if it does not, it is blind.
 * - nothing was done: the output is what it was before;
 * - the first input was copied: its bytes, again and again where it is shorter;
 * - the precision is lower: float32 with the 11 bits of half precision, float64 with 24;
 * - the answer is that of another call.
 */
enum judge_mutant { JUDGE_NOTHING, JUDGE_COPY, JUDGE_LOWER, JUDGE_OTHER, JUDGE_MUTANTS };
const char *judge_mutant_name(enum judge_mutant t);
/* From what a mutant is made; NULL: there is none. */
struct judge_mutant_from {
    const void *before; /* the output before the call */
    const void *right;  /* what the baseline gave */
    const void *other;  /* what it gave for other inputs */
    const void *input;  /* the first input, of `ninput` bytes */
    size_t ninput;
};
/* Makes the mutant's output. False: there is no such mutant of this argument. */
bool judge_mutant_make(enum judge_mutant t, const struct judge_argument *a,
                       const struct judge_mutant_from *from, void *out);

/*
 * Whether the check of a harness tells right from wrong on the inputs that are timed. It is shown
 * some calls of the baseline, and objects where a mutant passes, where an absolute tolerance is
 * large beside the values, or where all inputs have the same answer.
 */
struct judge_blind;
struct judge_blind *judge_blind_new(const struct harness *h);
void judge_blind_free(struct judge_blind *b);
/* How many calls say enough: outputs of few values need many. */
size_t judge_blind_calls(const struct harness *h);
/* A call: of each output what it was before and after it, and the first input. */
void judge_blind_add(struct judge_blind *b, void *const *before, void *const *right,
                     const void *input, size_t ninput);
/* 0, or 1 with *refused. */
int judge_blind_refuse(const struct judge_blind *b, struct judge_refusal *refused);

/* A shared object as bytes that nobody trusts, by its program headers, as ld.so reads it. */
struct loading {
    const unsigned char *bytes;
    size_t n, page;
    Elf64_Ehdr head;
    uint64_t dynamic, ndynamic;          /* where it is in the file; entries before DT_NULL */
    uint64_t dynamic_from, dynamic_size; /* where it is loaded */
    struct judge_refusal *refused;
};

/* Takes an object whose program headers are as linkers write them. 0, or 1 with *refused. */
int loading_open(struct loading *o, const unsigned char *bytes, size_t n,
                 struct judge_refusal *refused);
int loading_unknown(const struct loading *o, const char *what); /* refuses it; 1 */
Elf64_Dyn loading_entry(const struct loading *o, uint64_t i);
/* The value of a tag; 0: there is none. */
uint64_t loading_value(const struct loading *o, Elf64_Sxword tag);
/* Where n loaded bytes, which nobody writes, are in the file; NULL: they are not. */
const unsigned char *loading_fixed(const struct loading *o, uint64_t address, uint64_t n);
/* How many bytes of the file, which nobody writes, begin at an address. */
uint64_t loading_room(const struct loading *o, uint64_t address);
/* Where the pointer at an address leads once the object is loaded, by a relocation to the object
 * itself; 0: no relocation says that. */
uint64_t loading_pointer(const struct loading *o, uint64_t address);
/* Relocations stay within the object's own data, and no symbol is a function that finds one. */
int loading_check_relocations(const struct loading *o);
int loading_check_symbols(const struct loading *o, uint64_t named);
