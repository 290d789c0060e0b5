#[path = "../harness/contender.rs"]
mod contender;
use contender::*;
use std::cell::Cell;

fn solve(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = rayon::join(|| solve(n - 1), || solve(n - 2));
    a + b
}

fn by_loop(n: u64) -> u64 {
    (0..n).fold((0, 1), |(a, b), _| (b, a + b)).0
}

fn main() {
    let asked = parse(40);
    with_rayon(asked.workers, || {
        let answer = Cell::new(0);
        let given = Problem { operations: by_loop(asked.size + 1) as f64 - 1.0, operation: "fork" };
        run(&asked, given, || answer.set(solve(asked.size)), || answer.get() == by_loop(asked.size));
    });
}
