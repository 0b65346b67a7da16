#include "support/gpu.h"
#include <stdlib.h>
#include <cmocka.h>

void gpu_fail(const char *file, int line, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    print_error("%s:%d: ", file, line);
    vprint_error(format, list);
    print_error("\n");
    va_end(list);
    _fail(file, line);
    abort(); // not reached
}
