/* The version, from the VERSION file through -DROOFTOP_VERSION; a test compares the two. */
#pragma once

#ifndef ROOFTOP_VERSION
#define ROOFTOP_VERSION "0.1.0"
#endif
