// A test in a process of its own: the runtime reads its settings once, and a fault may end the
// process.
#ifndef ROOFTOP_TESTS_PLATFORM_GPU_SUPPORT_CHILD_H
#define ROOFTOP_TESTS_PLATFORM_GPU_SUPPORT_CHILD_H

// Runs body after setting the variable (name may be NULL); fails the test unless it returns. A hang
// ends it.
void in_child(void (*body)(void), const char *name, const char *value);

#endif
