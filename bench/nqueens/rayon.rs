#[path = "../harness/contender.rs"]
mod contender;
use contender::*;
use rayon::prelude::*;
use std::cell::Cell;

const SOLUTIONS: [u64; 19] = [
    1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512, 95815104, 666090624,
];

#[derive(Clone, Copy)]
struct Board {
    columns: u32,
    left: u32,
    right: u32,
}

impl Board {
    fn with(&self, square: u32) -> Board {
        Board { columns: self.columns | square, left: (self.left | square) << 1, right: (self.right | square) >> 1 }
    }
    fn squares(&self, n: u32) -> ([u32; 18], usize) {
        let mut open = !(self.columns | self.left | self.right) & ((1 << n) - 1);
        let mut squares = [0; 18];
        let mut count = 0;
        while open != 0 {
            squares[count] = open & open.wrapping_neg();
            open &= open - 1;
            count += 1;
        }
        (squares, count)
    }
}

fn solve(n: u32, placed: Board) -> u64 {
    if placed.columns == (1 << n) - 1 {
        return 1;
    }
    let (squares, count) = placed.squares(n);
    squares[..count].par_iter().with_max_len(1).map(|&square| solve(n, placed.with(square))).sum()
}

fn boards(n: u32, placed: Board) -> f64 {
    let (squares, count) = placed.squares(n);
    1.0 + squares[..count].iter().map(|&square| boards(n, placed.with(square))).sum::<f64>()
}

fn main() {
    let asked = parse(12);
    let n = asked.size.clamp(1, 18) as u32;
    let empty = Board { columns: 0, left: 0, right: 0 };
    with_rayon(asked.workers, || {
        let answer = Cell::new(0);
        let given = Problem { operations: boards(n, empty), operation: "task" };
        run(&asked, given, || answer.set(solve(n, empty)), || answer.get() == SOLUTIONS[n as usize]);
    });
}
