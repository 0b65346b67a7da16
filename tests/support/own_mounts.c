#include "support/own_mounts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/skip.h"

void own_mounts_run(struct program *p, const char *mounts, const char *shell)
{
    enum { NOT_ALLOWED = 77 };
    char line[8192];
    program_needed();
    int n = snprintf(line, sizeof line,
                     "unshare %s --propagation private sh -c '{ %s; } || exit %d; %s' || { s=$?; "
                     "[ $s = 1 ] && ! unshare %s true && s=%d; exit $s; }",
                     geteuid() == 0 ? "-m" : "-rm", mounts, NOT_ALLOWED, shell,
                     geteuid() == 0 ? "-m" : "-rm", NOT_ALLOWED);
    assert_in_range(n, 1, sizeof line - 1);
    program_run(p, line);
    if (p->status != NOT_ALLOWED)
        return;
    program_free(p);
    skip_because("no file system may be mounted here: root may, or who may make user namespaces");
}
