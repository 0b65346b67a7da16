/* Dates without the C library, which reads time zones from files and allocates. */
#ifndef ROOFTOP_CAPTURE_DATE_H
#define ROOFTOP_CAPTURE_DATE_H

#include <stddef.h>
#include <stdint.h>

enum { DATE_TEXT = 32 };

/* Writes seconds since 1970 (not negative) as ISO 8601: "2026-02-28T23:59:59Z". */
void date_text(int64_t seconds, char out[DATE_TEXT]);

#endif
