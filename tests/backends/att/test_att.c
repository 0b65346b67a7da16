/* Reads folders of thread traces: the fixture and variants of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/att/att_analysis.h"
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

/* --- complete folders --- */

TEST_WITH(the_fixture_is_read, copied, removed)
{
    struct att_totals t;
    struct att_ipc ipc;
    struct att_counter c;
    att_read_good(&r);
    assert_int_equal(r.places.n, 1);
    assert_int_equal(r.trace.agent, 2);
    assert_int_equal(r.trace.dispatch, 1);
    assert_int_equal(r.trace.gfx, 9);
    assert_string_equal(r.trace.gfxv, "vega");
    assert_string_equal(att_kernel_name(&r.trace), "axpy(float*, float*, int)");
    att_totals(&r.trace, &t);
    assert_int_equal(t.all.rows, 11);
    assert_int_equal(t.all.hits, 704);
    assert_int_equal(t.all.latency, 61936);
    assert_int_equal(t.all.stall, 57280);
    assert_int_equal(t.all.idle, 640);
    assert_int_equal(t.category[ATT_MATRIX].latency, 2048);
    const struct att_row *wait = &r.trace.rows[att_row_of_line(&r.trace, 5)];
    assert_string_equal(wait->isa, "s_waitcnt vmcnt(0)");
    assert_string_equal(wait->file, "axpy.cpp");
    assert_int_equal(wait->source_line, 9);
    assert_int_equal(wait->vaddr, 5912);
    assert_int_equal(wait->reasons, ATT_UNKNOWN);
    assert_int_equal(r.trace.nwaits, 2);
    assert_int_equal(r.trace.waits[1].line, 5);
    assert_int_equal(r.trace.waits[1].on, 4);
    assert_int_equal(r.trace.nwaves, 2);
    assert_int_equal(r.trace.waves_read, 2);
    assert_int_equal(r.trace.waves[1].simd, 1);
    assert_int_equal(r.trace.waves[1].slot, 2);
    assert_int_equal(r.trace.waves[1].cu, 1);
    assert_int_equal(r.trace.waves[1].ninstructions, 11);
    att_ipc(&r.trace, &ipc);
    assert_int_equal(ipc.instructions, 22);
    assert_int_equal(ipc.wave_cycles, 60000 + 60200);
    assert_int_equal(ipc.cu_cycles, 60400);
    assert_int_equal(r.trace.nevents, 4);
    assert_int_equal(r.trace.nkernels, 2);
    assert_int_equal(r.trace.nlevels, 9);
    att_counter(&r.trace, 1, &c);
    assert_string_equal(r.trace.counters[1], "SQ_BUSY_CU_CYCLES");
    assert_true(c.samples == 2 && c.mean == 925);
}

TEST_WITH(a_folder_of_one_dispatch_is_enough, copied, removed)
{
    char path[256];
    assert_int_equal(att_read_path(&r, r.folder.trace), 0);
    assert_int_equal(r.trace.nrows, 12);
    assert_string_equal(r.places.list[0].name, ATT_DISPATCH);
    assert_non_null(r.places.list[0].stats);
    snprintf(path, sizeof path, "%s/", r.folder.trace);
    assert_int_equal(att_read_path(&r, path), 0);
    assert_int_equal(r.trace.agent, 2);
}

/* code.json and the CSV have the same rows. */
TEST_WITH(statistics_alone_are_read, copied, removed)
{
    struct att_totals json, csv;
    char path[256];
    att_read_good(&r);
    att_totals(&r.trace, &json);
    snprintf(path, sizeof path, "%s/stats_%s.csv", r.folder.dir, ATT_DISPATCH);
    assert_int_equal(att_read_path(&r, path), 0);
    att_totals(&r.trace, &csv);
    assert_memory_equal(&json, &csv, sizeof json);
    assert_true(att_read_noted(&r, "statistics alone"));
    assert_null(att_latency_end(&r.trace));
    assert_string_equal(att_kernel_name(&r.trace), "axpy(float*, float*, int)");
    assert_int_equal(r.trace.rows[6].source_line, 9);
    /* without code.json, the rows come from the CSV */
    att_folder_write(&r.folder, "code.json", NULL);
    att_read_good(&r);
    att_totals(&r.trace, &csv);
    assert_memory_equal(&json, &csv, sizeof json);
    assert_true(att_read_noted(&r, "no code.json"));
    assert_int_equal(r.trace.nwaves, 2);
}

TEST_WITH(dispatches_are_listed_in_order, copied, removed)
{
    char line[512];
    snprintf(line, sizeof line,
             "cd %s && for n in agent_2_dispatch_10 agent_2_dispatch_9 agent_1_dispatch_30; do "
             "cp -r ui_output_agent_2_dispatch_1 ui_output_$n; done; mkdir other; "
             "cp stats_ui_output_agent_2_dispatch_1.csv stats_ui_output_agent_3_dispatch_1.csv",
             r.folder.dir);
    assert_int_equal(system(line), 0); /* NOLINT: a fixed line */
    att_read_good(&r);
    assert_int_equal(r.places.n, 5);
    assert_string_equal(r.places.list[0].name, "ui_output_agent_1_dispatch_30");
    assert_null(r.places.list[0].stats);
    assert_string_equal(r.places.list[1].name, "ui_output_agent_2_dispatch_1");
    assert_non_null(r.places.list[1].stats);
    assert_string_equal(r.places.list[2].name, "ui_output_agent_2_dispatch_9");
    assert_string_equal(r.places.list[3].name, "ui_output_agent_2_dispatch_10");
    assert_null(r.places.list[4].dir);
    assert_non_null(r.places.list[4].stats);
}

TEST_WITH(the_newer_rows_have_samples_and_reasons, copied, removed)
{
    struct att_totals t;
    att_folder_write(
        &r.folder, "code.json",
        "{\"code\":[[\"; k.kd\",0,0,\"k()\",1,0,0,0,0,0,0,0,0,[0,0,0,0,0,0,0,0]],"
        "[\"s_waitcnt vmcnt(0)\",0,1,\"\",1,0,4,80,60,0,2,5,7,[1,0,4,0,0,2,0,0]],"
        "[\"v_nop\",0,2,\"\",1,4,4,16,0,0,2,9,1,[0,0,0,0,0,1,0,0]]],"
        "\"header\":\"ISA, _, LineNumber, Source, Codeobj, Vaddr, Hit, Latency, Stall, Idle, "
        "ServiceType, Issued, Stalled, NotIssuedReasons\",\"version\":\"3.0.0\"}");
    att_read_good(&r);
    att_totals(&r.trace, &t);
    assert_int_equal(t.all.issued, 14);
    assert_int_equal(t.all.stalled, 8);
    assert_int_equal(t.all.latency, 96);
    assert_int_equal(t.reasons[2], 4);
    assert_string_equal(att_reason_name(2), "waitcnt");
    assert_int_equal(t.reasons[5], 3);
    assert_int_equal(r.trace.reasons_used, 8);
    assert_int_equal(r.trace.rows[1].service, ATT_STOCHASTIC_SAMPLED);
    assert_int_equal(r.trace.rows[0].reasons, ATT_UNKNOWN);
}

/* A folder of sampled PCs, as AMD's viewer knows it: reasons are numbers of the SDK, 0 is
 * "none". */
TEST_WITH(sampled_pcs_are_told_from_traces, empty, removed)
{
    struct att_totals t;
    att_folder_write(&r.folder, "filenames.json",
                     "{\"counter_names\":[],\"gfxip\":9,\"gfxv\":\"vega\",\"pc_sampling\":true,"
                     "\"thread_trace\":false,\"wave_filenames\":null}");
    att_folder_write(
        &r.folder, "code.json",
        "{\"code\":[[\"s_waitcnt vmcnt(0)\",0,1,\"\",1,0,0,0,0,0,1,7,[0,0,0,6,0,0,0,0,0,1]]],"
        "\"header\":[\"ISA\",\"_\",\"LineNumber\",\"Source\",\"Codeobj\",\"Vaddr\",\"Hit\","
        "\"Latency\",\"Stall\",\"Idle\",\"PC_Issued\",\"PC_Stalled\",\"Stall_Reasons\"]}");
    att_read_good(&r);
    att_totals(&r.trace, &t);
    assert_true(att_sampled_only(&t));
    assert_int_equal(att_row_weight(&t, &r.trace.rows[0]).time, 8);
    assert_int_equal(t.reasons[2], 6);
    assert_string_equal(att_reason_name(2), "waitcnt");
    assert_int_equal(t.reasons[8], 1);
    assert_string_equal(att_reason_name(8), "sleep");
    assert_int_equal(r.trace.reasons_used, 9);
    assert_true(att_read_noted(&r, "no thread trace was taken"));
    assert_false(att_read_noted(&r, "occupancy"));
}

/* Columns are found by the header, which may be one text or a list. */
TEST_WITH(columns_are_found_by_name, copied, removed)
{
    struct att_totals t;
    att_folder_write(&r.folder, "code.json",
                     "{\"header\":[\"Latency\",\"Hit\",\"PC_Stalled\",\"New\",\"isa\"],"
                     "\"code\":[[100,5,3,[{}],\"v_nop\",\"more\"],[1,2,3,null,\"ds_nop\"]]}");
    att_read_good(&r);
    att_totals(&r.trace, &t);
    assert_int_equal(t.all.latency, 101);
    assert_int_equal(t.all.hits, 7);
    assert_int_equal(t.all.stalled, 6);
    assert_int_equal(t.category[ATT_LDS].latency, 1);
    att_folder_write(&r.folder, "code.json",
                     "{\"code\":[[\"v_nop\",3,40]],\"header\":\"ISA, Hit,Latency\"}");
    att_read_good(&r);
    assert_int_equal(r.trace.rows[0].latency, 40);
    assert_int_equal(r.trace.rows[0].line, ATT_UNKNOWN);
}

TEST_WITH(later_generations_are_told_apart, copied, removed)
{
    att_folder_change(&r.folder, "filenames.json", "\"vega\"", "\"navi\"");
    att_folder_change(&r.folder, "filenames.json", "\"gfxip\": 9", "\"gfxip\": 11");
    att_read_good(&r);
    assert_string_equal(att_latency_end(&r.trace), "execution");
    att_folder_change(&r.folder, "filenames.json", "\"gfxip\": 11", "\"gfxip\": 942");
    att_read_good(&r);
    assert_int_equal(r.trace.gfx, 9);
    att_folder_change(&r.folder, "filenames.json", "\"gfxip\": 942", "\"gfxip\": \"?\"");
    att_read_good(&r);
    assert_string_equal(att_latency_end(&r.trace), "execution");
}

/* The tool writes null for an empty list. */
TEST_WITH(nothing_is_not_wrong, empty, removed)
{
    att_folder_write(&r.folder, "code.json",
                     "{\"code\":null,\"header\":null,\"version\":\"3.0.0\"}");
    att_folder_write(&r.folder, "filenames.json",
                     "{\"counter_names\":null,\"gfxip\":9,\"gfxv\":null,\"wave_filenames\":null,"
                     "\"other_simd_filenames\":null}");
    att_folder_write(&r.folder, "occupancy.json", "{\"0\":null,\"dispatches\":null}");
    att_folder_write(&r.folder, "realtime.json", "{\"metadata\":null,\"SE0\":null}");
    att_folder_write(&r.folder, "se0_perfcounter.json", "{\"data\":null}");
    att_folder_write(&r.folder, "wstates3.json", "{\"state\":null,\"time\":null,\"name\":\"x\"}");
    assert_int_equal(att_read_path(&r, r.folder.trace), 0);
    assert_int_equal(r.trace.nrows, 0);
    assert_int_equal(r.trace.nwaves, 0);
    assert_true(att_read_noted(&r, "no instructions"));
    assert_true(att_read_noted(&r, "no waves"));
    assert_false(att_read_noted(&r, "other SIMDs"));
}

TEST_WITH(a_wave_may_have_done_nothing, copied, removed)
{
    att_folder_write(&r.folder, "se0_sm0_sl0_wv0.json",
                     "{\"wave\":{\"begin\":5,\"end\":5,\"instructions\":null,\"timeline\":null,"
                     "\"waitcnt\":null}}");
    att_read_good(&r);
    assert_int_equal(r.trace.waves[0].ninstructions, 0);
    assert_int_equal(r.trace.waves[0].nperiods, 0);
    assert_int_equal(r.trace.waves[0].cu, ATT_UNKNOWN);
}

TEST_WITH(rows_without_hits_stay, copied, removed)
{
    struct att_totals t;
    att_folder_write(
        &r.folder, "code.json",
        "{\"code\":[[\"v_nop\",0,1,null,1,0,0,0,0,0],[\"v_nop\",0,2,\"\",1,4,0,0,0,0]]}");
    att_read_good(&r);
    att_totals(&r.trace, &t);
    assert_int_equal(t.all.rows, 2);
    assert_int_equal(t.all.executed, 0);
}

/* Sampled PCs have no lines: rows keep the order of the file. */
TEST_WITH(rows_without_lines_keep_their_order, copied, removed)
{
    att_folder_write(&r.folder, "code.json",
                     "{\"code\":[[\"; a\",0,-1,\"\",1,0,0,0,0,0],[\"v_a\",0,0,\"\",1,0,0,0,0,0],"
                     "[\"; b\",0,-1,\"\",1,8,0,0,0,0],[\"v_b\",0,0,\"\",1,8,0,0,0,0]]}");
    att_read_good(&r);
    assert_string_equal(r.trace.rows[0].isa, "a");
    assert_string_equal(r.trace.rows[1].isa, "v_a");
    assert_string_equal(r.trace.rows[2].isa, "b");
    assert_string_equal(r.trace.rows[3].isa, "v_b");
}

/* --- incomplete folders --- */

TEST_WITH(missing_files_are_noted, copied, removed)
{
    static const char *const files[] = {"code.json", "occupancy.json", "filenames.json"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char note[64];
        removed(NULL);
        copied(NULL);
        att_folder_write(&r.folder, files[i], NULL);
        att_read_good(&r);
        snprintf(note, sizeof note, "no %s", files[i]);
        if (!att_read_noted(&r, note))
            fail_msg("%s is not noted", files[i]);
        assert_true(att_read_noted(&r, "no realtime.json"));
    }
}

TEST_WITH(waves_are_found_without_their_list, copied, removed)
{
    att_folder_write(&r.folder, "filenames.json", NULL);
    att_read_good(&r);
    assert_int_equal(r.trace.nwaves, 2);
    assert_int_equal(r.trace.waves_read, 2);
    assert_int_equal(r.trace.waves[1].slot, 2);
    assert_int_equal(r.trace.waves[1].end, 61400);
    assert_null(att_latency_end(&r.trace));
}

TEST_WITH(a_wave_that_is_named_may_be_gone, copied, removed)
{
    att_folder_write(&r.folder, "se0_sm1_sl2_wv0.json", NULL);
    att_read_good(&r);
    assert_int_equal(r.trace.nwaves, 2);
    assert_int_equal(r.trace.waves_read, 1);
    assert_int_equal(r.trace.waves[1].end, 61400); /* this is known all the same */
    assert_true(att_read_noted(&r, "1 files of waves"));
}

TEST_WITH(source_lines_come_from_the_folder, copied, removed)
{
    att_folder_write(&r.folder, "source_0_axpy.cpp",
                     "1\n2\n3\n4\n5\n6\n  int i = threadIdx.x;\t \r\nline 8\n\tfma();\n");
    att_read_good(&r);
    assert_string_equal(r.trace.rows[1].text, "int i = threadIdx.x;");
    assert_string_equal(r.trace.rows[6].text, "fma();");
    assert_null(r.trace.rows[7].text); /* line 10 does not exist */
    assert_false(att_read_noted(&r, "source_0"));
}

TEST_WITH(many_waves_are_read_in_part, empty, removed)
{
    enum { WAVES = 20000 };
    char *names = malloc(WAVES * 64 + 64), *at = names;
    at += sprintf(at, "{\"wave_filenames\":{\"0\":{\"0\":{\"0\":{");
    for (int i = 0; i < WAVES; i++)
        at += sprintf(at, "%s\"%d\":[\"w%d.json\",%d,%d]", i ? "," : "", i, i % 3, i, i + 7);
    sprintf(at,
            "}}}},\"gfxip\":9,\"other_simd_filenames\":{\"0\":[[\"other_simd_se0_0.json\",1,2]]}}");
    att_folder_write(&r.folder, "filenames.json", names);
    for (int i = 0; i < 3; i++) {
        snprintf(names, 64, "w%d.json", i);
        att_folder_write(&r.folder, names, "{\"wave\":{\"begin\":1,\"end\":2}}");
    }
    free(names);
    assert_int_equal(att_read_path(&r, r.folder.trace), 0);
    assert_int_equal(r.trace.nwaves, WAVES);
    assert_true(r.trace.waves_read > 4000 && r.trace.waves_read <= 8192);
    assert_true(att_read_noted(&r, "of 20000 waves were read"));
    assert_true(att_read_noted(&r, "other SIMDs"));
}

TEST_WITH(clocks_are_read, copied, removed)
{
    att_folder_write(&r.folder, "realtime.json",
                     "{\"SE0\":[[1000,10],[22000,1010]],\"metadata\":{\"frequency\":100000000}}");
    att_read_good(&r);
    assert_true(att_clock_hz(&r.trace) == 2.1e9);
    assert_false(att_read_noted(&r, "realtime"));
}
