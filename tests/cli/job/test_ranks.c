/* The command report ranks, run as a user runs it. (Forks: not for TSan.) */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "support/program.h"
#include "support/test.h"

enum { RANKS = 3, TIMES = 60 };

static char dir[] = "/tmp/rooftop-ranks-XXXXXX";

/* Rank 1 computes for 80 us in each period, or each of two ranks in turn; the others for 50. Then
 * all are in a collective. */
static void write_rank_in(const char *folder, int rank, bool turns)
{
    char path[96];
    snprintf(path, sizeof path, "%s/rank-%d.json", folder, rank);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "{\"distributedInfo\":{\"rank\":%d},\"traceEvents\":[", rank);
    for (int k = 0; k < TIMES; k++) {
        const int late = turns ? k % 2 : 1;
        const int noise = turns ? 0 : (k * 7 + rank * 3) % 5, from = k * 200,
                  to = from + (rank == late ? 80 : 50) + noise;
        fprintf(f,
                "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"pid\":0,\"tid\":7,\"ts\":%d,"
                "\"dur\":%d,\"args\":{\"device\":0,\"stream\":7}},"
                "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclDevKernel_AllReduce_Sum_f32\","
                "\"pid\":0,\"tid\":7,\"ts\":%d,\"dur\":%d,\"args\":{\"device\":0,\"stream\":7}},",
                from, to - from, to, from + 110 - to);
    }
    fputs("{\"ph\":\"M\"}]}", f);
    fclose(f);
}

FIXTURE(begin)
{
    assert_non_null(mkdtemp(dir));
    for (int i = 0; i < RANKS; i++)
        write_rank_in(dir, i, false);
    setenv("D", dir, 1);
    setenv("ROOFTOP_CONFIG", "/dev/null", 1);
}

FIXTURE(end)
{
    struct program p;
    program_expect(&p, "rm -r $D $D-*", 0);
    program_free(&p);
}

TEST(a_folder_tells_who_holds_the_others_up)
{
    struct program p;
    program_expect(&p, "$BIN report ranks --ascii $D", 0);
    program_sees(&p, "3 ranks, 11.9 ms");
    program_sees(&p, "rank 1 holds the others up: last at 60 of 60 collectives");
    program_sees(&p, "it computes longer: 1.8");
    program_sees(&p, "parallel efficiency");
    program_sees(&p, "all-reduce");
    program_sees(&p, "median");
    program_free(&p);
    program_expect(&p, "$BIN report $D ranks --brief", 0);
    program_sees(&p, "rank 1 holds the others up");
    program_sees(&p, "rooftop report path");
    program_free(&p);
}

/* One judge: the first answer about a folder names the rank that `report ranks` names, in the same
 * words; what bounds the whole stands below. */
TEST(all_first_answers_name_the_same_rank)
{
    static const char *const same[] = {"report", "--headless"};
    struct program ranks, p;
    char command[64];
    program_expect(&ranks, "$BIN report ranks --brief $D | head -n 1", 0);
    program_sees(&ranks, "rank 1 holds the others up");
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        snprintf(command, sizeof command, "$BIN %s --brief $D 2>&1 | head -n 1", same[i]);
        program_expect(&p, command, 0);
        assert_string_equal(p.out, ranks.out);
        program_free(&p);
    }
    program_expect(&p, "$BIN report --ascii $D", 0);
    program_sees(&p, ranks.out);
    program_free(&p);
    program_expect(&p, "COLUMNS=160 $BIN --headless --ascii $D", 0);
    program_sees(&p, "verdict      rank 1 holds the others up");
    program_sees(&p, "as a whole   ");
    program_free(&p);
    program_free(&ranks);
}

static double add_up(const cJSON *list, const char *member)
{
    const cJSON *o;
    double sum = 0;
    cJSON_ArrayForEach(o, list) sum += cJSON_GetObjectItem(o, member)->valuedouble;
    return sum;
}

static double find_part(const cJSON *rank, const char *name)
{
    const cJSON *o;
    cJSON_ArrayForEach(o, cJSON_GetObjectItem(rank, "parts"))
    {
        if (strcmp(cJSON_GetObjectItem(o, "part")->valuestring, name) == 0)
            return cJSON_GetObjectItem(o, "ns")->valuedouble;
    }
    return 0;
}

/* The path computes where it is late: it goes over in each period but the first. */
TEST(the_path_goes_over_to_the_rank_that_comes_last)
{
    struct program p;
    char folder[64];
    int at = 0;
    snprintf(folder, sizeof folder, "%s-turns", dir);
    program_expect(&p, "mkdir $D-turns", 0);
    program_free(&p);
    for (int i = 0; i < 2; i++)
        write_rank_in(folder, i, true);
    program_expect(&p, "$BIN report path --format json $D-turns", 0);
    cJSON *doc = cJSON_Parse(p.out);
    const cJSON *ranks = cJSON_GetObjectItem(doc, "ranks"), *over;
    const cJSON *overs = cJSON_GetObjectItem(doc, "hand_overs");
    assert_int_equal(cJSON_GetArraySize(ranks), 2);
    assert_true(add_up(ranks, "ns") == cJSON_GetObjectItem(doc, "length_ns")->valuedouble);
    for (int i = 0; i < 2; i++)
        assert_true(find_part(cJSON_GetArrayItem(ranks, i), "compute") == 80e3 * TIMES / 2);
    assert_int_equal(cJSON_GetArraySize(overs), TIMES - 1);
    cJSON_ArrayForEach(over, overs)
    {
        assert_int_equal(cJSON_GetObjectItem(over, "from")->valueint, at % 2);
        assert_int_equal(cJSON_GetObjectItem(over, "to")->valueint, ++at % 2);
    }
    cJSON_Delete(doc);
    program_free(&p);
    program_expect(&p, "$BIN report path --ascii $D-turns", 0);
    program_sees(&p, "The path by rank or file:");
    program_sees(&p, "It goes over to another rank 59 times:");
    program_sees(&p, "rank 0 to rank 1, after ncclDevKernel_AllReduce_Sum_f32");
    program_sees(&p, "... and 51 more");
    program_free(&p);
}

/* What rooftop job records has no spans: the answer says what makes some. */
TEST(the_path_of_a_job_without_profiles_says_what_is_missing)
{
    struct program p;
    program_expect(&p, "PMI_RANK=0 PMI_SIZE=1 $BIN job -o $D-job --functions -- true", 0);
    program_free(&p);
    program_expect(&p, "$BIN report path $D-job 2>&1", 3);
    program_sees(&p, "no rank of this job that has ended recorded a profile or calls of MPI");
    program_sees(&p, "rooftop job --mpi");
    program_sees(&p, "ROOFTOP_RANK_FOLDER");
    program_free(&p);
}

/* Files of NCCL's Inspector in $D-inspector: each of 60 collectives takes rank 1 100 us and rank 0
 * 3000 us, as rank 1 comes last. */
static void write_inspector(void)
{
    static const char line[] =
        "{\"header\":{\"id\":\"0xe62d\",\"rank\":%d,\"n_ranks\":2,\"nnodes\":1},"
        "\"metadata\":{\"inspector_output_format_version\":\"v4.0\",\"git_rev\":\"\","
        "\"rec_mechanism\":\"nccl_profiler_interface\",\"dump_timestamp_us\":%d000,"
        "\"hostname\":\"node-1\",\"pid\":%d},\"coll_perf\":{\"coll\":\"AllReduce\","
        "\"coll_sn\":%d,\"coll_msg_size_bytes\":4096,\"coll_exec_time_us\":%d,"
        "\"coll_timing_source\":\"kernel_gpu\",\"coll_algobw_gbs\":1.5,"
        "\"coll_busbw_gbs\":2.25}}\n";
    struct program p;
    program_expect(&p, "mkdir -p $D-inspector", 0);
    program_free(&p);
    for (int rank = 0; rank < 2; rank++) {
        char path[64];
        snprintf(path, sizeof path, "%s-inspector/node-1-pid%d.log", dir, rank);
        FILE *f = fopen(path, "w");
        assert_non_null(f);
        for (int k = 0; k < TIMES; k++)
            fprintf(f, line, rank, 1700000 + 20 * k, 1000 + rank, k, rank ? 100 : 3000 + k % 7);
        fclose(f);
    }
}

TEST(report_alone_answers_for_files_of_collectives)
{
    struct program alone, ranks;
    write_inspector();
    program_expect(&alone, "$BIN report --ascii $D-inspector", 0);
    program_expect(&ranks, "$BIN report ranks --ascii $D-inspector", 0);
    assert_string_equal(alone.out, ranks.out);
    program_sees(&alone, "rank 1 holds the others up: last at 60 of 60 collectives");
    program_sees(&alone, "bus by message");
    program_sees(&alone, "what it does meanwhile is not recorded");
    program_sees(&alone, "  rank 1, node-1     n/a ");
    program_free(&alone);
    /* 4096 bytes x 2 (2 - 1) / 2 in 100 us: 40.96 MB/s of 0.1 GB/s */
    program_expect(&alone, "$BIN report ranks --ascii --link 0.1 $D-inspector", 0);
    program_sees(&alone, "4.00 KiB");
    program_sees(&alone, "41.0 MB/s   41.0 %");
    program_sees(&alone, "of the 100 MB/s that --link says; not measured");
    program_free(&alone);
    program_answers("$BIN report ranks --link fast $D-inspector", 2, "", "450GB/s");
    program_free(&ranks);
    program_expect(&alone, "$BIN report $D", 0); /* profiles tell more than their ranks */
    program_sees(&alone, "Where the time of the devices went");
    program_free(&alone);
}

/* What the ranks recorded is there, whatever became of their profiles. */
TEST(a_damaged_profile_hides_no_summary)
{
    struct program p;
    program_expect(
        &p,
        "cp -r tests/data/job $D-kept; echo '{\"traceEvents\":[' >$D-kept/rank-00000/p.json;"
        "$BIN report ranks $D-kept",
        0);
    program_sees(&p, "rank 4 is held up");
    assert_non_null(strstr(p.err, "left out: "));
    program_free(&p);
    program_expect(&p,
                   "for r in 0 1; do cp $D/rank-0.json $D-kept/rank-0000$r/p.json; done;"
                   "$BIN report ranks $D-kept",
                   0); /* both are of rank 0 */
    program_sees(&p, "rank 4 is held up");
    assert_non_null(strstr(p.err, "left out: "));
    program_free(&p);
}

TEST(profiles_of_a_recorded_job_that_are_not_read_are_told)
{
    struct program p;
    program_expect(&p,
                   "cp -r tests/data/job $D-two && cp $D/rank-0.json $D-two/rank-00000 && "
                   "cp tests/data/rocprofv3/kernel_trace.csv $D-two/rank-00001/1_kernel_trace.csv;"
                   "$BIN report ranks $D-two",
                   0);
    program_sees(&p, "rank 4 is held up");
    assert_non_null(strstr(p.err, "1 file in other formats left out"));
    program_free(&p);
}

TEST(files_are_the_same_as_their_folder)
{
    struct program folder, files;
    program_expect(&folder, "$BIN report ranks --format csv $D", 0);
    program_expect(&files,
                   "$BIN report ranks --format csv $D/rank-2.json $D/rank-0.json $D/*1.json", 0);
    assert_string_equal(folder.out, files.out);
    assert_int_equal(program_lines(folder.out), 1 + RANKS);
    program_free(&folder);
    program_free(&files);
}

TEST(json_has_the_sums_of_the_file)
{
    struct program p;
    program_expect(&p, "$BIN report ranks --format json $D", 0);
    cJSON *doc = cJSON_Parse(p.out);
    assert_non_null(doc);
    const cJSON *rank = NULL, *list = cJSON_GetObjectItem(doc, "ranks");
    assert_int_equal(cJSON_GetArraySize(list), RANKS);
    cJSON_ArrayForEach(rank, list)
    {
        const char *members[] = {"compute_ns", "exposed_ns", "idle_ns"};
        double sum = 0;
        for (size_t i = 0; i < sizeof members / sizeof *members; i++)
            sum += cJSON_GetObjectItem(rank, members[i])->valuedouble;
        assert_true(sum == cJSON_GetObjectItem(rank, "wall_ns")->valuedouble);
    }
    cJSON_Delete(doc);
    program_free(&p);
}

TEST(what_is_no_job_is_refused_with_what_would_help)
{
    static const struct {
        const char *line, *sees;
        int status;
    } rows[] = {
        {"$BIN report ranks", "name the folder of a job", 2},
        {"$BIN report ranks $D/none", "none", 3},
        {"cp $D/rank-0.json $D/x-rank-0.json; $BIN report ranks $D; s=$?; rm $D/x-*; exit $s",
         "a restart, or two jobs in one folder", 3},
        {"$BIN report ranks tests/data/samples/go_cpu.pprof", "go_cpu.pprof", 3},
        {"mkdir $D-0; $BIN report ranks $D-0", "-0", 3},
        {"printf '{\"traceEvents\":[' >$D-0/a.json; $BIN report ranks $D-0", "a.json", 3},
        {"$BIN report ranks $D/rank-0.json $D/rank-0.json", "it is named twice", 2},
        {"sed 's/\"rank\":0/\"rank\":0,\"world_size\":2/' $D/rank-0.json >$D-0/a.json; sed "
         "'s/\"rank\":1/\"rank\":1,\"world_size\":8/' $D/rank-1.json >$D-0/b.json; $BIN report "
         "ranks "
         "$D-0",
         "its job has 8 ranks, that of", 3},
        {"sed 's/\"rank\":0/\"rank\":7,\"world_size\":2/' $D/rank-0.json >$D-0/a.json; $BIN report "
         "ranks $D-0/a.json",
         "it is of rank 7, and its job has 2 ranks", 3},
        {"sed 's/\"rank\":0/\"rank\":0.5/' $D/rank-0.json >$D-0/a.json; $BIN report ranks "
         "$D-0/a.json",
         "its rank is no number that a job can have", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct program p;
        program_expect(&p, rows[i].line, rows[i].status);
        if (!strstr(p.err, rows[i].sees))
            fail_msg("%s: says '%s', not '%s'", rows[i].line, p.err, rows[i].sees);
        program_free(&p);
    }
}

TEST(what_is_left_out_of_a_folder_is_told)
{
    struct program p;
    program_expect(&p,
                   "mkdir $D-1 && cp $D/*.json tests/data/samples/stacks.folded $D-1 2>/dev/null; "
                   "head -c 46 $D/rank-0.json >$D-1/rank-9.json; head -c 4000 $D/rank-2.json "
                   ">$D-1/rank-2.json; $BIN report ranks $D-1",
                   0);
    program_sees(&p, "3 ranks (1 more");
    program_sees(&p, "not known");
    assert_non_null(strstr(p.err, "left out: "));
    assert_non_null(strstr(p.err, "rank-9.json"));
    assert_non_null(strstr(p.err, "rank-2.json: 1 record is left out"));
    program_free(&p);
}

TEST_MAIN(begin, end)
