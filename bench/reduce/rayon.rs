#[path = "../harness/contender.rs"]
mod contender;
use contender::*;
use rayon::prelude::*;
use std::cell::Cell;

fn body(i: u64) -> u64 {
    let i = (i ^ (i >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let i = (i ^ (i >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    i ^ (i >> 31)
}

fn main() {
    let asked = parse(100_000_000);
    let expected = (0..asked.size).fold(0u64, |sum, i| sum.wrapping_add(body(i)));
    with_rayon(asked.workers, || {
        let answer = Cell::new(0);
        let given = Problem { operations: asked.size as f64, operation: "body" };
        let solve = || (0..asked.size).into_par_iter().map(body).reduce(|| 0, u64::wrapping_add);
        run(&asked, given, || answer.set(solve()), || answer.get() == expected);
    });
}
