/* Watching: poll, epoll, inotify, fanotify, eventfd, signalfd, timerfd. Source: the headers
 * included. */
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>

#include <linux/fanotify.h>

#include "engine/syscalls/constants/constants.h"

static const struct constant poll_events[] = {
    C(POLLIN),  C(POLLPRI), C(POLLOUT),  C(POLLRDNORM), C(POLLWRNORM), C(POLLRDBAND), C(POLLWRBAND),
    C(POLLERR), C(POLLHUP), C(POLLNVAL), C(POLLMSG),    C(POLLREMOVE), C(POLLRDHUP)};
CONSTANTS(poll_events, "POLL???");
static const struct constant epoll_events[] = {
    C(EPOLLIN),     C(EPOLLPRI),       C(EPOLLOUT),    C(EPOLLRDNORM),  C(EPOLLRDBAND),
    C(EPOLLWRNORM), C(EPOLLWRBAND),    C(EPOLLMSG),    C(EPOLLERR),     C(EPOLLHUP),
    C(EPOLLRDHUP),  C(EPOLLEXCLUSIVE), C(EPOLLWAKEUP), C(EPOLLONESHOT), C(EPOLLET)};
CONSTANTS(epoll_events, "EPOLL???");
static const struct constant epoll_op[] = {C(EPOLL_CTL_ADD), C(EPOLL_CTL_DEL), C(EPOLL_CTL_MOD)};
CONSTANTS(epoll_op, "EPOLL_CTL_???");
static const struct constant epoll_create_flags[] = {C(EPOLL_CLOEXEC)};
CONSTANTS(epoll_create_flags, "EPOLL_???");
static const struct constant eventfd_flags[] = {C(EFD_SEMAPHORE), C(EFD_CLOEXEC), C(EFD_NONBLOCK)};
CONSTANTS(eventfd_flags, "EFD_???");
static const struct constant signalfd_flags[] = {C(SFD_CLOEXEC), C(SFD_NONBLOCK)};
CONSTANTS(signalfd_flags, "SFD_???");
static const struct constant timerfd_flags[] = {C(TFD_CLOEXEC), C(TFD_NONBLOCK)};
CONSTANTS(timerfd_flags, "TFD_???");
static const struct constant timerfd_settime_flags[] = {C(TFD_TIMER_ABSTIME),
                                                        C(TFD_TIMER_CANCEL_ON_SET)};
CONSTANTS(timerfd_settime_flags, "TFD_???");
static const struct constant inotify_init_flags[] = {C(IN_CLOEXEC), C(IN_NONBLOCK)};
CONSTANTS(inotify_init_flags, "IN_???");
static const struct constant inotify_mask[] = {
    C(IN_ACCESS),      C(IN_MODIFY),      C(IN_ATTRIB),      C(IN_CLOSE_WRITE), C(IN_CLOSE_NOWRITE),
    C(IN_OPEN),        C(IN_MOVED_FROM),  C(IN_MOVED_TO),    C(IN_CREATE),      C(IN_DELETE),
    C(IN_DELETE_SELF), C(IN_MOVE_SELF),   C(IN_UNMOUNT),     C(IN_Q_OVERFLOW),  C(IN_IGNORED),
    C(IN_ONLYDIR),     C(IN_DONT_FOLLOW), C(IN_EXCL_UNLINK), C(IN_MASK_CREATE), C(IN_MASK_ADD),
    C(IN_ISDIR),       C(IN_ONESHOT)};
CONSTANTS(inotify_mask, "IN_???");
static const struct constant fanotify_init_flags[] = {
    C(FAN_CLASS_NOTIF),  C(FAN_CLASS_CONTENT),    C(FAN_CLASS_PRE_CONTENT), C(FAN_CLOEXEC),
    C(FAN_NONBLOCK),     C(FAN_UNLIMITED_QUEUE),  C(FAN_UNLIMITED_MARKS),   C(FAN_ENABLE_AUDIT),
    C(FAN_REPORT_PIDFD), C(FAN_REPORT_TID),       C(FAN_REPORT_FID),        C(FAN_REPORT_DIR_FID),
    C(FAN_REPORT_NAME),  C(FAN_REPORT_TARGET_FID)};
CONSTANTS(fanotify_init_flags, "FAN_???");
static const struct constant fanotify_mark_flags[] = {
    C(FAN_MARK_INODE),        C(FAN_MARK_ADD),
    C(FAN_MARK_REMOVE),       C(FAN_MARK_DONT_FOLLOW),
    C(FAN_MARK_ONLYDIR),      C(FAN_MARK_MOUNT),
    C(FAN_MARK_IGNORED_MASK), C(FAN_MARK_IGNORED_SURV_MODIFY),
    C(FAN_MARK_FLUSH),        C(FAN_MARK_FILESYSTEM),
    C(FAN_MARK_EVICTABLE),    C(FAN_MARK_IGNORE)};
CONSTANTS(fanotify_mark_flags, "FAN_MARK_???");
static const struct constant fanotify_mask[] = {
    C(FAN_ACCESS),        C(FAN_MODIFY),         C(FAN_ATTRIB),         C(FAN_CLOSE_WRITE),
    C(FAN_CLOSE_NOWRITE), C(FAN_OPEN),           C(FAN_MOVED_FROM),     C(FAN_MOVED_TO),
    C(FAN_CREATE),        C(FAN_DELETE),         C(FAN_DELETE_SELF),    C(FAN_MOVE_SELF),
    C(FAN_OPEN_EXEC),     C(FAN_Q_OVERFLOW),     C(FAN_FS_ERROR),       C(FAN_OPEN_PERM),
    C(FAN_ACCESS_PERM),   C(FAN_OPEN_EXEC_PERM), C(FAN_EVENT_ON_CHILD), C(FAN_RENAME),
    C(FAN_ONDIR)};
CONSTANTS(fanotify_mask, "FAN_???");
