/* The folder for state; another user's folder is never used. */
#include "base/state_dir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"
#include "support/temp_folder.h"
#include "support/test.h"

enum { ALICE = 12345 };

static char out[256], was_home[256];

static int setup(void **state)
{
    assert_int_equal(temp_folder_make(state), 0);
    snprintf(was_home, sizeof was_home, "%s", env_get("HOME") ? env_get("HOME") : "/");
    env_put("HOME", temp_folder);
    env_put("XDG_STATE_HOME", NULL);
    return 0;
}

static int teardown(void **state)
{
    env_put("HOME", was_home);
    env_put("XDG_STATE_HOME", NULL);
    return temp_folder_remove(state);
}

TEST_WITH(the_folder_is_in_the_home_directory, setup, teardown)
{
    char want[128];
    struct error err = ERROR_INIT;
    assert_true(state_dir(out, sizeof out, &err));
    snprintf(want, sizeof want, "%s/.local/state/rooftop", temp_folder);
    assert_string_equal(out, want);
    assert_int_equal(state_dir_make(out), 0);
    assert_true(state_dir(out, sizeof out, &err));
    /* a folder in /tmp that could be created */
    env_put("XDG_STATE_HOME", "/tmp/rooftop-state-not-there/deep");
    assert_true(state_dir(out, sizeof out, &err));
    env_put("XDG_STATE_HOME", "relative"); /* ignored, as the specification says */
    assert_true(state_dir(out, sizeof out, &err));
    assert_string_equal(out, want);
    env_put("XDG_STATE_HOME", NULL);
    env_put("HOME", NULL);
    assert_false(state_dir(out, sizeof out, &err));
    assert_int_equal(err.kind, ERROR_NONE);
    assert_string_equal(out, "");
}

static void refused(const char *why)
{
    struct error err = ERROR_INIT;
    assert_false(state_dir(out, sizeof out, &err));
    assert_string_equal(out, "");
    assert_int_equal(err.kind, ERROR_PERMISSION);
    if (!strstr(err.why, why) || !strstr(err.help, "XDG_STATE_HOME"))
        fail_msg("%s: %s; %s", err.what, err.why, err.help);
    assert_false(state_dir(out, sizeof out, NULL));
}

TEST_WITH(a_folder_that_others_may_write_is_refused, setup, teardown)
{
    assert_true(state_dir(out, sizeof out, NULL));
    char dir[256];
    strcpy(dir, out);
    assert_int_equal(state_dir_make(dir), 0);
    assert_int_equal(chmod(dir, 0777), 0);
    refused("others may write in it");
    assert_int_equal(chmod(dir, 0700), 0);
    assert_true(state_dir(out, sizeof out, NULL));
}

/* sudo may keep the home directory: links and files in it belong to the user who called sudo. */
TEST_WITH(another_users_home_is_left_alone, setup, teardown)
{
    if (geteuid() != 0) {
        print_message("skipped: only root can make folders of two users\n");
        skip();
    }
    assert_int_equal(chown(temp_folder, ALICE, ALICE), 0);
    refused("another user");
    assert_int_equal(chown(temp_folder, 0, 0), 0);
    assert_true(state_dir(out, sizeof out, NULL));
    char dir[256];
    strcpy(dir, out);
    assert_int_equal(state_dir_make(dir), 0);
    assert_int_equal(chown(dir, ALICE, ALICE), 0);
    refused("another user");
}
