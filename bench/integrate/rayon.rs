#[path = "../harness/contender.rs"]
mod contender;
mod trapezoid;
use contender::*;
use std::cell::Cell;
use trapezoid::*;

fn solve(whole: Trapezoid) -> f64 {
    let (left, right) = whole.halve();
    if agree(&left, &right, &whole) {
        return left.area() + right.area();
    }
    let (a, b) = rayon::join(|| solve(left), || solve(right));
    a + b
}

fn main() {
    let asked = parse(1500);
    let x = asked.size as f64;
    with_rayon(asked.workers, || {
        let answer = Cell::new(0.0);
        let given = Problem { operations: halvings(Trapezoid::up_to(x)), operation: "fork" };
        run(&asked, given, || answer.set(solve(Trapezoid::up_to(x))), || right(answer.get(), x));
    });
}
