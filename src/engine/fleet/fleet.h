/*
 * Many hosts at once: a model that several sources fill at the same time, each with its own hosts.
 *
 * A fleet belongs to one thread, which calls all functions of it and of its sources: the fleet's
 * thread (fleet_run.h), or a test. Front ends read pictures: a picture never changes, is shared by
 * reference count, and may outlive the fleet.
 *
 * Times are those of the hosts' samples (since the epoch) or of env_now_ns, as the names say.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "engine/value/value.h"

enum fleet_metric {
#define FLEET_METRIC(id, ...) FLEET_##id,
#include "engine/fleet/fleet_metrics.def"
    FLEET_METRICS
};

enum fleet_joined { FLEET_JOIN_SUM, FLEET_JOIN_MEAN, FLEET_JOIN_MOST, FLEET_JOIN_LEAST };
enum fleet_side { FLEET_SIDE_HIGH = 1, FLEET_SIDE_LOW = 2, FLEET_SIDE_BOTH = 3 };

struct fleet_metric_row {
    const char *id, *head, *help;
    enum unit unit;
    enum fleet_joined joined;
    enum fleet_side side;
    double spread, share, full; /* as fleet_metrics.def says */
};
extern const struct fleet_metric_row fleet_metrics[FLEET_METRICS];
/* The metric of that id; FLEET_METRICS: there is none. */
enum fleet_metric fleet_metric_named(const char *id);

enum fleet_state {
    FLEET_CONNECTING, /* no sample has come since it was asked */
    FLEET_LIVE,
    FLEET_LATE, /* the newest sample is older than FLEET_LATE_AFTER intervals */
    FLEET_LOST, /* the source has given it up, or waits before it asks again: see the reason */
    FLEET_STATES
};
/* "connecting", "live", "late", "lost". */
const char *fleet_state_name(enum fleet_state s);
#define FLEET_LATE_AFTER 3.0

enum {
    FLEET_HOSTS_MAX = 4096,
    FLEET_NAME = 128,    /* bytes of a host's name with the 0; a longer one is refused */
    FLEET_REASON = 192,  /* bytes of a reason; a longer one is cut */
    FLEET_HISTORY = 120, /* samples that are kept of each host unless the caller asks for others */
};

/* --- one sample of one host --- */

struct fleet_sample {
    uint64_t wall_ns;          /* when it was taken, by the clock of who took it; since the epoch */
    double host_s, interval_s; /* when, by the host's clock, and of which time; NaN: not known */
    double v[FLEET_METRICS];   /* in the metric's unit; NaN: not measured */
    uint16_t n[FLEET_METRICS]; /* how many numbers were put into v; for fleet_sample_add only */
};
/* Makes a sample of which nothing was measured. */
void fleet_sample_begin(struct fleet_sample *s, uint64_t wall_ns);
/* Puts a number into the sample. Several (a GPU each, a disk each) are joined as the metric's row
 * says. A number that is not finite is left out. */
void fleet_sample_add(struct fleet_sample *s, enum fleet_metric m, double v);

/* --- the fleet --- */

struct fleet;
/* history: samples that are kept of each host, 0: FLEET_HISTORY. */
struct fleet *fleet_new(size_t history);
void fleet_free(struct fleet *f); /* NULL allowed */

/*
 * Adds a host, connecting, or finds the one of that name: its number, which stays. Two sources that
 * name the same host fill the same row. -errno with err: the fleet is full, or the name is empty or
 * too long. A name may have any bytes; who prints it makes them harmless (base/print.h).
 * interval_s: how often samples of it are expected.
 */
int fleet_add_host(struct fleet *f, const char *name, double interval_s, struct error *err);
size_t fleet_hosts(const struct fleet *f);
const char *fleet_host_name(const struct fleet *f,
                            int host); /* lives as long as no host is added */
/* Sets state and reason; "" as reason: there is none. A sample sets FLEET_LIVE itself. */
void fleet_set_state(struct fleet *f, int host, enum fleet_state s, const char *reason_fmt, ...)
    __attribute__((format(printf, 4, 5)));
/*
 * Takes a sample that came now (now_ns as env_now_ns has it): the host is live. Samples of the past
 * are taken, too, oldest first, where `now_ns` is 0: they make history and no host live. A sample
 * that is not newer than the last one kept is left out, and false is returned; but one that came
 * now and has an earlier time is newer: the clock was set back.
 */
bool fleet_take_sample(struct fleet *f, int host, const struct fleet_sample *s, uint64_t now_ns);

/* --- pictures --- */

/* Where the hosts stand in one metric. All NaN if fewer than FLEET_JUDGED_LEAST hosts have it. */
struct fleet_middle {
    size_t n;      /* live hosts that have it */
    double median; /* of the hosts */
    double mad;    /* median of the distances from it (median absolute deviation) */
    double scale;  /* what a distance is divided by: 1.4826 mad or more (fleet_judge.c) */
    double limit;  /* a host is an outlier beyond this many scales */
    double most;   /* the largest value of a host, for heat; 0 or more */
    size_t outliers;
    bool groups; /* so many hosts are beyond the limit that they are a group: none is an outlier */
};
enum { FLEET_JUDGED_LEAST = 5 };

struct fleet_row {
    char name[FLEET_NAME], reason[FLEET_REASON];
    enum fleet_state state;
    int number;       /* the host's, as fleet_add_host returned it */
    double age_s;     /* how long ago the newest sample came; NaN: none did */
    uint64_t wall_ns; /* when the newest sample was taken; 0: none came */
    /* The newest sample's numbers, however old it is: see age_s. NaN: not measured. */
    double v[FLEET_METRICS];
    /* How far the median of the host's last samples is from the median of all hosts, in units of
     * fleet_middle.scale. NaN: not judged, as all hosts that are not live. */
    double distance[FLEET_METRICS];
    uint32_t outlier; /* a bit for each metric in which it is one */
    int worst;        /* the metric in which it is farthest out; -1: none */
    double badness;   /* the order "worst": the greatest first */
};

struct fleet_picture {
    uint64_t seq;           /* 1, 2, … of a run */
    uint64_t wall_ns;       /* the moment that it shows */
    bool past;              /* of history (fleet_picture_at) */
    struct fleet_row *rows; /* in the order in which hosts were added */
    size_t nrows;
    size_t states[FLEET_STATES]; /* how many hosts are in each */
    size_t outliers;             /* hosts that are one in some metric */
    struct fleet_middle middle[FLEET_METRICS];
    int refs; /* private */
};
/* now_ns, wall_ns: env_now_ns and env_wall_ns of the caller. Live hosts whose sample is old are
 * made late. The caller releases it. */
struct fleet_picture *fleet_picture_new(struct fleet *f, uint64_t now_ns, uint64_t wall_ns);
/* What was known at a moment of the past: of each host the last sample that is not newer than
 * wall_ns. A host is "late" there where that sample is old, "lost" where there is none. */
struct fleet_picture *fleet_picture_at(const struct fleet *f, uint64_t wall_ns);
struct fleet_picture *fleet_picture_ref(const struct fleet_picture *p);
void fleet_picture_unref(const struct fleet_picture *p); /* NULL allowed */

/* Copies the newest values of one metric of one host, oldest first, at most max. wall_ns may be
 * NULL. Returns how many. */
size_t fleet_history(const struct fleet *f, int host, enum fleet_metric m, size_t max, double *v,
                     uint64_t *wall_ns);
/* The times of those samples; where the host has none, or is -1, of the host that has most. */
size_t fleet_times(const struct fleet *f, int host, size_t max, uint64_t *wall_ns);
/* The times of the oldest and the newest sample that is kept of any host; false: there is none. */
bool fleet_span(const struct fleet *f, uint64_t *oldest_ns, uint64_t *newest_ns);

/* --- sources --- */

struct fleet_source; /* never defined: what a backend opens, its own struct */

/*
 * One way to reach hosts. A backend has a function of its own that opens it (its hosts, how often,
 * what it needs to know) and returns a struct fleet_source. None of these calls may wait for a
 * host, a disk or a child: what takes time goes on between two calls of poll.
 */
struct fleet_source_ops {
    const char *name; /* "ssh", "slurm", "prometheus", "scrape" */
    /* Adds its hosts to the fleet; called once, before the thread is there that calls poll, so it
     * starts no child (children of a thread end with it). -errno with err only for what is wrong
     * with all of it, as a bad address; a host that cannot be reached is lost with its reason. */
    int (*start)(struct fleet_source *self, struct fleet *f, struct error *err);
    /* A descriptor that is readable when poll has something to do (an epoll descriptor has many in
     * one); -1: only time matters. It stays the same. */
    int (*fd)(const struct fleet_source *self);
    /* Takes what has come, begins what is due. Returns the time (env_now_ns) at which it wants to
     * be called again at the latest. */
    uint64_t (*poll)(struct fleet_source *self, struct fleet *f, uint64_t now_ns);
    /* Ends everything that it began, and frees it. It was started or not. */
    void (*stop)(struct fleet_source *self);
    /* The words of the program that shows this host in all ordinary views in a terminal, which the
     * caller frees with fleet_words_free; NULL: it is not one of its hosts. NULL as function: hosts
     * of this source cannot be opened. */
    char **(*visit)(const struct fleet_source *self, const char *host);
};

void fleet_words_free(char **words); /* NULL allowed */

struct fleet_source_of {
    const struct fleet_source_ops *ops;
    struct fleet_source *self;
};
