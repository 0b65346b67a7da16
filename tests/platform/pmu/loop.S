/*
 * loop N: turns N times, two instructions a turn, and ends. No library, no start-up code: what it executes in user
 * mode is known to the instruction:
 *     3 + 5 for each digit + 2 at the string's end + 2 a turn + 3
 */
    .globl _start
_start:
    ldr x1, [sp, #16] /* argv[1] */
    mov x0, #0
    mov x3, #10
digit:
    ldrb w2, [x1], #1
    cbz w2, turn
    sub w2, w2, #'0'
    madd x0, x0, x3, x2
    b digit
turn:
    subs x0, x0, #1
    b.ne turn
    mov x0, #0
    mov x8, #93 /* exit */
    svc #0
