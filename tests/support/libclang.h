/* Skips a test where libclang cannot read C: it, or the headers that it brings, are not there. */
#pragma once

/* Parses a source that includes <stddef.h>. Returns only where that can be done. (Forks: not for
 * TSan.) */
void need_libclang(void);
