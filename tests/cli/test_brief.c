/*
 * The short answer: every command has it, or stands in a list with the reason why not. It is short
 * whatever the input: with small and with large files, names that are long, and names that end
 * lines, cells and texts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include <sys/wait.h>
#include <unistd.h>

#include "cli/options/command.h"
#include "export/brief.h"
#include "rooftop/brick.h"
#include "support/brick_file.h"
#include "support/program.h"
#include "support/test.h"

#define TRACE "tests/data/path/streams.json"
#define RUN                                                                                        \
    "--run 'tests/data/judge/run/check.sh {}' --baseline tests/data/judge/run/fast.sh "            \
    "--candidate "                                                                                 \
    "tests/data/judge/run/"
#define DB "tests/data/rocpd/synthetic_schema3.db"

/* What follows "rooftop COMMAND --brief": inputs that this machine can answer. $D: a folder with
 * what make_inputs has put there. */
static const struct {
    const char *command, *args;
    int status;
} asked[] = {
    {"tree", TRACE, 0},
    {"tree", "$D/large.json", 0},
    {"tree", "--calls $D/large.json", 0},
    {"path", TRACE, 0},
    {"path", "$D/large.json", 0},
    {"roofline", DB, 0},
    {"roofline", "$D/large.json", 0},
    {"timeline", TRACE, 0},
    {"timeline", "--from 1ms --to 1.1ms $D/large.json", 0},
    {"bricks", TRACE, 0},
    {"bricks", "$D/large.json", 0},
    {"report", TRACE, 0},
    {"report", "$D/large.json", 0},
    {"kernels", DB, 0},
    {"kernels", "$D/large.json", 0},
    {"steps", "tests/data/chrome/kineto_steps.json", 0},
    {"steps", "--range 'step 1' $D/large.json", 0},
    {"ranks", TRACE, 0},
    {"att", "tests/data/att/ui_output_agent_2_dispatch_1", 0},
    {"code", "$BRICKS/*.bricks", 0},
    {"code-object", "$(ls tests/data/gpu/hsaco/*.hsaco | head -1)", 0},
    {"compare", TRACE " " TRACE, 0},
    {"compare", TRACE " $D/large.json", 0},
    {"bench", "--no-store --runs 5 -- true -- true", 0},
    {"history", "--db $D/bench.db", 0},
    {"history compare", "--db $D/bench.db true", 0},
    {"trace", "-f -- sh -c 'ls /; true' 2>&1 >/dev/null", 0},
    {"assert", "$D/budgets.toml $D/calls.json", 9},
    {"golden check", "--folder $D/golden same", 0},
    {"golden check", "--folder $D/golden other -- sh -c 'seq 300 | sed s/^/@/ | xargs -n1 printf'",
     9},
    {"golden diff", "--folder $D/golden other -- echo 2", 9},
    {"golden compare", "-- echo 1 -- echo 2", 9},
    {"events", "cache", 0},
    {"events", "", 0},
    {"doctor", "", 0},
    {"", "", 0},
    {"", "-p $$", 0},
    {"", "-- sh -c 'exit 3' 2>/dev/null", 3},
    {"", "--headless -- true", 0},
    {"", TRACE, 0},
    {"", "$D/large.json", 0},
    {"", "tests/data/samples/go_cpu.pprof", 0},
    {"", "tests/data/session/frames-4.rooftop", 0},
    {"", "tests/data/att", 0},
    {"judge", RUN "wrong.sh", 9},
    {"judge", RUN "fast.sh --for 0.1", 9},
    {"optimize",
     "--folder $D/made$$ tests/data/judge/slow.c --harness tests/data/judge/saxpy.toml --no-store "
     "--each 0.1 --max-iters 1 --proposer 'command:echo no-code' 2>/dev/null",
     9},
    {"usdt", "$BIN", 0},
    {"record", "--replace -o $D/made.rooftop -d 0.1 -- true", 0},
    {"record", "--replace -o $D/made.rooftop -d 0.05 --frames 3", 0},
    {"export", "-o $D/made.json " TRACE, 0},
    {"export", "--format folded -o $D/made.folded tests/data/samples/go_cpu.pprof", 0},
    {"golden capture", "--force --folder $D/golden made -- echo 1", 0},
    {"golden accept", "--folder $D/golden made -- echo 2", 0},
    {"golden accept", "--folder $D/golden same", 0},
    {"otlp", "--dry-run --otlp-spool $D", 0},
    {"otlp", "--otlp-spool $D", 0},
};

/* Commands whose answer needs more than this machine has, and the test of what they say. */
static const struct {
    const char *command, *test;
} elsewhere[] = {
    {"replay reserve-check", "tests/cli/replay/test_replay.c"},
    {"replay full-vm", "tests/cli/replay/test_replay.c"},
    {"replay compare", "tests/cli/replay/test_replay.c"},
    {"reproduce", "tests/cli/replay/test_reproduce.c"},
    {"capture", "tests/cli/capture/test_capture_report.c"},
    {"lab validate", "tests/cli/lab/test_lab_validate.c"},
    {"lab roofs", "tests/cli/lab/test_lab_roofs.c"},
    {"lab ports", "tests/cli/lab/test_lab_ports.c"},
    {"profile", "tests/cli/test_profile.c"},
};

/* Commands that have none. */
static const struct {
    const char *command, *why;
} without[] = {
    {"golden", "a word before others"},
    {"gpu", "a word before others"},
    {"replay", "a word before others"},
    {"replay edit", "goes on until it is ended, a line each round"},
    {"lab", "a word before others"},
    {"help", "is short by -h"},
    {"version", "is one line"},
    {"job", "runs in each rank at once; report FOLDER ranks --brief answers for all of them"},
};

#define COUNT(list) (sizeof(list) / sizeof *(list))

static bool is_asked(const char *command)
{
    for (size_t i = 0; i < COUNT(asked); i++)
        if (strcmp(asked[i].command, command) == 0)
            return true;
    for (size_t i = 0; i < COUNT(elsewhere); i++)
        if (strcmp(elsewhere[i].command, command) == 0)
            return true;
    return false;
}

static bool is_without(const char *command)
{
    for (size_t i = 0; i < COUNT(without); i++)
        if (strcmp(without[i].command, command) == 0)
            return true;
    return false;
}

TEST(every_command_has_a_short_answer_or_a_reason)
{
    for (size_t i = 0; commands[i]; i++) {
        const struct command *c = commands[i];
        const bool has = command_option_find(c, "brief", 0) >= 0;
        if (has == is_without(c->name))
            fail_msg("'%s' has %s --brief, and the list says otherwise", c->name, has ? "a" : "no");
        if (has && !is_asked(c->name))
            fail_msg("'%s' has --brief, and no test asks for it", c->name);
    }
}

static void make_large_trace(const char *path)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("[", f);
    for (int i = 0; i < 30000; i++) {
        fprintf(f, "%s{\"ph\":\"X\",\"pid\":%d,\"tid\":%d,\"ts\":%d,\"dur\":%d,\"name\":\"",
                i ? ",\n" : "", i % 3, i % 40, i * 2, 1 + i % 7);
        if (i % 100 == 0)
            fprintf(f, "step %d\"}", 1);
        else
            fprintf(f, "%d \\u001b[31m|\\n`<b>\\u00e9%0*d\"}", i % 900, 300, i % 900);
    }
    fputs("]\n", f);
    fclose(f);
}

/* A program that keeps more code than fits. (Forks: not for TSan.) */
static void make_code(void)
{
    setenv("BRICKS", brick_folder_begin(), 1);
    const pid_t pid = fork();
    for (int i = 0; pid == 0 && i < 20; i++) {
        char name[64];
        snprintf(name, sizeof name, "kernel|%d", i);
        rooftop_code(ROOFTOP_PTX, name, "", name, strlen(name));
    }
    if (pid == 0)
        exit(0);
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void make_inputs(void)
{
    char path[256];
    static char folder[] = "/tmp/rooftop-brief-XXXXXX";
    assert_non_null(mkdtemp(folder));
    setenv("D", folder, 1);
    make_code();
    snprintf(path, sizeof path, "%s/large.json", folder);
    make_large_trace(path);
    program_answers("for i in 1 2 3; do $BIN bench --db $D/bench.db --runs 5 --format json -- true "
                    ">/dev/null || exit 1; done",
                    0, "", "");
    program_answers("$BIN golden capture --folder $D/golden same -- true && "
                    "$BIN golden capture --folder $D/golden other -- echo 1 && "
                    "$BIN trace --format json -o $D/calls.json -- true && printf "
                    "'[[assertion]]\\nname = \"few\"\\ntype = \"syscall_count\"\\nmax_count = "
                    "1\\n' >$D/budgets.toml",
                    0, "", "");
}

static void expect_short(const char *line, const char *text)
{
    size_t lines = 0;
    for (const char *p = text; *p; p++) {
        lines += *p == '\n';
        if ((unsigned char)*p < ' ' && *p != '\n')
            fail_msg("%s: a control character in %s", line, text);
    }
    if (lines == 0 || lines > BRIEF_LINES)
        fail_msg("%s: %zu lines: %s", line, lines, text);
}

static void expect_short_json(const char *line, const char *command, const char *text)
{
    cJSON *doc = cJSON_Parse(text);
    const char *verdict = cJSON_GetStringValue(cJSON_GetObjectItem(doc, "verdict"));
    if (!verdict || !*verdict || strlen(text) > BRIEF_JSON_BYTES)
        fail_msg("%s: %zu bytes: %s", line, strlen(text), text);
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(doc, "schema")),
                        "rooftop.brief/1");
    const char *words = *command ? command_words(command_named(command)) : "rooftop";
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(doc, "command")), words);
    cJSON_Delete(doc);
}

TEST(answers_are_short)
{
    char line[512];
    struct program p;
    make_inputs();
    for (size_t i = 0; i < COUNT(asked); i++)
        for (int json = 0; json < 3; json++) {
            /* the format of export is that of its file */
            const bool converts = command_named(asked[i].command)->converts;
            const char *formats[] = {"--brief", converts ? "--brief=json" : "--brief --format json",
                                     "--format markdown"};
            snprintf(line, sizeof line, "$BIN %s %s %s", asked[i].command, formats[json],
                     asked[i].args);
            program_run(&p, line);
            if (p.status != asked[i].status)
                fail_msg("%s ended with %d: %s%s", line, p.status, p.out, p.err);
            if (json == 1)
                expect_short_json(line, asked[i].command, p.out);
            else if (json == 0)
                expect_short(line, p.out);
            else if (strncmp(p.out, "**", 2) != 0)
                fail_msg("%s: no Markdown: %s", line, p.out);
            program_free(&p);
        }
    program_answers("rm -r $D", 0, "", "");
    brick_folder_end();
}

/* --- GitHub Actions --- */

/* What stands on standard error, and that standard output is the document alone. */
static void expect_annotation(const char *line, int status, const char *annotation)
{
    struct program p;
    char whole[700];
    snprintf(whole, sizeof whole, "GITHUB_ACTIONS=true %s", line);
    program_run(&p, whole);
    const char *at = strstr(p.err, annotation);
    while (at && at > p.err && strncmp(at, "::", 2) != 0)
        at--;
    if (at && at > p.err && at[-1] != '\n')
        fail_msg("%s: the annotation does not begin a line: %s", line, p.err);
    if (p.status != status || !at || strstr(p.out, "::"))
        fail_msg("%s ended with %d: %s%s", line, p.status, p.out, p.err);
    program_free(&p);
}

TEST(failures_are_annotated)
{
    char folder[] = "/tmp/rooftop-brief-XXXXXX";
    assert_non_null(mkdtemp(folder));
    setenv("D", folder, 1);
    program_answers("$BIN golden capture --folder $D/a,b greeting -- echo 1", 0, "", "");
    expect_annotation("$BIN check golden --folder $D/a,b greeting -- echo 100%", 9,
                      "/a%2Cb/greeting.json,title=greeting::differs in ");
    expect_annotation("$BIN check golden --folder $D/a,b greeting -- sh -c 'printf open >&2'", 9,
                      "title=greeting::differs in ");
    program_answers("cat " TRACE " | $BIN report - --brief", 0, "bound", "");
    program_answers("cat " TRACE " | $BIN report - --brief | grep -c /dev/stdin", 1, "0", "");
    expect_annotation("$BIN check golden --folder $D/a,b --format json greeting -- echo 2", 9,
                      "::error file=");
    expect_annotation(
        "$BIN compare bench --no-store --runs 5 --fail-on not-faster --format json -- true "
        "-- sleep 0.05",
        9, "::error title=rooftop compare bench::");
    expect_annotation(
        "$BIN compare bench --no-store --runs 5 --fail-on not-faster --format json -- "
        "true -- sleep 0.05",
        9, "::error title=rooftop compare bench::");
    expect_annotation("$BIN compare bench --no-store --runs 5 --format json -- true -- sleep 0.05",
                      0, " title=rooftop compare bench::");
    expect_annotation("$BIN compare --format json " TRACE " " TRACE, 0,
                      "::notice title=rooftop compare::");
    program_answers("$BIN check golden --folder $D/a,b greeting -- echo 1", 0, "", "");
    program_answers("rm -r $D", 0, "", "");
}

/* Where a name comes from outside, it is no markup. */
TEST(documents_of_checks_are_markdown)
{
    static const char *const lines[] = {"check golden --folder $D/golden 's' -- echo '| <b> `x`'",
                                        "compare " TRACE " " TRACE, "report " TRACE,
                                        "compare bench --no-store --runs 3 -- true -- true"};
    char folder[] = "/tmp/rooftop-brief-XXXXXX", line[300];
    assert_non_null(mkdtemp(folder));
    setenv("D", folder, 1);
    program_answers("$BIN golden capture --folder $D/golden s -- echo 1", 0, "", "");
    for (size_t i = 0; i < COUNT(lines); i++) {
        struct program p;
        snprintf(line, sizeof line, "$BIN --format markdown %s", lines[i]);
        program_run(&p, line);
        if (strncmp(p.out, "**", 2) != 0 || strstr(p.out, "<b>") ||
            program_lines(p.out) > BRIEF_LINES)
            fail_msg("%s: %s%s", line, p.out, p.err);
        program_free(&p);
    }
    program_answers("rm -r $D", 0, "", "");
}

TEST_MAIN(NULL, NULL)
