#include "skip.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

void skip_because(const char *format, ...)
{
    char why[1000];
    va_list args;
    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    print_message("skipped: %s\n", why);
    skip();
    abort(); /* not reached: cmocka leaves the test */
}
