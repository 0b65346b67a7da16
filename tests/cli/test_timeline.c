/* The command timeline, run as a user runs it, with profiles of other programs. (Forks:
 * not for TSan.) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>
#include "support/program.h"
#include "support/test.h"

#define CUDA  "tests/data/chrome/kineto_cuda.json"
#define HIP   "tests/data/chrome/kineto_hip.json"
#define PIPE  "tests/data/renacer/pipe.json"
#define ROCPD "tests/data/rocpd/synthetic_schema3.db"

FIXTURE(begin)
{
    setenv("ROOFTOP_CONFIG", "/dev/null", 1);
}

TEST(text_draws_lanes_over_time)
{
    struct program p;
    program_expect(&p, "$BIN timeline --utf8 " ROCPD, 0);
    program_sees(&p, "2.20 ms of 2.20 ms, 6 spans in 4 lanes; █ critical path 2.20 ms");
    program_sees(&p, "│0.0 ms");
    program_sees(&p, "▾ app ─");
    program_sees(&p, "  GPU 4 copies   │█H2D████");
    program_sees(&p, "█gemm█");
    program_free(&p);
    program_expect(&p, "$BIN timeline --ascii --size 60x9 " ROCPD, 0);
    program_sees(&p, "#gemm");
    for (const char *c = p.out; *c; c++)
        assert_true((unsigned char)*c < 0x7f);
    program_free(&p);
}

/* A reader waits for a writer: the path goes through both, arrows lead from one to the other. */
TEST(arrows_lead_through_processes)
{
    struct program p;
    program_expect(&p, "$BIN path --ascii " PIPE, 0);
    program_sees(&p, "Through programs: writer ");
    program_sees(&p, " in writer\n");
    program_sees(&p, " in reader\n");
    program_free(&p);
    program_expect(&p, "$BIN timeline --format svg " PIPE, 0);
    int arrows = 0;
    for (const char *at = p.out; (at = strstr(at, "marker-end")) != NULL; at++)
        arrows++;
    assert_int_equal(arrows, 3);
    program_free(&p);
    program_expect(&p, "$BIN timeline --format json " PIPE, 0);
    cJSON *doc = cJSON_Parse(p.out);
    const cJSON *spans = cJSON_GetObjectItem(doc, "spans"), *link;
    const char *text = "";
    char found[512] = "";
    cJSON_ArrayForEach(link, cJSON_GetObjectItem(doc, "links"))
    {
        const char *ends[2] = {"from", "to"}, *names[2] = {"?", "?"};
        const cJSON *s;
        for (int i = 0; i < 2; i++)
            cJSON_ArrayForEach(s, spans) if (cJSON_GetObjectItem(s, "node")->valueint ==
                                             cJSON_GetObjectItem(link, ends[i])->valueint)
                names[i] = cJSON_GetObjectItem(s, "name")->valuestring;
        text = cJSON_GetObjectItem(link, "kind")->valuestring;
        snprintf(found + strlen(found), sizeof found - strlen(found), "%s %s %s\n", names[0], text,
                 names[1]);
    }
    assert_string_equal(found, "write joins read\nexit_group joins wait4\nfork launches read\n");
    cJSON_Delete(doc);
    program_free(&p);
}

/* The writer waits for room in the pipe until the other program has slept; that one begins with its
 * thread, not with its first call. */
TEST(a_full_pipe_leads_to_its_reader)
{
    struct program p;
    program_expect(&p, "$BIN path --ascii tests/data/renacer/full_pipe.json", 0);
    program_sees(&p, "Through programs: slow 521 us, shell 39.0 us, writer 10.0 us\n");
    program_sees(&p, "| main thread (29.5 us) in slow\n| nanosleep (450 us) waiting\n");
    program_free(&p);
}

TEST(a_window_and_a_search)
{
    struct program p;
    program_expect(&p, "$BIN timeline --utf8 --from 0.5ms --to 1450us --search axpy " ROCPD, 0);
    program_sees(&p, "950 us of 2.20 ms");
    program_sees(&p, "Spans that match 'axpy' (* on the critical path):\n");
    program_sees(
        &p, "at 0.500000 ms       50.0 us  * app / GPU 4 queue 1  axpy(float*, float*, int)\n");
    program_sees(
        &p, "at 1.405000 ms       45.0 us  * app / GPU 4 queue 2  axpy(float*, float*, int)\n");
    program_free(&p);
    program_expect(&p, "$BIN timeline --from 1ms --search '~^axpy' --format csv " ROCPD, 0);
    assert_int_equal(program_lines(p.out), 2);
    program_sees(
        &p, "\"app\",\"GPU 4 queue 2\",0,6,kernel,\"axpy(float*, float*, int)\",1405000,45000,1,");
    program_free(&p);
    program_answers("$BIN timeline --search nothing_like_it " ROCPD, 0, "  none\n", "");
}

TEST(json_holds_lanes_and_spans)
{
    struct program p;
    program_expect(&p, "$BIN timeline --format json " CUDA " " HIP, 0);
    cJSON *doc = cJSON_Parse(p.out);
    assert_non_null(doc);
    assert_string_equal(cJSON_GetObjectItem(doc, "schema")->valuestring, "rooftop.timeline/1");
    const cJSON *lanes = cJSON_GetObjectItem(doc, "lanes"), *spans, *s;
    spans = cJSON_GetObjectItem(doc, "spans");
    int counted = 0, nlanes = cJSON_GetArraySize(lanes), critical = 0;
    cJSON_ArrayForEach(s, lanes)
    {
        counted += cJSON_GetObjectItem(s, "spans")->valueint;
    }
    assert_int_equal(cJSON_GetArraySize(spans), counted);
    assert_int_equal(counted, 16);
    double length = cJSON_GetObjectItem(doc, "length_ns")->valuedouble;
    cJSON_ArrayForEach(s, spans)
    {
        const cJSON *lane = cJSON_GetArrayItem(lanes, cJSON_GetObjectItem(s, "lane")->valueint);
        double start = cJSON_GetObjectItem(s, "start_ns")->valuedouble;
        double duration = cJSON_GetObjectItem(s, "duration_ns")->valuedouble;
        assert_true(cJSON_GetObjectItem(s, "lane")->valueint < nlanes);
        assert_true(cJSON_GetObjectItem(s, "row")->valueint <
                    cJSON_GetObjectItem(lane, "rows")->valueint);
        assert_true(start >= 0 && start + duration <= length);
        if (cJSON_IsTrue(cJSON_GetObjectItem(s, "critical"))) {
            critical++;
            assert_true(cJSON_GetObjectItem(s, "slack_ns")->valuedouble == 0);
        }
    }
    assert_true(critical > 0);
    cJSON_Delete(doc);
    program_free(&p);
}

/* The document without node numbers, which depend on the order in the file. */
static char *without_nodes(const char *file)
{
    struct program p;
    char line[512];
    snprintf(line, sizeof line,
             "$BIN timeline --format csv %s | sed -E 's/,[0-9]+(,[a-z]+,\")/\\1/'", file);
    program_expect(&p, line, 0);
    char *text = strdup(p.out);
    program_free(&p);
    return text;
}

TEST(the_order_of_events_in_a_file_changes_nothing)
{
    static const char *const files[] = {CUDA, HIP};
    char path[] = "/tmp/rooftop-cli-timeline-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        static char text[1 << 18];
        FILE *f = fopen(files[i], "r");
        assert_non_null(f);
        text[fread(text, 1, sizeof text - 1, f)] = '\0';
        fclose(f);
        cJSON *doc = cJSON_Parse(text), *events, *turned = cJSON_CreateArray();
        assert_non_null(doc);
        events = cJSON_GetObjectItem(doc, "traceEvents");
        while (cJSON_GetArraySize(events))
            cJSON_InsertItemInArray(turned, 0, cJSON_DetachItemFromArray(events, 0));
        char *out = cJSON_Print(turned);
        f = fopen(path, "w");
        fputs(out, f);
        fclose(f);
        char *want = without_nodes(files[i]), *got = without_nodes(path);
        assert_string_equal(want, got);
        free(want);
        free(got);
        free(out);
        cJSON_Delete(turned);
        cJSON_Delete(doc);
    }
    unlink(path);
}

TEST(svg_stands_for_itself)
{
    struct program p;
    program_expect(&p, "$BIN timeline --format svg " CUDA, 0);
    assert_int_equal(strncmp(p.out, "<svg xmlns=", 11), 0);
    program_sees(&p, "void gemm&lt;float, 128&gt;");
    program_sees(&p, ", on the path</title>");
    program_sees(&p, "</svg>\n");
    assert_null(strstr(p.out, "href"));
    program_free(&p);
    program_answers("$BIN timeline --format svg --search gemm " CUDA, 0, "opacity=\"0.25\"", "");
}

TEST(bad_input_is_refused_in_a_line)
{
    static const struct {
        const char *line, *says;
        int status;
    } cases[] = {
        {"$BIN timeline --format dot " CUDA, "text, json, csv, svg", 2},
        {"$BIN timeline --from 5 --to 4 " CUDA, "give --from before --to", 2},
        {"$BIN timeline --from 1h " CUDA, "'1h' is not a time", 2},
        {"$BIN timeline --from ms " CUDA, "'ms' is not a time", 2},
        {"$BIN timeline --to -1 " CUDA, "'-1' is not a time", 2},
        {"$BIN timeline --to 99999999999999999999 " CUDA, "out of range", 2},
        {"$BIN timeline --to 99999999999s " CUDA, "out of range", 2},
        {"$BIN timeline --from 1s " CUDA, "the profile is 200 us long", 2},
        {"$BIN timeline --search '~(' " CUDA, "search: ", 2},
        {"$BIN timeline /nowhere", "/nowhere", 3},
        {"$BIN path --search x " CUDA, "not an option of rooftop report path", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct program p;
        program_expect(&p, cases[i].line, cases[i].status);
        if (!strstr(p.err, cases[i].says))
            fail_msg("%s: no '%s' in\n%s", cases[i].line, cases[i].says, p.err);
        assert_int_equal(program_lines(p.err), 1);
        assert_string_equal(p.out, "");
        program_free(&p);
    }
}

TEST_MAIN(begin, NULL)
