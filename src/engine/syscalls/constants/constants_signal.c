/* Signals. Source: asm-generic/signal-defs.h and asm/signal.h, asm-generic/siginfo.h. */
#include <signal.h>

#include <linux/elf.h>

#include "engine/syscalls/constants/constants.h"

static const struct constant sigprocmask_how[] = {C(SIG_BLOCK), C(SIG_UNBLOCK), C(SIG_SETMASK)};
CONSTANTS(sigprocmask_how, "SIG_???");
static const struct constant sa_flags[] = {{0x4000000, "SA_RESTORER"},
                                           C(SA_ONSTACK),
                                           C(SA_RESTART),
                                           C(SA_NODEFER),
                                           C(SA_RESETHAND),
                                           C(SA_SIGINFO),
                                           C(SA_NOCLDSTOP),
                                           C(SA_NOCLDWAIT),
                                           {0x400, "SA_UNSUPPORTED"},
                                           {0x800, "SA_EXPOSE_TAGBITS"}};
CONSTANTS(sa_flags, "SA_???");
static const struct constant ss_flags[] = {
    C(SS_ONSTACK), C(SS_DISABLE), {1u << 31, "SS_AUTODISARM"}};
CONSTANTS(ss_flags, "SS_???");
static const struct constant sigev_notify[] = {C(SIGEV_SIGNAL), C(SIGEV_NONE), C(SIGEV_THREAD),
                                               C(SIGEV_THREAD_ID)};
CONSTANTS(sigev_notify, "SIGEV_???");

static const struct constant si_codes[] = {C(SI_USER),
                                           C(SI_KERNEL),
                                           C(SI_QUEUE),
                                           {(uint64_t)-2, "SI_TIMER"},
                                           C(SI_MESGQ),
                                           C(SI_ASYNCIO),
                                           C(SI_SIGIO),
                                           C(SI_TKILL),
                                           {(uint64_t)-7, "SI_DETHREAD"},
                                           {(uint64_t)-60, "SI_ASYNCNL"}};
CONSTANTS(si_codes, "SI_???");
static const struct constant si_codes_segv[] = {
    C(SEGV_MAPERR),      C(SEGV_ACCERR),      {3, "SEGV_BNDERR"},
    {4, "SEGV_PKUERR"},  {5, "SEGV_ACCADI"},  {6, "SEGV_ADIDERR"},
    {7, "SEGV_ADIPERR"}, {8, "SEGV_MTEAERR"}, {9, "SEGV_MTESERR"}};
CONSTANTS(si_codes_segv, "SEGV_???");
static const struct constant si_codes_chld[] = {C(CLD_EXITED),  C(CLD_KILLED),  C(CLD_DUMPED),
                                                C(CLD_TRAPPED), C(CLD_STOPPED), C(CLD_CONTINUED)};
CONSTANTS(si_codes_chld, "CLD_???");
static const struct constant si_codes_fpe[] = {C(FPE_INTDIV), C(FPE_INTOVF), C(FPE_FLTDIV),
                                               C(FPE_FLTOVF), C(FPE_FLTUND), C(FPE_FLTRES),
                                               C(FPE_FLTINV), C(FPE_FLTSUB)};
CONSTANTS(si_codes_fpe, "FPE_???");
static const struct constant si_codes_ill[] = {C(ILL_ILLOPC), C(ILL_ILLOPN), C(ILL_ILLADR),
                                               C(ILL_ILLTRP), C(ILL_PRVOPC), C(ILL_PRVREG),
                                               C(ILL_COPROC), C(ILL_BADSTK)};
CONSTANTS(si_codes_ill, "ILL_???");
static const struct constant si_codes_bus[] = {
    C(BUS_ADRALN), C(BUS_ADRERR), C(BUS_OBJERR), {4, "BUS_MCEERR_AR"}, {5, "BUS_MCEERR_AO"}};
CONSTANTS(si_codes_bus, "BUS_???");
static const struct constant si_codes_trap[] = {{1, "TRAP_BRKPT"},  {2, "TRAP_TRACE"},
                                                {3, "TRAP_BRANCH"}, {4, "TRAP_HWBKPT"},
                                                {5, "TRAP_UNK"},    {6, "TRAP_PERF"}};
CONSTANTS(si_codes_trap, "TRAP_???");
static const struct constant si_codes_sys[] = {{1, "SYS_SECCOMP"}, {2, "SYS_USER_DISPATCH"}};
CONSTANTS(si_codes_sys, "SYS_???");
static const struct constant si_codes_poll[] = {C(POLL_IN),  C(POLL_OUT), C(POLL_MSG),
                                                C(POLL_ERR), C(POLL_PRI), C(POLL_HUP)};
CONSTANTS(si_codes_poll, "POLL_???");
