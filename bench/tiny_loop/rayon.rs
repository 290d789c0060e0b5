#[path = "../harness/contender.rs"]
mod contender;
use contender::*;
use rayon::prelude::*;
use std::cell::RefCell;

fn body(i: usize) -> u32 {
    ((i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
}

fn main() {
    let asked = parse(100_000_000);
    with_rayon(asked.workers, || {
        let out = RefCell::new(vec![0u32; asked.size as usize]);
        let given = Problem { operations: asked.size as f64, operation: "body" };
        let right = || {
            let mut out = out.borrow_mut();
            let right = out.iter().enumerate().all(|(i, &value)| value == body(i));
            out.fill(0);
            right
        };
        run(&asked, given, || out.borrow_mut().par_iter_mut().enumerate().for_each(|(i, out)| *out = body(i)), right);
    });
}
