// A test in a process of its own: the runtime reads its settings once, and a fault may end the
// process.
#pragma once

// Runs body after setting the variable (name may be NULL); fails the test unless it returns. A hang
// ends it.
void in_child(void (*body)(void), const char *name, const char *value);
