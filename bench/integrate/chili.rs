#[path = "../harness/contender.rs"]
mod contender;
mod trapezoid;
use contender::*;
use std::cell::Cell;
use trapezoid::*;

fn solve(scope: &mut chili::Scope<'_>, whole: Trapezoid) -> f64 {
    let (left, right) = whole.halve();
    if agree(&left, &right, &whole) {
        return left.area() + right.area();
    }
    let (a, b) = scope.join(|s| solve(s, left), |s| solve(s, right));
    a + b
}

fn main() {
    let asked = parse(1500);
    let x = asked.size as f64;
    with_chili(asked.workers, |scope| {
        let answer = Cell::new(0.0);
        let given = Problem { operations: halvings(Trapezoid::up_to(x)), operation: "fork" };
        run(&asked, given, || answer.set(solve(scope, Trapezoid::up_to(x))), || right(answer.get(), x));
    });
}
