// The harness of main.cpp for contenders in Rust: same flags, same line of JSON.
use std::time::Instant;

pub struct Request {
    pub workers: usize,
    pub size: u64,
    pub runs: usize,
    pub warm_ups: usize,
}

pub struct Problem<'a> {
    pub operations: f64,
    pub operation: &'a str,
}

fn fail(message: String) -> ! {
    eprintln!("{message}");
    std::process::exit(2)
}

pub fn parse(usual_size: u64) -> Request {
    let mut asked = Request { workers: 1, size: usual_size, runs: 1, warm_ups: 0 };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let text = arguments.next().unwrap_or_else(|| fail(format!("{name} wants a value")));
        let value: u64 = text.parse().unwrap_or_else(|_| fail(format!("{name} {text}: a whole number is wanted")));
        match name.as_str() {
            "--workers" => asked.workers = value.max(1) as usize,
            "--size" => asked.size = value,
            "--runs" => asked.runs = value.max(1) as usize,
            "--warm-ups" => asked.warm_ups = value as usize,
            _ => fail(format!("{name}: allowed are --workers, --size, --runs and --warm-ups")),
        }
    }
    asked
}

/// The most that was ever resident.
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|rest| rest.trim().trim_end_matches("kB").trim().parse().ok()).unwrap_or(0)
}

/// Calls `solve` and `right` in turn, where the contender's threads are, and prints what came out.
pub fn run(asked: &Request, given: Problem, mut solve: impl FnMut(), mut right: impl FnMut() -> bool) {
    let mut seconds = Vec::new();
    let mut all_right = true;
    // `solve` leaves its answer where `right` finds it; the two take turns.
    for i in 0..asked.warm_ups + asked.runs {
        let before = Instant::now();
        solve();
        let took = before.elapsed().as_secs_f64();
        all_right &= right();
        if i >= asked.warm_ups {
            seconds.push(format!("{took:.9}"));
        }
    }
    println!(
        "{{\"right\": {all_right}, \"operations\": {:?}, \"operation\": \"{}\", \"seconds\": [{}],",
        given.operations,
        given.operation,
        seconds.join(", ")
    );
    println!("\"peak_kib\": {}}}", peak_kib()); // last, as the C++ contenders do
    if !all_right {
        std::process::exit(1)
    }
}

/// Inside a pool of rayon's.
#[allow(dead_code)]
pub fn with_rayon<R: Send>(workers: usize, f: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(workers).build().expect("rayon starts").install(f)
}

/// With a scope of chili's.
#[allow(dead_code)]
pub fn with_chili<R>(workers: usize, f: impl FnOnce(&mut chili::Scope<'_>) -> R) -> R {
    let threads = std::num::NonZero::new(workers);
    let pool = chili::ThreadPool::with_config(chili::Config { thread_count: threads, ..Default::default() });
    let result = f(&mut pool.scope());
    result
}
