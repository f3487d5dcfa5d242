//! Processes connect, reject connections without the token, and report which of them is lost. In
//! these tests, each process is a thread.

use cluster::{Hosts, Net, Rendezvous, WorkerFailure, on_processes};
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Returns addresses of this machine on which no program listens.
fn hosts(count: usize) -> Hosts {
    let listen = |_| TcpListener::bind("127.0.0.1:0").expect("a free port");
    let listeners: Vec<TcpListener> = (0..count).map(listen).collect();
    let address = |l: &TcpListener| l.local_addr().expect("bound").to_string();
    let lines: Vec<String> = listeners.iter().map(address).collect();
    Hosts::parse(&lines.join("\n")).expect("addresses")
}

fn rendezvous(hosts: &Hosts, process: usize) -> Rendezvous {
    Rendezvous {
        hosts: hosts.clone(),
        process,
        token: b"a secret of some length".to_vec(),
        facts: vec![("version".to_owned(), "1".to_owned())],
        wait: Duration::from_secs(20),
        interrupt: None,
        ended: Arc::default(),
    }
}

type Sums = Result<Vec<u64>, WorkerFailure>;

/// A process with two workers that add up their numbers.
fn start(rendezvous: Rendezvous) -> JoinHandle<Sums> {
    thread::spawn(move || {
        on_processes(&rendezvous, 2, |net: &mut Net<'_>| net.sum(net.me() as u64))
    })
}

/// The same as text, with places in the host file in the place of addresses.
fn said(result: Sums, hosts: &Hosts) -> String {
    let text = result.expect_err("something is wrong").to_string();
    (0..hosts.len()).fold(text, |text, i| {
        text.replace(hosts.address(i), &format!("[{i}]"))
    })
}

#[test]
fn all_workers_of_all_processes_work_together() {
    let hosts = hosts(3);
    let processes: Vec<_> = (0..3)
        .map(|process| start(rendezvous(&hosts, process)))
        .collect();
    for process in processes {
        assert_eq!(process.join().expect("no panic"), Ok(vec![15, 15]));
    }
}

#[test]
fn another_version_is_named_by_both() {
    let hosts = hosts(2);
    let other = Rendezvous {
        facts: vec![("version".to_owned(), "2".to_owned())],
        ..rendezvous(&hosts, 1)
    };
    let (first, second) = (start(rendezvous(&hosts, 0)), start(other));
    let first = said(first.join().expect("no panic"), &hosts);
    assert_eq!(first, "lost process 1 at [1]: its version is 2, and 1 here");
    let second = said(second.join().expect("no panic"), &hosts);
    assert_eq!(
        second,
        "lost process 0 at [0]: its version is 1, and 2 here"
    );
}

#[test]
fn strangers_are_turned_away_and_disturb_nobody() {
    let hosts = hosts(2);
    let first = start(rendezvous(&hosts, 0));
    let connect = || loop {
        match TcpStream::connect(hosts.address(0)) {
            Ok(stream) => return stream,
            Err(_) => thread::sleep(Duration::from_millis(5)),
        }
    };
    // One says something else, one says nothing, and one has another token.
    let mut talks = connect();
    talks
        .write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .expect("it is heard");
    let silent = connect();
    let guesses = Rendezvous {
        token: b"a guess of some length".to_vec(),
        ..rendezvous(&hosts, 1)
    };
    let guessed = said(start(guesses).join().expect("no panic"), &hosts);
    assert_eq!(
        guessed,
        "lost process 0 at [0]: it hung up: does it have the same token?"
    );
    // Nobody answered the first one.
    talks
        .set_read_timeout(Some(Duration::from_secs(10)))
        .expect("a time");
    assert!(!matches!(talks.read(&mut [0; 64]), Ok(1..)));
    let second = start(rendezvous(&hosts, 1));
    assert_eq!(first.join().expect("no panic"), Ok(vec![6, 6]));
    assert_eq!(second.join().expect("no panic"), Ok(vec![6, 6]));
    drop(silent);
}

#[test]
fn missing_processes_are_named_in_time() {
    let hosts = hosts(2);
    let hasty = |process| Rendezvous {
        wait: Duration::from_millis(100),
        ..rendezvous(&hosts, process)
    };
    let since = Instant::now();
    let missing = said(start(hasty(0)).join().expect("no panic"), &hosts);
    assert_eq!(missing, "lost process 1 at [1]: it did not call in time");
    let missing = said(start(hasty(1)).join().expect("no panic"), &hosts);
    assert!(
        missing.starts_with("lost process 0 at [0]: Connection refused"),
        "{missing}"
    );
    assert!(since.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_worker_that_panics_ends_the_others() {
    let hosts = hosts(2);
    let faulty = rendezvous(&hosts, 1);
    let faulty = thread::spawn(move || {
        on_processes(&faulty, 1, |net: &mut Net<'_>| {
            // What others send is never taken.
            assert!(net.me() == 0, "this worker is to panic");
            net.sum(1)
        })
    });
    let other = rendezvous(&hosts, 0);
    let other =
        thread::spawn(move || on_processes(&other, 1, |net: &mut Net<'_>| net.sum(1)).map(drop));
    assert_eq!(
        faulty.join().expect("no panic here"),
        Err(WorkerFailure::Panic)
    );
    let other = other.join().expect("no panic here").map(|()| Vec::new());
    assert_eq!(
        said(other, &hosts),
        "lost process 1 at [1]: it ended before the work was done"
    );
}

#[test]
fn a_port_that_is_taken_is_named() {
    let hosts = hosts(2);
    let _other = TcpListener::bind(hosts.address(1)).expect("the port was free");
    let taken = said(
        start(rendezvous(&hosts, 1)).join().expect("no panic"),
        &hosts,
    );
    let expected = "cannot start the workers: cannot listen at [1]: Address already in use";
    assert!(taken.starts_with(expected), "{taken}");
}

#[test]
fn host_files_are_checked() {
    let said = |text: &str| Hosts::parse(text).expect_err("it is wrong").to_string();
    insta::assert_snapshot!(
        [
            "",
            "# nobody\n\n",
            "one:4101\ntwo\n",
            ":4101",
            "one:4101 two:4101",
            "one:0",
            "one:65536",
            "one:4101 # the first\n\none:4101",
        ]
        .map(said)
        .join("\n"),
        @"
    line 1: no process: expected a line HOST:PORT for each
    line 2: no process: expected a line HOST:PORT for each
    line 2: `two` has no port: expected HOST:PORT
    line 1: `:4101` names no host: expected HOST:PORT
    line 1: `two:4101` follows an address: expected one HOST:PORT a line
    line 1: `0` is no port: expected a number from 1 to 65535
    line 1: `65536` is no port: expected a number from 1 to 65535
    line 3: `one:4101` stands in line 1 too
    "
    );
    let hosts = Hosts::parse("\u{feff}one:4101\r\n[::1]:4102  # v6\n").map(|hosts| hosts.in_line());
    assert_eq!(hosts, Ok("one:4101 [::1]:4102".to_owned()));
}
