/* A program that uses io_uring, by its three calls. A test's program runs itself again as it. */
#pragma once

/* Where argv[1] is "uring": runs it and returns its exit status, 77 where the kernel forbids it;
 * else -1. With argv[2] "polled", a thread of the kernel polls the ring. It prints what the
 * completions told it: "nop 3 0\nwrite 10 1000\nread 1 -9\n", each with the number of completions
 * and the sum of their results. */
int uring_program(int argc, char **argv);
/* Whether io_uring can be used here. */
int uring_works(void);
