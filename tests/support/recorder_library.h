/* The library that records system calls, of the build that is tested. */
#pragma once

/* Lets rooftop use it, if it was built. */
void recorder_library_use(void);
/* Skips the test where it cannot work. */
void recorder_library_needed(void);
