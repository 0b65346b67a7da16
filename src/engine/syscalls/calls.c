#include "engine/syscalls/calls_impl.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { NONE = 0 };

#define FILE    SYSCALL_CLASS_FILE
#define DESC    SYSCALL_CLASS_DESC
#define MEMORY  SYSCALL_CLASS_MEMORY
#define PROCESS SYSCALL_CLASS_PROCESS
#define NETWORK SYSCALL_CLASS_NETWORK
#define SIGNAL  SYSCALL_CLASS_SIGNAL
#define IPC     SYSCALL_CLASS_IPC
#define CREDS   SYSCALL_CLASS_CREDS
#define CLOCK   SYSCALL_CLASS_CLOCK
#define STAT    SYSCALL_CLASS_STAT
#define PURE    SYSCALL_CLASS_PURE
#define NOARGS                                                                                     \
    {                                                                                              \
        "", 0, -1                                                                                  \
    }
#define A(type, name)                                                                              \
    {                                                                                              \
#name, SYSCALL_TYPE_##type, -1                                                             \
    }
#define B(type, name, other)                                                                       \
    {                                                                                              \
#name, SYSCALL_TYPE_##type, other                                                          \
    }
/* NOARGS is one initializer too, but no other text is as short as it. */
#define COUNT_ARGS(text, ...)                                                                      \
    (sizeof((const struct syscall_arg[]){__VA_ARGS__}) / sizeof(struct syscall_arg) -              \
     (sizeof text == sizeof "NOARGS"))
#define CALL(name, x86_64, i386, x32, arm64, arm32, classes, result, ...)                          \
    {#name,                                                                                        \
     {x86_64, i386, x32, arm64, arm32, -1},                                                        \
     classes,                                                                                      \
     SYSCALL_RESULT_##result,                                                                      \
     COUNT_ARGS(#__VA_ARGS__, __VA_ARGS__),                                                        \
     {__VA_ARGS__}},
#define OPERATION(name, opcode)                                                                    \
    {"io_uring:" #name,                                                                            \
     {-1, -1, -1, -1, -1, opcode},                                                                 \
     NONE,                                                                                         \
     SYSCALL_RESULT_dec,                                                                           \
     2,                                                                                            \
     {A(hex, user_data), A(io_uring_sqe_flags, flags)}},

/* The table is never written to, so that no traced fork has to copy its pages. */
static const struct syscall_call rows[] = {
#include "engine/syscalls/calls.def"
};

enum { ROWS = sizeof rows / sizeof *rows, NUMBERS = 640 };
static uint16_t row_of[SYSCALL_ABIS][NUMBERS]; /* 1 + index into rows */
static uint16_t numbers[SYSCALL_ABIS];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static unsigned class_of_type(unsigned type)
{
    switch (type) {
    case SYSCALL_TYPE_path:
        return SYSCALL_CLASS_FILE;
    case SYSCALL_TYPE_fd:
    case SYSCALL_TYPE_dirfd:
        return SYSCALL_CLASS_DESC;
    default:
        return 0;
    }
}

unsigned syscall_row_classes(const struct syscall_call *row)
{
    unsigned classes = row->classes;
    for (unsigned i = 0; i < row->nargs; i++)
        classes |= class_of_type(row->args[i].type);
    return row->result == SYSCALL_RESULT_fd ? classes | SYSCALL_CLASS_DESC : classes;
}

static void prepare_row(const struct syscall_call *row)
{
    for (unsigned abi = 0; abi < SYSCALL_ABIS; abi++) {
        int number = row->numbers[abi];
        if (number < 0 || number >= NUMBERS)
            continue;
        row_of[abi][number] = (uint16_t)(1 + (row - rows));
        if (number >= numbers[abi])
            numbers[abi] = (uint16_t)(number + 1);
    }
}

static void prepare_call_rows(void)
{
    for (size_t i = 0; i < ROWS; i++)
        prepare_row(&rows[i]);
}

const struct syscall_call *syscall_row(size_t i)
{
    pthread_once(&once, prepare_call_rows);
    return i < ROWS ? &rows[i] : NULL;
}

const struct syscall_call *syscall_find(unsigned abi, uint32_t number)
{
    pthread_once(&once, prepare_call_rows);
    if (abi >= SYSCALL_ABIS || number >= NUMBERS || !row_of[abi][number])
        return NULL;
    return &rows[row_of[abi][number] - 1];
}

const char *syscall_name(unsigned abi, uint32_t number)
{
    static _Thread_local char unknown[24];
    const struct syscall_call *call = syscall_find(abi, number);
    if (call)
        return call->name;
    if (abi == SYSCALL_ABIS)
        return "(other numbers)";
    snprintf(unknown, sizeof unknown, abi == SYSCALL_URING ? "io_uring:0x%x" : "syscall_0x%x",
             number);
    return unknown;
}

bool syscall_is_named(unsigned abi, uint32_t number)
{
    return syscall_find(abi, number);
}

int syscall_number(unsigned abi, const char *name)
{
    if (abi >= SYSCALL_ABIS)
        return -1;
    for (size_t i = 0; i < ROWS; i++)
        if (strcmp(rows[i].name, name) == 0)
            return rows[i].numbers[abi];
    return -1;
}

unsigned syscall_nargs(unsigned abi, uint32_t number)
{
    const struct syscall_call *call = syscall_find(abi, number);
    return call ? call->nargs : 6;
}

const char *syscall_arg_name(unsigned abi, uint32_t number, unsigned arg)
{
    const struct syscall_call *call = syscall_find(abi, number);
    return call && arg < call->nargs ? call->args[arg].name : NULL;
}

unsigned syscall_classes(unsigned abi, uint32_t number)
{
    const struct syscall_call *call = syscall_find(abi, number);
    return call ? syscall_row_classes(call) : 0;
}

uint32_t syscall_numbers(unsigned abi)
{
    pthread_once(&once, prepare_call_rows);
    return abi < SYSCALL_ABIS ? numbers[abi] : 0;
}
