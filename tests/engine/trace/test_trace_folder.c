/* Which files of a folder are opened. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/trace/trace_folder.h"
#include "support/skip.h"
#include "support/temp_folder.h"
#include "support/test.h"

#define KERNEL                                                                                     \
    "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Thread_Id\",\"Dispatch_Id\",\"Kernel_Id\","              \
    "\"Kernel_Name\",\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\"\n"                   \
    "\"KERNEL_DISPATCH\",\"Agent 1\",1,9,1,1,\"k\",1,100,200\n"
#define SPAN                                                                                       \
    "{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"f\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":2}]}"

static void below(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", temp_folder, name);
    assert_int_equal(mkdir(path, 0700), 0);
}

static struct trace opened(const char *path)
{
    struct error err = ERROR_INIT;
    struct trace t = {0};
    const char *paths[] = {path};
    char text[1024];
    if (trace_open(&t, paths, 1, &err) != 0)
        fail_msg("%s", error_format(&err, text, sizeof text));
    return t;
}

TEST_WITH(files_of_one_reader_are_opened_together, temp_folder_make, temp_folder_remove)
{
    temp_folder_put("rank1.json", SPAN);
    temp_folder_put("rank0.json", SPAN);
    temp_folder_put("README.txt", "no trace");
    struct trace t = opened(temp_folder);
    assert_int_equal(t.spans, 2);
    assert_int_equal(t.nfiles, 2);
    assert_non_null(strstr(t.files[0].path, "rank0.json"));
    assert_int_equal(t.nnotes, 0);
    trace_free(&t);
}

/* Puts files of one content, by hard links to the first one. */
static void put_many(const char *stem, int n, const char *text)
{
    char name[32], first[256], path[256];
    snprintf(name, sizeof name, "%s0", stem);
    temp_folder_put(name, text);
    snprintf(first, sizeof first, "%s/%s", temp_folder, name);
    for (int i = 1; i < n; i++) {
        snprintf(path, sizeof path, "%s/%s%d", temp_folder, stem, i);
        assert_int_equal(link(first, path), 0);
    }
}

/* The profiles of a large job are all read, with the other files that its ranks wrote beside them;
 * only where many files in a row are none, the search ends. */
TEST_WITH(other_files_in_a_row_end_the_search, temp_folder_make, temp_folder_remove)
{
    enum { MANY = 2100 };
    struct error err = ERROR_INIT;
    struct trace_places places;
    char path[256];
    put_many("a", MANY, "-");
    temp_folder_put("b", SPAN);
    put_many("c", MANY, "-");
    temp_folder_put("d", SPAN);
    assert_int_equal(trace_folder_list(&places, temp_folder, &err), 0);
    assert_int_equal(places.n, 2);
    assert_false(places.cut);
    trace_places_free(&places);
    snprintf(path, sizeof path, "%s/b", temp_folder);
    assert_int_equal(unlink(path), 0);
    temp_folder_put("0", SPAN);
    assert_int_equal(trace_folder_list(&places, temp_folder, &err), 0);
    assert_int_equal(places.n, 1);
    assert_true(places.cut);
    trace_places_free(&places);
}

TEST_WITH(a_run_in_several_formats_is_opened_once_and_it_is_said, temp_folder_make,
          temp_folder_remove)
{
    below("host");
    temp_folder_put("host/7_kernel_trace.csv", KERNEL);
    temp_folder_put("host/7_results.json", SPAN);
    struct trace t = opened(temp_folder);
    assert_int_equal(t.ndispatches, 1);
    assert_int_equal(t.spans, 1);
    assert_int_equal(t.nnotes, 1);
    assert_non_null(strstr(t.notes[0], "rocprofv3 CSV"));
    assert_non_null(strstr(t.notes[0], "1 file"));
    trace_free(&t);
}

TEST_WITH(a_folder_with_nothing_to_read_says_so, temp_folder_make, temp_folder_remove)
{
    struct error err = ERROR_INIT;
    struct trace t = {0};
    const char *paths[] = {temp_folder};
    temp_folder_put("a.txt", "no trace");
    assert_false(trace_folder(temp_folder));
    assert_true(trace_folder_is(temp_folder));
    assert_true(trace_open(&t, paths, 1, &err) < 0);
    assert_int_equal(err.kind, ERROR_INPUT);
    assert_non_null(strstr(err.why, "none of its 1 file is"));
    trace_free(&t);
}

/* Such a folder is what rooftop optimize leaves: the message names the command that shows it. */
TEST_WITH(a_folder_of_empty_files_says_so, temp_folder_make, temp_folder_remove)
{
    struct trace_places places;
    struct error err = ERROR_INIT;
    temp_folder_put("rank0.json", "");
    temp_folder_put("rank1.json", "");
    assert_int_not_equal(trace_folder_list(&places, temp_folder, &err), 0);
    assert_string_equal(err.why, "the files in it are empty");
    trace_places_free(&places);
}

/* The profile of a rank that was killed as it began to write, for example. */
TEST_WITH(empty_files_beside_others_are_told, temp_folder_make, temp_folder_remove)
{
    temp_folder_put("rank0.json", SPAN);
    temp_folder_put("rank1.json", "");
    struct trace t = opened(temp_folder);
    assert_int_equal(t.nnotes, 1);
    assert_non_null(strstr(t.notes[0], ": 1 empty file left out"));
    trace_free(&t);
}

/* A rank was killed as its profiler began to write; other files are none of a rank. */
TEST_WITH(a_profile_that_ends_within_its_first_bytes_is_told, temp_folder_make, temp_folder_remove)
{
    temp_folder_put("rank1.json", SPAN);
    temp_folder_put("rank2.json", "{");
    temp_folder_put("settings.json", "{}");
    struct trace t = opened(temp_folder);
    assert_int_equal(t.nfiles, 1);
    assert_int_equal(t.nnotes, 1);
    assert_non_null(strstr(t.notes[0], "/rank2.json: left out: no format is recognised in it"));
    trace_free(&t);
    temp_folder_put("rank10.json", "{\"trac");
    t = opened(temp_folder);
    assert_int_equal(t.nnotes, 1);
    assert_non_null(strstr(t.notes[0], "/rank10.json and 1 more left out"));
    trace_free(&t);
}

TEST_WITH(a_folder_that_may_not_be_read_says_so, temp_folder_make, temp_folder_remove)
{
    struct trace_places places;
    struct error err = ERROR_INIT;
    if (geteuid() == 0)
        skip_because("root may read all folders");
    assert_int_equal(chmod(temp_folder, 0), 0);
    const int rc = trace_folder_list(&places, temp_folder, &err);
    assert_int_equal(chmod(temp_folder, 0700), 0);
    assert_int_not_equal(rc, 0);
    assert_string_equal(err.why, "Permission denied");
    trace_places_free(&places);
}

TEST_WITH(a_folder_says_what_a_known_file_of_it_is, temp_folder_make, temp_folder_remove)
{
    struct error err = ERROR_INIT;
    struct trace t = {0};
    const char *paths[] = {temp_folder};
    temp_folder_put("a.txt", "no trace");
    temp_folder_put("log.jsonl", "{\"schema\":\"rooftop.optimize/1\",\"kind\":\"begin\"}\n");
    assert_true(trace_open(&t, paths, 1, &err) < 0);
    assert_non_null(strstr(err.why, "none of its 2 files is read; "));
    assert_non_null(strstr(err.why, "log.jsonl: it is the log of an optimizer"));
    assert_non_null(strstr(err.help, "rooftop --view optimize"));
    trace_free(&t);
}

TEST_WITH(links_hidden_files_and_thread_traces_are_passed_by, temp_folder_make, temp_folder_remove)
{
    char link[128];
    below("ui_output_agent_1_dispatch_2");
    temp_folder_put("ui_output_agent_1_dispatch_2/code.json", SPAN);
    temp_folder_put(".hidden.json", SPAN);
    snprintf(link, sizeof link, "%s/around", temp_folder);
    assert_int_equal(symlink(temp_folder, link), 0);
    assert_false(trace_folder(temp_folder));
    temp_folder_put("shown.json", SPAN);
    assert_true(trace_folder(temp_folder));
    struct trace t = opened(temp_folder);
    assert_int_equal(t.spans, 1);
    trace_free(&t);
}

/* The message names all formats; none is cut off. */
TEST_WITH(the_error_names_all_formats, temp_folder_make, temp_folder_remove)
{
    struct error err = ERROR_INIT;
    char path[128];
    temp_folder_put("a.txt", "no trace");
    snprintf(path, sizeof path, "%s/a.txt", temp_folder);
    assert_null(trace_reader(path, &err));
    for (size_t i = 0; readers[i]; i++)
        if (!strstr(err.help, readers[i]->summary))
            fail_msg("no '%s' in '%s'", readers[i]->summary, err.help);
}

TEST_WITH(a_file_is_no_folder, temp_folder_make, temp_folder_remove)
{
    char path[128];
    temp_folder_put("a.json", SPAN);
    snprintf(path, sizeof path, "%s/a.json", temp_folder);
    assert_false(trace_folder(path));
    assert_false(trace_folder_is(path));
    assert_false(trace_folder_is("/nowhere"));
}
