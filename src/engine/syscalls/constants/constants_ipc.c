/* System V IPC and message queues. Source: linux/ipc.h, linux/shm.h, linux/sem.h, linux/msg.h
 * through the C library's headers. */
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

#include "engine/syscalls/constants/constants.h"

static const struct constant ipc_flags[] = {C(IPC_CREAT), C(IPC_EXCL), C(IPC_NOWAIT)};
CONSTANTS(ipc_flags, "IPC_???");
static const struct constant shmget_flags[] = {C(IPC_CREAT), C(IPC_EXCL), C(SHM_HUGETLB),
                                               C(SHM_NORESERVE)};
CONSTANTS(shmget_flags, "SHM_???");
static const struct constant shmat_flags[] = {C(SHM_RDONLY), C(SHM_RND), C(SHM_REMAP), C(SHM_EXEC)};
CONSTANTS(shmat_flags, "SHM_???");
static const struct constant ipc_msg_flags[] = {
    C(MSG_NOERROR), {040000, "MSG_COPY"}, C(MSG_EXCEPT), C(IPC_NOWAIT)};
CONSTANTS(ipc_msg_flags, "MSG_???");
static const struct constant sem_flags[] = {C(SEM_UNDO), C(IPC_NOWAIT)};
CONSTANTS(sem_flags, "SEM_???");
static const struct constant shmctl_cmd[] = {C(IPC_RMID), C(IPC_SET),  C(IPC_STAT),
                                             C(IPC_INFO), C(SHM_LOCK), C(SHM_UNLOCK),
                                             C(SHM_STAT), C(SHM_INFO), {15, "SHM_STAT_ANY"}};
CONSTANTS(shmctl_cmd, "SHM_???");
static const struct constant semctl_cmd[] = {
    C(IPC_RMID), C(IPC_SET),  C(IPC_STAT), C(IPC_INFO),         C(GETPID),
    C(GETVAL),   C(GETALL),   C(GETNCNT),  C(GETZCNT),          C(SETVAL),
    C(SETALL),   C(SEM_STAT), C(SEM_INFO), {20, "SEM_STAT_ANY"}};
CONSTANTS(semctl_cmd, "SEM_???");
static const struct constant msgctl_cmd[] = {C(IPC_RMID),         C(IPC_SET),  C(IPC_STAT),
                                             C(IPC_INFO),         C(MSG_STAT), C(MSG_INFO),
                                             {13, "MSG_STAT_ANY"}};
CONSTANTS(msgctl_cmd, "MSG_???");
