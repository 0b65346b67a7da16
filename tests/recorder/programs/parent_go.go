package main

import "syscall"

func parent() { syscall.Getppid() }
