#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Facts from reading the machine, for reading the processes. */
struct system_tick {
    bool have_busy;
    uint64_t busy_ticks; /* USER_HZ that all CPUs spent in processes since the previous poll */
    bool have_forks;
    uint64_t forks;  /* since boot */
    double uptime_s; /* 0: unknown */
};
