/* Files of CPU profilers: the samples of each function, by itself and with its callees, are those
 * that the file holds. Sums are counted by hand, or were printed by the tool that wrote the file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/functions/functions.h"
#include "engine/functions/hot_profile.h"
#include "support/temp_folder.h"
#include "support/test.h"
#include "support/trace_text.h"

/* The samples of the function with this name; those of a name are added. */
static uint64_t count_function(const struct trace *t, const char *name, uint64_t *total)
{
    struct function_row *rows;
    uint64_t own = 0, all = 0;
    assert_non_null(t->samples);
    const struct hot_stacks *p = &t->samples->stacks;
    const size_t n = functions_list(p, &rows);
    for (size_t i = 0; i < n; i++)
        if (strcmp(p->symbols[rows[i].symbol].name, name) == 0) {
            own += rows[i].self;
            all += rows[i].total;
        }
    free(rows);
    *total = all;
    return own;
}

static void is_function(const struct trace *t, const char *name, uint64_t self, uint64_t total)
{
    uint64_t all, own = count_function(t, name, &all);
    if (own != self || all != total)
        fail_msg("%s: %llu and %llu, not %llu and %llu", name, (unsigned long long)own,
                 (unsigned long long)all, (unsigned long long)self, (unsigned long long)total);
}

static const struct hot_symbol *symbol(const struct trace *t, const char *name)
{
    const struct hot_stacks *p = &t->samples->stacks;
    for (size_t i = 0; i < p->nsymbols; i++)
        if (strcmp(p->symbols[i].name, name) == 0)
            return &p->symbols[i];
    fail_msg("no %s", name);
    return NULL;
}

static void is_refused(const char *text, size_t n, const char *why)
{
    struct error err = ERROR_INIT;
    struct trace t;
    assert_true(trace_text_open(&t, text, n, false, &err) < 0);
    if (!strstr(err.why, why))
        fail_msg("'%s', not '%s'", err.why, why);
    trace_free(&t);
}

TEST(folded_stacks)
{
    struct trace t;
    trace_text_read(&t, "main;run;step 120\r\nmain;run 3\n\nmain 1\nmain;run;run;step 2\n"
                        "do_sys (x, y);read_[k] 5\n;; 4\n");
    assert_int_equal(t.samples->stacks.samples, 135);
    assert_int_equal(t.samples->stacks.weight, HOT_SAMPLES);
    is_function(&t, "main", 1, 126);
    is_function(&t, "run", 3, 125); /* once in a recursion */
    is_function(&t, "step", 122, 122);
    is_function(&t, "do_sys (x, y)", 0, 5);
    is_function(&t, "read", 5, 5);
    is_function(&t, HOT_NO_STACK, 4, 4);
    assert_int_equal(symbol(&t, "read")->where, HOT_KERNEL);
    trace_free(&t);
    is_refused("a;b 1\nwithout\n", 14, "none of the formats");
    char late[4096] = "";
    for (int i = 0; i < 30; i++)
        strcat(late, "a;b 1\n");
    strcat(late, "without\n");
    is_refused(late, strlen(late), "line 31");
}

/* Templates of C++ have such names; they are cut where they are shown only. */
TEST(names_of_a_quarter_of_a_million_letters)
{
    enum { LETTERS = 250000 };
    char *name = malloc(LETTERS + 1), *text = malloc(2 * LETTERS + 64);
    struct trace t;
    memset(name, 'n', LETTERS);
    name[LETTERS] = '\0';
    sprintf(text, "%s;leaf 3\nmain;%s 4\n", name, name);
    trace_text_read(&t, text);
    is_function(&t, "leaf", 3, 3);
    is_function(&t, name, 4, 7);
    trace_free(&t);
    free(name);
    free(text);
}

/* What would give wrong sums, or take time without end, is refused with its reason. */
TEST(sums_that_cannot_be_right)
{
    static const char none[] = "a;b 0\n",
                      part[] =
                          "{\"shared\":{\"frames\":[{\"name\":\"a\"}]},\"profiles\":[{\"type\":"
                          "\"sampled\",\"unit\":\"none\",\"samples\":[[0]],\"weights\":[0.4]}],"
                          "\"$schema\":\"https://www.speedscope.app/file-format-schema.json\"}";
    is_refused(none, strlen(none), "holds no samples");
    char large[1024] = "";
    for (int i = 0; i < 20; i++)
        strcat(large, "a;b 999999999999999999\n");
    is_refused(large, strlen(large), "more than 2^64");
    is_refused(part, strlen(part), "weight of sample 0 of this profile is 0.4");
    struct hot_profile *p = hot_profile_new();
    const struct hot_symbol s = {.name = "f", .module = "", .path = "", .file = ""};
    int32_t node = -1;
    for (int i = 0; i <= HOT_PROFILE_DEPTH; i++)
        node = hot_profile_node(p, node, hot_profile_symbol(p, &s));
    hot_profile_add(p, node, 1);
    struct error err = ERROR_INIT;
    assert_true(hot_profile_end(p, "deep", &err) < 0);
    assert_non_null(strstr(err.why, "16384 frames"));
    hot_profile_free(p);
}

/* The last line before the cut may have lost digits. */
TEST_WITH(a_cut_archive, temp_folder_make, temp_folder_remove)
{
    struct error err = ERROR_INIT;
    struct trace all = {0}, cut = {0};
    char whole_path[4096], cut_path[4096];
    assert_int_equal(system("i=0; while [ $i -lt 2000 ]; do echo \"a;b$i 1$i\"; i=$((i+1)); done |"
                            " gzip >$D/all.gz && head -c 5000 $D/all.gz >$D/cut.gz"),
                     0);
    snprintf(whole_path, sizeof whole_path, "%s/all.gz", temp_folder);
    snprintf(cut_path, sizeof cut_path, "%s/cut.gz", temp_folder);
    assert_int_equal(trace_open(&all, &(const char *){whole_path}, 1, &err), 0);
    assert_true(trace_open(&cut, &(const char *){cut_path}, 1, &err) < 0);
    assert_non_null(strstr(err.why, "cut off"));
    trace_free(&all);
    trace_free(&cut);
}

static const char perf_text[] =
    "# a comment\n"
    "w 25769  2894.988166:    2004008 cpu-clock: \n"
    "\t            114b hot+0x12 (/tmp/w)\n"
    "\t            11d6 main+0x13 (/tmp/w)\n"
    "\n"
    "Web Content 17/18 [003] 2894.990150:    2004008 cpu-clock: \n"
    "\tffffffff8100 do_fault+0x3 ([kernel.kallsyms])\n"
    "\t            1156 operator()(int) (/tmp/my (deleted))\n"
    "\t            11d6 std::f(int (*)(char)) (inlined)\n"
    "\t            11d6 main+0x13 (/tmp/w)\n"
    "  w.c:12\n"
    "\n"
    "w 25769  2894.991:          1 page-faults:u: \n"
    "\t            11d6 main+0x13 (/tmp/w)\n"
    "\n"
    "w 25769  2894.992187:    2004008 cpu-clock: \n"
    "\n"
    "               w 25798  2896.153407:    2004008 cpu-clock:      5610c8f76156 hot+0x1d "
    "(/tmp/w)\n"
    "               w 25798  2896.153407:    2004008 cpu-clock:      7ffc [unknown] ([unknown])\n";

TEST(perf_script)
{
    struct trace t;
    trace_text_read(&t, perf_text);
    assert_int_equal(t.samples->stacks.samples, 5);
    assert_int_equal(t.samples->left_out, 1); /* the page fault */
    assert_string_equal(t.samples->stacks.event, "cpu-clock");
    is_function(&t, "hot", 2, 2);
    is_function(&t, "main", 0, 2);
    is_function(&t, "do_fault", 1, 1);
    is_function(&t, "operator()(int)", 0, 1);
    is_function(&t, "std::f(int (*)(char))", 0, 1);
    is_function(&t, "[unknown]", 1, 1);
    is_function(&t, HOT_NO_STACK, 1, 1);
    assert_string_equal(symbol(&t, "do_fault")->module, "[kernel]");
    assert_string_equal(symbol(&t, "operator()(int)")->module, "my (deleted)");
    assert_string_equal(symbol(&t, "main")->path, "/tmp/w");
    assert_true(symbol(&t, "std::f(int (*)(char))")->inlined);
    trace_free(&t);
    is_refused("w 1 1.5: 1 e: \n\t12 f (/x)\n\nnothing of perf\n", 42, "line 4");
}

/* The number before the name of the event is how many events a sample stands for. */
TEST(perf_script_with_periods)
{
    static const char text[] = "w 7/8 [001] 1.5:  2 page-faults:  11d6 few+0x1 (/tmp/w)\n"
                               "w 7/8 [001] 1.6: 98 page-faults:  11d6 many+0x1 (/tmp/w)\n"
                               "w 7/8 [001] 1.7: 50 cpu-clock:  11d6 many+0x1 (/tmp/w)\n",
                      none[] = "w 7/8 [001] 1.5: page-faults:  11d6 few+0x1 (/tmp/w)\n";
    struct trace t;
    trace_text_read(&t, text);
    assert_int_equal(t.samples->stacks.weight, HOT_EVENTS);
    assert_int_equal(t.samples->stacks.samples, 100);
    assert_int_equal(t.samples->taken, 2);
    is_function(&t, "few", 2, 2);
    is_function(&t, "many", 98, 98);
    bool told = false;
    for (uint32_t i = 0; i < t.nnotes; i++)
        told |= strstr(t.notes[i], "perf record -g") != NULL;
    assert_true(told);
    trace_free(&t);
    trace_text_read(&t, none);
    assert_int_equal(t.samples->stacks.weight, HOT_SAMPLES);
    is_function(&t, "few", 1, 1);
    trace_free(&t);
}

TEST(speedscope)
{
    static const char text[] =
        "{\"profiles\":[{\"weights\":[0.01,0.02,1],\"samples\":[[0,1],[0,1,1],[]],\"type\":"
        "\"sampled\",\"unit\":\"seconds\",\"name\":\"t 1\",\"startValue\":0,\"endValue\":1},"
        "{\"type\":\"evented\",\"unit\":\"milliseconds\",\"name\":\"t 2\",\"events\":["
        "{\"type\":\"O\",\"frame\":0,\"at\":2},{\"type\":\"O\",\"frame\":2,\"at\":5},"
        "{\"type\":\"C\",\"frame\":2,\"at\":6},{\"type\":\"C\",\"frame\":0,\"at\":10.5}]},"
        "{\"type\":\"sampled\",\"unit\":\"bytes\",\"samples\":[[0]],\"weights\":[7]}],"
        "\"shared\":{\"frames\":[{\"name\":\"main\",\"file\":\"a.py\"},{\"name\":\"f\\u00e9\"},"
        "{\"name\":\"g\"}]},\"$schema\":\"https://www.speedscope.app/file-format-schema.json\"}";
    struct trace t;
    trace_text_read(&t, text);
    assert_int_equal(t.samples->stacks.weight, HOT_CPU_TIME);
    assert_int_equal(t.samples->stacks.samples, 1038500000);
    assert_int_equal(t.samples->left_out, 1);
    is_function(&t, "main", 7500000, 38500000);
    is_function(&t, "f\u00e9", 30000000, 30000000);
    is_function(&t, "g", 1000000, 1000000);
    is_function(&t, HOT_NO_STACK, 1000000000, 1000000000);
    assert_string_equal(symbol(&t, "main")->file, "a.py");
    trace_free(&t);
}

#define SPEEDSCOPE(profile)                                                                        \
    "{\"$schema\":\"https://www.speedscope.app/x\",\"shared\":{\"frames\":[{\"name\":\"a\"},"      \
    "{\"name\":\"b\"}]},\"profiles\":[{\"unit\":\"none\"," profile "}]}"

TEST(damaged_speedscope_is_refused)
{
    static const struct {
        const char *text, *why;
    } list[] = {
        {SPEEDSCOPE("\"samples\":[[0,2]],\"weights\":[1]"), "frame 2 is not one of the 2"},
        {SPEEDSCOPE("\"samples\":[[0]],\"weights\":[1,2]"), "1 samples and 2 weights"},
        {SPEEDSCOPE("\"samples\":[[0]],\"weights\":[-1]"), "weight of sample 0"},
        {SPEEDSCOPE("\"events\":[{\"type\":\"O\",\"frame\":0,\"at\":1},"
                    "{\"type\":\"C\",\"frame\":1,\"at\":2}]"),
         "not the innermost"},
        {SPEEDSCOPE("\"events\":[{\"type\":\"O\",\"frame\":0,\"at\":1},"
                    "{\"type\":\"O\",\"frame\":1,\"at\":2},{\"type\":\"C\",\"frame\":1,\"at\":1}]"),
         "earlier than"},
        {SPEEDSCOPE("\"samples\":[],\"weights\":[]"), "no samples"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        is_refused(list[i].text, strlen(list[i].text), list[i].why);
}

static const char firefox_tables[] =
    "\"stackTable\":{\"frame\":[0,1,2,1],\"prefix\":[null,0,1,2],\"length\":4},"
    "\"frameTable\":{\"func\":[0,1,2],\"inlineDepth\":[0,0,1]},"
    "\"funcTable\":{\"name\":[0,1,2],\"resource\":[-1,0,0],\"fileName\":[null,3,null]},"
    "\"resourceTable\":{\"name\":[4],\"length\":1},"
    "\"stringArray\":[\"main\",\"f\",\"g\",\"f.c\",\"libx.so\"]";

TEST(firefox)
{
    static const char *const samples[] = {
        "\"samples\":{\"stack\":[3,2,0,null],\"time\":[1,2,3,4],\"weight\":[2,1,3,5],"
        "\"weightType\":\"samples\"}",
        "\"samples\":{\"stack\":[3,3,2,0,0,0,null,null,null,null,null],\"weight\":null}"};
    for (int where = 0; where < 2; where++)
        for (int way = 0; way < 2; way++) {
            char text[2048];
            struct trace t;
            const char *own = where ? "\"name\":\"t\"" : firefox_tables;
            const char *shared = where ? firefox_tables : "\"stringArray\":[]";
            snprintf(text, sizeof text, "{\"meta\":{},\"threads\":[{%s,%s}],\"shared\":{%s}}",
                     samples[way], own, shared);
            trace_text_read(&t, text);
            assert_int_equal(t.samples->stacks.samples, 11);
            is_function(&t, "main", 3, 6);
            is_function(&t, "f", 2, 3);
            is_function(&t, "g", 1, 3);
            is_function(&t, HOT_NO_STACK, 5, 5);
            assert_string_equal(symbol(&t, "f")->module, "libx.so");
            assert_string_equal(symbol(&t, "f")->file, "f.c");
            assert_true(symbol(&t, "g")->inlined);
            trace_free(&t);
        }
    static const char gecko[] = "{\"meta\":{},\"threads\":[{\"samples\":{\"schema\":{},\"data\":"
                                "[]}}]}",
                      cycle[] = "{\"meta\":{},\"threads\":[{\"samples\":{\"stack\":[0]},"
                                "\"stackTable\":{\"frame\":[0,0],\"prefix\":[1,0]}}]}";
    is_refused(gecko, strlen(gecko), "Gecko");
    is_refused(cycle, strlen(cycle), "stacks are damaged");
}

/* An index that no table has is damage, and is not taken for a function without a name. */
TEST(firefox_indices_out_of_range)
{
    static const struct {
        const char *right, *wrong, *column;
    } list[] = {
        {"\"frame\":[0,", "\"frame\":[9,", "frameTable.func"},
        {"\"func\":[0,", "\"func\":[9,", "funcTable."},
        {"\"func\":[0,", "\"func\":[-7,", "frameTable.func"},
        {"\"name\":[0,", "\"name\":[9,", "funcTable.name"},
        {"\"resource\":[-1,0,", "\"resource\":[-1,9,", "resourceTable.name"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        char text[2048];
        const char *at = strstr(firefox_tables, list[i].right);
        snprintf(text, sizeof text,
                 "{\"meta\":{},\"threads\":[{\"samples\":{\"stack\":[3,0]},%.*s%s%s}]}",
                 (int)(at - firefox_tables), firefox_tables, list[i].wrong,
                 at + strlen(list[i].right));
        is_refused(text, strlen(text), list[i].column);
    }
}

/* What go tool pprof -top says of the file, which Go's runtime wrote. */
TEST(pprof_of_go)
{
    struct trace t;
    trace_text_data(&t, "tests/data/samples/go_cpu.pprof");
    assert_int_equal(t.samples->stacks.weight, HOT_CPU_TIME);
    assert_string_equal(t.samples->stacks.event, "cpu");
    assert_int_equal(t.samples->stacks.samples, 600000000);
    is_function(&t, "main.leaf", 430000000, 600000000);
    is_function(&t, "runtime.asyncPreempt", 170000000, 170000000);
    is_function(&t, "main.rec", 0, 270000000);
    is_function(&t, "main.small", 0, 90000000);
    is_function(&t, "runtime.main", 0, 600000000);
    assert_true(symbol(&t, "main.small")->inlined);
    trace_free(&t);
}

/* A profile by hand: two types of which the default is the first; numbers packed and not. */
TEST(pprof_values)
{
    static const char text[] = "\n\4\10\1\20\2"             /* sample_type: a, count */
                               "\n\4\10\3\20\4"             /* and b, bytes */
                               "\22\10\n\2\1\2\22\2\5\x64"  /* sample: locations 1, 2; 5, 100 */
                               "\22\10\10\2\20\1\20\1\10\1" /* 2, 1; 1, 1: not packed */
                               "\42\6\10\1\42\2\10\7"       /* location 1: function 7 */
                               "\42\2\10\2"                 /* location 2: no function */
                               "\52\4\10\7\20\5"            /* function 7: leaf */
                               "\62\0\62\1a\62\5count\62\1b\62\5bytes\62\4leaf"
                               "\x70\1"; /* default_sample_type: a */
    struct error err = ERROR_INIT;
    struct trace t;
    assert_int_equal(trace_text_open(&t, text, sizeof text - 1, true, &err), 0);
    assert_int_equal(t.samples->stacks.samples, 6);
    is_function(&t, "leaf", 5, 6);
    is_function(&t, "[unknown]", 1, 6);
    trace_free(&t);
    assert_int_equal(trace_text_open(&t, text, sizeof text - 3, false, &err), 0); /* the last */
    assert_int_equal(t.samples->stacks.weight, HOT_BYTES);
    is_function(&t, "leaf", 100, 101);
    trace_free(&t);
    is_refused(text, sizeof text - 4, "byte ");
}
