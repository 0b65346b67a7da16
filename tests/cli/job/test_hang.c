/* The command report ranks of dumps of PyTorch's flight recorder. The dumps are written by Python's
 * own pickle module. (Forks: not for TSan.) */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "support/program.h"
#include "support/test.h"

/* Writes the dumps of eight ranks into folders: in $D/stuck rank 5 never enters the third
 * all_reduce, in $D/dead it leaves no file, in $D/other it calls something else, in $D/tied
 * half of them do, in $D/ended it alone has not ended, in $D/well all have. argv: the folder, the
 * protocol. */
static const char script[] =
    "import os, pickle, sys\n"
    "top, protocol = sys.argv[1], int(sys.argv[2])\n"
    "begin = 1700000000 * 10**9\n"
    "lib = {'name': 'all_reduce', 'filename': '/x/torch/distributed/distributed_c10d.py', 'line': "
    "9}\n"
    "def entry(k, op, state):\n"
    "    own = {'name': 'backward', 'filename': '/home/u/train.py', 'line': 80 + k}\n"
    "    return {'frames': [lib, own], 'record_id': k, 'pg_id': 0,\n"
    "            'process_group': ('0', 'default_pg'), 'collective_seq_id': k + 1, 'p2p_seq_id': "
    "0,\n"
    "            'op_id': k + 1, 'profiling_name': 'nccl:' + op, 'is_p2p': False,\n"
    "            'time_created_ns': begin + k * 10**9, 'input_sizes': [[128, 4]],\n"
    "            'input_dtypes': ['Float'], 'output_sizes': [[128, 4]], 'output_dtypes': "
    "['Float'],\n"
    "            'state': state, 'time_discovered_started_ns': begin + k * 10**9 + 5,\n"
    "            'time_discovered_completed_ns': None, 'retired': state == 'completed',\n"
    "            'timeout_ms': 600000}\n"
    "for name in ('stuck', 'dead', 'other', 'tied', 'ended', 'well'):\n"
    "    os.makedirs(top + '/' + name, exist_ok=True)\n"
    "    for r in range(8):\n"
    "        last = 'completed' if name == 'well' or name == 'ended' and r != 5 else 'started'\n"
    "        strange = name == 'other' and r == 5 or name == 'tied' and r > 3\n"
    "        op = 'broadcast' if strange else 'all_reduce'\n"
    "        calls = [entry(0, 'all_reduce', 'completed'), entry(1, 'all_reduce', 'completed')]\n"
    "        if r == 5 and name == 'dead':\n"
    "            continue\n"
    "        if r != 5 or name != 'stuck':\n"
    "            calls.append(entry(2, op, last))\n"
    "        ranks = str(list(range(8)))\n"
    "        config = {'0': {'name': '0', 'desc': 'default_pg', 'ranks': ranks}}\n"
    "        dump = {'version': '2.10', 'pg_config': config, 'entries': calls}\n"
    "        path = top + '/' + name + '/nccl_trace_rank_%d' % r\n"
    "        with open(path, 'wb') as f:\n"
    "            f.write(pickle.dumps(dump, protocol))\n"
    "        end = begin + 610 * 10**9\n"
    "        os.utime(path, ns=(end, end))\n";

static char dir[] = "/tmp/rooftop-hang-XXXXXX";

FIXTURE(begin)
{
    assert_non_null(mkdtemp(dir));
    setenv("D", dir, 1);
    setenv("ROOFTOP_CONFIG", "/dev/null", 1);
    char path[64];
    snprintf(path, sizeof path, "%s/write.py", dir);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(script, f);
    fclose(f);
}

FIXTURE(end)
{
    struct program p;
    program_expect(&p, "rm -r $D", 0);
    program_free(&p);
}

/* Skips the test if there is no Python. */
static void write_dumps(int protocol)
{
    struct program p;
    char line[64];
    program_run(&p, "command -v python3");
    const int status = p.status;
    program_free(&p);
    if (status != 0) {
        print_message("skipped: python3 is not installed\n");
        skip();
    }
    snprintf(line, sizeof line, "python3 $D/write.py $D %d", protocol);
    program_expect(&p, line, 0);
    program_free(&p);
}

TEST(who_never_came_and_where_the_others_wait_is_said_first)
{
    for (int protocol = 2; protocol <= 5; protocol++) {
        struct program p;
        write_dumps(protocol);
        program_expect(&p, "$BIN report ranks --ascii $D/stuck", 0);
        if (strncmp(
                p.out,
                "rank 5 never entered all_reduce #3 of group default_pg; 7 ranks wait for 608 s "
                "in train.py:82 backward\n",
                100) != 0)
            fail_msg("protocol %d: %s", protocol, p.out);
        program_sees(&p, "rank 5: all_reduce #2, completed in train.py:81 backward");
        program_sees(&p, "its timeout is 600 s");
        program_sees(&p, "/home/u/train.py:82");
        program_free(&p);
    }
}

TEST(each_hang_has_its_own_answer)
{
    static const char *const rows[][2] = {
        {"stuck", "rank 5 never entered all_reduce #3"},
        {"dead", "rank 5 left no dump; at all_reduce #3 of group default_pg 7 ranks wait"},
        {"other", "rank 5 called broadcast where the others called all_reduce #3"},
        {"tied", "as many called one as the other: either may be wrong"},
        {"ended",
         "rank 5 has not ended all_reduce #3 of group default_pg, which 7 ranks have ended"},
        {"well", "no hang: every rank has ended all its collectives"},
    };
    write_dumps(2);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct program p;
        char line[128];
        snprintf(line, sizeof line, "$BIN report ranks --brief --format markdown $D/%s",
                 rows[i][0]);
        program_expect(&p, line, 0);
        char *text = p.out; /* without the backslashes of Markdown */
        for (char *c = p.out; *c; c++)
            if (*c != '\\')
                *text++ = *c;
        *text = '\0';
        program_sees(&p, rows[i][1]);
        program_free(&p);
    }
}

/* Without the noun, and for a single dump: the answer of report ranks. */
TEST(report_alone_gives_the_same_answer)
{
    static const char *const commands[][2] = {
        {"report --format text", "report ranks"},
        {"report --format json", "report ranks --format json"},
        {"report --format csv", "report ranks --format csv"},
    };
    static const char *const files[] = {"$D/stuck", "$D/stuck/nccl_trace_rank_3", "$D/stuck/*"};
    write_dumps(2);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
            struct program alone, ranks;
            char line[128];
            snprintf(line, sizeof line, "$BIN %s %s", commands[i][0], files[k]);
            program_expect(&alone, line, 0);
            snprintf(line, sizeof line, "$BIN %s %s", commands[i][1], files[k]);
            program_expect(&ranks, line, 0);
            assert_string_equal(alone.out, ranks.out);
            program_free(&alone);
            program_free(&ranks);
        }
}

TEST(the_short_answer_is_the_same_everywhere)
{
    static const char *const commands[] = {"report --brief", "report ranks --brief",
                                           "--headless --brief"};
    static const char answer[] = "rank 5 never entered all_reduce #3 of group default_pg; "
                                 "7 ranks wait for 608 s in train.py:82 backward";
    write_dumps(2);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        struct program p;
        char line[128];
        snprintf(line, sizeof line, "$BIN %s $D/stuck", commands[i]);
        program_expect(&p, line, 0);
        assert_int_equal(strncmp(p.out, answer, strlen(answer)), 0);
        program_sees(&p, "rank 5: all_reduce #2, completed in train.py:81 backward");
        program_sees(&p, "all_reduce #3: 7 of 8 wait, 1 absent");
        program_free(&p);
    }
}

TEST(a_screen_and_a_refused_picture)
{
    struct program p;
    write_dumps(2);
    program_expect(&p, "$BIN --headless $D/stuck", 0);
    program_sees(&p, "verdict      rank 5 never entered all_reduce #3 of group default_pg;");
    program_sees(&p, "rank 5       absent     all_reduce #2 [[128, 4]], completed");
    program_free(&p);
    program_expect(&p, "$BIN --headless $D/well $D/stuck", 2);
    program_free(&p);
    program_expect(&p, "$BIN report --format svg $D/stuck", 2);
    program_free(&p);
}

TEST(files_are_the_same_as_their_folder)
{
    struct program folder, files;
    write_dumps(2);
    program_expect(&folder, "$BIN report ranks --format csv $D/stuck", 0);
    program_expect(&files, "$BIN report ranks --format csv $D/stuck/*", 0);
    assert_string_equal(folder.out, files.out);
    assert_int_equal(program_lines(folder.out), 1 + 8);
    program_free(&folder);
    program_free(&files);
}

/* A member of the group that the answer is about. */
static const cJSON *first_group(const cJSON *doc, const char *member)
{
    const cJSON *groups = cJSON_GetObjectItem(doc, "groups");
    return cJSON_GetObjectItem(cJSON_GetArrayItem(groups, 0), member);
}

/* Four of eight ranks called one thing, and four the other. */
TEST(json_says_that_nobody_knows_who_is_right)
{
    struct program p;
    write_dumps(2);
    program_expect(&p, "$BIN report ranks --format json $D/tied", 0);
    cJSON *doc = cJSON_Parse(p.out);
    assert_string_equal(cJSON_GetObjectItem(doc, "verdict")->valuestring, "mismatch");
    assert_true(cJSON_IsTrue(first_group(doc, "tied")));
    cJSON_Delete(doc);
    program_free(&p);
}

TEST(json_has_every_rank_with_its_last_call)
{
    struct program p;
    write_dumps(2);
    program_expect(&p, "$BIN report ranks --format json $D/stuck", 0);
    cJSON *doc = cJSON_Parse(p.out);
    assert_non_null(doc);
    assert_string_equal(cJSON_GetObjectItem(doc, "verdict")->valuestring, "missing");
    assert_true(cJSON_IsFalse(first_group(doc, "tied")));
    const cJSON *ranks = first_group(doc, "ranks"), *member = NULL;
    assert_int_equal(cJSON_GetArraySize(ranks), 8);
    cJSON_ArrayForEach(member, ranks)
    {
        const bool five = cJSON_GetObjectItem(member, "rank")->valueint == 5;
        const cJSON *last = cJSON_GetObjectItem(member, "last");
        assert_string_equal(cJSON_GetObjectItem(member, "place")->valuestring,
                            five ? "absent" : "waits");
        assert_int_equal(cJSON_GetObjectItem(last, "sequence")->valueint, five ? 2 : 3);
    }
    cJSON_Delete(doc);
    program_free(&p);
}

TEST(what_is_no_dump_is_told)
{
    struct program p;
    write_dumps(2);
    program_expect(
        &p,
        "mkdir $D/mixed && cp -p $D/stuck/* $D/mixed && head -c 300 $D/stuck/nccl_trace_rank_2 "
        ">$D/mixed/nccl_trace_rank_2 && : >$D/mixed/empty_2 && cp -p $D/stuck/nccl_trace_rank_1 "
        "$D/mixed/what && "
        "$BIN report ranks $D/mixed",
        0);
    assert_non_null(strstr(p.err, "nccl_trace_rank_2: byte"));
    assert_non_null(strstr(p.err, "/mixed: 1 empty file left out"));
    assert_non_null(strstr(p.err, "does not end with the number of its rank"));
    program_sees(&p, "rank 5 never entered all_reduce #3");
    program_sees(&p, "1 rank has left no dump, first rank 2");
    program_free(&p);
    program_expect(
        &p, "cp $D/stuck/nccl_trace_rank_1 $D/copy_1; $BIN report ranks $D/copy_1 $D/stuck", 3);
    assert_non_null(strstr(p.err, "it is of rank 1"));
    program_free(&p);
    program_expect(&p, "$BIN report path $D/copy_1", 3);
    assert_non_null(strstr(p.err, "rooftop report ranks FOLDER"));
    program_free(&p);
}

TEST_MAIN(begin, end)
