/* Memory. Source: asm-generic/mman.h, linux/mman.h, asm/mman.h, linux/mempolicy.h; values are alike
 * on x86 and arm. */
#include <linux/mman.h>

#include <linux/mempolicy.h>
#include <linux/userfaultfd.h>

#include "engine/syscalls/constants/constants.h"

static const struct constant prot[] = {C(PROT_READ),    C(PROT_WRITE),     C(PROT_EXEC),
                                       {8, "PROT_SEM"}, C(PROT_GROWSDOWN), C(PROT_GROWSUP),
                                       {0, "PROT_NONE"}};
CONSTANTS(prot, "PROT_???");
static const struct constant prot_arm[] = {
    C(PROT_READ),       C(PROT_WRITE),     C(PROT_EXEC),    {8, "PROT_SEM"}, {0x10, "PROT_BTI"},
    {0x20, "PROT_MTE"}, C(PROT_GROWSDOWN), C(PROT_GROWSUP), {0, "PROT_NONE"}};
CONSTANTS(prot_arm, "PROT_???");
static const struct constant mmap_types[] = {C(MAP_FILE), C(MAP_SHARED), C(MAP_PRIVATE),
                                             C(MAP_SHARED_VALIDATE)};
CONSTANTS(mmap_types, "MAP_???");
static const struct constant mmap_flags[] = {
    C(MAP_FIXED),     C(MAP_ANONYMOUS),       {0x40, "MAP_32BIT"},
    C(MAP_NORESERVE), C(MAP_POPULATE),        C(MAP_NONBLOCK),
    C(MAP_GROWSDOWN), C(MAP_DENYWRITE),       C(MAP_EXECUTABLE),
    C(MAP_LOCKED),    C(MAP_STACK),           C(MAP_HUGETLB),
    C(MAP_SYNC),      C(MAP_FIXED_NOREPLACE), {0x4000000, "MAP_UNINITIALIZED"}};
CONSTANTS(mmap_flags, "MAP_???");
static const struct constant mremap_flags[] = {
    {1, "MREMAP_MAYMOVE"}, {2, "MREMAP_FIXED"}, {4, "MREMAP_DONTUNMAP"}};
CONSTANTS(mremap_flags, "MREMAP_???");
static const struct constant msync_flags[] = {C(MS_ASYNC), C(MS_SYNC), C(MS_INVALIDATE)};
CONSTANTS(msync_flags, "MS_???");
static const struct constant mlockall_flags[] = {C(MCL_CURRENT), C(MCL_FUTURE), C(MCL_ONFAULT)};
CONSTANTS(mlockall_flags, "MCL_???");
static const struct constant mlock2_flags[] = {{1, "MLOCK_ONFAULT"}};
CONSTANTS(mlock2_flags, "MLOCK_???");
/* asm-generic/mman-common.h */
static const struct constant madvise[] = {
    {0, "MADV_NORMAL"},           {1, "MADV_RANDOM"},         {2, "MADV_SEQUENTIAL"},
    {3, "MADV_WILLNEED"},         {4, "MADV_DONTNEED"},       {8, "MADV_FREE"},
    {9, "MADV_REMOVE"},           {10, "MADV_DONTFORK"},      {11, "MADV_DOFORK"},
    {12, "MADV_MERGEABLE"},       {13, "MADV_UNMERGEABLE"},   {14, "MADV_HUGEPAGE"},
    {15, "MADV_NOHUGEPAGE"},      {16, "MADV_DONTDUMP"},      {17, "MADV_DODUMP"},
    {18, "MADV_WIPEONFORK"},      {19, "MADV_KEEPONFORK"},    {20, "MADV_COLD"},
    {21, "MADV_PAGEOUT"},         {22, "MADV_POPULATE_READ"}, {23, "MADV_POPULATE_WRITE"},
    {24, "MADV_DONTNEED_LOCKED"}, {25, "MADV_COLLAPSE"},      {100, "MADV_HWPOISON"},
    {101, "MADV_SOFT_OFFLINE"}};
CONSTANTS(madvise, "MADV_???");
static const struct constant mempolicy[] = {C(MPOL_DEFAULT),
                                            C(MPOL_PREFERRED_MANY),
                                            C(MPOL_INTERLEAVE),
                                            C(MPOL_LOCAL),
                                            C(MPOL_BIND),
                                            C(MPOL_PREFERRED),
                                            C(MPOL_F_NUMA_BALANCING),
                                            C(MPOL_F_RELATIVE_NODES),
                                            C(MPOL_F_STATIC_NODES)};
CONSTANTS(mempolicy, "MPOL_???");
static const struct constant mbind_flags[] = {C(MPOL_MF_STRICT), C(MPOL_MF_MOVE),
                                              C(MPOL_MF_MOVE_ALL)};
CONSTANTS(mbind_flags, "MPOL_MF_???");
static const struct constant get_mempolicy_flags[] = {C(MPOL_F_NODE), C(MPOL_F_ADDR),
                                                      C(MPOL_F_MEMS_ALLOWED)};
CONSTANTS(get_mempolicy_flags, "MPOL_F_???");
static const struct constant pkey_access[] = {{1, "PKEY_DISABLE_ACCESS"},
                                              {2, "PKEY_DISABLE_WRITE"}};
CONSTANTS(pkey_access, "PKEY_???");
static const struct constant userfaultfd_flags[] = {
    {02000000, "O_CLOEXEC"}, {04000, "O_NONBLOCK"}, C(UFFD_USER_MODE_ONLY)};
CONSTANTS(userfaultfd_flags, "UFFD_???");
