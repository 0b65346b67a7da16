/* Groups of counters: what the public functions (rooftop/counters.h) and the bricks share. */
#pragma once

#include <stdbool.h>

#include "rooftop/counters.h"

enum { COUNTER_NAME_MAX = 48, COUNTER_TEXT_MAX = 128, COUNTER_WHY_MAX = 160 };

struct counter_event {
    char name[COUNTER_NAME_MAX];
    uint32_t type;
    uint64_t config;
    bool user, kernel; /* which modes it counts */
};
/* Parses an event by the rules in rooftop/counters.h. false: it is unknown, but its name is set. */
bool counter_event_parse(const char *text, struct counter_event *out);

struct perf_event_mmap_page;
struct rooftop_counters {
    uint32_t n, nopen;  /* number of requested events; number of those that are counted */
    bool fast;          /* all counted events can be read without a system call */
    unsigned forks;     /* number of forks when it was opened */
    int pid;            /* the process that has the pages */
    const void *thread; /* identifies the counted thread: the address of one of its variables */
    int fd[ROOFTOP_COUNTERS_MAX];
    uint64_t id[ROOFTOP_COUNTERS_MAX]; /* the kernel's id of the event that fd was opened for */
    const struct perf_event_mmap_page *page[ROOFTOP_COUNTERS_MAX];
    uint8_t event[ROOFTOP_COUNTERS_MAX]; /* index of the event that an open descriptor counts */
    char name[ROOFTOP_COUNTERS_MAX][COUNTER_NAME_MAX];
    char why[ROOFTOP_COUNTERS_MAX][COUNTER_WHY_MAX];
};
