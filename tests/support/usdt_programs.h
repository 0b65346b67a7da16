/* Programs with USDT probes. The assembler writes their notes in the public format, so that
 * nothing has to be installed. */
#pragma once

#include <stdbool.h>

/*
 * Makes in the directory of compiled.h:
 * plain: has none.
 * shop LOOPS [THREADS [fork]]: requests with two queries each, in so many threads, and in a child
 *   too; exits with 3.
 * gated N: steps of libgate.so, passed only while somebody watches; late N: by dlopen.
 * False where there is no compiler.
 */
bool usdt_programs_make(void);
