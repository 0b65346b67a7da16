/* DWARF expressions in call frame information: DWARF 5, section 2.5. */
#ifndef ROOFTOP_BACKENDS_UNWIND_CFI_EVAL_H
#define ROOFTOP_BACKENDS_UNWIND_CFI_EVAL_H

#include <elfutils/libdw.h>

#include "backends/unwind/cfi.h"

/*
 * Evaluates ops[0..n). cfa: for DW_OP_call_frame_cfa. push: a value to put on the stack first;
 * NULL: none. *value: the result is a value, not an address to read it from. False where it cannot
 * be computed.
 */
bool cfi_eval(const Dwarf_Op *ops, size_t n, const struct cfi_state *s, uint64_t cfa,
              const uint64_t *push, uint64_t *out, bool *value);

#endif
