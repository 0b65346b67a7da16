/* What one reading of the machine gives to all processes. */
#ifndef ROOFTOP_BACKENDS_PROCESSES_TICK_H
#define ROOFTOP_BACKENDS_PROCESSES_TICK_H

#include <stdbool.h>
#include <stdint.h>

/* What the process sweep needs to know of a tick. */
struct system_tick {
    bool have_busy;
    uint64_t busy_ticks; /* USER_HZ all CPUs spent in processes since the previous poll */
    bool have_forks;
    uint64_t forks;  /* since boot */
    double uptime_s; /* 0 = unknown */
};

#endif
