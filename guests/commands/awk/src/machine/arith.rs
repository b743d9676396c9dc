//! Arithmetic and random numbers.

use super::{Machine, Step};
use crate::ast::{Arith, Compare};
use std::cmp::Ordering;

/// Powers with a whole exponent up to this are products.
const LARGEST_PRODUCT: f64 = 1024.0;

impl Machine<'_> {
    #[inline]
    pub(super) fn calculate(&self, arith: Arith, a: f64, b: f64) -> Step<f64> {
        Ok(match arith {
            Arith::Add => a + b,
            Arith::Sub => a - b,
            Arith::Mul => a * b,
            Arith::Div if b == 0.0 => return Err(self.failure("division by zero")),
            Arith::Div => a / b,
            Arith::Mod if b == 0.0 => return Err(self.failure("division by zero in %")),
            Arith::Mod => remainder(a, b),
            Arith::Pow => power(a, b),
        })
    }
}

#[inline]
fn remainder(a: f64, b: f64) -> f64 {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if a.abs() < EXACT && b.abs() < EXACT {
        let (whole, by) = (a as i64, b as i64);
        if whole as f64 == a && by as f64 == b {
            return ((whole % by) as f64).copysign(a);
        }
    }
    a % b
}

fn power(base: f64, exponent: f64) -> f64 {
    if exponent.fract() != 0.0 || exponent.abs() > LARGEST_PRODUCT {
        return base.powf(exponent);
    }
    let (mut result, mut square, mut rest) = (1.0, base, exponent.abs() as u32);
    while rest > 0 {
        if rest & 1 == 1 {
            result *= square;
        }
        square *= square;
        rest >>= 1;
    }
    if exponent < 0.0 { 1.0 / result } else { result }
}

/// Whether an order is what a comparison asks for; a NaN is only ever unequal.
#[inline]
pub(super) fn holds(compare: Compare, order: Option<Ordering>) -> bool {
    match (compare, order) {
        (Compare::NotEqual, None) => true,
        (_, None) => false,
        (Compare::Less, Some(order)) => order.is_lt(),
        (Compare::LessEqual, Some(order)) => order.is_le(),
        (Compare::Equal, Some(order)) => order.is_eq(),
        (Compare::NotEqual, Some(order)) => order.is_ne(),
        (Compare::Greater, Some(order)) => order.is_gt(),
        (Compare::GreaterEqual, Some(order)) => order.is_ge(),
    }
}

/// The same for two numbers.
#[inline]
pub(super) fn numbers_hold(compare: Compare, left: f64, right: f64) -> bool {
    match compare {
        Compare::Less => left < right,
        Compare::LessEqual => left <= right,
        Compare::Equal => left == right,
        Compare::NotEqual => left != right,
        Compare::Greater => left > right,
        Compare::GreaterEqual => left >= right,
    }
}

/// Random numbers that are the same for the same seed.
pub(super) struct Random {
    state: u64,
    pub seed: f64,
}

impl Random {
    pub fn new(seed: f64) -> Random {
        Random {
            state: seed.to_bits() ^ 0x9e37_79b9_7f4a_7c15,
            seed,
        }
    }

    /// A number from 0 up to 1: splitmix64, its upper 53 bits.
    pub fn next(&mut self) -> f64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        (mixed >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_and_remainders() {
        for (a, b, expected) in [
            (2.0, 10.0, 1024.0),
            (2.0, -1.0, 0.5),
            (9.0, 0.5, 3.0),
            (0.0, 0.0, 1.0),
            (-2.0, 3.0, -8.0),
        ] {
            assert_eq!(power(a, b), expected);
        }
        for (a, b, expected) in [
            (7.0, 3.0, 1.0),
            (-7.0, 3.0, -1.0),
            (7.0, -3.0, 1.0),
            (7.5, 2.0, 1.5),
            (1e300, 7.0, 1e300 % 7.0),
        ] {
            assert_eq!(remainder(a, b), expected);
        }
    }

    #[test]
    fn random_numbers_are_spread_and_repeatable() {
        let numbers = |seed| {
            let mut random = Random::new(seed);
            (0..1000).map(|_| random.next()).collect::<Vec<_>>()
        };
        assert_eq!(numbers(1.0), numbers(1.0));
        assert_ne!(numbers(1.0), numbers(2.0));
        assert!(numbers(0.0).iter().all(|number| (0.0..1.0).contains(number)));
        let mean = numbers(0.0).iter().sum::<f64>() / 1000.0;
        assert!((0.45..0.55).contains(&mean), "{mean}");
    }
}
