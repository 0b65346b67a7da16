/*
 * What the C library of the oldest system that `make portable` builds for has no name for yet. It is included before each
 * file of that build (portable.sh), and by no other; it includes nothing but <features.h>, as some files choose between the
 * headers of Linux and those of the C library. Numbers are Linux's: include/linux/socket.h, uapi/linux/in.h; glibc 2.36:
 * elf.h; names of errors: asm-generic/errno-base.h, errno.h.
 */
#ifndef ROOFTOP_OLDER_LIBC_H
#define ROOFTOP_OLDER_LIBC_H
#ifndef __ASSEMBLER__
#include <features.h>

#define AF_MCTP 45
#define IPPROTO_ETHERNET 143
#define IPPROTO_MPTCP 262
#define DT_RELRSZ 35
#define DT_RELR 36
#define SYS_close_range __NR_close_range
#define SYS_openat2 __NR_openat2
#define SYS_epoll_pwait2 __NR_epoll_pwait2

#if !__GLIBC_PREREQ(2, 32) && !defined __cplusplus
extern char *strerror(int number);
/* strerror() translates only in a program that sets LC_MESSAGES, which rooftop does not. */
#define strerrordesc_np older_libc_error_text
static inline const char *older_libc_error_text(int number)
{
    return number >= 0 && number < 134 ? strerror(number) : 0;
}
#define strerrorname_np older_libc_error_name
static inline const char *older_libc_error_name(int number)
{
    static const char *const names[] = {
        0, "EPERM", "ENOENT", "ESRCH", "EINTR", "EIO", "ENXIO", "E2BIG", "ENOEXEC", "EBADF",
        "ECHILD", "EAGAIN", "ENOMEM", "EACCES", "EFAULT", "ENOTBLK", "EBUSY", "EEXIST", "EXDEV",
        "ENODEV", "ENOTDIR", "EISDIR", "EINVAL", "ENFILE", "EMFILE", "ENOTTY", "ETXTBSY", "EFBIG",
        "ENOSPC", "ESPIPE", "EROFS", "EMLINK", "EPIPE", "EDOM", "ERANGE", "EDEADLK",
        "ENAMETOOLONG", "ENOLCK", "ENOSYS", "ENOTEMPTY", "ELOOP", 0, "ENOMSG", "EIDRM", "ECHRNG",
        "EL2NSYNC", "EL3HLT", "EL3RST", "ELNRNG", "EUNATCH", "ENOCSI", "EL2HLT", "EBADE", "EBADR",
        "EXFULL", "ENOANO", "EBADRQC", "EBADSLT", 0, "EBFONT", "ENOSTR", "ENODATA", "ETIME",
        "ENOSR", "ENONET", "ENOPKG", "EREMOTE", "ENOLINK", "EADV", "ESRMNT", "ECOMM", "EPROTO",
        "EMULTIHOP", "EDOTDOT", "EBADMSG", "EOVERFLOW", "ENOTUNIQ", "EBADFD", "EREMCHG",
        "ELIBACC", "ELIBBAD", "ELIBSCN", "ELIBMAX", "ELIBEXEC", "EILSEQ", "ERESTART", "ESTRPIPE",
        "EUSERS", "ENOTSOCK", "EDESTADDRREQ", "EMSGSIZE", "EPROTOTYPE", "ENOPROTOOPT",
        "EPROTONOSUPPORT", "ESOCKTNOSUPPORT", "EOPNOTSUPP", "EPFNOSUPPORT", "EAFNOSUPPORT",
        "EADDRINUSE", "EADDRNOTAVAIL", "ENETDOWN", "ENETUNREACH", "ENETRESET", "ECONNABORTED",
        "ECONNRESET", "ENOBUFS", "EISCONN", "ENOTCONN", "ESHUTDOWN", "ETOOMANYREFS", "ETIMEDOUT",
        "ECONNREFUSED", "EHOSTDOWN", "EHOSTUNREACH", "EALREADY", "EINPROGRESS", "ESTALE",
        "EUCLEAN", "ENOTNAM", "ENAVAIL", "EISNAM", "EREMOTEIO", "EDQUOT", "ENOMEDIUM",
        "EMEDIUMTYPE", "ECANCELED", "ENOKEY", "EKEYEXPIRED", "EKEYREVOKED", "EKEYREJECTED",
        "EOWNERDEAD", "ENOTRECOVERABLE", "ERFKILL", "EHWPOISON"};
    return number > 0 && number < (int)(sizeof names / sizeof *names) ? names[number] : 0;
}
#endif
#endif
#endif
