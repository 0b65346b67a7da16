/* Control of a process's own state: prctl, capabilities, seccomp, personality, futexes, keys,
 * quotas. */
#include "engine/syscalls/decode/decode_impl.h"
#include "engine/syscalls/decode/types.h"

#include <linux/prctl.h>

#define VALUE (d->e->args[arg])

/* The arguments of prctl operations: d number, x hexadecimal, s signal, n name (16 bytes) in, N
 * name out, i int out, S signal out, b securebits, c capability, u dumpable, m seccomp mode, a
 * ambient operation, V attribute of memory (PR_SET_VMA), t text. */
static const struct {
    int op;
    const char *args;
} prctl_args[] = {
    {PR_SET_PDEATHSIG, "s"},
    {PR_GET_PDEATHSIG, "S"},
    {PR_GET_DUMPABLE, ""},
    {PR_SET_DUMPABLE, "u"},
    {PR_GET_KEEPCAPS, ""},
    {PR_SET_KEEPCAPS, "d"},
    {PR_SET_NAME, "n"},
    {PR_GET_NAME, "N"},
    {PR_GET_SECCOMP, ""},
    {PR_CAPBSET_READ, "c"},
    {PR_CAPBSET_DROP, "c"},
    {PR_GET_SECUREBITS, ""},
    {PR_SET_SECUREBITS, "b"},
    {PR_SET_TIMERSLACK, "d"},
    {PR_GET_TIMERSLACK, ""},
    {PR_SET_CHILD_SUBREAPER, "d"},
    {PR_GET_CHILD_SUBREAPER, "i"},
    {PR_SET_NO_NEW_PRIVS, "dddd"},
    {PR_GET_NO_NEW_PRIVS, "dddd"},
    {PR_SET_THP_DISABLE, "dddd"},
    {PR_GET_THP_DISABLE, "dddd"},
    {PR_CAP_AMBIENT, "axdd"},
    {PR_SET_SECCOMP, "mx"},
    {PR_TASK_PERF_EVENTS_DISABLE, ""},
    {PR_TASK_PERF_EVENTS_ENABLE, ""},
    {PR_SET_VMA, "Vxdt"},
    {PR_MCE_KILL_GET, "dddd"},
};

static const char *prctl_form(const struct decoder *d)
{
    for (size_t i = 0; i < sizeof prctl_args / sizeof *prctl_args; i++)
        if (prctl_args[i].op == (int)d->e->args[0])
            return prctl_args[i].args;
    return "xxxx";
}

bool prctl_arg_absent(const struct decoder *d, unsigned arg)
{
    const char *form = prctl_form(d);
    for (unsigned i = 1; i <= arg; i++)
        if (!*form++)
            return true;
    return false;
}

static void emit_int_at(struct decoder *d, uint64_t address, bool signal)
{
    int32_t number;
    if (!has_result(d) || !take(d, AT_RETURN, address, &number, sizeof number)) {
        emit_address(d, address);
        return;
    }
    emit_text(d, "[");
    if (signal)
        emit_signal(d, number);
    else
        emit_number(d, number);
    emit_text(d, "]");
}

void write_prctl_arg(struct decoder *d, unsigned arg)
{
    static const struct constant vma[] = {{0, "PR_SET_VMA_ANON_NAME"}};
    static const struct constants vmas = {vma, 1, "PR_SET_VMA_???"};
    switch (prctl_arg_absent(d, arg) ? 0 : prctl_form(d)[arg - 1]) {
    case 'd':
        emit_number(d, VALUE);
        break;
    case 's':
        emit_signal(d, (int)VALUE);
        break;
    case 'S':
    case 'i':
        emit_int_at(d, VALUE, prctl_form(d)[arg - 1] == 'S');
        break;
    case 'n':
        emit_string(d, AT_ENTRY, VALUE, 15);
        break;
    case 'N':
        if (has_result(d))
            emit_string(d, AT_RETURN, VALUE, 16);
        else
            emit_address(d, VALUE);
        break;
    case 't':
        emit_string(d, AT_ENTRY, VALUE, 80);
        break;
    case 'b':
        emit_flags(d, &constants_securebits, VALUE);
        break;
    case 'c':
        emit_constant(d, &constants_capabilities, VALUE);
        break;
    case 'u':
        emit_constant(d, &constants_dumpable, VALUE);
        break;
    case 'm':
        emit_constant(d, &constants_seccomp_modes, VALUE);
        break;
    case 'a':
        emit_constant(d, &constants_cap_ambient, VALUE);
        break;
    case 'V':
        emit_constant(d, &vmas, VALUE);
        break;
    default:
        emit_hex(d, VALUE);
    }
}

/* arch_prctl: the GET operations write a long. Source: asm/prctl.h of x86. */
void write_arch_prctl_arg(struct decoder *d, unsigned arg)
{
    uint64_t value, op = other(d, arg);
    if ((op == 0x1003 || op == 0x1004) && has_result(d) &&
        take(d, AT_RETURN, VALUE, &value, sizeof value))
        emit(d, "[%#llx]", (unsigned long long)value);
    else
        emit_hex(d, VALUE);
}

/* PTRACE_CONT and similar requests take a signal. Source: linux/ptrace.h. */
void write_ptrace_data(struct decoder *d, unsigned arg)
{
    uint64_t op = other(d, arg);
    if (op == 7 || op == 9 || op == 17 || op == 24)
        emit_signal(d, (int)VALUE);
    else
        emit_address(d, VALUE);
}

void write_cap_header(struct decoder *d, unsigned arg)
{
    uint32_t h[2];
    if (!take(d, AT_ENTRY, VALUE, h, sizeof h)) {
        emit_address(d, VALUE);
        return;
    }
    emit_text(d, "{version=");
    emit_constant(d, &constants_cap_versions, h[0]);
    emit_text(d, ", pid=");
    emit_task(d, (int32_t)h[1]);
    emit_text(d, "}");
}

static void emit_capabilities(struct decoder *d, uint64_t set)
{
    const char *between = "";
    if (!set)
        emit_text(d, "0");
    for (unsigned i = 0; i < 64; i++) {
        if (!(set >> i & 1))
            continue;
        const char *name = constant_name(&constants_capabilities, i);
        if (name)
            emit(d, "%s1<<%s", between, name);
        else
            emit(d, "%s1<<%u", between, i);
        between = "|";
    }
}

/* Effective, permitted and inheritable sets of 32 bits each; versions 2 and 3 have each twice. */
static void emit_cap_data(struct decoder *d, bool when, uint64_t address, uint64_t header)
{
    enum { VERSION_1 = 0x19980330 };
    static const char *const names[] = {"{effective=", ", permitted=", ", inheritable="};
    uint32_t version, sets[6] = {0};
    bool twice = take(d, AT_ENTRY, header, &version, sizeof version) && version != VERSION_1;
    if (!take(d, when, address, sets, twice ? sizeof sets : sizeof sets / 2)) {
        emit_address(d, address);
        return;
    }
    for (unsigned i = 0; i < 3; i++) {
        emit(d, "%s", names[i]);
        emit_capabilities(d, sets[i] | (uint64_t)sets[i + 3] << 32);
    }
    emit_text(d, "}");
}

void write_cap_data(struct decoder *d, unsigned arg)
{
    emit_cap_data(d, AT_ENTRY, VALUE, other(d, arg));
}

void write_cap_data_out(struct decoder *d, unsigned arg)
{
    if (has_result(d))
        emit_cap_data(d, AT_RETURN, VALUE, other(d, arg));
    else
        emit_address(d, VALUE);
}

/* Source: linux/seccomp.h. Only filters have flags. Of a filter's program the length is shown. */
void write_seccomp_flags(struct decoder *d, unsigned arg)
{
    if (other(d, arg) == 1)
        emit_flags(d, &constants_seccomp_filter_flags, (uint32_t)VALUE);
    else
        emit_unsigned(d, (unsigned)VALUE);
}

void write_seccomp_arg(struct decoder *d, unsigned arg)
{
    uint64_t op = other(d, arg), program[2];
    uint32_t action;
    if (op == 1 && pointer_size(d) == 8 && take(d, AT_ENTRY, VALUE, program, sizeof program)) {
        emit(d, "{len=%u, filter=", (unsigned)(uint16_t)program[0]);
        emit_address(d, program[1]);
        emit_text(d, "}");
    } else if (op == 2 && take(d, AT_ENTRY, VALUE, &action, sizeof action)) {
        emit_text(d, "[");
        emit_constant(d, &constants_seccomp_actions, action);
        emit_text(d, "]");
    } else {
        emit_address(d, VALUE);
    }
}

void emit_personality(struct decoder *d, uint32_t value)
{
    enum { KIND = 0xff };
    if (value == UINT32_MAX) {
        emit_hex(d, value);
        return;
    }
    emit_constant(d, &constants_personalities, value & KIND);
    if (value & ~(uint32_t)KIND) {
        emit_text(d, "|");
        emit_flags(d, &constants_personality_flags, value & ~(uint32_t)KIND);
    }
}

void write_personality(struct decoder *d, unsigned arg)
{
    emit_personality(d, (uint32_t)VALUE);
}

void write_syslog_type(struct decoder *d, unsigned arg)
{
    const char *name = constant_name(&constants_syslog_type, (uint32_t)VALUE);
    emit(d, "%d /* %s */", (int)VALUE, name ? name : "SYSLOG_ACTION_???");
}

void write_keyring(struct decoder *d, unsigned arg)
{
    const char *name = constant_name(&constants_keyrings, (uint32_t)VALUE);
    if (name)
        emit(d, "%s", name);
    else
        emit_number(d, (int)VALUE);
}

/* The kind of quota is in the low byte. Source: linux/quota.h. */
void write_quotactl_cmd(struct decoder *d, unsigned arg)
{
    uint32_t cmd = (uint32_t)VALUE;
    emit_text(d, "QCMD(");
    emit_constant(d, &constants_quota_commands, cmd >> 8);
    emit_text(d, ", ");
    emit_constant(d, &constants_quota_types, cmd & 0xff);
    emit_text(d, ")");
}
