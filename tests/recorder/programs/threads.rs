// Threads that call, a panic that is caught, a child process. It prints how often it called getppid.
use std::os::unix::process::parent_id;
use std::process::Command;
use std::{panic, thread};

fn main() {
    let all: Vec<_> = (0..20)
        .map(|_| thread::spawn(|| (0..500).map(|_| parent_id() as u64).max()))
        .collect();
    for one in all {
        one.join().unwrap();
    }
    let child = Command::new("echo").arg("child").output().unwrap();
    let caught = panic::catch_unwind(|| panic!("meant")).is_err();
    println!("{}caught {} getppid {}", String::from_utf8_lossy(&child.stdout), caught, 20 * 500);
}
