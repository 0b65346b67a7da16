#include "support/path_found.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

void path_find(struct path_found *f)
{
    assert_int_equal(critical_path_find(f->t.calls, &f->p, NULL), 0);
    path_shares_find(&f->t, &f->p, &f->s);
    kernels_make(&f->k, &f->t, &f->p, NULL);
}

void path_drop(struct path_found *f)
{
    kernels_free(&f->k);
    path_shares_free(&f->s);
    critical_path_free(&f->p);
    trace_free(&f->t);
}
