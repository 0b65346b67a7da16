/* Reading of thread traces is given up: it ends at the next check, wherever it is. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/watch.h"
#include "engine/att/att_digest.h"
#include "support/att_folder.h"
#include "support/patience.h"
#include "support/test.h"

enum { ITEMS = 10 * WATCH_STEPS, CHUNKS = 4 << 20 };

static struct att_folder folder;

/* One file has many values that are skipped, another is several MB large. */
FIXTURE(make)
{
    char *text = xcalloc(2 * ITEMS + 64, 1), *blanks = xcalloc(CHUNKS + 2, 1), *at = text;
    att_folder_make(&folder, 1);
    at = stpcpy(at, "{\"none\":[0");
    for (int i = 1; i < ITEMS; i++)
        at = stpcpy(at, ",0");
    strcpy(at, "],");
    att_folder_change(&folder, "filenames.json", "{", text);
    memset(blanks, ' ', CHUNKS);
    strcpy(blanks + CHUNKS, "{");
    att_folder_change(&folder, "code.json", "{", blanks);
    free(text);
    free(blanks);
}

FIXTURE(take_away)
{
    att_folder_remove(&folder);
}

static int read_it(struct patience *p, struct error *err)
{
    const struct watch w = {patience_lasts, p}, *before = watch_set(&w);
    struct att_set set;
    int rc = att_set_open(&set, folder.dir, 4, err);
    watch_set(before);
    att_set_free(&set);
    return rc;
}

TEST(reading_ends_wherever_it_is_given_up)
{
    struct error err = ERROR_INIT;
    struct patience whole = {0};
    assert_int_equal(read_it(&whole, &err), 0);
    /* checks happen regularly */
    assert_true(whole.looks > ITEMS / WATCH_STEPS + CHUNKS / (1 << 20));
    for (unsigned at = 1; at <= whole.looks; at++) {
        struct patience p = {.most = at};
        err = (struct error)ERROR_INIT;
        int rc = read_it(&p, &err);
        if (rc != -ECANCELED || err.code != ECANCELED)
            fail_msg("given up at look %u of %u: %d, %s", at, whole.looks, rc, err.why);
        if (p.looks > at + 4)
            fail_msg("given up at look %u, and asked %u times more", at, p.looks - at);
    }
}

TEST_MAIN(make, take_away)
