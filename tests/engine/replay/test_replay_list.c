/* Which folders are searched for captures if the user names none. */
#include "engine/replay/replay_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/made_capture.h"
#include "support/test.h"

static char place[64], before[1024];

FIXTURE_STATUS(setup)
{
    strcpy(place, "/tmp/rooftop-list-XXXXXX");
    return !getcwd(before, sizeof before) || !mkdtemp(place) || chdir(place) != 0 ||
           mkdir("rooftop_captures", 0755) != 0;
}

FIXTURE_STATUS(teardown)
{
    rmdir("rooftop_captures");
    return chdir(before) != 0 || rmdir(place) != 0;
}

/* Its documents are intact, but a file that they name is missing: it cannot be replayed. */
TEST(a_capture_with_a_missing_file_cannot_be_replayed)
{
    static const char *const lost[] = {"kernarg.bin", "kernel.hsaco", "variables/1.bin"};
    for (size_t i = 0; i < sizeof lost / sizeof *lost; i++) {
        struct made_capture made;
        struct replay_list list;
        struct replay_host host = {.known = true};
        struct error err = ERROR_INIT;
        made_capture_make(&made);
        made_capture_write(&made, lost[i], NULL, 0);
        char *folders[] = {made.dir};
        struct replay_list_request r = {
            .folders = folders, .nfolders = 1, .state_dir = "", .readonly = true, .host = &host};
        assert_int_equal(replay_list_read(&list, &r, &err), 0);
        assert_int_equal(list.n, 1);
        assert_int_equal(list.rows[0].can, REPLAY_CANNOT);
        assert_non_null(strstr(list.rows[0].why, lost[i]));
        replay_list_free(&list);
        made_capture_remove(&made);
    }
}

/* Whether the default folder was searched; note: what was said about it. */
static bool looked_here(char **named, size_t n, char note[256])
{
    struct replay_list list;
    struct replay_host host = {0};
    struct replay_list_request r = {
        .folders = named, .nfolders = n, .state_dir = "", .readonly = true, .host = &host};
    char text[800], here[128];
    struct error err = ERROR_INIT;
    snprintf(here, sizeof here, "%s/rooftop_captures", place);
    if (replay_list_read(&list, &r, &err) != 0)
        fail_msg("%s", error_format(&err, text, sizeof text));
    bool looked = strstr(list.folders, here) != NULL;
    snprintf(note, 256, "%s", list.note);
    replay_list_free(&list);
    return looked;
}

TEST_WITH(captures_here_are_ours, setup, teardown)
{
    char note[256], *named[] = {"rooftop_captures"};
    assert_true(looked_here(NULL, 0, note));
    assert_string_equal(note, "");
    assert_int_equal(chmod("rooftop_captures", 0777), 0);
    assert_false(looked_here(NULL, 0, note));
    assert_string_equal(note, "rooftop_captures here is left out: others may write in it; "
                              "--captures rooftop_captures shows it");
    assert_true(looked_here(named, 1, note)); /* the user named it */
    assert_int_equal(chmod("rooftop_captures", 0755), 0);
    if (geteuid() != 0) {
        print_message("skipped: only root can make folders of two users\n");
        skip();
    }
    assert_int_equal(chown("rooftop_captures", 12345, 12345), 0);
    assert_false(looked_here(NULL, 0, note));
    assert_non_null(strstr(note, "belongs to another user"));
}
