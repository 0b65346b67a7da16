/* Which control groups this machine has: the one place that says so. */
#ifndef ROOFTOP_BACKENDS_COMMON_CGROUP_H
#define ROOFTOP_BACKENDS_COMMON_CGROUP_H

enum cgroup_layout { CGROUP_NONE, CGROUP_V1, CGROUP_HYBRID, CGROUP_V2 };

/* root: where version 2 is ("/sys/fs/cgroup/unified"), or what there is of version 1; NULL: none.
 */
enum cgroup_layout cgroup_layout(const char **root);
/* "hybrid: version 2 is at …", a clause. */
const char *cgroup_means(enum cgroup_layout layout);
/* What would bring version 2, what else it does, how it is undone; NULL: it is there. */
const char *cgroup_advice(enum cgroup_layout layout);

#endif
