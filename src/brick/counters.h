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
/*
 * Understands one event: the rules stand in rooftop/counters.h. false: nobody knows it; its name is
 * set all the same.
 */
bool counter_event_parse(const char *text, struct counter_event *out);

struct perf_event_mmap_page;
struct rooftop_counters {
    uint32_t n, nopen;  /* events that were asked for; of them, those that are counted */
    bool fast;          /* all that are counted can be read without a system call */
    unsigned forks;     /* of this process when it was opened */
    int pid;            /* likewise: who has the pages */
    const void *thread; /* of the thread that it counts: the address of a variable of its own */
    int fd[ROOFTOP_COUNTERS_MAX];
    uint64_t id[ROOFTOP_COUNTERS_MAX]; /* the kernel's, of what fd was opened for */
    const struct perf_event_mmap_page *page[ROOFTOP_COUNTERS_MAX];
    uint8_t event[ROOFTOP_COUNTERS_MAX]; /* which event an open descriptor counts */
    char name[ROOFTOP_COUNTERS_MAX][COUNTER_NAME_MAX];
    char why[ROOFTOP_COUNTERS_MAX][COUNTER_WHY_MAX];
};
