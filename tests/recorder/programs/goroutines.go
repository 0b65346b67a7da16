// Goroutines that call, signals, a panic from a fault, a child process. It prints how often it called getppid.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"
)

const routines, calls = 40, 250

func main() {
	var wg sync.WaitGroup
	for i := 0; i < routines; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for k := 0; k < calls; k++ {
				parent()
			}
		}()
	}
	wg.Wait()
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGUSR1)
	syscall.Kill(os.Getpid(), syscall.SIGUSR1)
	<-c
	out, err := exec.Command("echo", "child").Output()
	fmt.Println(string(out), err)
	defer func() { fmt.Println("caught", recover() != nil, "getppid", routines*calls) }()
	var none *int
	*none = 1
}
