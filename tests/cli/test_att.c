/* The command att, run as a user runs it, with the fixture. (Forks: not for TSan.) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include "support/att_folder.h"
#include "support/program.h"
#include "support/test.h"

static struct att_folder folder;

FIXTURE(begin)
{
    att_folder_make(&folder, 1);
    setenv("D", folder.dir, 1);
    setenv("ROOFTOP_CONFIG", "/dev/null", 1);
}

FIXTURE(end)
{
    att_folder_remove(&folder);
}

TEST(the_text_tells_the_hot_first)
{
    struct program p;
    program_expect(&p, "$BIN att $D --utf8", 0);
    assert_int_equal(strncmp(p.out, "axpy(float*, float*, int)\n", 26), 0);
    program_sees(&p, "gfx9 (vega), agent 2, dispatch 1");
    program_sees(&p, "61936  sum of latencies; latency ends with the issue");
    program_sees(&p, "57280  92.5 % of these cycles");
    const char *hot = strstr(p.out, "  66.1        40960         64     640.0    99.4  WAIT     ");
    const char *next = strstr(p.out, "  20.7        12800         64     200.0    98.0  WAIT     ");
    assert_true(hot && next && hot < next);
    program_sees(&p, "MATRIX          3.3           2048           64      32.0     50.0");
    program_sees(&p, "on global_load_dword v1, v0, s[0:1]             axpy.cpp:8");
    program_sees(&p,
                 "2 waves, 2 read: 22 instructions on 1 compute units; issued per cycle of a wave "
                 "0.000183, of a unit 0.000364");
    program_sees(&p, "idle       98.4         118242");
    program_sees(&p, "SE0         2.0      2     1      2");
    program_sees(&p,
                 "SQ_BUSY_CU_CYCLES                            2          925.0          950.0");
    program_sees(&p, "note: source_0_axpy.cpp: it is not there");
    program_free(&p);
    program_expect(&p, "$BIN att --ascii $D/ui_output_agent_2_dispatch_1", 0);
    for (const char *c = p.out; *c; c++)
        if ((unsigned char)*c >= 0x7f)
            fail_msg("not ASCII: %s", c);
    program_free(&p);
}

static double number(const cJSON *j, const char *key)
{
    const cJSON *item = cJSON_GetObjectItem(j, key);
    if (!cJSON_IsNumber(item))
        fail_msg("no number %s", key);
    return item->valuedouble;
}

TEST(sums_of_the_document_agree)
{
    struct program p;
    double latency = 0, share = 0, last = 1e18, states = 0;
    program_expect(&p, "$BIN att --format json $D", 0);
    cJSON *j = cJSON_Parse(p.out), *i;
    assert_non_null(j);
    assert_string_equal(cJSON_GetObjectItem(j, "schema")->valuestring, "rooftop.att/1");
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(j, "dispatches")), 1);
    const cJSON *d = cJSON_GetArrayItem(cJSON_GetObjectItem(j, "dispatches"), 0);
    const cJSON *totals = cJSON_GetObjectItem(d, "totals");
    cJSON_ArrayForEach(i, cJSON_GetObjectItem(d, "instructions"))
    {
        assert_true(number(i, "latency") <= last);
        last = number(i, "latency");
        assert_true(number(i, "stall") <= last);
        latency += last;
        share += number(i, "latency_share");
    }
    assert_true(latency == number(totals, "latency"));
    assert_true(share > 1 - 1e-9 && share < 1 + 1e-9);
    latency = 0;
    cJSON_ArrayForEach(i, cJSON_GetObjectItem(d, "categories")) latency += number(i, "latency");
    assert_true(latency == number(totals, "latency"));
    latency = 0;
    cJSON_ArrayForEach(i, cJSON_GetObjectItem(d, "blocks")) latency += number(i, "latency");
    assert_true(latency == number(totals, "latency"));
    const cJSON *waves = cJSON_GetObjectItem(d, "waves"), *s = cJSON_GetObjectItem(d, "states");
    cJSON_ArrayForEach(i, cJSON_GetObjectItem(s, "cycles")) states += i->valuedouble;
    assert_true(states == number(waves, "wave_cycles"));
    assert_true(number(waves, "instructions") / states == number(waves, "ipc_per_wave"));
    cJSON_ArrayForEach(i, cJSON_GetObjectItem(s, "waves"))
    {
        assert_int_equal(cJSON_GetArraySize(i), 100);
    }
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(d, "clock_hz")));
    cJSON_Delete(j);
    program_free(&p);
}

TEST(rows_are_written_as_csv)
{
    struct program p;
    program_expect(&p, "$BIN att --format csv -o $D/out.csv $D && cat $D/out.csv", 0);
    assert_int_equal(strncmp(p.out, "name,agent,dispatch,kernel,codeobj,vaddr,category,", 50), 0);
    assert_int_equal(program_lines(p.out), 12);
    program_sees(&p,
                 "\"ui_output_agent_2_dispatch_1\",2,1,\"axpy(float*, float*, int)\",1,5912,WAIT,"
                 "\"s_waitcnt vmcnt(0)\",64,40960,40704,0,640,");
    program_free(&p);
}

TEST(several_dispatches_stand_one_behind_the_other)
{
    struct program p;
    program_expect(&p,
                   "cp -r $D/ui_output_agent_2_dispatch_1 $D/ui_output_agent_2_dispatch_3; "
                   "$BIN att --format json $D",
                   0);
    cJSON *j = cJSON_Parse(p.out);
    assert_non_null(j);
    const cJSON *list = cJSON_GetObjectItem(j, "dispatches");
    assert_int_equal(cJSON_GetArraySize(list), 2);
    assert_true(number(cJSON_GetArrayItem(list, 1), "dispatch") == 3);
    cJSON_Delete(j);
    program_free(&p);
    program_expect(&p, "$BIN att --format csv $D", 0);
    assert_int_equal(program_lines(p.out), 23);
    program_free(&p);
    program_answers("$BIN att $D; rm -r $D/ui_output_agent_2_dispatch_3", 0, "agent 2, dispatch 3",
                    "");
}

TEST(the_screen_shows_a_folder)
{
    struct program p;
    program_expect(&p, "$BIN $D --headless --size 80x24 --utf8 --interval 0.05", 0);
    program_sees(&p, "1 summary");
    program_sees(&p, "verdict      it waits: 92.5 % of the cycles are stalls");
    program_free(&p);
    program_expect(&p, "$BIN $D --headless --view att --size 80x24 --utf8 --interval 0.05", 0);
    program_sees(&p, "6 kern");
    program_sees(&p, "╭─ axpy(float*, float*, int) ─");
    program_sees(&p, "gfx9 (vega)  61.9 k cycles of instructions  92.5 % of them stalled");
    program_sees(&p, "▒▒ wait 0.0 %  ░░ idle/stalled 98.4 %");
    program_free(&p);
    /* wide, because other programs with bricks that run at the same time have tabs too */
    program_expect(&p, "$BIN $D --headless --view overview --size 160x24 --interval 0.05", 0);
    program_sees(&p, "6 kern");
    assert_null(strstr(p.out, "of them stalled"));
    program_free(&p);
}

/* Names in a file may be chosen by anyone: none of their escape sequences reaches the terminal. */
TEST(names_cannot_harm)
{
    struct program p;
    att_folder_change(&folder, "code.json", "v_lshlrev_b32_e32 v0, 2, v0",
                      "v_\\u001b[31m\\u0007\\n\xff\xfe \\\"x\\\"");
    program_expect(&p, "$BIN att $D; $BIN att --format csv $D", 0);
    for (const char *c = p.out; *c; c++)
        if ((unsigned char)*c < ' ' && *c != '\n' && *c != '\r')
            fail_msg("a control character: %d", *c);
    program_free(&p);
    program_expect(&p, "$BIN att --format json $D", 0);
    cJSON *j = cJSON_Parse(p.out);
    assert_non_null(j);
    cJSON_Delete(j);
    program_free(&p);
    att_folder_remove(&folder);
    att_folder_make(&folder, 1);
    setenv("D", folder.dir, 1);
}

TEST(invalid_folders_are_refused)
{
    static const struct {
        const char *line, *says;
        int code;
    } bad[] = {
        {"$BIN att", "one folder of rocprofv3 --att is needed, 0 given", 2},
        {"$BIN att $D $D", "is needed, 2 given", 2},
        {"$BIN att --format svg $D", "text, json, csv", 2},
        {"$BIN att /nonexistent/x", "it is not there", 3},
        {"$BIN att /etc/passwd", "no folder", 3},
        {"$BIN att /proc/self/task", "no thread trace is in it", 3},
        {"$BIN --headless /proc/self/task", "files is read",
         3}, /* the number that rooftop report tree prints */
        {"mkdir $D/none; $BIN --headless $D/none", "no file is in it", 3},
        {"$BIN att -o /nonexistent/x/y $D", "/nonexistent", 7},
        {"printf '{\"code\":[[1' >$D/ui_output_agent_2_dispatch_1/code.json; $BIN att $D",
         "code.json: byte 11 (line 1, column 12): the text ends before its ']'", 3},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct program p;
        program_expect(&p, bad[i].line, bad[i].code);
        if (!strstr(p.err, bad[i].says))
            fail_msg("'%s' said '%s', not '%s'", bad[i].line, p.err, bad[i].says);
        assert_int_equal(p.out_len, 0);
        program_free(&p);
    }
}

TEST_MAIN(begin, end)
