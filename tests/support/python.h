/* Debian's Python packages judge what rooftop writes; the python3 in PATH may be another. */
#pragma once

/* Sets $PY to a python3 that has the module, and $TOP to the tree; skips the test where none has.
 * package: where the module comes from. */
void python_needed(const char *module, const char *package);
