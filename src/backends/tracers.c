/* All mechanisms for tracing system calls, best first. */
#include "engine/syscalls/tracer.h"

extern const struct tracer_ops tracer_inject, tracer_bpf, tracer_seccomp, tracer_ptrace;

const struct tracer_ops *const tracers[] = {&tracer_inject, &tracer_bpf, &tracer_seccomp,
                                            &tracer_ptrace, NULL};
