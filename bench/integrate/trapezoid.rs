// integrate.hpp in Rust.
#[derive(Clone, Copy)]
pub struct Trapezoid {
    pub from: f64,
    pub to: f64,
    pub at_from: f64,
    pub at_to: f64,
}

pub fn f(x: f64) -> f64 {
    (x * x + 1.0) * x
}

impl Trapezoid {
    pub fn up_to(x: f64) -> Self {
        Trapezoid { from: 0.0, to: x, at_from: f(0.0), at_to: f(x) }
    }
    pub fn area(&self) -> f64 {
        (self.at_from + self.at_to) * (self.to - self.from) / 2.0
    }
    pub fn halve(&self) -> (Self, Self) {
        let middle = (self.from + self.to) / 2.0;
        let at_middle = f(middle);
        (Trapezoid { to: middle, at_to: at_middle, ..*self }, Trapezoid { from: middle, at_from: at_middle, ..*self })
    }
}

pub fn agree(left: &Trapezoid, right: &Trapezoid, whole: &Trapezoid) -> bool {
    (left.area() + right.area() - whole.area()).abs() < 1e-9
}

pub fn halvings(whole: Trapezoid) -> f64 {
    let (left, right) = whole.halve();
    if agree(&left, &right, &whole) { 0.0 } else { 1.0 + halvings(left) + halvings(right) }
}

pub fn right(answer: f64, x: f64) -> bool {
    let exact = x.powi(4) / 4.0 + x * x / 2.0;
    (answer - exact).abs() < 1e-8 * exact
}
