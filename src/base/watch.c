#include "base/watch.h"

#include <errno.h>
#include <stddef.h>

static _Thread_local const struct watch *own;

const struct watch *watch_set(const struct watch *w)
{
    const struct watch *before = own;
    own = w;
    return before;
}

const struct watch *watch_get(void)
{
    return own;
}

bool watch_given_up(void)
{
    return own && !own->wanted(own->ctx);
}

int watch_check(const char *what, struct error *err)
{
    if (!watch_given_up())
        return 0;
    return error_set(err, ERROR_INPUT, ECANCELED, NULL, what, "it was given up");
}
