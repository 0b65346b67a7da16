/* Which versions of control groups this machine has. Only this file decides it. */
#pragma once

enum cgroup_layout { CGROUP_NONE, CGROUP_V1, CGROUP_HYBRID, CGROUP_V2 };

/* *root: where version 2 is mounted ("/sys/fs/cgroup/unified"), or else version 1; NULL: none. */
enum cgroup_layout cgroup_layout(const char **root);
/* Describes the layout in a clause: "hybrid: version 2 is at …". */
const char *cgroup_means(enum cgroup_layout layout);
/* How to get version 2, what else that does, and how to undo it; NULL: version 2 is there. */
const char *cgroup_advice(enum cgroup_layout layout);
