/* not for TSan: The real program in a terminal replays a capture, with a program that stands in
 * for one with a GPU; and lists captures without a terminal. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cjson/cJSON.h>
#include "support/json_schema.h"
#include "support/made_capture.h"
#include "support/program.h"
#include "support/pty.h"
#include "support/test.h"

static struct made_capture made;
static char state_dir[64];

FIXTURE(set_up)
{
    made_capture_make(&made);
    snprintf(state_dir, sizeof state_dir, "/tmp/replay-e2e-XXXXXX");
    assert_non_null(mkdtemp(state_dir));
    setenv("XDG_STATE_HOME", state_dir, 1);
}

FIXTURE(tear_down)
{
    char line[128];
    struct program p;
    made_capture_remove(&made);
    snprintf(line, sizeof line, "rm -rf %s", state_dir);
    program_run(&p, line);
    program_free(&p);
}

static void see(struct pty *p, const char *text)
{
    if (pty_until_text(p, text))
        return;
    print_message("%s\n", vt_text(p->vt));
    fail_msg("'%s' is not shown", text);
}

static void start(struct pty *p, const char *how, int cols, int rows)
{
    char fake[64];
    const char *env[] = {PTY_XTERM, "ROOFTOP_SELF=tests/support/fake_replay/rooftop", fake, NULL};
    const char *argv[] = {program_rooftop(), "--view", "replay", "--captures", made.dir, NULL};
    snprintf(fake, sizeof fake, "FAKE_REPLAY=%s", how);
    program_needed();
    struct pty_config c = {.argv = argv, .env = env, .cols = cols, .rows = rows};
    assert_int_equal(pty_start(p, &c), 0);
    see(p, "scale(float*");
}

static void quit(struct pty *p)
{
    pty_keys(p, "q");
    assert_true(pty_until_state(p, PTY_GONE) && p->status == 0);
    assert_true(pty_modes_restored(p));
    pty_end(p);
}

TEST(a_capture_is_replayed)
{
    struct pty p;
    start(&p, "good", 120, 40);
    pty_keys(&p, "R");
    see(&p, "Enter start");
    pty_keys(&p, "\r");
    see(&p, "memory after: equal in 2 regions");
    see(&p, "compared with");
    quit(&p);
}

TEST(the_dashboard_survives_it)
{
    struct pty p;
    start(&p, "crash", 80, 24);
    pty_keys(&p, "V");
    see(&p, "signal 11");
    pty_keys(&p, "1");
    see(&p, "load");
    quit(&p);
    start(&p, "stubborn", 80, 24);
    pty_keys(&p, "V");
    see(&p, "x cancels");
    quit(&p); /* while the replay runs and ignores requests to end */
}

static cJSON *document(const char *format, struct program *p)
{
    char line[512];
    snprintf(line, sizeof line,
             "ROOFTOP_CONFIG=/dev/null %s --headless --view replay --captures %s --format %s",
             program_rooftop(), made.dir, format);
    program_run(p, line);
    assert_int_equal(p->status, 0);
    return cJSON_Parse(p->out);
}

TEST(the_list_is_printed)
{
    struct program p;
    struct pty t;
    start(&t, "good", 120, 40); /* the result of one replay */
    pty_keys(&t, "V");
    see(&t, "compared with");
    quit(&t);
    char why[512];
    cJSON *o = document("json", &p), *schema = json_file("docs/snapshot.schema.json");
    if (!json_schema_check(schema, o, why, sizeof why))
        fail_msg("%s", why);
    cJSON_Delete(schema);
    const cJSON *replays = cJSON_GetObjectItem(o, "replays");
    const cJSON *c = cJSON_GetArrayItem(cJSON_GetObjectItem(replays, "captures"), 0);
    const cJSON *results = cJSON_GetObjectItem(c, "results");
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(c, "mangled_name")),
                        "_Z5scalePfS_fj");
    assert_true(cJSON_GetArraySize(results) >= 1);
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(cJSON_GetArrayItem(results, 0), "equal")));
    cJSON_Delete(o);
    program_free(&p);
    cJSON_Delete(document("csv", &p));
    assert_non_null(strstr(p.out, ",replay,"));
    assert_non_null(strstr(p.out, ".last_average\",,1.225e-05,s,true,"));
    program_free(&p);
    cJSON_Delete(document("text", &p));
    assert_non_null(strstr(p.out, "scale(float*"));
    program_free(&p);
}

TEST_MAIN(set_up, tear_down)
