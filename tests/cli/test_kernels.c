/* The commands kernels, report and compare, run as a user runs them. (Forks: not for TSan.) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>
#include "engine/kernels/kernels_list.h"
#include "support/att_folder.h"
#include "support/profile_scene.h"
#include "support/program.h"
#include "support/trace_text.h"
#include "support/test.h"

static char files[2][64];
static struct att_folder folder;

FIXTURE(begin)
{
    for (unsigned i = 0; i < 2; i++) {
        char *text = profile_scene_text(i ? 1.3 : 1, i + 1, true);
        trace_text_file(files[i], text, strlen(text), i == 1);
        setenv(i ? "B" : "A", files[i], 1);
        free(text);
    }
    att_folder_make(&folder, 1);
    setenv("D", folder.dir, 1);
    setenv("ROOFTOP_CONFIG", "/dev/null", 1);
}

FIXTURE(end)
{
    att_folder_remove(&folder);
    unlink(files[0]);
    unlink(files[1]);
}

static void is_json(const struct program *p, const char *schema)
{
    cJSON *doc = cJSON_Parse(p->out);
    if (!doc)
        fail_msg("no JSON: %s", p->out);
    assert_string_equal(cJSON_GetObjectItem(doc, "schema")->valuestring, schema);
    cJSON_Delete(doc);
}

TEST(kernels_are_grouped_sorted_and_filtered)
{
    struct program p;
    program_expect(&p, "$BIN kernels $A", 0);
    program_sees(&p, "Kernel<cutlass_80_tensorop_f16_s16816gemm>");
    assert_int_equal(program_lines(p.out), 8);
    program_free(&p);
    program_expect(
        &p, "$BIN kernels --group base --sort calls --filter 'kind=kernel and mean<10us' $A", 0);
    program_sees(&p, "at::native::vectorized_elementwise_kernel  [");
    program_lacks(&p, "cutlass");
    program_sees(&p, "1 of 6 rows pass the filter");
    program_free(&p);
    program_expect(&p, "$BIN kernels --group shape --format csv $A", 0);
    assert_int_equal(program_lines(p.out), 8);
    program_free(&p);
    program_expect(&p, "$BIN kernels --format json $A", 0);
    is_json(&p, "rooftop.kernels/1");
    program_free(&p);
    program_expect(&p, "$BIN kernels $A $B", 0); /* both profiles together */
    program_sees(&p, "      40 ");
    program_free(&p);
}

/* The filter of the configuration is for views: it may name a field that kernels do not have. */
TEST(the_filter_of_the_configuration_is_not_for_it)
{
    program_answers("ROOFTOP_FILTER='pid>5' $BIN kernels $A", 0, "", "");
}

TEST(reports)
{
    struct program p;
    program_expect(&p, "$BIN report --ascii $A", 0);
    program_sees(&p, "Where the time of the devices went");
    program_sees(&p, "Not in the profile");
    program_free(&p);
    program_expect(&p, "$BIN report --format json $A", 0);
    is_json(&p, "rooftop.report/1");
    program_free(&p);
    /* in each format the parts of the time add up to the whole */
    program_answers(
        "$BIN report --format csv $A | awk -F, '{ v[$1] = $2 } END { exit v[\"wall_ns\"] == 0 || "
        "v[\"kernels_running_ns\"] + v[\"only_copies_ns\"] + v[\"idle_ns\"] != v[\"wall_ns\"] }'",
        0, "", "");
}

/* Pictures have a bar for each row and for the two totals, and are valid XML. */
TEST(pictures)
{
    struct program p;
    program_expect(&p, "$BIN kernels --format svg $A", 0);
    program_sees(&p, "<svg xmlns");
    program_sees(&p, "vectorized_elementwise_kernel&lt;");
    program_sees(&p, ">critical path</text>");
    size_t bars = 0;
    for (const char *at = p.out; (at = strstr(at, "<g><title>")); at++)
        bars++;
    assert_int_equal(bars, 7);
    program_free(&p);
    program_answers("$BIN report --format svg $A", 0, "</svg>", "");
}

/* The fixture's profile contains the kernel of the fixture's thread trace. */
TEST(a_thread_trace_enriches)
{
    program_answers("$BIN kernels --filter axpy tests/data/rocpd/synthetic_schema3.db", 0,
                    "Mixed / unclear", "");
    program_answers(
        "$BIN kernels --filter axpy --thread-trace $D tests/data/rocpd/synthetic_schema3.db", 0,
        "Memory latency bound               high", "");
}

TEST(profiles_are_compared)
{
    struct program p;
    program_expect(&p, "$BIN compare --utf8 --size 120x40 $A $B", 0);
    program_sees(&p, "▲ more");
    program_sees(&p, "but 1 of its parts differ");
    program_free(&p);
    program_answers("$BIN compare --ascii --size 60x40 $A $B", 0, "^ more", "");
    program_expect(&p, "$BIN compare --format csv --group base $A $B", 0);
    program_sees(&p, "softmax");
    program_sees(&p, ",more\r\n");
    program_free(&p);
    program_expect(&p, "$BIN compare --format json $A $B", 0);
    is_json(&p, "rooftop.compare/2");
    program_free(&p);
}

TEST(bad_input_is_one_clear_line)
{
    static const struct {
        const char *line;
        int status;
        const char *words;
    } cases[] = {
        {"$BIN kernels --format dot $A", 2, "text, json, csv, svg"},
        {"$BIN kernels --group colour $A", 2, "colour"},
        {"$BIN kernels --sort colour $A", 2, "colour"},
        {"$BIN kernels --filter 'pid>5' $A", 2, "pid"},
        {"$BIN kernels /etc/passwd", 3, "/etc/passwd"},
        {"$BIN kernels /no/such/file", 3, "/no/such/file"},
        {"$BIN report --format dot $A", 2, "text, json, csv, svg"},
        {"$BIN report --thread-trace /no/such/folder $A", 3, "/no/such/folder"},
        {"$BIN kernels --thread-trace $D $A", 3, "no kernel that was traced there"},
        {"$BIN compare $A", 2, "1 given"},
        {"$BIN compare --format svg $A $B", 2, "text, json, csv"},
        {"$BIN compare $A /etc/passwd", 3, "/etc/passwd"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct program p;
        program_expect(&p, cases[i].line, cases[i].status);
        assert_string_equal(p.out, "");
        if (program_lines(p.err) != 1 || !strstr(p.err, cases[i].words))
            fail_msg("%s said: %s", cases[i].line, p.err);
        program_free(&p);
    }
}

/* Each order of the list is a word of --sort. */
TEST(each_order_is_an_option)
{
    for (int i = 0; list_fields_sort(kernels_fields, i); i++) {
        char command[128];
        snprintf(command, sizeof command, "$BIN kernels --sort %s $A",
                 list_field_sort_name(list_fields_sort(kernels_fields, i)));
        program_answers(command, 0, "", "");
    }
}

TEST_MAIN(begin, end)
