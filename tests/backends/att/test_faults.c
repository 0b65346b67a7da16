/* Damaged folders of thread traces: what the error or note says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/att_read.h"
#include "support/test.h"

static struct att_read r;

FIXTURE(copied)
{
    att_read_begin(&r, true);
}

FIXTURE(empty)
{
    att_read_begin(&r, false);
}

FIXTURE(removed)
{
    att_read_end(&r);
}

TEST_WITH(faults_name_file_and_place, copied, removed)
{
    static const struct {
        const char *file, *from, *to, *why;
    } bad[] = {
        {"code.json", "64, 368", "\"64\", 368", "Hit should be a number, here is a text"},
        {"code.json", "64, 368", "-64, 368", "Hit is negative: -64"},
        {"code.json", "64, 368", "64.5, 368", "Hit is not a whole number"},
        {"code.json", "128, 64]", "128]", "row 2 has 9 columns, 10 are needed"},
        {"code.json", "[\"s_endpgm\"", "[7", "ISA should be a text, here is a number"},
        {"code.json", "Latency, Stall", "Stall", "the header names no ISA, Hit and Latency"},
        {"code.json", "\"code\": [", "\"code\": {", "the name of a member was expected here"},
        {"code.json", "[\"s_endpgm\"", "\"x\", [\"s_endpgm\"", "a row should be an array"},
        {"filenames.json", "{\"0\": {\"0\"", "{\"x\": {\"0\"",
         "\"x\" should be the number of a shader"},
        {"filenames.json", "[\"se0_sm0", "[\"../se0_sm0", "no name of a file in this folder"},
        {"filenames.json", ", 1000, 61000]", ", 1000]", "ends before its column \"end\""},
        {"filenames.json", ", 1000, 61000]", ", 1000, 10]", "ends before it begins"},
        {"filenames.json", "\"gfxip\": 9", "\"gfxip\": -9", "gfxip is negative"},
        {"filenames.json", "[\"SQ_INSTS_VALU\"", "[{}", "a counter's name should be a text"},
        {"se0_sm0_sl0_wv0.json", "[1100, 1, 2, 6, 1]", "[1100, 1, 2, 6]", "its column \"line\""},
        {"se0_sm0_sl0_wv0.json", "[1100, 1, 2, 6, 1]", "1100", "an instruction should be an array"},
        {"se0_sm0_sl0_wv0.json", "[1100, 1, 2", "[1100, 1, -2", "stall is negative"},
        {"se0_sm0_sl0_wv0.json", "[2, 979]", "[2, 97900000000000000]", "duration is not a whole"},
        {"se0_sm0_sl0_wv0.json", "[2, 979]", "2", "a state should be an array"},
        {"se0_sm0_sl0_wv0.json", "[[5, [[4, 0]]]", "[[5, [null]]", "a wait should be an array"},
        {"se0_sm0_sl0_wv0.json", "\"end\": 61000", "\"end\": 61", "ends before it begins"},
        {"se0_sm0_sl0_wv0.json", "\"wave\"", "\"wove\"", "there is no wave in it"},
        {"occupancy.json", "[1000, 1, 0, 0, 1, 1]", "[1000, 1, 0, 0, 1]", "column \"kernel\""},
        {"occupancy.json", "[1000, 1, 0, 0, 1, 1]", "{}", "an event should be an array"},
        {"occupancy.json", "{\"0\": \"0 / 0x0\"", "{\"a\": \"0 / 0x0\"", "number of a kernel"},
        {"wstates1.json", "[1, 0, 1, 0]", "[1, 0, 1]", "4 times and 3 states"},
        {"wstates1.json", "[1, 0, 1, 0]", "[1, 0, -1, 0]", "state is negative"},
        {"se0_perfcounter.json", "12, 900", "\"12\", 900", "a counter should be a number"},
        {"se0_perfcounter.json", "1, 0], [", "1], [", "its column \"bank\""},
        {"snapshots.json", "\"source_0_axpy.cpp\"", "\"/etc/passwd\"", "in this folder"},
        {"snapshots.json", "\"source_0_axpy.cpp\"", "7", "a file's name should be a text"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        removed(NULL);
        copied(NULL);
        att_folder_change(&r.folder, bad[i].file, bad[i].from, bad[i].to);
        att_read_fault(&r, bad[i].file, bad[i].why);
        assert_non_null(strstr(r.err.why, "byte "));
    }
}

/* A wave often waits repeatedly at one place for the same instruction: such waits are kept once,
 * different ones all. */
TEST_WITH(waits_are_kept_once, copied, removed)
{
    static const uint32_t expected[][2] = {{3, 1}, {5, 3}, {5, 4}, {6, 4}};
    att_folder_change(
        &r.folder, "se0_sm0_sl0_wv0.json", "[[5, [[4, 0]]], [3, [[1, 0]]]]",
        "[[5, [[4, 0], [4, 7]]], [5, [[4, 0]]], [5, [[3, 0]]], [5, [[4, 0]]], [6, [[4, 0]]],"
        " [3, [[1, 0], [1, 0]]]]");
    att_read_good(&r);
    assert_int_equal(r.trace.nwaits, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_int_equal(r.trace.waits[i].line, expected[i][0]);
        assert_int_equal(r.trace.waits[i].on, expected[i][1]);
    }
}

/* A file that is cut off anywhere is refused, with the place where it ends. */
TEST_WITH(truncated_files_are_refused, copied, removed)
{
    static const char *const files[] = {"code.json",      "filenames.json", "se0_sm0_sl0_wv0.json",
                                        "occupancy.json", "wstates2.json",  "se0_perfcounter.json"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[256], text[4096];
        snprintf(path, sizeof path, "%s/%s", r.folder.trace, files[i]);
        FILE *in = fopen(path, "r");
        assert_non_null(in);
        size_t n = fread(text, 1, sizeof text, in);
        fclose(in);
        while (n && (text[n - 1] == '\n' || text[n - 1] == ' '))
            n--;
        for (size_t cut = n - 1; cut > 0; cut -= cut > 7 ? 7 : cut) {
            assert_int_equal(truncate(path, (off_t)cut), 0);
            att_read_fault(&r, files[i], "byte ");
        }
        text[n] = '\0';
        att_folder_write(&r.folder, files[i], text);
        att_read_good(&r);
    }
}

TEST_WITH(statistics_are_refused_by_line, empty, removed)
{
    static const struct {
        const char *text, *why;
    } bad[] = {
        {"", "line 1: the head names no Instruction"},
        {"a,b\n1,2\n", "line 1: the head names no Instruction"},
        {"Instruction,Hitcount,Latency\nv_nop,1\n", "line 2: not as many fields"},
        {"Instruction,Hitcount,Latency\nv_nop,1,2,3\n", "line 2: not as many fields"},
        {"Instruction,Hitcount,Latency\nv_nop,1,x\n", "line 2: no number as Latency"},
        {"Instruction,Hitcount,Latency\nv_nop,1,-4\n", "line 2: no number as Latency"},
        {"Instruction,Hitcount,Latency\nv_nop,1,4x\n", "line 2: no whole number as Latency"},
        {"Instruction,Hitcount,Latency\n\nv_nop,99999999999999999999,4\n", "line 3: too large"},
        {"Instruction,Hitcount,Latency\n\"v_nop,1,4\n", "a quote that does not end"},
        {"Instruction,Hitcount,Latency\n\"v_nop\"x,1,4\n", "line 2: a field goes on"},
    };
    char path[256];
    snprintf(path, sizeof path, "%s/stats_x.csv", r.folder.dir);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        FILE *out = fopen(path, "w");
        assert_non_null(out);
        fputs(bad[i].text, out);
        fclose(out);
        if (att_read_path(&r, path) == 0 || !strstr(r.err.why, bad[i].why) ||
            !strstr(r.err.what, "stats_x"))
            fail_msg("'%s': '%s: %s', not '%s'", bad[i].text, r.err.what, r.err.why, bad[i].why);
    }
}

TEST_WITH(statistics_have_more_columns_or_fewer, empty, removed)
{
    char path[256];
    snprintf(path, sizeof path, "%s/stats_x.csv", r.folder.dir);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs("\"CodeObj\",\"Vaddr\",\"Instruction\",\"Hitcount\",\"Latency\",\"Stall\",\"Idle\","
          "\"ServiceType\",\"Issued\",\"Stalled\",\"Source\"\r\n"
          "1,16,\"v_add_f32 v0, v1, \"\"x\"\"\",2,8,1,0,2,3,4,\"a.cpp:5\"\r\n"
          "1,20,v_nop,1,4,0,0,2,0,1,",
          out);
    fclose(out);
    assert_int_equal(att_read_path(&r, path), 0);
    assert_int_equal(r.trace.nrows, 2);
    assert_string_equal(r.trace.rows[0].isa, "v_add_f32 v0, v1, \"x\"");
    assert_int_equal(r.trace.rows[0].stalled, 4);
    assert_int_equal(r.trace.rows[0].source_line, 5);
    assert_int_equal(r.trace.rows[1].latency, 4);
    assert_int_equal(r.trace.rows[1].service, ATT_STOCHASTIC_SAMPLED);
}

TEST_WITH(folders_without_a_trace_are_refused, empty, removed)
{
    char path[256];
    assert_true(att_read_path(&r, r.folder.dir) < 0);
    assert_non_null(strstr(r.err.why, "no thread trace"));
    assert_true(att_read_path(&r, "/nonexistent/x") < 0);
    assert_non_null(strstr(r.err.why, "not there"));
    assert_true(att_read_path(&r, "/etc/passwd") < 0);
    assert_non_null(strstr(r.err.why, "no folder"));
    /* something that is not a file has the file's name */
    snprintf(path, sizeof path, "%s/code.json", r.folder.trace);
    assert_int_equal(mkdir(path, 0755), 0);
    att_folder_write(&r.folder, "filenames.json", "{}");
    att_read_fault(&r, "code.json", "no regular file");
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(mkfifo(path, 0644), 0);
    att_read_fault(&r, "code.json", "no regular file");
}
