/*
 * Where patched call sites and user dispatch arrive, with the registers of the call, and in rcx where
 * to go on; the 8 bytes before that place are the address behind the original `syscall`, for
 * unwinders. rcx and r11 are free: the kernel destroys them too. No vector register is touched, and
 * the stack's red zone stays as it is.
 *
 * All calls of the recorder itself are made here. User dispatch lets calls from this text through,
 * and a tracer that is attached leaves them out, but for those behind recorder_pass.
 */
#include "format/syscall_ring.h"

#define RECORDS_MASK (SYSCALL_RING_RECORDS - 1)

/* Frame of an ordinary call: what it needs, and the red zone. */
#define NEXT   0
#define RDX    8
#define NUMBER 16
#define INDEX  24
#define RESULT 32
#define ORIGIN 40
#define SIZE   192

/* struct frame of recorder.h, for calls that need care. */
#define F_RAX  0
#define F_NEXT 8
#define F_RDX  16
#define F_RSI  24
#define F_RDI  32
#define F_R8   40
#define F_R9   48
#define F_R10  56
#define F_RBX  64
#define F_CALL 72
#define F_SLOT 136
#define F_ORIGIN 160
#define F_SIZE 320

/* rcx: the index of a new record; it is made sure that its place is free. */
.macro TAKE_INDEX
    mov     $1, %ecx
    xadd    %rcx, %gs:SYSCALL_RING_HEAD /* one instruction: whole for the signals of this task */
    cmp     %gs:SYSCALL_RING_LIMIT, %rcx
    jb      8f
    call    pressed
8:
.endm
/* From an index in rcx: r11 = stamp and zero number of a record of this kind, rcx = its address. */
.macro LOCATE kind
    lea     1(%rcx), %r11
    shl     $35, %r11
.if \kind
    movabs  $(\kind << 32), %rdx
    or      %rdx, %r11
.endif
    and     $RECORDS_MASK, %ecx
    shl     $SYSCALL_RECORD_SHIFT, %ecx
    add     %gs:SYSCALL_RING_BASE, %rcx
.endm

.text
.globl recorder_text_from, recorder_text_to, recorder_hook, recorder_dispatched, recorder_call, recorder_call_i386, recorder_restorer, recorder_pass
.hidden recorder_text_from, recorder_text_to, recorder_hook, recorder_dispatched, recorder_call, recorder_call_i386, recorder_restorer, recorder_pass
.balign 64
recorder_text_from:
.type recorder_hook, @function
recorder_hook:
    .cfi_startproc
    .cfi_def_cfa rsp, 0
    .cfi_register rip, rcx
    mov     -8(%rcx), %r11
recorder_origin_known:
    .cfi_register rip, r11
    lea     -SIZE(%rsp), %rsp
    .cfi_def_cfa rsp, SIZE
    mov     %rcx, NEXT(%rsp)
    mov     %r11, ORIGIN(%rsp)
    .cfi_offset rip, ORIGIN - SIZE
    cmp     $511, %eax
    ja      careful
    mov     %eax, %eax
    lea     recorder_careful(%rip), %r11
    cmpb    $0, (%r11, %rax)
    jne     careful
    mov     %rdx, RDX(%rsp)
    mov     %rax, NUMBER(%rsp)
    rdtsc
    shl     $32, %rdx
    or      %rdx, %rax
    TAKE_INDEX
    mov     %rcx, INDEX(%rsp)
    LOCATE  0
    mov     %rax, 8(%rcx)
    mov     RDX(%rsp), %rdx
    mov     %rdi, 16(%rcx)
    mov     %rsi, 24(%rcx)
    mov     %rdx, 32(%rcx)
    mov     %r10, 40(%rcx)
    mov     %r8, 48(%rcx)
    mov     %r9, 56(%rcx)
    mov     NUMBER(%rsp), %rax
    or      %rax, %r11
    mov     %r11, (%rcx)
    syscall
    mov     %rax, RESULT(%rsp)
    rdtsc
    shl     $32, %rdx
    or      %rdx, %rax
    TAKE_INDEX
    LOCATE  1
    mov     %rax, 8(%rcx)
    mov     RESULT(%rsp), %rax
    mov     %rax, 16(%rcx)
    mov     INDEX(%rsp), %rdx
    mov     %rdx, 24(%rcx)
    mov     NUMBER(%rsp), %rdx
    or      %rdx, %r11
    mov     %r11, (%rcx)
    mov     RDX(%rsp), %rdx
    mov     NEXT(%rsp), %rcx
    lea     SIZE(%rsp), %rsp
    .cfi_def_cfa rsp, 0
    .cfi_register rip, rcx
    jmp     *%rcx
    .cfi_endproc

/* Here user dispatch arrives: rcx is both the place to go on at and the origin. */
.type recorder_dispatched, @function
recorder_dispatched:
    .cfi_startproc
    .cfi_def_cfa rsp, 0
    .cfi_register rip, rcx
    mov     %rcx, %r11
    jmp     recorder_origin_known
    .cfi_endproc

/* Asks for room for the record rcx; all registers but flags stay. */
pressed:
    push    %rax
    push    %rcx
    push    %rdx
    push    %rsi
    push    %rdi
    push    %r8
    push    %r9
    push    %r10
    push    %r11
    push    %rbx
    mov     %rcx, %rdi
    mov     %rsp, %rbx
    and     $-16, %rsp
    call    recorder_pressed
    mov     %rbx, %rsp
    pop     %rbx
    pop     %r11
    pop     %r10
    pop     %r9
    pop     %r8
    pop     %rdi
    pop     %rsi
    pop     %rdx
    pop     %rcx
    pop     %rax
    ret

/* --- calls that need care: C decides --- */

.macro SAVE
    lea     -F_SIZE(%rsp), %rsp
    mov     %rax, F_RAX(%rsp)
    mov     %rcx, F_NEXT(%rsp)
    mov     %rdx, F_RDX(%rsp)
    mov     %rsi, F_RSI(%rsp)
    mov     %rdi, F_RDI(%rsp)
    mov     %r8, F_R8(%rsp)
    mov     %r9, F_R9(%rsp)
    mov     %r10, F_R10(%rsp)
    mov     %rbx, F_RBX(%rsp)
.endm
/* All but rbx. */
.macro LOAD
    mov     F_RAX(%rsp), %rax
    mov     F_NEXT(%rsp), %rcx
    mov     F_RDX(%rsp), %rdx
    mov     F_RSI(%rsp), %rsi
    mov     F_RDI(%rsp), %rdi
    mov     F_R8(%rsp), %r8
    mov     F_R9(%rsp), %r9
    mov     F_R10(%rsp), %r10
.endm
.macro ASK function
    mov     %rsp, %rdi
    mov     %rsp, %rbx
    and     $-16, %rsp
    call    \function
    mov     %rbx, %rsp
.endm

.type careful, @function
careful:
    .cfi_startproc
    .cfi_def_cfa rsp, SIZE
    .cfi_offset rip, ORIGIN - SIZE
    mov     ORIGIN(%rsp), %r11
    lea     SIZE(%rsp), %rsp
    .cfi_def_cfa rsp, 0
    .cfi_register rip, r11
    cmpb    $0, recorder_aside(%rip)
    jne     pass
    SAVE
    .cfi_def_cfa rsp, F_SIZE
    mov     %r11, F_ORIGIN(%rsp)
    .cfi_offset rip, F_ORIGIN - F_SIZE
    ASK     recorder_before
    /* enum step of recorder.h */
    cmp     $1, %eax
    je      make
    cmp     $2, %eax
    je      fork
    cmp     $3, %eax
    je      vfork
    cmp     $4, %eax
    je      return_from_signal
    cmp     $5, %eax
    je      aside
done:
    LOAD
    mov     F_RBX(%rsp), %rbx
    lea     F_SIZE(%rsp), %rsp
    .cfi_remember_state
    .cfi_def_cfa rsp, 0
    .cfi_register rip, rcx
    jmp     *%rcx
    .cfi_restore_state

make:                                   /* the call, with arguments that C chose */
    mov     F_RAX(%rsp), %rax
    mov     F_CALL(%rsp), %rdi
    mov     8+F_CALL(%rsp), %rsi
    mov     16+F_CALL(%rsp), %rdx
    mov     24+F_CALL(%rsp), %r10
    mov     32+F_CALL(%rsp), %r8
    mov     40+F_CALL(%rsp), %r9
    mov     F_RBX(%rsp), %rbx
    syscall
    mov     %rax, F_RAX(%rsp)
    ASK     recorder_after
    jmp     done

aside:
    LOAD
    mov     F_RBX(%rsp), %rbx
    lea     F_SIZE(%rsp), %rsp
    jmp     pass

return_from_signal:
    LOAD
    mov     F_RBX(%rsp), %rbx
    lea     F_SIZE(%rsp), %rsp
    syscall
    hlt

fork:                                   /* the new task has a stack of its own, or its own copy */
    LOAD
    mov     F_SLOT(%rsp), %rbx
    syscall
    test    %rax, %rax
    jz      1f
    mov     %rax, F_RAX(%rsp)
    ASK     recorder_forked
    jmp     done
1:  add     SYSCALL_SLOT_SHIFT(%rbx), %rsp
    jmp     begin

vfork:                                  /* both go on here, on one stack: nothing of ours may lie on it */
    LOAD
    mov     F_SLOT(%rsp), %rbx
    lea     F_SIZE(%rsp), %rsp
    syscall
begin:
    mov     SYSCALL_SLOT_NEXT(%rbx), %rcx
    SAVE
    mov     %rbx, F_SLOT(%rsp)
    mov     SYSCALL_SLOT_RBX(%rbx), %r11
    mov     %r11, F_RBX(%rsp)
    ASK     recorder_began
    jmp     done
    .cfi_endproc

/* A call of the recorder: number and six arguments, as C passes them. */
.type recorder_call, @function
recorder_call:
    mov     %rdi, %rax
    mov     %rsi, %rdi
    mov     %rdx, %rsi
    mov     %rcx, %rdx
    mov     %r8, %r10
    mov     %r9, %r8
    mov     8(%rsp), %r9
    syscall
    ret

recorder_call_i386:
    push    %rbx
    mov     %rdi, %rax
    mov     %rsi, %rbx
    mov     %r8, %rsi
    mov     %r9, %rdi
    xchg    %rcx, %rdx
    int     $0x80
    pop     %rbx
    ret

recorder_restorer:
    mov     $15, %eax
    syscall
    hlt                                 /* a tracer sees the address behind the call: not yet that of pass */

/* --- the program is traced by other means: calls pass as if the recorder were not there --- */

recorder_pass:
pass:
    cmp     $15, %eax                   /* rt_sigreturn */
    je      1f
    cmp     $56, %eax                   /* clone, fork, vfork */
    jb      2f
    cmp     $58, %eax
    jbe     pass_fork
    cmp     $435, %eax                  /* clone3 */
    je      pass_fork
2:  lea     -136(%rsp), %rsp
    mov     %rcx, (%rsp)
    syscall
    mov     (%rsp), %rcx
    lea     136(%rsp), %rsp
    jmp     *%rcx
1:  syscall
    hlt
pass_fork:                              /* 64 slots: as many tasks may begin at the same moment */
    mov     $1, %r11d
    lock xadd %r11d, pass_next(%rip)
    lea     -136(%rsp), %rsp
    mov     %rax, (%rsp)
    and     $63, %r11d
    shl     $4, %r11d
    lea     pass_slots(%rip), %rax
    add     %rax, %r11
    mov     (%rsp), %rax
    lea     136(%rsp), %rsp
    mov     %rcx, SYSCALL_SLOT_NEXT(%r11)
    mov     %rbx, SYSCALL_SLOT_RBX(%r11)
    mov     %r11, %rbx
    syscall
    mov     SYSCALL_SLOT_NEXT(%rbx), %rcx
    mov     SYSCALL_SLOT_RBX(%rbx), %rbx
    jmp     *%rcx
recorder_text_to:

.bss
.balign 64
pass_slots: .skip 64 * 16
pass_next:  .skip 4

.section .note.GNU-stack, "", @progbits
