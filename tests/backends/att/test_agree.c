/* Random thread traces: the sums in their rows agree with their waves. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/att/att_analysis.h"
#include "support/att_read.h"
#include "support/test.h"

static struct att_read r;

FIXTURE(empty)
{
    att_read_begin(&r, false);
}

FIXTURE(removed)
{
    att_read_end(&r);
}

static uint64_t next(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

enum { LINES = 50, WAVES = 24, EACH = 200 };
struct expected {
    uint64_t hits[LINES + 1], latency[LINES + 1], stall[LINES + 1], idle[LINES + 1];
};

/* Writes a wave as the tool does, and adds it to the rows by the tool's rule: idle time is the
 * pause after the previous instruction. */
static void write_wave(uint64_t *seed, int w, struct expected *e)
{
    static char text[EACH * 64 + 4096];
    char *at = text, name[64];
    int64_t time = 1000 + w, end = time;
    at +=
        sprintf(at, "{\"duration\":0,\"wave\":{\"begin\":%d,\"cu\":1,\"instructions\":[", 1000 + w);
    for (int i = 0; i < EACH; i++) {
        uint64_t line = 1 + next(seed) % LINES, stall = next(seed) % 50,
                 issue = 4 * (1 + next(seed) % 4);
        time += (int64_t)(next(seed) % 30);
        e->hits[line]++;
        e->latency[line] += stall + issue;
        e->stall[line] += stall;
        e->idle[line] += time > end ? (uint64_t)(time - end) : 0;
        at += sprintf(at, "%s[%lld,6,%llu,%llu,%llu]", i ? "," : "", (long long)time,
                      (unsigned long long)stall, (unsigned long long)stall + issue,
                      (unsigned long long)line);
        int64_t done = time + (int64_t)(stall + issue);
        end = done > end ? done : end;
    }
    sprintf(at, "],\"timeline\":[[1,10],[2,%lld]],\"end\":%lld,\"waitcnt\":null}}",
            (long long)(end - 1010 - w), (long long)end);
    snprintf(name, sizeof name, "se%d_sm%d_sl0_wv%d.json", w % 2, w % 4, w);
    att_folder_write(&r.folder, name, text);
}

TEST_WITH(rows_and_waves_agree, empty, removed)
{
    uint64_t seed = 4101842887655102017U;
    for (int round = 0; round < 5; round++) {
        static char code[LINES * 128 + 256];
        struct expected e = {0};
        struct att_totals t;
        struct att_ipc ipc;
        char *at = code + sprintf(code, "{\"code\":[");
        for (int w = 0; w < WAVES; w++)
            write_wave(&seed, w, &e);
        for (int i = LINES; i > 0; i--) /* the rows are in random order */
            at += sprintf(at, "[\"v_add_f32 v%d\",0,%d,\"k.cpp:%d\",1,%d,%llu,%llu,%llu,%llu]%s", i,
                          i, i, 4 * i, (unsigned long long)e.hits[i],
                          (unsigned long long)e.latency[i], (unsigned long long)e.stall[i],
                          (unsigned long long)e.idle[i], i > 1 ? "," : "]}");
        att_folder_write(&r.folder, "code.json", code);
        att_read_good(&r);
        att_totals(&r.trace, &t);
        att_ipc(&r.trace, &ipc);
        assert_int_equal(r.trace.waves_read, WAVES);
        assert_int_equal(ipc.instructions, t.all.hits);
        assert_int_equal(ipc.category[ATT_VALU].latency, t.all.latency);
        assert_int_equal(ipc.category[ATT_VALU].stall, t.all.stall);
        assert_true(t.all.stall < t.all.latency);
        assert_int_equal(r.trace.rows[0].line, 1);
        uint64_t sums[ATT_STATES];
        att_states_sum(&r.trace, sums);
        assert_int_equal(sums[ATT_STATE_IDLE] + sums[ATT_STATE_EXEC], ipc.wave_cycles);
        for (int i = 1; i <= LINES; i++) {
            assert_int_equal(r.trace.rows[i - 1].hits, e.hits[i]);
            assert_int_equal(r.trace.rows[i - 1].idle, e.idle[i]);
        }
    }
}
