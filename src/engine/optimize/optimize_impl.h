/* What the steps of the loop share. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "engine/optimize/optimize.h"
#include "engine/optimize/optimize_progress.h"

/*
 * What two builds of one source differ in. Of an ELF file (64 bits, little endian, linked: shared
 * objects, programs, code objects of GPUs) that counts which its program headers name, because
 * loaders go by these: debug information, notes of compilers, tables of sections and, on CPUs, of
 * symbols that are not loaded may differ, and of what is loaded the build ID. Of any other file
 * each byte counts.
 */

enum { BUILD_DIFFERENCE = 200 };

enum build_relation {
    BUILD_SAME,      /* each byte */
    BUILD_EXPLAINED, /* what is loaded is the same */
    BUILD_OTHER
};

/* why: of BUILD_EXPLAINED the sections that differ, ".debug_str, .note.gnu.build-id"; of
 * BUILD_OTHER the first place, "byte 4377, in .text of saxpy"; else "". */
enum build_relation build_compare(const void *a, size_t na, const void *b, size_t nb,
                                  char why[BUILD_DIFFERENCE]);
/* A hash of the bytes that count: two builds have the same hash unless they are BUILD_OTHER.
 * Never 0. */
uint64_t build_hash(const void *bytes, size_t n);

/* What candidates may be made from. */
struct optimize_base {
    uint32_t number; /* 0: the source */
    char *text;
    size_t n;
    uint64_t object;
    double score;  /* its time divided by the source's, as estimated */
    uint32_t none; /* a bit for each proposer without further candidates for it */
};

struct optimizing {
    const struct optimize_plan *plan;
    struct optimize_result *result;
    int log;                                         /* its descriptor, locked */
    uint32_t last;                                   /* number of the last candidate */
    struct optimize_base bases[OPTIMIZE_POPULATION]; /* the first is the best */
    size_t nbases;
    uint32_t without_gain; /* candidates since the last gain */
    uint64_t begin_ns;
    size_t turn; /* whose it is */
};

/* A candidate on its way. */
struct attempt {
    const struct optimize_base *base; /* until it becomes one itself */
    struct optimize_record record;
    char *text;
    size_t n;
    char folder[OPTIMIZE_PATH], source[OPTIMIZE_PATH], object[OPTIMIZE_PATH];
    struct optimize_build build;
};

/* The text of a candidate's file. 0 or -errno with err. */
int optimize_text(const struct optimizing *o, uint32_t number, char **text, size_t *n,
                  struct error *err);
/* Makes a candidate's folder with its source. */
int optimize_make_attempt(const struct optimizing *o, struct attempt *a, uint32_t number,
                          struct error *err);
/* The path of a candidate's build: "FOLDER/0003/object.so"; again: of the second build. */
void optimize_object(const struct optimizing *o, uint32_t number, bool again,
                     char out[OPTIMIZE_PATH]);
/* The target's hash of the code in a build; 0 with err where it cannot be read. */
uint64_t optimize_code_hash(const struct optimizing *o, const char *path, struct error *err);

/* After a build that failed: 0 if the folders of the run and of temporary files have space for a
 * build; else -errno with err, because the failure then says nothing about the source. */
int optimize_check_space(const struct optimizing *o, struct error *err);

enum { OPTIMIZE_WHY = BUILD_DIFFERENCE + 80 };
/* What two builds differ in, as build_compare says it; BUILD_SAME: they cannot be read, either.
 * same: their hashes of the code are the same, so what differs is explained. */
enum build_relation optimize_compare(const char *object, const char *other, bool same,
                                     char why[OPTIMIZE_WHY]);

/* Ends the attempt with this outcome, guard and evidence. Returns 1. */
int attempt_ends(struct attempt *a, enum optimize_outcome outcome, const char *guard,
                 const char *format, ...) __attribute__((format(printf, 4, 5)));
/*
 * Judges a build against another and fills the record. for_s: of the pairs. 0, or -errno with
 * err; -ECANCELED: interrupted.
 */
int attempt_judge(const struct optimizing *o, const char *baseline, const char *candidate,
                  double for_s, struct optimize_record *record, struct error *err);
/* Reports the present step of the record that is being made, to progress.json and to the
 * caller's callback. */
void optimize_now(const struct optimizing *o, enum optimize_stage stage,
                  const struct optimize_record *record, const struct judge_progress *pairs);
/* Adds the record to log and result, and calls the caller's callback. */
int optimize_add(struct optimizing *o, const struct optimize_record *r, struct error *err);

/* Opens the folder and log, builds the source twice and judges it against itself; or goes on with
 * what is there. 0; 1 where the run ends at once, with result->stop; -errno with err. */
int optimize_prepare(struct optimizing *o, struct error *err);
/*
 * Makes a candidate that was judged a base, if it may be one: the best where it is faster, and the
 * best before becomes one of the others; one of these where it is not slower and its code is not
 * that of a base. The slowest makes room. Takes the text, which may be NULL. The first is the
 * source.
 */
void optimize_base_add(struct optimizing *o, const struct optimize_record *r, char *text, size_t n);
/* The base for the proposer's next candidate: every second time the best, otherwise the others
 * in turn; nbases: it has no further candidates for any. The choice depends on the number of
 * candidates only, so that a resumed run continues in the same way. */
size_t optimize_base_next(const struct optimizing *o, size_t proposer);
/* Asks the proposer for one candidate and its repairs. 0 or -errno with err. */
int optimize_try(struct optimizing *o, size_t proposer, struct error *err);
/* Builds the best again and judges it against the source; if that fails, does the same with an
 * earlier one. */
int optimize_confirm(struct optimizing *o, struct error *err);

/* The difference of two texts as a unified diff, the reverse of diff.h, for people who read a
 * candidate. */

/*
 * Writes hunks with three lines around each change; nothing where both are the same. They are the
 * fewest lines (base/edits.h), or, where more than some hundred differ, all lines from the first
 * that differs to the last. name: of the file, in its head. The bytes of the texts are written as
 * they are.
 */
void line_diff_write(FILE *out, const char *name, const char *before, size_t n_before,
                     const char *after, size_t n_after);

/* What proposers may be told, as a proposer may be an endpoint of another party: the candidate's
 * text and messages about it. Compilers quote lines of any file that they read, and a program of
 * --run may print anything. */

/*
 * Keeps, in place, of the compiler's messages those about the file `source` ("PATH:LINE:...",
 * "PATH(LINE)...", "PATH: ...", each with its last part as the path), and which symbols a linker
 * lacks. Quoted lines, marks below them, and messages about other files are left out.
 */
void outgoing_messages(char *messages, const char *source);
/* Removes, in place, a checked program's own words from a message: all after the first ": ". */
void outgoing_evidence(char *evidence);
