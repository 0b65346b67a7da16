/* The real program from outside: exit codes, messages, documents. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/json_schema.h"
#include "support/program.h"
#include "tui/model/view.h"
#include "support/test.h"

static void run(struct program *p, const char *shell)
{
    program_needed();
    program_run(p, shell);
}

static void expect_status(const struct program *p, const char *line, int status)
{
    if (p->status != status)
        fail_msg("%s: exit %d, not %d: %s", line, p->status, status, p->err);
}

/* Bad input gives one line on stderr, nothing on stdout, and the documented status. */
TEST(bad_input_is_one_clear_line)
{
    static const struct {
        const char *line;
        int status;
        const char *words;
    } cases[] = {
        {"$BIN --no-such-option", 2, "--no-such-option"},
        {"$BIN --interval 0", 2, "from 0.05 to 3600"},
        {"$BIN --format yaml", 2, "yaml"},
        {"$BIN frobnicate", 2, "frobnicate"},
        {"$BIN --headless -e no-such-event-here", 2, "no-such-event-here"},
        {"$BIN --headless --theme no-such-theme", 3, "no-such-theme"},
        {"$BIN --headless --metrics /no/such.toml", 3, "/no/such.toml"},
        {"$BIN --config /no/such.toml", 3, "/no/such.toml"},
        {"$BIN --config tests/data/config/invalid/unknown_key.toml", 3, "unknown_key.toml:"},
        {"$BIN --headless -p 2147483646", 4, "2147483646"},
        {"$BIN --headless --cgroup no/such", 4, "no/such"},
        {"$BIN --headless -C 4095", 4, "4095"},
        {"$BIN --headless -- /no/such/command", 127, "/no/such/command"},
        {"$BIN --headless -- /etc/passwd", 126, "/etc/passwd"},
        {"$BIN help nothing", 2, "nothing"},
        {"$BIN doctor --format svg", 2, "svg"},
        {"$BIN doctor --in-process", 2, "one source"},
        {"$BIN doctor --in-process proc", 2, "one source"},
        {"$BIN \"--a\n\033[31mb\"", 2, "no such option"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct program p;
        run(&p, cases[i].line);
        expect_status(&p, cases[i].line, cases[i].status);
        assert_string_equal(p.out, "");
        if (program_lines(p.err) != 1 || !strstr(p.err, cases[i].words))
            fail_msg("%s said: %s", cases[i].line, p.err);
        assert_null(strchr(p.err, '\033'));
        program_free(&p);
    }
}

TEST(output_failures_exit_7)
{
    static const char *const lines[] = {
        "$BIN --format json >/dev/full",
        "$BIN --format json >&-",
        "$BIN --format csv -o /dev/full",
        "$BIN --format text -o /no/such/directory/x",
        "$BIN --help >/dev/full",
        "$BIN --generate man >/dev/full",
        "$BIN doctor >&-",
        "{ $BIN --format jsonl --frames 60; echo $? >&3; } 3>&2 | head -c 1 >/dev/null",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct program p;
        run(&p, lines[i]);
        if (strncmp(lines[i], "{", 1) == 0) {
            if (strcmp(p.err, "7\n") != 0) /* the status, and no message: head wanted no more */
                fail_msg("%s said: %s", lines[i], p.err);
        } else {
            expect_status(&p, lines[i], 7);
            assert_int_equal(program_lines(p.err), 1);
        }
        program_free(&p);
    }
}

/* Where the document could not be written, nothing is measured, and no command is started. */
TEST(an_output_that_cannot_be_written_is_found_first)
{
    static const char *const lines[] = {
        "$BIN bench --no-store -o /no/such/folder/x -- sh -c 'echo ran >&2'",
        "$BIN lab ports -o /no/such/folder/x -- sh -c 'echo ran >&2'",
        "$BIN tree -o /no/such/folder/x -- sh -c 'echo ran >&2'",
        "$BIN lab validate -o /no/such/folder/x",
        "$BIN lab roofs -o /",
        "$BIN judge /no/a.so /no/b.so --harness /no/h.toml -o /no/such/folder/x",
        "$BIN optimize /no/source.c --harness /no/h.toml -o /no/such/folder/x",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct program p;
        run(&p, lines[i]);
        expect_status(&p, lines[i], 7);
        assert_int_equal(program_lines(p.err), 1);
        assert_null(strstr(p.err, "ran"));
        program_free(&p);
    }
}

TEST(version_is_the_file)
{
    struct program p;
    run(&p,
        "diff <($BIN --version) <(echo rooftop $(cat VERSION)) && diff <($BIN version) <($BIN -V)");
    expect_status(&p, "--version", 0);
    program_free(&p);
}

static cJSON *document_of(const char *line)
{
    struct program p;
    run(&p, line);
    expect_status(&p, line, 0);
    cJSON *doc = cJSON_Parse(p.out);
    if (!doc)
        fail_msg("%s: not JSON: %.200s", line, p.out);
    program_free(&p);
    return doc;
}

static void expect_schema(const cJSON *doc)
{
    char why[512];
    cJSON *schema = json_file("docs/snapshot.schema.json");
    assert_non_null(schema);
    if (!json_schema_check(schema, doc, why, sizeof why))
        fail_msg("%s", why);
    cJSON_Delete(schema);
}

TEST(json_of_this_machine_fits_the_schema)
{
    cJSON *doc = document_of("$BIN --headless --format json -d 0.1");
    expect_schema(doc);
    assert_true(cJSON_GetArraySize(cJSON_GetObjectItem(doc, "processes")) > 0);
    const cJSON *interval = cJSON_GetObjectItem(doc, "interval");
    assert_true(cJSON_GetObjectItem(interval, "value")->valuedouble >= 0.1);
    cJSON_Delete(doc);
}

/* What the views add: --view syscalls, replay and the others. */
TEST(json_of_every_view_fits_the_schema)
{
    char line[160];
    for (size_t i = 0; views[i]; i++) {
        snprintf(line, sizeof line, "$BIN --headless --view %s --format json -d 0.05 --functions",
                 views[i]->name);
        cJSON *doc = document_of(line);
        expect_schema(doc);
        cJSON_Delete(doc);
    }
    struct program p; /* the command is traced where this machine lets it */
    run(&p, "$BIN --headless --view syscalls --format json -d 0.05 -- sleep 0.2");
    cJSON *doc = cJSON_Parse(p.out);
    expect_schema(doc);
    assert_non_null(cJSON_GetObjectItem(doc, "syscalls"));
    assert_non_null(cJSON_GetObjectItem(doc, "runs"));
    cJSON_Delete(doc);
    program_free(&p);
}

TEST(several_frames_are_one_document)
{
    cJSON *doc = document_of("$BIN --format json -d 0.05 --frames 3");
    expect_schema(doc);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(doc, "frames")), 3);
    cJSON_Delete(doc);
}

TEST(jsonl_is_one_object_a_line)
{
    struct program p;
    run(&p, "$BIN --format jsonl -d 0.05 --frames 3");
    expect_status(&p, "jsonl", 0);
    assert_int_equal(program_lines(p.out), 3);
    for (char *line = strtok(p.out, "\n"); line; line = strtok(NULL, "\n")) {
        cJSON *doc = cJSON_Parse(line);
        assert_non_null(doc);
        expect_schema(doc);
        cJSON_Delete(doc);
    }
    program_free(&p);
}

TEST(pictures_have_the_size_asked_for)
{
    struct program p;
    run(&p, "$BIN --format text --size 100x30 -d 0.05 --ascii --no-config");
    expect_status(&p, "text", 0);
    assert_int_equal(program_lines(p.out), 30);
    for (const char *s = p.out; *s; s++)
        assert_in_range((unsigned char)*s, '\n', 126);
    for (const char *s = p.out; *s; s += strcspn(s, "\n") + 1)
        assert_in_range(strcspn(s, "\n"), 0, 100);
    program_free(&p);
    run(&p, "$BIN --format svg -d 0.05");
    expect_status(&p, "svg", 0);
    assert_non_null(strstr(p.out, "<svg"));
    assert_non_null(strstr(p.out, "</svg>"));
    program_free(&p);
}

TEST(status_of_the_command_is_passed_on)
{
    static const struct {
        const char *line;
        int status;
    } cases[] = {
        {"$BIN --format json -- true", 0},
        {"$BIN --format json -- sh -c 'exit 42'", 42},
        {"$BIN --format json -- sh -c 'kill -9 $$'", 137},
        {"$BIN --format jsonl -d 0.05 -- sh -c 'exit 3'", 3},
        {"$BIN --headless -- sh -c 'exit 4'", 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct program p;
        run(&p, cases[i].line);
        expect_status(&p, cases[i].line, cases[i].status);
        assert_true(p.out_len > 0);
        program_free(&p);
    }
}

TEST(command_output_is_kept_apart)
{
    struct program p;
    run(&p, "$BIN --format json -- sh -c 'echo from the command; sleep 0.2'");
    expect_status(&p, "to stderr", 0);
    assert_string_equal(p.err, "from the command\n");
    cJSON *doc = cJSON_Parse(p.out);
    assert_non_null(doc);
    expect_schema(doc);
    const cJSON *command = cJSON_GetObjectItem(doc, "command");
    assert_int_equal(cJSON_GetObjectItem(command, "exit_status")->valueint, 0);
    /* the interval is the command's whole run */
    const cJSON *interval = cJSON_GetObjectItem(doc, "interval");
    assert_true(cJSON_GetObjectItem(interval, "value")->valuedouble >= 0.2);
    cJSON_Delete(doc);
    program_free(&p);
    run(&p, "f=$(mktemp); $BIN --format json -o $f -- echo mine; rm $f");
    assert_string_equal(p.out, "mine\n");
    program_free(&p);
}

/* rooftop's own handler of SIGPIPE must not be inherited by commands. */
TEST(command_inherits_default_signals)
{
    struct program p;
    run(&p, "$BIN --format json -- sh -c 'grep -E \"Sig(Ign|Blk)\" /proc/self/status' >/dev/null");
    expect_status(&p, "signals", 0);
    assert_non_null(strstr(p.err, "SigBlk:\t0000000000000000"));
    /* 32 and 33 belong to the C library: the starting program may have left them ignored, and no
     * program may change them */
    const char *ignored = strstr(p.err, "SigIgn:\t");
    assert_non_null(ignored);
    assert_int_equal(strtoull(ignored + 8, NULL, 16) & ~0x180000000ULL, 0);
    program_free(&p);
}

TEST(a_signal_ends_it_in_order)
{
    struct program p;
    run(&p,
        "d=$(mktemp -d); $BIN --format json -d 3600 -o $d/x & sleep 0.3; kill -TERM $!; wait $!; "
        "echo $?; ls $d; rmdir $d");
    assert_string_equal(p.out, "143\n"); /* neither a file nor a part of one is left */
    program_free(&p);
    /* a sample shows nowhere before the end: a busy machine gets longer for the first one */
    int frames = 0;
    for (int tenths = 5; frames == 0 && tenths < 2000; tenths *= 3) {
        char line[128];
        snprintf(line, sizeof line,
                 "$BIN --format json --frames 100000 -d 0.05 & sleep %d.%d; kill -TERM $!; wait $!",
                 tenths / 10, tenths % 10);
        run(&p, line);
        expect_status(&p, "several frames", 143);
        cJSON *doc = cJSON_Parse(p.out); /* the samples so far are a complete document */
        frames = cJSON_GetArraySize(cJSON_GetObjectItem(doc, "frames"));
        cJSON_Delete(doc);
        program_free(&p);
    }
    assert_true(frames > 0);
}

TEST(streams_append_documents_replace)
{
    struct program p;
    run(&p, "f=$(mktemp); for i in 1 2; do $BIN --format csv -d 0.05 -o $f; done; "
            "grep -c '^time,kind' $f; cut -d, -f1 $f | sort -u | wc -l; "
            "$BIN --format json -d 0.05 -o $f; head -c 1 $f; rm $f");
    assert_string_equal(p.out, "1\n3\n{");
    program_free(&p);
}

TEST(without_a_terminal_one_snapshot)
{
    struct program p;
    run(&p, "TERM=dumb $BIN -d 0.05 </dev/null");
    expect_status(&p, "no terminal", 0);
    assert_int_equal(program_lines(p.out), 40);
    assert_null(strchr(p.out, '\033'));
    program_free(&p);
}

TEST(doctor_always_answers)
{
    cJSON *doc = document_of("$BIN doctor --format json");
    const cJSON *list = cJSON_GetObjectItem(doc, "capabilities"), *c;
    assert_true(cJSON_GetArraySize(list) > 0);
    cJSON_ArrayForEach(c, list)
    {
        const char *state_word = cJSON_GetObjectItem(c, "state")->valuestring;
        assert_true(strcmp(state_word, "yes") == 0 ||
                    cJSON_IsString(cJSON_GetObjectItem(c, "why")));
    }
    cJSON_Delete(doc);
    struct program p;
    run(&p, "$BIN doctor");
    expect_status(&p, "doctor", 0);
    program_free(&p);
}
