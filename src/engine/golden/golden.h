/*
 * Golden traces: what a run of programs did, in a form that is the same on every run and machine.
 * It has sections of lines. The first say what left the processes: the exit status, files, streams,
 * sockets. Stricter, one section for each thread has its calls in order. golden_rules.c has the
 * rules by which addresses, numbers and noise disappear. docs/GOLDEN.md explains both levels.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "engine/syscalls/event.h"

enum golden_level {
    GOLDEN_EFFECTS, /* what left the processes */
    GOLDEN_ORDER    /* and the order of calls in each thread */
};

struct golden_section {
    char *title; /* "effects", "process 1", "process 1.2 thread 3" */
    char **lines;
    size_t n, cap;
};

struct golden_count {
    char *name;
    uint64_t calls, errors;
};

/* A part that is not compared because it differs between runs of the command. */
struct golden_freedom {
    char *section; /* title; "names": of files that the run makes */
    char *what; /* "threads": the order of the process's threads; of names: an fnmatch pattern; else
                   the begin of lines */
    char *why;
};

struct golden {
    char *name;
    char **command; /* ended by NULL; may be NULL */
    enum golden_level level;
    struct golden_section *sections; /* effects first, then threads in order of their numbers */
    size_t n, cap;
    uint64_t calls;              /* system calls of the run, before any rule */
    struct golden_count *counts; /* by name, most first; shown, not compared */
    size_t ncounts;
    char **findings; /* anti-patterns that were found; shown, not compared */
    size_t nfindings;
    struct golden_freedom *freedoms;
    size_t nfreedoms;
    unsigned news;   /* freedoms that were added or widened since the first run */
    double *wall_ms; /* of each run that was measured */
    size_t nwall;
    char **made; /* names that the run made, sorted; of a run, not of a stored trace */
    size_t nmade;
};

/* A user's own rules, from the file of scenarios. Zeroed: none. */
struct golden_redaction {
    char *pattern; /* extended regular expression in a line */
    char *with;    /* what replaces each match; NULL: the line disappears */
    void *regex;
};
struct golden_redactions {
    struct golden_redaction *list;
    size_t n, cap;
};
/* -EINVAL with why if the pattern is no regular expression. */
int golden_redact_add(struct golden_redactions *r, const char *pattern, const char *with,
                      char why[128]);
void golden_redactions_free(struct golden_redactions *r);

/* Makes a golden trace from events. redactions: borrowed, may be NULL. */
struct golden_builder;
struct golden_builder *golden_builder_new(enum golden_level level,
                                          const struct golden_redactions *redactions);
void golden_builder_add(struct golden_builder *b, const struct syscall_event *e);
/* Gives the content of "stdout" or "stderr" where it was captured as a whole; calls that copy
 * inside the kernel show no bytes. */
void golden_builder_stream(struct golden_builder *b, const char *name, uint64_t bytes,
                           const char *sha256);
/* Called at the end for the digest of a file that received bytes unseen; false: it cannot be
 * read. */
typedef bool (*golden_content)(const char *path, char sha256[65]);
void golden_builder_contents(struct golden_builder *b, golden_content content);
/* Writes the folder `path` as `name` ("$PWD"), so that the trace does not depend on the place.
 * Longer paths come first; path may be NULL. */
void golden_builder_place(struct golden_builder *b, const char *path, const char *name);
/*
 * Ends the run. Returns 0; -ENODATA if nothing was traced or calls were lost, because such a trace
 * must not be golden; -E2BIG if it has more than GOLDEN_LINES lines. Frees the builder in any case.
 */
enum { GOLDEN_LINES = 1000000 };
int golden_builder_end(struct golden_builder *b, struct golden *out, struct error *err);

#define GOLDEN_FORMAT "rooftop-golden/1"
enum { GOLDEN_RULES_VERSION = 2 };
/* ERROR_INPUT with the file and, where known, the line. */
int golden_read(struct golden *out, const char *path, struct error *err);
int golden_parse(struct golden *out, const char *path, const char *text, size_t n,
                 struct error *err);
void golden_free(struct golden *g);

/* Marks as free in g what differs in `again`, another run of the same command. ERROR_INPUT if the
 * runs end differently. In golden_freedom.c. */
int golden_settle(struct golden *g, struct golden *again, struct error *err);
/* Removes from g what is free in `stored`. */
void golden_free_as(struct golden *g, const struct golden *stored);
void golden_freedom_add(struct golden *g, const char *section, const char *what, const char *why);

struct run_facts;
/* Adds counts, findings and the time of the run, which must be finished. */
void golden_describe(struct golden *g, const struct run_facts *facts, uint64_t wall_ns);
