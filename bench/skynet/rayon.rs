#[path = "../harness/contender.rs"]
mod contender;
use contender::*;
use rayon::prelude::*;
use std::cell::Cell;

fn solve(first: u64, leaves: u64) -> u64 {
    if leaves == 1 {
        return first;
    }
    let each = leaves / 10;
    (0..10u32).into_par_iter().with_max_len(1).map(|i| solve(first + u64::from(i) * each, each)).sum()
}

fn main() {
    let asked = parse(1_000_000);
    let mut nodes = 0;
    let mut level = asked.size;
    while level > 0 {
        nodes += level;
        level /= 10;
    }
    with_rayon(asked.workers, || {
        let answer = Cell::new(0);
        let given = Problem { operations: nodes as f64, operation: "task" };
        run(&asked, given, || answer.set(solve(0, asked.size)), || answer.get() == asked.size * (asked.size - 1) / 2);
    });
}
