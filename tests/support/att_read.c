#include "support/att_read.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

void att_read_begin(struct att_read *r, bool copy)
{
    *r = (struct att_read){0};
    att_folder_make(&r->folder, copy);
}

static void forget(struct att_read *r)
{
    att_free(&r->trace);
    att_places_free(&r->places);
    r->err = (struct error){0};
}

void att_read_end(struct att_read *r)
{
    forget(r);
    att_folder_remove(&r->folder);
}

int att_read_path(struct att_read *r, const char *path)
{
    forget(r);
    int rc = att_reader.list(&r->places, path, &r->err);
    return rc == 0 ? att_reader.read(&r->trace, &r->places.list[0], &r->err) : rc;
}

void att_read_good(struct att_read *r)
{
    char text[1024];
    if (att_read_path(r, r->folder.dir) != 0)
        fail_msg("%s", error_format(&r->err, text, sizeof text));
}

void att_read_fault(struct att_read *r, const char *file, const char *why)
{
    if (att_read_path(r, r->folder.dir) == 0)
        fail_msg("%s was taken, without '%s'", file, why);
    if (!strstr(r->err.what, file) || !strstr(r->err.why, why))
        fail_msg("'%s: %s', not '%s: %s'", r->err.what, r->err.why, file, why);
    assert_int_equal(r->err.kind, ERROR_INPUT);
}

bool att_read_noted(const struct att_read *r, const char *text)
{
    for (uint32_t i = 0; i < r->trace.nnotes; i++)
        if (strstr(r->trace.notes[i], text))
            return true;
    return false;
}
