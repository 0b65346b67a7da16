/*
 * A trace of system calls as a document, which is written during the trace: only sums are kept in
 * memory. A format is a file here and a line in syscall_formats (syscalls_export.c).
 */
#pragma once

#include <stdio.h>

#include "engine/facts/descriptors.h"
#include "engine/syscalls/event.h"
#include "engine/syscalls/functions.h"
#include "engine/syscalls/sums.h"
#include "engine/syscalls/tracer.h"

struct syscalls_export_options {
    bool times;          /* text, CSV: show the time of each call */
    bool tasks;          /* text: show the thread in each line */
    bool counts;         /* write the table of sums and no calls */
    bool extended;       /* add deviations, extremes, percentiles and bytes to the table */
    bool stacks;         /* text, JSON, HTML: show the stack of each call */
    bool source;         /* show file and line of each call */
    bool functions;      /* write the table of functions and no calls; with counts both tables */
    uint64_t slow_ns;    /* input and output that takes longer is slow */
    const char *command; /* the traced command, for titles */
    struct brief *brief; /* the format "brief" only sums calls, and fills this at the end */
};

/* The end of a trace. */
struct syscalls_export_end {
    const struct tracer_result *result;
    int exit_code; /* the command's; 0 for attached processes */
};

struct syscalls_export {
    FILE *out;
    const struct syscall_format *format;
    struct syscalls_export_options options;
    struct syscall_sums sums;           /* sums of the calls that returned */
    struct descriptors *descriptors;    /* with counts: what calls may wait for */
    struct syscall_functions functions; /* their time by function, if requested */
    uint64_t unfinished,
        operations;    /* operations: those of io_uring that Chrome's format has numbered */
    uint64_t first_ns; /* time of the first event */
    bool any;          /* the list has an element already */
    FILE *aside;       /* JSON: keeps events that are no calls until the list of calls ends */
    bool torn;         /* some of those events could not be kept */
    const struct syscall_stack **stacks; /* JSON: the stacks in use by number, or NULL */
    size_t nstacks, stacks_cap;
    struct syscalls_waiting *waiting; /* text: calls that have not returned */
};

struct syscall_format {
    const char *name; /* "text" */
    bool entries;     /* the format wants SYSCALL_ENTRY */
    void (*begin)(struct syscalls_export *x);
    void (*event)(struct syscalls_export *x, const struct syscall_event *e);
    void (*tick)(struct syscalls_export *x); /* may be NULL */
    void (*end)(struct syscalls_export *x, const struct syscalls_export_end *end);
    /* Writes the tables of sums that the options ask for. NULL: the format has no tables. */
    void (*counts)(struct syscalls_export *x, const struct syscalls_export_end *end);
};

/* NULL if no format has this name. */
const struct syscall_format *syscall_format_find(const char *name);

/* Call begin, event for each event in order of time, then end. tick, about ten times a second,
 * writes waiting text. */
void syscalls_export_begin(struct syscalls_export *x, FILE *out,
                           const struct syscall_format *format,
                           const struct syscalls_export_options *options);
void syscalls_export_event(struct syscalls_export *x, const struct syscall_event *e);
void syscalls_export_tick(struct syscalls_export *x);
void syscalls_export_end(struct syscalls_export *x, const struct syscalls_export_end *end);

/* --- for the formats --- */

/* The sums, longest time first; the caller frees the list. */
const struct syscall_sum **syscalls_sorted(const struct syscall_sums *s);
/* The name, with the calling convention if it is not the machine's own: "read [i386]". */
const char *syscalls_name(unsigned abi, uint32_t number, char *out, size_t size);
/* Mean and standard deviation of the times, in seconds. */
double syscalls_mean(const struct syscall_sum *s);
double syscalls_deviation(const struct syscall_sum *s);
/* An argument as text, malloc'ed: "O_RDONLY". */
char *syscalls_arg_text(const struct syscall_event *e, unsigned arg);
/* All arguments as text, malloc'ed. */
char *syscalls_args_text(const struct syscall_event *e);
/* The percentiles of the extended table. */
enum { SYSCALLS_QUANTILES = 5 };
extern const double syscalls_quantiles[SYSCALLS_QUANTILES];
/* For documents: "ptrace", "x86-64". */
const char *syscalls_way_name(unsigned way);
const char *syscalls_abi_name(unsigned abi);

extern const struct syscall_format syscall_format_text, syscall_format_json, syscall_format_csv,
    syscall_format_html, syscall_format_chrome, syscall_format_folded, syscall_format_brief;
