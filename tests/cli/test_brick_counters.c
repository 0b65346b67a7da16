/* Counters inside bricks, as a user asks for them, of a program that touches known numbers of pages
 * in known bricks. (Forks: not for TSan.) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include "rooftop/counters.h"
#include "support/brick_demo.h"
#include "support/program.h"
#include "support/skip.h"
#include "support/temp_folder.h"
#include "support/test.h"

static char no_events[256]; /* why software events cannot be counted here */

static const char pages_c[] =
    "#include <rooftop/brick.h>\n#include <sys/mman.h>\n#include <unistd.h>\n"
    "static void touch(const char *brick, long n)\n{\n"
    "    rooftop_timer t = rooftop_start(rooftop_brick(brick));\n"
    "    char *at = mmap(0, n * 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);\n"
    "    madvise(at, n * 4096, MADV_NOHUGEPAGE);\n"
    "    for (long i = 0; i < n; i++)\n        ((volatile char *)at)[i * 4096] = 1;\n"
    "    munmap(at, n * 4096);\n    rooftop_stop_work(t, 0, n * 4096, n);\n}\n"
    "int main(int argc, char **argv)\n{\n    for (int i = 0; i < 3; i++) {\n"
    "        rooftop_timer t = rooftop_start(rooftop_layer(0));\n"
    "        touch(\"Few\", 50);\n        touch(\"Many\", 400);\n"
    "        rooftop_stop(t, 0);\n    }\n    if (argc > 1)\n        sleep(2);\n"
    "    return argv == 0;\n}\n";

FIXTURE_STATUS(begin)
{
    if (brick_demo_begin(NULL) != 0)
        return -1;
    rooftop_counters *g = rooftop_counters_open("page-faults");
    snprintf(no_events, sizeof no_events, "%s", rooftop_counters_why(g, 0));
    rooftop_counters_close(g);
    char file[4096];
    snprintf(file, sizeof file, "%s/pages.c", temp_folder);
    FILE *f = fopen(file, "w");
    fputs(pages_c, f);
    return fclose(f);
}

static void expect(struct program *p, const char *line)
{
    if (*no_events)
        skip_because("page-faults: %s", no_events);
    program_run(p, "test -x $D/pages || ${CC:-cc} -O1 $SANITIZER -Iinclude -o $D/pages $D/pages.c "
                   "$LIBS/librooftop.a -lm -pthread");
    if (p->status)
        skip_because("no C compiler: %.200s", p->err);
    program_free(p);
    program_expect(p, line, 0);
}

static double counted_in(const char *text, const char *list, const char *brick, const char *event)
{
    cJSON *j = cJSON_Parse(text);
    const cJSON *row;
    double found = -1;
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(j, list))
    {
        const cJSON *counts = cJSON_GetObjectItem(row, "counts");
        if (counts && strcmp(cJSON_GetObjectItem(row, "name")->valuestring, brick) == 0)
            found = cJSON_GetNumberValue(cJSON_GetObjectItem(counts, event));
    }
    cJSON_Delete(j);
    return found;
}

#define COUNTED "ROOFTOP_BRICK_COUNTERS=page-faults,no-such-event "

TEST(bricks_and_tree_have_the_counts)
{
    struct program p;
    expect(&p, COUNTED "$BIN bricks --format json -- $D/pages");
    assert_in_range(counted_in(p.out, "rows", "Few", "page-faults"), 150, 290);
    assert_in_range(counted_in(p.out, "rows", "Many", "page-faults"), 1200, 1299);
    program_sees(&p, "{\"name\":\"no-such-event\",\"why\":\"no event has this name here\"}");
    program_sees(&p, "\"no-such-event\":null");
    program_free(&p);
    expect(&p, COUNTED "$BIN tree --format json -- $D/pages");
    assert_in_range(counted_in(p.out, "nodes", "Layer 0", "page-faults"), 1350, 1550);
    assert_in_range(counted_in(p.out, "nodes", "Many", "page-faults"), 1200, 1299);
    program_free(&p);
    expect(&p, COUNTED "$BIN tree -- $D/pages");
    program_sees(&p, "[page-faults 12");
    program_sees(&p, "no-such-event: n/a: no event has this name here\n");
    program_free(&p);
    expect(&p, COUNTED "$BIN bricks -- $D/pages");
    program_sees(&p, "\nCounted in a call of");
    assert_null(strstr(p.out, " IPC ")); /* nobody asked for its events */
    program_sees(&p, "no-such-event: n/a: no event has this name here\n");
    program_free(&p);
    expect(&p, COUNTED "$BIN tree --format csv -- $D/pages");
    program_sees(&p, ",page-faults=12");
    program_free(&p);
}

TEST(the_option_sets_it)
{
    struct program p;
    expect(&p, "ROOFTOP_BRICK_COUNTERS=minor-faults $BIN bricks --format json "
               "--brick-counters page-faults -- $D/pages");
    assert_in_range(counted_in(p.out, "rows", "Few", "page-faults"), 150, 290);
    program_lacks(&p, "minor-faults");
    program_free(&p);
    program_answers("$BIN bricks --brick-counters cycels -- $D/pages", 2, "", "");
    program_answers("$BIN bricks --brick-counters cycles", 2, "", "");
}

/* A file that was kept has the counts too. */
TEST(a_saved_file_has_the_counts)
{
    struct program p;
    expect(&p, "mkdir -p $D/kept && ROOFTOP_BRICKS=$D/kept " COUNTED "$D/pages && "
               "$BIN bricks --format json $D/kept/*.bricks");
    assert_in_range(counted_in(p.out, "rows", "Many", "page-faults"), 1200, 1299);
    program_free(&p);
}

/* Rates, everywhere they are shown: of page faults under other names, whose ratio is known. */
TEST(rates_are_of_the_counts)
{
    struct program p;
#define RATES                                                                                      \
    "ROOFTOP_BRICK_COUNTERS=cycles=1:2,instructions=1:2,branches=1:2,branch-misses=1:2,flops=1:2 "
    expect(&p, RATES "$BIN tree -- $D/pages");
    program_sees(&p, "[IPC 1.00, 100.00 % mispredicted, cycles 12");
    program_free(&p);
    expect(&p, RATES "$BIN bricks --format json -- $D/pages");
    program_sees(&p, "\"ipc\":1,\"branch_miss_percent\":100,\"counted_share\":1");
    program_free(&p);
    expect(&p, RATES "$BIN bricks -- $D/pages");
    program_sees(&p, "share     IPC   mispr       cycles instructions");
    program_free(&p);
    expect(&p, RATES "$BIN path -- $D/pages");
    program_sees(&p, "  IPC 1.00  100.00 % mispredicted\n");
    program_free(&p);
    expect(&p, RATES "$BIN path --format json -- $D/pages");
    program_sees(&p, "\"ipc\":1,\"branch_miss_percent\":100");
    program_free(&p);
    expect(&p, RATES "$BIN roofline -- $D/pages");
    program_sees(&p, "    counted: IPC 1.00, 100.00 % mispredicted, ");
    program_sees(&p, "FLOP/s\n");
    program_free(&p);
    expect(&p, RATES "$BIN roofline --format json -- $D/pages");
    program_sees(&p, "\"ipc\":1,\"branch_miss_percent\":100,\"counted_flop_per_s\":");
    program_free(&p);
    expect(&p, RATES "$BIN --headless --view tree --size 240x40 --frames 1 -- $D/pages wait");
    program_sees(&p, "IPC MISPR %       cycles instructions");
    program_free(&p);
    expect(&p, RATES "$BIN --headless --view tree --size 80x24 --frames 1 -- $D/pages wait");
    program_sees(&p, "MEAN   IPC "); /* asked for: before shares */
    program_free(&p);
}

TEST(nothing_is_said_where_nothing_was_asked)
{
    struct program p;
    expect(&p, "$BIN bricks -- $D/pages");
    program_lacks(&p, "Counted");
    program_free(&p);
    expect(&p, "$BIN tree --format json -- $D/pages");
    program_lacks(&p, "counters");
    program_lacks(&p, "counts");
    program_free(&p);
}

TEST_MAIN(begin, temp_folder_remove)
