#include "support/hang_scene.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/flight_dump.h"
#include "support/test.h"

enum { CALLS = 2, SECOND = 1000000000 };

static const struct flight_group all = {"0", "default_pg", 0, HANG_SCENE_RANKS, 1};

static void name_dump(const struct hang_scene *s, unsigned rank, char out[96])
{
    snprintf(out, 96, "%s/nccl_trace_rank_%u", s->dir, rank);
}

/* What a rank called. Returns the number of calls. */
static size_t make_calls(unsigned rank, struct flight_call calls[CALLS])
{
    const struct flight_call call = {.group = "0",
                                     .description = "default_pg",
                                     .op = "all_reduce",
                                     .in = 4096,
                                     .out = 4096,
                                     .type = "Float",
                                     .timeout_ms = 600000};
    size_t n = 0;
    for (unsigned i = 0; i < 2 && (i == 0 || rank != HANG_SCENE_LATE); i++) {
        calls[n] = call;
        calls[n].sequence = 1233 + i;
        calls[n].created = HANG_SCENE_BEGIN - (1 - i) * (uint64_t)SECOND;
        calls[n].state = i ? "started" : "completed";
        calls[n].record = (uint32_t)n;
        calls[n++].line = i ? 88 : 80;
    }
    return n;
}

void hang_scene_make(struct hang_scene *s)
{
    const time_t end = (time_t)(HANG_SCENE_BEGIN / SECOND) + HANG_SCENE_WAITED_S;
    const struct timespec times[2] = {{.tv_sec = end}, {.tv_sec = end}};
    struct flight_call calls[CALLS];
    char path[96];
    strcpy(s->dir, "/tmp/rooftop-hang-XXXXXX");
    assert_non_null(mkdtemp(s->dir));
    for (unsigned rank = 0; rank < HANG_SCENE_RANKS; rank++) {
        name_dump(s, rank, path);
        FILE *f = fopen(path, "w");
        assert_non_null(f);
        flight_dump_pickle(f, &all, 1, calls, make_calls(rank, calls));
        fclose(f);
        assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    }
}

void hang_scene_remove(struct hang_scene *s)
{
    char path[96];
    for (unsigned rank = 0; rank < HANG_SCENE_RANKS; rank++) {
        name_dump(s, rank, path);
        unlink(path);
    }
    rmdir(s->dir);
    s->dir[0] = '\0';
}
