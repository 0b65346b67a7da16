/* What the files of this room share: one host's child. */
#pragma once

#include <sys/types.h>

#include "backends/fleet/fleet_ssh.h"
#include "engine/fleet/fleet_read.h"

enum { FLEET_TOLD = 192, FLEET_NOISE_MAX = 64 << 10 };

struct fleet_link {
    int host;  /* in the fleet */
    pid_t pid; /* 0: none runs */
    bool srun; /* when it is killed, a second process of its group ends what runs on the node */
    int out, err;
    bool over;        /* its output ended, or it was told to end: only waited for */
    bool killed;      /* it was told to end a second time, by SIGKILL */
    bool spoke;       /* a sample came from this child */
    unsigned fails;   /* starts without a sample, since the last one */
    uint64_t due_ns;  /* pid 0: when it is started; over: when it is killed */
    uint64_t came_ns; /* when it was started, or when its last sample came */
    double host_s;    /* the host's time in its last sample; NaN: there is none */
    double ahead_s;   /* how far our clock was ahead of that when a sample came at once */
    double late_s;    /* how late a sample comes before its host is late */
    char *line;       /* what came of the present line */
    size_t n, cap;
    size_t noise;               /* bytes before the first sample that are none */
    uint64_t second_ns;         /* since when bytes are counted, */
    size_t bytes;               /* and how many */
    char told[FLEET_TOLD];      /* the last line of its standard error, */
    size_t ntold;               /* and how much of the present one came */
    bool told_over;             /* the next byte begins another line */
    char refused[FLEET_REASON]; /* why it was ended; "": it was not */
};

/* Starts the program. 0, or -errno. The caller watches out and err. */
int fleet_link_start(struct fleet_link *l, char *const words[], uint64_t now_ns);
/* Reads what waits in out (or err), a bounded part of it, and gives samples to the fleet. */
void fleet_link_read(struct fleet_link *l, struct fleet *f, const char *name, uint64_t now_ns);
void fleet_link_read_errors(struct fleet_link *l);
/* Closes the pipes and asks the child to end; the reason is told when it has. "" as why: it ended
 * by itself. */
void fleet_link_end(struct fleet_link *l, uint64_t now_ns, const char *why_fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Whether the child has ended; *status is that of waitpid. Kills it when it takes too long. */
bool fleet_link_ended(struct fleet_link *l, uint64_t now_ns, int *status);
/* Sets the host's state to lost, with why its child has ended (status is that of waitpid). */
void fleet_link_tell_lost(const struct fleet_link *l, struct fleet *f, int status);
