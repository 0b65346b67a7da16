/* Where calls came from, in the formats of traces: stacks, sources, functions. */
#pragma once

#include "export/syscalls/syscalls_export.h"

/* "prog.c:12", "main in prog", "prog+0x1139"; "" if nothing is known. Into out. */
const char *syscalls_origin(const struct syscall_stack *stack, char *out, size_t size);
/* A line for each frame, innermost first:
 * " > /usr/bin/prog(main+0x12) [0x1139] prog.c:12". */
void syscalls_stack_text(FILE *out, const struct syscall_stack *stack);

/* Members of a call or signal in JSON: "stack": number, "source": {…}, as the options ask. */
void syscalls_origin_json(struct syscalls_export *x, FILE *out, const struct syscall_stack *stack);
/* The lists that the numbers refer to: "frames", "stacks". */
void syscalls_stacks_json(struct syscalls_export *x);

/* The table of --function-time, with the stacks that took most of the time. */
void syscalls_functions_text(struct syscalls_export *x);
void syscalls_functions_json(struct syscalls_export *x); /* members "functions", "paths" */
void syscalls_functions_csv(struct syscalls_export *x);
