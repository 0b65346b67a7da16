#pragma once

#include <stdbool.h>
#include <stdint.h>

/* What one reading of the machine tells the reading of the processes. */
struct system_tick {
    bool have_busy;
    uint64_t busy_ticks; /* USER_HZ that all CPUs spent in processes since the previous poll */
    bool have_forks;
    uint64_t forks;  /* since boot */
    double uptime_s; /* 0: unknown */
};
