/* Deterministic programs that make system calls, to compare two tracers on them. */
#pragma once

struct syscall_case {
    const char *name; /* NULL ends the list */
    void (*run)(void);
};
extern const struct syscall_case syscall_cases_files[], syscall_cases_processes[],
    syscall_cases_details[];

/* Runs all of them in the working folder, each behind a chdir("/case/NAME") that fails. Returns the
 * exit status that the program should end with. */
int syscall_cases_run(void);
