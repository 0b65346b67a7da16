/* What is judged, as files of the judge's own: built or copied before anything is decided. */
#pragma once

#include "cli/options/command.h"
#include "engine/judge/judge.h"

/* The values of rooftop optimize judge; NULL: not given. */
struct judge_options {
    const char *harness, *run, *baseline, *candidate, *build, *allow, *vary, *margin, *confidence;
    const char *cell, *without;
    bool cpu_time;
};

enum { JUDGE_PATH = 512 };
struct judge_files {
    char folder[JUDGE_PATH];         /* "": there is none */
    int lock;                        /* says that the folder is in use */
    char object[2][JUDGE_PATH + 32]; /* of the baseline, of the candidate */
};

/* extension: of the objects, ".so". 0, or -errno with err. */
int judge_files_open(struct judge_files *f, const char *extension, struct error *err);
void judge_files_remove(const struct judge_files *f);
/* Whether the path has one of these extensions. */
bool judge_is_source(const char *path, const char *extensions);
/*
 * Builds a source, whose extension is one of `sources`, or copies an object, so that nobody else
 * can change it from now on. usual: the command if --build is not given. Returns 0; 1 with *refused
 * if a candidate does not build; or -errno.
 */
int judge_files_make(const struct judge_files *f, const struct judge_options *own, int side,
                     const char *sources, const char *usual, struct judge_refusal *refused,
                     struct error *err);
/* Reads --margin, --confidence and --allow. 0, or ERROR_USAGE. */
int judge_read_limits(const struct judge_options *own, double *margin, double *confidence,
                      bool allow[JUDGE_GUARDS], struct error *err);

/* Judges two builds of a GPU kernel (--capture-dir) and writes the document. Returns 0; an exit
 * status if a launch failed, which was reported; or a negative number with err. */
int judge_gpu(const struct options *o, enum judge_verdict *verdict, struct error *err);
/* Runs `rooftop optimize judge --in-process`: the process that launches both builds. Returns its
 * exit status. */
int judge_gpu_trial(const struct options *o);
