/* The commands tree, path and bricks, run as a user runs them, with a program that is really
 * instrumented: examples/transformer. (Forks: not for TSan.) */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include "support/brick_demo.h"
#include "support/program.h"
#include "support/temp_folder.h"
#include "support/test.h"

#define DEMO "$DEMO --tokens 6 --threads 1 --quiet"

TEST(a_command_shows_its_tree)
{
    struct program p;
    program_expect(&p, "$BIN tree -- " DEMO, 0);
    assert_non_null(strstr(p.out, "└── forward (examples/transformer/model.c:"));
    assert_non_null(strstr(p.out, "    ├── Layer 0 ×6\n"));
    assert_non_null(strstr(p.out, "(1536 elem) ×6\n"));
    assert_non_null(strstr(p.out, "smem 0 B ×6\n"));
    program_free(&p);
    program_expect(&p, "$BIN tree --ascii --calls -- " DEMO, 0);
    for (const char *c = p.out; *c; c++)
        assert_true((unsigned char)*c < 0x7f);
    assert_non_null(strstr(p.out, "|   |-- Layer 0\n"));
    program_free(&p);
}

/* Views show an opened profile together with live data. */
TEST(a_profile_opens_in_the_dashboard)
{
    program_answers(
        "$BIN tests/data/rocpd/synthetic_schema3.db --headless --view tree --size 120x30", 0,
        "gemm", "");
    program_answers(
        "$BIN tests/data/rocpd/synthetic_schema3.db --headless --view path --size 120x30", 0,
        "the whole profile took 2.20 ms", "");
}

/* The command keeps its output, and its exit status is passed on. */
TEST(the_command_keeps_its_output_and_status)
{
    struct program p;
    program_expect(&p, "$BIN tree --format json -- sh -c '" DEMO " --print-tokens; exit 3'", 3);
    assert_non_null(strstr(p.err, "\n"));
    cJSON *j = cJSON_Parse(p.out);
    assert_non_null(j);
    assert_string_equal(cJSON_GetObjectItem(j, "schema")->valuestring, "rooftop.tree/2");
    cJSON_Delete(j);
    program_free(&p);
}

TEST(every_format_is_what_it_says)
{
    struct program p;
    program_answers("ROOFTOP_BRICKS=$D " DEMO, 0, "", "");
    program_expect(&p, "$BIN tree --format dot $D/*.bricks", 0);
    assert_int_equal(strncmp(p.out, "digraph ExecutionGraph {\n", 25), 0);
    program_free(&p);
    program_expect(&p, "$BIN tree --format csv $D/*.bricks", 0);
    assert_int_equal(strncmp(p.out, "id,parent,depth,kind,", 21), 0);
    assert_true(program_lines(p.out) > 50);
    program_free(&p);
    program_answers("$BIN tree --format folded $D/*.bricks", 0, ";forward;Layer 3;", "");
    program_expect(&p, "$BIN tree --format svg $D/*.bricks", 0);
    assert_int_equal(strncmp(p.out, "<svg ", 5), 0);
    assert_non_null(strstr(p.out, "</svg>"));
    program_free(&p);
}

TEST(a_chrome_trace_has_what_its_readers_want)
{
    struct program p;
    size_t spans = 0;
    program_expect(&p, "$BIN tree --format chrome $D/*.bricks", 0);
    cJSON *j = cJSON_Parse(p.out), *event;
    assert_non_null(j);
    cJSON_ArrayForEach(event, cJSON_GetObjectItem(j, "traceEvents"))
    {
        const char *ph = cJSON_GetObjectItem(event, "ph")->valuestring;
        assert_true(cJSON_IsString(cJSON_GetObjectItem(event, "name")));
        assert_true(cJSON_IsNumber(cJSON_GetObjectItem(event, "pid")));
        assert_true(cJSON_IsNumber(cJSON_GetObjectItem(event, "tid")));
        if (strcmp(ph, "X") == 0) {
            assert_true(cJSON_GetObjectItem(event, "ts")->valuedouble >= 0);
            assert_true(cJSON_GetObjectItem(event, "dur")->valuedouble >= 0);
            spans++;
        }
    }
    cJSON_Delete(j);
    /* each of 6 passes has: itself, embedding, 6 layers with 12 bricks and 5 kernels each, norm,
     * head with its kernel, sampling; around all of them is the backend */
    assert_int_equal(spans, 6 * (2 + 6 * (1 + 12 + 5) + 4) + 1);
    program_free(&p);
}

TEST(a_path_is_within_what_was_measured)
{
    struct program p;
    program_expect(&p, "$BIN path --format json $D/*.bricks", 0);
    cJSON *j = cJSON_Parse(p.out), *step;
    assert_non_null(j);
    double length = cJSON_GetObjectItem(j, "length_ns")->valuedouble, sum = 0;
    assert_true(length > 0);
    assert_true(length <= cJSON_GetObjectItem(j, "wall_ns")->valuedouble);
    cJSON_ArrayForEach(step, cJSON_GetObjectItem(j, "steps")) sum +=
        cJSON_GetObjectItem(step, "length_ns")->valuedouble;
    assert_true(sum == length);
    assert_true(cJSON_GetObjectItem(j, "critical_path_ns")->valuedouble == length);
    unsigned steps = (unsigned)cJSON_GetArraySize(cJSON_GetObjectItem(j, "steps"));
    unsigned nodes = (unsigned)cJSON_GetObjectItem(j, "nodes")->valueint, told[2];
    assert_true(nodes > 0 && nodes < steps); /* each layer has a step between any two bricks */
    cJSON_Delete(j);
    program_free(&p);
    program_expect(&p, "$BIN path $D/*.bricks", 0);
    assert_int_equal(
        sscanf(p.out, "Critical Path: %*f %*s (%u nodes, %u steps)", &told[0], &told[1]), 2);
    assert_int_equal(told[0], nodes);
    assert_int_equal(told[1], steps);
    program_free(&p);
}

TEST(bricks_add_up)
{
    struct program p;
    program_expect(&p, "$BIN bricks --format json $D/*.bricks", 0);
    cJSON *j = cJSON_Parse(p.out), *part, *row;
    assert_non_null(j);
    double sum = 0, total = cJSON_GetObjectItem(j, "total_ns")->valuedouble;
    cJSON_ArrayForEach(part, cJSON_GetObjectItem(j, "categories")) sum += part->valuedouble;
    assert_true(sum == total);
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(j, "rows"))
    {
        double count = cJSON_GetObjectItem(row, "calls")->valuedouble;
        double mean = cJSON_GetObjectItem(row, "mean_ns")->valuedouble;
        assert_true(count > 0);
        assert_true(mean >= cJSON_GetObjectItem(row, "min_ns")->valuedouble);
        assert_true(mean <= cJSON_GetObjectItem(row, "max_ns")->valuedouble);
    }
    cJSON_Delete(j);
    program_free(&p);
}

/* How many ns the unit of a time has. */
static double unit_ns(const char *unit)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].name, unit) == 0)
            return units[i].ns;
    fail_msg("'%s' is no unit of time", unit);
    return 0;
}

/* The text has the backend of each row, and for categories the average and the number of
 * samples. */
TEST(tables_tell_backends_and_averages)
{
    struct program p;
    double own, share, average;
    char own_unit[4], unit[4];
    unsigned samples;
    program_expect(&p, "$BIN bricks $D/*.bricks", 0);
    assert_non_null(strstr(p.out, "    time    self  backend\n"));
    char *row = strstr(p.out, "\nNorm "), *backend = strstr(p.out, "\nRmsNorm ");
    assert_non_null(row);
    assert_int_equal(sscanf(row, " Norm %lf %3s %lf %% %lf %3s %u", &own, own_unit, &share,
                            &average, unit, &samples),
                     6);
    own *= unit_ns(own_unit);
    average *= unit_ns(unit);
    /* passes, layers, two norms in a layer, the last norm */
    assert_int_equal(samples, 6 * (6 * 2 + 1));
    /* both have three digits */
    assert_true(average > 0 && average * samples > 0.98 * own && average * samples < 1.02 * own);
    assert_non_null(backend);
    backend = strchr(backend + 1, '\n');
    assert_true(backend[-1] >= '0'); /* the row ends with a name, not with a percentage */
    program_free(&p);
    program_answers("$BIN roofline $D/*.bricks", 0, " BACKEND ", "");
    program_expect(&p, "$BIN bricks --format csv $D/*.bricks", 0);
    assert_null(strstr(p.out, "18446744073709551615"));
    program_free(&p);
}

/* The time of a kernel inside a brick belongs to the brick: the sum of the outermost places is
 * less than the whole. */
TEST(shares_count_time_once)
{
    struct program p;
    double bricks = 0;
    program_expect(&p, "$BIN roofline $D/*.bricks", 0);
    char *table = strstr(p.out, "TIME %"), *next = table;
    assert_non_null(table);
    for (strsep(&next, "\n"); next;) {
        double share;
        const char *line = strsep(&next, "\n");
        if (sscanf(line, "%lf", &share) == 1)
            bricks += strstr(line, "gemv_") ? 0 : share;
    }
    /* Kernels that counted twice would make it more than all. How much less than all it is depends
     * on how often the program was interrupted between bricks. */
    if (!(bricks > 0 && bricks < 100.6))
        fail_msg("the outermost places have %g %% of the time", bricks);
    program_free(&p);
}

TEST(budgets_come_from_a_file)
{
    program_answers("printf '[budget]\\nRmsNorm = \"1ns\"\\nQkvProjection = 10\\n' >$D/b.toml; "
                    "$BIN bricks --budgets $D/b.toml $D/*.bricks",
                    0, "OVER its budget of 1.00 ns", "");
    program_answers("printf '[budget]\\nRmsNorm = \"soon\"\\n' >$D/b.toml; "
                    "$BIN bricks --budgets $D/b.toml $D/*.bricks",
                    3, "", "b.toml:2:");
    program_answers("$BIN bricks --budgets $D/none.toml $D/*.bricks", 3, "", "");
}

/* The totals that a program prints about itself are those that rooftop shows. */
TEST(a_program_reports_itself)
{
    struct program p;
    double mean, total;
    unsigned calls;
    program_expect(&p, "mkdir $D/own && ROOFTOP_BRICKS=$D/own " DEMO " --report", 0);
    assert_int_equal(strncmp(p.out, "Backend: ", 9), 0);
    char *row = strstr(p.out, "\nQkvProjection ");
    assert_non_null(row);
    assert_int_equal(sscanf(row, " QkvProjection %lf %lf %u", &mean, &total, &calls), 3);
    program_free(&p);
    program_expect(&p, "$BIN bricks --format json $D/own/*.bricks", 0);
    cJSON *j = cJSON_Parse(p.out), *r, *found = NULL;
    cJSON_ArrayForEach(r, cJSON_GetObjectItem(j, "rows"))
    {
        if (strcmp(cJSON_GetObjectItem(r, "name")->valuestring, "QkvProjection") == 0)
            found = r;
    }
    assert_non_null(found);
    assert_int_equal(cJSON_GetObjectItem(found, "calls")->valueint, calls);
    /* the report of the library is in us, with one decimal */
    assert_true(fabs(cJSON_GetObjectItem(found, "total_ns")->valuedouble / 1e3 - total) < 0.06);
    assert_true(fabs(cJSON_GetObjectItem(found, "mean_ns")->valuedouble / 1e3 - mean) < 0.06);
    cJSON_Delete(j);
    program_free(&p);
}

TEST(backends_stand_side_by_side)
{
    struct program p;
    program_expect(&p,
                   "$BIN bricks -- $DEMO --tokens 8 --threads 1 "
                   "--quiet --backend all",
                   0);
    assert_non_null(strstr(p.out, "Side by side"));
    assert_non_null(strstr(p.out, "how much faster than "));
    program_free(&p);
}

static void parts_add_up_to_one(const cJSON *shares)
{
    double sum = 0;
    const cJSON *part;
    /* the kinds of time in engine/path/path_shares.h */
    assert_int_equal(cJSON_GetArraySize(shares), 7);
    cJSON_ArrayForEach(part, shares)
    {
        sum += cJSON_GetObjectItem(part, "share")->valuedouble * 1e6;
    }
    assert_true(sum > 999999.9999 && sum < 1000000.0001);
}

TEST(each_question_stands_on_its_line)
{
    program_answers("$BIN path --what-if '~g[eéö]mm=2' --what-if '~^adäm|^adam=gone' "
                    "tests/data/path/streams.json",
                    0, "What if:\n  ~g[eéö]mm=2\n  ~^adäm|^adam=gone\n", "");
}

TEST(a_path_says_what_would_shorten_it)
{
    struct program p;
    program_expect(&p,
                   "$BIN path --what-if gemm_f16_64x64=2 --what-if '~^adam=gone' --format json "
                   "tests/data/path/streams.json",
                   0);
    cJSON *doc = cJSON_Parse(p.out);
    assert_non_null(doc);
    parts_add_up_to_one(cJSON_GetObjectItem(doc, "shares"));
    const cJSON *device;
    cJSON_ArrayForEach(device, cJSON_GetObjectItem(doc, "devices"))
    {
        parts_add_up_to_one(cJSON_GetObjectItem(device, "shares"));
    }
    const cJSON *w = cJSON_GetObjectItem(doc, "what_if");
    assert_int_equal((int)cJSON_GetObjectItem(w, "changed")->valuedouble, 2);
    assert_int_equal((int)cJSON_GetObjectItem(doc, "length_ns")->valuedouble, 1865000);
    double gain = cJSON_GetObjectItem(w, "gain_ns")->valuedouble;
    assert_true(gain > 216000 && gain < 216000 + 240000);
    assert_true(gain + cJSON_GetObjectItem(w, "length_ns")->valuedouble == 1865000);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(doc, "files")), 1);
    cJSON_Delete(doc);
    program_free(&p);
    program_expect(&p, "$BIN path --ascii tests/data/path/streams.json", 0);
    assert_non_null(strstr(p.out, "compute 77.2 %"));
    assert_non_null(strstr(p.out, "add_kernel (150 us) inferred"));
    assert_non_null(strstr(p.out, "2x: -216 us"));
    for (const char *c = p.out; *c; c++)
        assert_true((unsigned char)*c < 0x7f);
    program_free(&p);
    program_answers("$BIN path --format csv tests/data/path/streams.json", 0,
                    "add_kernel\",974000,150000,150000,compute,1", "");
    program_expect(&p, "$BIN path --format svg tests/data/path/streams.json", 0);
    assert_non_null(strstr(p.out, "class=\"i\"")); /* a dashed line: an inferred edge */
    assert_non_null(strstr(p.out, "compute 77.2 %"));
    assert_string_equal(strstr(p.out, "</svg>"), "</svg>\n");
    program_free(&p);
}

TEST(every_command_says_what_is_left_out)
{
    static const char *const commands[] = {"tree",
                                           "tree --format folded",
                                           "path",
                                           "path --format json",
                                           "timeline --format json",
                                           "report",
                                           "kernels",
                                           "bricks",
                                           "roofline",
                                           "export",
                                           "compare $D/left.json"};
    static const char *const documents[] = {"tree",   "path",     "timeline",
                                            "report", "export",   "kernels",
                                            "bricks", "roofline", "steps --range b"};
    struct program p;
    char line[256];
    program_answers("echo '[{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":-1},{\"ph\":\"X\","
                    "\"name\":\"b\",\"ts\":1,\"dur\":2}]' >$D/left.json",
                    0, "", "");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        snprintf(line, sizeof line, "$BIN %s $D/left.json", commands[i]);
        program_run(&p, line);
        if (!strstr(p.err, "1 record is left out: 1 with an end before its begin"))
            fail_msg("%s: %s", commands[i], p.err);
        program_free(&p);
    }
    program_answers("$BIN report $D/left.json", 0, "1 record is left out", "");
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
        snprintf(line, sizeof line, "$BIN %s --format json $D/left.json | tr -d '[:space:]'",
                 documents[i]);
        program_expect(&p, line, 0);
        if (!strstr(p.out, "\"left_out\":{\"records\":1,\"causes\":[{\"cause\":"
                           "\"withanendbeforeitsbegin\",\"records\":1}]}"))
            fail_msg("%s: %s", documents[i], p.out);
        program_free(&p);
    }
}

TEST(invalid_input_is_refused)
{
    static const struct {
        const char *line, *says;
        int code;
    } bad[] = {
        {"$BIN tree /etc/passwd", "none of the formats", 3},
        {"$BIN tree /nonexistent/x.bricks", "No such file", 3},
        {"mkdir -p $D/empty; $BIN path $D/empty", "no file is in it", 3},
        {"$BIN tree -- true", "true: no bricks were recorded", 4},
        {"$BIN bricks --syscalls -- sh -c 'exit 0'", "rooftop: sh -c exit 0: no bricks", 4},
        {"$BIN tree --syscalls $D/empty.json -- true", "rooftop: true: no bricks", 4},
        {"$BIN tree -p 1", "no bricks were recorded", 4},
        {"$BIN tree --format jsonl $D/*.bricks", "unknown value 'jsonl'; did you mean 'json'?", 2},
        {"$BIN path --format folded $D/*.bricks", "text, json, csv, dot, svg", 2},
        {"$BIN bricks --format dot $D/*.bricks", "text, json, csv", 2},
        {"$BIN tree -p 1 -- true", "one target at a time", 2},
        {"$BIN tree -- /nonexistent/program", "command not found", 127},
        {"head -c 5000 $(ls $D/*.bricks) >$D/cut; $BIN tree $D/cut", "outside the file", 3},
        {"$BIN path --calls $D/*.bricks", "not an option of rooftop report path", 2},
        {"$BIN path --what-if x tests/data/path/streams.json", "does not end in =FACTOR", 2},
        {"$BIN path --what-if '~(=2' tests/data/path/streams.json", "(", 2},
        {"$BIN path --what-if nobody=2 tests/data/path/streams.json", "has nothing of that name",
         3},
        {"$BIN tree --what-if a=2 tests/data/path/streams.json",
         "not an option of rooftop report tree", 2},
        {"$BIN path --brief --format csv tests/data/path/streams.json", "no brief answer as csv",
         2},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct program p;
        program_expect(&p, bad[i].line, bad[i].code);
        if (!strstr(p.err, bad[i].says))
            fail_msg("'%s' said '%s', not '%s'", bad[i].line, p.err, bad[i].says);
        program_free(&p);
    }
}

/* With --for, a program that would run for hours is asked to end, and what it did until then is
 * printed. */
TEST(a_watch_can_end_after_a_while)
{
    program_answers(/* a busy machine gets longer */
                    "for s in 2 10 50 250; do $BIN tree --for $s -- sh -c '" DEMO "; sleep 600' "
                    ">$D/tree && grep -q 'Layer 0' $D/tree && break; done; cat $D/tree",
                    0, "Layer 0", "");
    program_answers("$DEMO --tokens 100000000 >/dev/null 2>&1 & d=$!; until $BIN bricks -p $d "
                    "2>/dev/null | grep -q '^Brick'; do sleep 0.1; done; "
                    "$BIN bricks --for 0.2 -p $d; s=$?; kill $d; exit $s",
                    0, "Brick", "");
}

TEST_MAIN(brick_demo_begin, temp_folder_remove)
