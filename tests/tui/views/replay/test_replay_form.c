/* The form with the options of a replay, and the arguments that the child gets. Starts children
 * and threads: not for TSan. */
#include <stdio.h>
#include <string.h>

#include "support/replay_screen.h"
#include "support/test.h"
#include "tui/views/replay/replay.h"

static struct stage s;
static struct replay_screen on;

static void host_is_mixed(struct replay_host *out)
{
    *out = (struct replay_host){.known = true};
    replay_screen_add_gpu(out, "AMD Instinct MI210", ISA_GFX90A);
    replay_screen_add_gpu(out, "AMD Instinct MI300X", ISA_GFX942);
    replay_screen_add_gpu(out, "AMD Instinct MI300A", ISA_GFX942);
}

static void expect(const char *text, bool there)
{
    replay_screen_expect(&on, text, there);
}

static void until(const char *text)
{
    replay_screen_until(&on, text);
}

FIXTURE(set_up)
{
    replay_screen_open(&on, &s, host_is_mixed);
}

FIXTURE(tear_down)
{
    replay_screen_close(&on);
}

/* The arguments of the last child. */
static const char *words(char out[512])
{
    FILE *f = fopen(on.words, "r");
    assert_non_null(f);
    while (fgets(out, 512, f))
        ;
    fclose(f);
    return out;
}

static void expect_words(const char *part, bool there)
{
    char line[512];
    if ((strstr(words(line), part) != NULL) != there)
        fail_msg("%s'%s' in '%s'", there ? "no " : "", part, line);
}

static void go_to_field(const char *name)
{
    for (int i = 0; i < FORM_FIELDS_MAX; i++) {
        struct form *f = &((struct replay_view *)app_view_state(s.a, &view_replay)->own)->form;
        if (strcmp(f->field[f->at].name, name) == 0)
            return;
        stage_key(&s, KEY_TAB);
    }
    fail_msg("no field %s", name);
}

static void retype(const char *field, const char *text)
{
    go_to_field(field);
    stage_key(&s, 21); /* ^U */
    stage_type(&s, text);
}

TEST_WITH(a_gpu_that_can_is_proposed, set_up, tear_down)
{
    stage_key(&s, 'R');
    expect("1: AMD Instinct MI300X", true); /* GPU 0 is for other code */
    go_to_field("gpu");
    stage_key(&s, KEY_LEFT_);
    expect("0: AMD Instinct MI210, which cannot run it", true);
    stage_key(&s, ' ');
    stage_key(&s, KEY_ENTER_);
    until("full-vm: done");
    expect_words("--agent 1", true);
    expect_words("--tolerance", false); /* options with their default value are left out */
    expect_words("--warmup", false);
    stage_key(&s, 'B'); /* checks addresses, for which no GPU is needed */
    until("reserve-check: done");
    expect_words("reserve-check --capture-dir", true);
    expect_words("--agent 1", true);
}

TEST_WITH(mistakes_stand_beside_their_fields, set_up, tear_down)
{
    stage_key(&s, 'R');
    retype("warmup", "-1");
    expect("! 0 to 1000000", true);
    retype("warmup", "3");
    expect("! 0 to 1000000", false);
    retype("tolerance", "f32,abs=x");
    stage_key(&s, KEY_ENTER_); /* nothing starts */
    expect("! 'abs=x' cannot be understood", true);
    expect("not replayed yet", true);
    retype("tolerance", "f33");
    stage_key(&s, KEY_ENTER_);
    expect("! 'f33' cannot be understood", true);
}

/* The options are kept for the next time, and used for verifying and comparing too. */
TEST_WITH(all_options_reach_the_child, set_up, tear_down)
{
    stage_key(&s, 'R');
    retype("warmup", "3");
    go_to_field("mode");
    stage_key(&s, ' ');
    expect("stateful: each sees what the one before it left", true);
    go_to_field("gpu");
    stage_key(&s, KEY_RIGHT_);
    expect("2: AMD Instinct MI300A", true);
    retype("tolerance", "f32,abs=1e-6");
    stage_key(&s, KEY_ENTER_);
    until("full-vm: done");
    expect_words("--agent 2 --iterations 20 --timeout 30 --warmup 3 --no-recopy --tolerance "
                 "f32,abs=1e-6 --verify",
                 true);
    expect("memory after: equal within the tolerance (f32) in 2 regions", true);
    until("≈ equal");
    stage_key(&s, 'V');
    until("full-vm: done");
    expect_words("--agent 2 --iterations 1 --timeout 30 --tolerance f32,abs=1e-6 --verify", true);
    stage_key(&s, 'c');
    expect("f32,abs=1e-6", true);
    expect("stateful: each", true);
    retype("tolerance", ""); /* empty means exact */
    retype("variants", "Makefile");
    stage_key(&s, KEY_ENTER_);
    until("compare: done");
    expect_words("--agent 2 --iterations 20 --timeout 30 --warmup 3 --no-recopy captured Makefile",
                 true);
}
