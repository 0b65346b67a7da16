/* printf for the conversions that decoders use all the time: a line has a dozen of them. */
#ifndef ROOFTOP_ENGINE_SYSCALLS_DECODE_FORMAT_H
#define ROOFTOP_ENGINE_SYSCALLS_DECODE_FORMAT_H

#include <stdarg.h>
#include <stdio.h>

/* Like vfprintf: %s %d %u %x %#x %lld %llu %llx %#llx are written here, other formats by vfprintf.
 */
void format_write(FILE *out, const char *format, va_list args);

#endif
