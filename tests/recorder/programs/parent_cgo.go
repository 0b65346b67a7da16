package main

// #include <unistd.h>
import "C"

func parent() { C.getppid() }
