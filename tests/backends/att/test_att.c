/* Folders of thread traces: the fixture, its variants, and what is wrong with broken ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/att_analysis.h"
#include "support/att_folder.h"

static struct att_folder folder;
static struct error err;
static struct att_places places;
static struct att trace;

static int copied(void **state)
{
    (void)state;
    att_folder_make(&folder, 1);
    return 0;
}

static int empty(void **state)
{
    (void)state;
    att_folder_make(&folder, 0);
    return 0;
}

static int removed(void **state)
{
    (void)state;
    att_free(&trace);
    att_places_free(&places);
    att_folder_remove(&folder);
    return 0;
}

/* 0, or the reader's answer with err. */
static int read_path(const char *path)
{
    err = (struct error){0};
    att_free(&trace);
    att_places_free(&places);
    int rc = att_reader.list(&places, path, &err);
    return rc == 0 ? att_reader.read(&trace, &places.list[0], &err) : rc;
}

static void expect_good(void)
{
    char text[1024];
    if (read_path(folder.dir) != 0)
        fail_msg("%s", error_format(&err, text, sizeof text));
}

/* Refused, naming the file and the place. */
static void expect_fault(const char *file, const char *why)
{
    if (read_path(folder.dir) == 0)
        fail_msg("%s was taken, without '%s'", file, why);
    if (!strstr(err.what, file) || !strstr(err.why, why))
        fail_msg("'%s: %s', not '%s: %s'", err.what, err.why, file, why);
    assert_int_equal(err.kind, ERROR_INPUT);
}

static bool noted(const char *text)
{
    for (uint32_t i = 0; i < trace.nnotes; i++)
        if (strstr(trace.notes[i], text))
            return true;
    return false;
}

/* --- what is there --- */

static void the_fixture_is_read(void **state)
{
    struct att_totals t;
    struct att_ipc ipc;
    struct att_counter c;
    (void)state;
    expect_good();
    assert_int_equal(places.n, 1);
    assert_int_equal(trace.agent, 2);
    assert_int_equal(trace.dispatch, 1);
    assert_int_equal(trace.gfx, 9);
    assert_string_equal(trace.gfxv, "vega");
    assert_string_equal(att_kernel_name(&trace), "axpy(float*, float*, int)");
    att_totals(&trace, &t);
    assert_int_equal(t.all.rows, 11);
    assert_int_equal(t.all.hits, 704);
    assert_int_equal(t.all.latency, 61936);
    assert_int_equal(t.all.stall, 57280);
    assert_int_equal(t.all.idle, 640);
    assert_int_equal(t.category[ATT_MATRIX].latency, 2048);
    const struct att_row *wait = &trace.rows[att_row_of_line(&trace, 5)];
    assert_string_equal(wait->isa, "s_waitcnt vmcnt(0)");
    assert_string_equal(wait->file, "axpy.cpp");
    assert_int_equal(wait->source_line, 9);
    assert_int_equal(wait->vaddr, 5912);
    assert_int_equal(wait->reasons, ATT_UNKNOWN);
    assert_int_equal(trace.nwaits, 2);
    assert_int_equal(trace.waits[1].line, 5);
    assert_int_equal(trace.waits[1].on, 4);
    assert_int_equal(trace.nwaves, 2);
    assert_int_equal(trace.waves_read, 2);
    assert_int_equal(trace.waves[1].simd, 1);
    assert_int_equal(trace.waves[1].slot, 2);
    assert_int_equal(trace.waves[1].cu, 1);
    assert_int_equal(trace.waves[1].ninstructions, 11);
    att_ipc(&trace, &ipc);
    assert_int_equal(ipc.instructions, 22);
    assert_int_equal(ipc.wave_cycles, 60000 + 60200);
    assert_int_equal(ipc.cu_cycles, 60400);
    assert_int_equal(trace.nevents, 4);
    assert_int_equal(trace.nkernels, 2);
    assert_int_equal(trace.nlevels, 9);
    att_counter(&trace, 1, &c);
    assert_string_equal(trace.counters[1], "SQ_BUSY_CU_CYCLES");
    assert_true(c.samples == 2 && c.mean == 925);
}

static void a_folder_of_one_dispatch_is_enough(void **state)
{
    char path[256];
    (void)state;
    assert_int_equal(read_path(folder.trace), 0);
    assert_int_equal(trace.nrows, 12);
    assert_string_equal(places.list[0].name, ATT_DISPATCH);
    assert_non_null(places.list[0].stats);
    snprintf(path, sizeof path, "%s/", folder.trace);
    assert_int_equal(read_path(path), 0);
    assert_int_equal(trace.agent, 2);
}

/* code.json and the CSV tell the same. */
static void statistics_alone_are_read(void **state)
{
    struct att_totals json, csv;
    char path[256];
    (void)state;
    expect_good();
    att_totals(&trace, &json);
    snprintf(path, sizeof path, "%s/stats_%s.csv", folder.dir, ATT_DISPATCH);
    assert_int_equal(read_path(path), 0);
    att_totals(&trace, &csv);
    assert_memory_equal(&json, &csv, sizeof json);
    assert_true(noted("statistics alone"));
    assert_null(att_latency_end(&trace));
    assert_string_equal(att_kernel_name(&trace), "axpy(float*, float*, int)");
    assert_int_equal(trace.rows[6].source_line, 9);
    /* without code.json the folder has its rows from there too */
    att_folder_write(&folder, "code.json", NULL);
    expect_good();
    att_totals(&trace, &csv);
    assert_memory_equal(&json, &csv, sizeof json);
    assert_true(noted("no code.json"));
    assert_int_equal(trace.nwaves, 2);
}

static void dispatches_are_listed_in_order(void **state)
{
    char line[512];
    (void)state;
    snprintf(line, sizeof line,
             "cd %s && for n in agent_2_dispatch_10 agent_2_dispatch_9 agent_1_dispatch_30; do "
             "cp -r ui_output_agent_2_dispatch_1 ui_output_$n; done; mkdir other; "
             "cp stats_ui_output_agent_2_dispatch_1.csv stats_ui_output_agent_3_dispatch_1.csv",
             folder.dir);
    assert_int_equal(system(line), 0); /* NOLINT: a fixed line */
    expect_good();
    assert_int_equal(places.n, 5);
    assert_string_equal(places.list[0].name, "ui_output_agent_1_dispatch_30");
    assert_null(places.list[0].stats);
    assert_string_equal(places.list[1].name, "ui_output_agent_2_dispatch_1");
    assert_non_null(places.list[1].stats);
    assert_string_equal(places.list[2].name, "ui_output_agent_2_dispatch_9");
    assert_string_equal(places.list[3].name, "ui_output_agent_2_dispatch_10");
    assert_null(places.list[4].dir);
    assert_non_null(places.list[4].stats);
}

static void the_newer_rows_have_samples_and_reasons(void **state)
{
    struct att_totals t;
    (void)state;
    att_folder_write(
        &folder, "code.json",
        "{\"code\":[[\"; k.kd\",0,0,\"k()\",1,0,0,0,0,0,0,0,0,[0,0,0,0,0,0,0,0]],"
        "[\"s_waitcnt vmcnt(0)\",0,1,\"\",1,0,4,80,60,0,2,5,7,[1,0,4,0,0,2,0,0]],"
        "[\"v_nop\",0,2,\"\",1,4,4,16,0,0,2,9,1,[0,0,0,0,0,1,0,0]]],"
        "\"header\":\"ISA, _, LineNumber, Source, Codeobj, Vaddr, Hit, Latency, Stall, Idle, "
        "ServiceType, Issued, Stalled, NotIssuedReasons\",\"version\":\"3.0.0\"}");
    expect_good();
    att_totals(&trace, &t);
    assert_int_equal(t.all.issued, 14);
    assert_int_equal(t.all.stalled, 8);
    assert_int_equal(t.all.latency, 96);
    assert_int_equal(t.reasons[2], 4);
    assert_string_equal(att_reason_name(2), "waitcnt");
    assert_int_equal(t.reasons[5], 3);
    assert_int_equal(trace.reasons_used, 8);
    assert_int_equal(trace.rows[1].service, ATT_STOCHASTIC_SAMPLED);
    assert_int_equal(trace.rows[0].reasons, ATT_UNKNOWN);
}

/* The order of columns is that of the header, as one text or as a list. */
static void columns_are_found_by_name(void **state)
{
    struct att_totals t;
    (void)state;
    att_folder_write(&folder, "code.json",
                     "{\"header\":[\"Latency\",\"Hit\",\"PC_Stalled\",\"New\",\"isa\"],"
                     "\"code\":[[100,5,3,[{}],\"v_nop\",\"more\"],[1,2,3,null,\"ds_nop\"]]}");
    expect_good();
    att_totals(&trace, &t);
    assert_int_equal(t.all.latency, 101);
    assert_int_equal(t.all.hits, 7);
    assert_int_equal(t.all.stalled, 6);
    assert_int_equal(t.category[ATT_LDS].latency, 1);
    att_folder_write(&folder, "code.json",
                     "{\"code\":[[\"v_nop\",3,40]],\"header\":\"ISA, Hit,Latency\"}");
    expect_good();
    assert_int_equal(trace.rows[0].latency, 40);
    assert_int_equal(trace.rows[0].line, ATT_UNKNOWN);
}

static void later_generations_are_told_apart(void **state)
{
    (void)state;
    att_folder_change(&folder, "filenames.json", "\"vega\"", "\"navi\"");
    att_folder_change(&folder, "filenames.json", "\"gfxip\": 9", "\"gfxip\": 11");
    expect_good();
    assert_string_equal(att_latency_end(&trace), "execution");
    att_folder_change(&folder, "filenames.json", "\"gfxip\": 11", "\"gfxip\": 942");
    expect_good();
    assert_int_equal(trace.gfx, 9);
    att_folder_change(&folder, "filenames.json", "\"gfxip\": 942", "\"gfxip\": \"?\"");
    expect_good();
    assert_string_equal(att_latency_end(&trace), "execution");
}

/* The tool writes null where a list is empty. */
static void nothing_is_not_wrong(void **state)
{
    (void)state;
    att_folder_write(&folder, "code.json", "{\"code\":null,\"header\":null,\"version\":\"3.0.0\"}");
    att_folder_write(&folder, "filenames.json",
                     "{\"counter_names\":null,\"gfxip\":9,\"gfxv\":null,\"wave_filenames\":null,"
                     "\"other_simd_filenames\":null}");
    att_folder_write(&folder, "occupancy.json", "{\"0\":null,\"dispatches\":null}");
    att_folder_write(&folder, "realtime.json", "{\"metadata\":null,\"SE0\":null}");
    att_folder_write(&folder, "se0_perfcounter.json", "{\"data\":null}");
    att_folder_write(&folder, "wstates3.json", "{\"state\":null,\"time\":null,\"name\":\"x\"}");
    assert_int_equal(read_path(folder.trace), 0);
    assert_int_equal(trace.nrows, 0);
    assert_int_equal(trace.nwaves, 0);
    assert_true(noted("no instructions"));
    assert_true(noted("no waves"));
    assert_false(noted("other SIMDs"));
}

static void a_wave_may_have_done_nothing(void **state)
{
    (void)state;
    att_folder_write(&folder, "se0_sm0_sl0_wv0.json",
                     "{\"wave\":{\"begin\":5,\"end\":5,\"instructions\":null,\"timeline\":null,"
                     "\"waitcnt\":null}}");
    expect_good();
    assert_int_equal(trace.waves[0].ninstructions, 0);
    assert_int_equal(trace.waves[0].nperiods, 0);
    assert_int_equal(trace.waves[0].cu, ATT_UNKNOWN);
}

static void rows_without_hits_stay(void **state)
{
    struct att_totals t;
    (void)state;
    att_folder_write(
        &folder, "code.json",
        "{\"code\":[[\"v_nop\",0,1,null,1,0,0,0,0,0],[\"v_nop\",0,2,\"\",1,4,0,0,0,0]]}");
    expect_good();
    att_totals(&trace, &t);
    assert_int_equal(t.all.rows, 2);
    assert_int_equal(t.all.executed, 0);
}

/* Rows of sampled PCs have no lines: they stay in the order of the file. */
static void rows_without_lines_keep_their_order(void **state)
{
    (void)state;
    att_folder_write(&folder, "code.json",
                     "{\"code\":[[\"; a\",0,-1,\"\",1,0,0,0,0,0],[\"v_a\",0,0,\"\",1,0,0,0,0,0],"
                     "[\"; b\",0,-1,\"\",1,8,0,0,0,0],[\"v_b\",0,0,\"\",1,8,0,0,0,0]]}");
    expect_good();
    assert_string_equal(trace.rows[0].isa, "a");
    assert_string_equal(trace.rows[1].isa, "v_a");
    assert_string_equal(trace.rows[2].isa, "b");
    assert_string_equal(trace.rows[3].isa, "v_b");
}

/* --- what is missing --- */

static void what_is_missing_is_noted(void **state)
{
    static const char *const files[] = {"code.json", "occupancy.json", "filenames.json"};
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char note[64];
        removed(NULL);
        copied(NULL);
        att_folder_write(&folder, files[i], NULL);
        expect_good();
        snprintf(note, sizeof note, "no %s", files[i]);
        if (!noted(note))
            fail_msg("%s is not noted", files[i]);
        assert_true(noted("no realtime.json"));
    }
}

static void waves_are_found_without_their_list(void **state)
{
    (void)state;
    att_folder_write(&folder, "filenames.json", NULL);
    expect_good();
    assert_int_equal(trace.nwaves, 2);
    assert_int_equal(trace.waves_read, 2);
    assert_int_equal(trace.waves[1].slot, 2);
    assert_int_equal(trace.waves[1].end, 61400);
    assert_null(att_latency_end(&trace));
}

static void a_wave_that_is_named_may_be_gone(void **state)
{
    (void)state;
    att_folder_write(&folder, "se0_sm1_sl2_wv0.json", NULL);
    expect_good();
    assert_int_equal(trace.nwaves, 2);
    assert_int_equal(trace.waves_read, 1);
    assert_int_equal(trace.waves[1].end, 61400); /* that much is known */
    assert_true(noted("1 files of waves"));
}

static void source_lines_come_from_the_folder(void **state)
{
    (void)state;
    att_folder_write(&folder, "source_0_axpy.cpp",
                     "1\n2\n3\n4\n5\n6\n  int i = threadIdx.x;\t \r\nline 8\n\tfma();\n");
    expect_good();
    assert_string_equal(trace.rows[1].text, "int i = threadIdx.x;");
    assert_string_equal(trace.rows[6].text, "fma();");
    assert_null(trace.rows[7].text); /* line 10 is behind the end */
    assert_false(noted("source_0"));
}

static void many_waves_are_read_in_part(void **state)
{
    enum { WAVES = 20000 };
    char *names = malloc(WAVES * 64 + 64), *at = names;
    (void)state;
    at += sprintf(at, "{\"wave_filenames\":{\"0\":{\"0\":{\"0\":{");
    for (int i = 0; i < WAVES; i++)
        at += sprintf(at, "%s\"%d\":[\"w%d.json\",%d,%d]", i ? "," : "", i, i % 3, i, i + 7);
    sprintf(at,
            "}}}},\"gfxip\":9,\"other_simd_filenames\":{\"0\":[[\"other_simd_se0_0.json\",1,2]]}}");
    att_folder_write(&folder, "filenames.json", names);
    for (int i = 0; i < 3; i++) {
        snprintf(names, 64, "w%d.json", i);
        att_folder_write(&folder, names, "{\"wave\":{\"begin\":1,\"end\":2}}");
    }
    free(names);
    assert_int_equal(read_path(folder.trace), 0);
    assert_int_equal(trace.nwaves, WAVES);
    assert_true(trace.waves_read > 4000 && trace.waves_read <= 8192);
    assert_true(noted("of 20000 waves were read"));
    assert_true(noted("other SIMDs"));
}

static void clocks_are_read(void **state)
{
    (void)state;
    att_folder_write(&folder, "realtime.json",
                     "{\"SE0\":[[1000,10],[22000,1010]],\"metadata\":{\"frequency\":100000000}}");
    expect_good();
    assert_true(att_clock_hz(&trace) == 2.1e9);
    assert_false(noted("realtime"));
}

/* --- what is wrong --- */

static void faults_name_file_and_place(void **state)
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
        {"code.json", "\"code\": [", "\"code\": {", "a member's name should be a text"},
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
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        removed(NULL);
        copied(NULL);
        att_folder_change(&folder, bad[i].file, bad[i].from, bad[i].to);
        expect_fault(bad[i].file, bad[i].why);
        assert_non_null(strstr(err.why, "byte "));
    }
}

/* Cut anywhere, each file is refused, with where it ends. */
static void truncated_files_are_refused(void **state)
{
    static const char *const files[] = {"code.json",      "filenames.json", "se0_sm0_sl0_wv0.json",
                                        "occupancy.json", "wstates2.json",  "se0_perfcounter.json"};
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[256], text[4096];
        snprintf(path, sizeof path, "%s/%s", folder.trace, files[i]);
        FILE *in = fopen(path, "r");
        assert_non_null(in);
        size_t n = fread(text, 1, sizeof text, in);
        fclose(in);
        while (n && (text[n - 1] == '\n' || text[n - 1] == ' '))
            n--;
        for (size_t cut = n - 1; cut > 0; cut -= cut > 7 ? 7 : cut) {
            assert_int_equal(truncate(path, (off_t)cut), 0);
            expect_fault(files[i], "byte ");
        }
        text[n] = '\0';
        att_folder_write(&folder, files[i], text);
        expect_good();
    }
}

static void statistics_are_refused_by_line(void **state)
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
    (void)state;
    snprintf(path, sizeof path, "%s/stats_x.csv", folder.dir);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        FILE *out = fopen(path, "w");
        assert_non_null(out);
        fputs(bad[i].text, out);
        fclose(out);
        if (read_path(path) == 0 || !strstr(err.why, bad[i].why) || !strstr(err.what, "stats_x"))
            fail_msg("'%s': '%s: %s', not '%s'", bad[i].text, err.what, err.why, bad[i].why);
    }
}

static void statistics_have_more_columns_or_fewer(void **state)
{
    char path[256];
    (void)state;
    snprintf(path, sizeof path, "%s/stats_x.csv", folder.dir);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs("\"CodeObj\",\"Vaddr\",\"Instruction\",\"Hitcount\",\"Latency\",\"Stall\",\"Idle\","
          "\"ServiceType\",\"Issued\",\"Stalled\",\"Source\"\r\n"
          "1,16,\"v_add_f32 v0, v1, \"\"x\"\"\",2,8,1,0,2,3,4,\"a.cpp:5\"\r\n"
          "1,20,v_nop,1,4,0,0,2,0,1,",
          out);
    fclose(out);
    assert_int_equal(read_path(path), 0);
    assert_int_equal(trace.nrows, 2);
    assert_string_equal(trace.rows[0].isa, "v_add_f32 v0, v1, \"x\"");
    assert_int_equal(trace.rows[0].stalled, 4);
    assert_int_equal(trace.rows[0].source_line, 5);
    assert_int_equal(trace.rows[1].latency, 4);
    assert_int_equal(trace.rows[1].service, ATT_STOCHASTIC_SAMPLED);
}

static void folders_without_a_trace_are_refused(void **state)
{
    char path[256];
    (void)state;
    assert_true(read_path(folder.dir) < 0);
    assert_non_null(strstr(err.why, "no thread trace"));
    assert_true(read_path("/nonexistent/x") < 0);
    assert_non_null(strstr(err.why, "not there"));
    assert_true(read_path("/etc/passwd") < 0);
    assert_non_null(strstr(err.why, "no folder"));
    /* what stands in the place of a file is no file */
    snprintf(path, sizeof path, "%s/code.json", folder.trace);
    assert_int_equal(mkdir(path, 0755), 0);
    att_folder_write(&folder, "filenames.json", "{}");
    expect_fault("code.json", "no regular file");
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(mkfifo(path, 0644), 0);
    expect_fault("code.json", "no regular file");
}

/* --- all of it together --- */

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

/* A wave as the tool writes it, and what it adds to the rows by the tool's rule: idle is the pause
 * since the end of the instructions before. */
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
                      (unsigned long long)stall, (unsigned long long)(stall + issue),
                      (unsigned long long)line);
        int64_t done = time + (int64_t)(stall + issue);
        end = done > end ? done : end;
    }
    sprintf(at, "],\"timeline\":[[1,10],[2,%lld]],\"end\":%lld,\"waitcnt\":null}}",
            (long long)(end - 1010 - w), (long long)end);
    snprintf(name, sizeof name, "se%d_sm%d_sl0_wv%d.json", w % 2, w % 4, w);
    att_folder_write(&folder, name, text);
}

static void rows_and_waves_agree(void **state)
{
    uint64_t seed = 4101842887655102017U;
    (void)state;
    for (int round = 0; round < 5; round++) {
        static char code[LINES * 128 + 256];
        struct expected e = {0};
        struct att_totals t;
        struct att_ipc ipc;
        char *at = code + sprintf(code, "{\"code\":[");
        for (int w = 0; w < WAVES; w++)
            write_wave(&seed, w, &e);
        for (int i = LINES; i > 0; i--) /* in any order */
            at += sprintf(at, "[\"v_add_f32 v%d\",0,%d,\"k.cpp:%d\",1,%d,%llu,%llu,%llu,%llu]%s", i,
                          i, i, 4 * i, (unsigned long long)e.hits[i],
                          (unsigned long long)e.latency[i], (unsigned long long)e.stall[i],
                          (unsigned long long)e.idle[i], i > 1 ? "," : "]}");
        att_folder_write(&folder, "code.json", code);
        expect_good();
        att_totals(&trace, &t);
        att_ipc(&trace, &ipc);
        assert_int_equal(trace.waves_read, WAVES);
        assert_int_equal(ipc.instructions, t.all.hits);
        assert_int_equal(ipc.category[ATT_VALU].latency, t.all.latency);
        assert_int_equal(ipc.category[ATT_VALU].stall, t.all.stall);
        assert_true(t.all.stall < t.all.latency);
        assert_int_equal(trace.rows[0].line, 1);
        uint64_t sums[ATT_STATES];
        att_states_sum(&trace, sums);
        assert_int_equal(sums[ATT_STATE_IDLE] + sums[ATT_STATE_EXEC], ipc.wave_cycles);
        for (int i = 1; i <= LINES; i++) {
            assert_int_equal(trace.rows[i - 1].hits, e.hits[i]);
            assert_int_equal(trace.rows[i - 1].idle, e.idle[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_fixture_is_read, copied, removed),
        cmocka_unit_test_setup_teardown(a_folder_of_one_dispatch_is_enough, copied, removed),
        cmocka_unit_test_setup_teardown(statistics_alone_are_read, copied, removed),
        cmocka_unit_test_setup_teardown(dispatches_are_listed_in_order, copied, removed),
        cmocka_unit_test_setup_teardown(the_newer_rows_have_samples_and_reasons, copied, removed),
        cmocka_unit_test_setup_teardown(columns_are_found_by_name, copied, removed),
        cmocka_unit_test_setup_teardown(later_generations_are_told_apart, copied, removed),
        cmocka_unit_test_setup_teardown(nothing_is_not_wrong, empty, removed),
        cmocka_unit_test_setup_teardown(a_wave_may_have_done_nothing, copied, removed),
        cmocka_unit_test_setup_teardown(rows_without_hits_stay, copied, removed),
        cmocka_unit_test_setup_teardown(rows_without_lines_keep_their_order, copied, removed),
        cmocka_unit_test_setup_teardown(what_is_missing_is_noted, copied, removed),
        cmocka_unit_test_setup_teardown(waves_are_found_without_their_list, copied, removed),
        cmocka_unit_test_setup_teardown(a_wave_that_is_named_may_be_gone, copied, removed),
        cmocka_unit_test_setup_teardown(source_lines_come_from_the_folder, copied, removed),
        cmocka_unit_test_setup_teardown(many_waves_are_read_in_part, empty, removed),
        cmocka_unit_test_setup_teardown(clocks_are_read, copied, removed),
        cmocka_unit_test_setup_teardown(faults_name_file_and_place, copied, removed),
        cmocka_unit_test_setup_teardown(truncated_files_are_refused, copied, removed),
        cmocka_unit_test_setup_teardown(statistics_are_refused_by_line, empty, removed),
        cmocka_unit_test_setup_teardown(statistics_have_more_columns_or_fewer, empty, removed),
        cmocka_unit_test_setup_teardown(folders_without_a_trace_are_refused, empty, removed),
        cmocka_unit_test_setup_teardown(rows_and_waves_agree, empty, removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
