#include "support/python.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/skip.h"
#include "support/test.h"

void python_needed(const char *module, const char *package)
{
    static const char *const all[] = {"python3", "/usr/bin/python3"};
    char line[256], top[4096];
    assert_non_null(getcwd(top, sizeof top));
    setenv("TOP", top, 1);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        snprintf(line, sizeof line, "%s -c 'import %s' 2>/dev/null", all[i], module);
        setenv("PY", all[i], 1);
        if (system(line) == 0)
            return;
    }
    skip_because("no python3 here has %s (%s)", module, package);
}
