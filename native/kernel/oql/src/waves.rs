//! Who can run together, and who waits for each other.
//!
//! A component waits for every producer of each of its inputs. Values stand between the two here, so that a thousand
//! producers of what a thousand components consume are two thousand wires and not a million.

use crate::workflow::Component;
use std::collections::{BTreeMap, BTreeSet};

/// The order in which components can run: indices into the list that was given.
pub(crate) struct Order {
    /// Each wave can run when those before it have.
    pub waves: Vec<Vec<usize>>,
    /// One for each knot of components that wait for each other, from producer to consumer.
    pub cycles: Vec<Vec<usize>>,
}

impl Order {
    /// Puts components in order.
    pub fn of(components: &[&Component<'_>]) -> Order {
        let wires = Wires::read(components);
        let (waves, placed) = wires.waves();
        let cycles = if placed == components.len() {
            Vec::new()
        } else {
            wires.cycles()
        };
        Order { waves, cycles }
    }
}

/// Components and values, and who makes and consumes which.
struct Wires {
    /// For each component the value that it makes.
    makes: Vec<Option<usize>>,
    /// How many values each component waits for.
    waits_for: Vec<usize>,
    /// For each value, how many make it and who consumes it.
    values: Vec<(usize, Vec<usize>)>,
}

impl Wires {
    fn read(components: &[&Component<'_>]) -> Wires {
        let mut ids: BTreeMap<&str, usize> = BTreeMap::new();
        let mut values: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut makes = Vec::with_capacity(components.len());
        for c in components {
            makes.push(c.output.map(|out| {
                let id = *ids.entry(out.text).or_insert_with(|| {
                    values.push((0, Vec::new()));
                    values.len() - 1
                });
                values[id].0 += 1;
                id
            }));
        }
        // A value that nobody makes is for `validate` to refuse; here it holds nobody up.
        let mut waits_for = Vec::with_capacity(components.len());
        for (i, c) in components.iter().enumerate() {
            let inputs: BTreeSet<usize> = c.inputs.iter().filter_map(|v| ids.get(v.text).copied()).collect();
            waits_for.push(inputs.len());
            inputs.into_iter().for_each(|id| values[id].1.push(i));
        }
        Wires {
            makes,
            waits_for,
            values,
        }
    }

    /// The waves, and how many components they hold.
    fn waves(&self) -> (Vec<Vec<usize>>, usize) {
        let mut missing = self.waits_for.clone();
        let mut unmade: Vec<usize> = self.values.iter().map(|(makers, _)| *makers).collect();
        let mut wave: Vec<usize> = (0..missing.len()).filter(|i| missing[*i] == 0).collect();
        let mut waves = Vec::new();
        let mut placed = 0;
        while !wave.is_empty() {
            let mut ready = Vec::new();
            for value in wave.iter().filter_map(|i| self.makes[*i]) {
                unmade[value] -= 1;
                if unmade[value] > 0 {
                    continue;
                }
                for &consumer in &self.values[value].1 {
                    missing[consumer] -= 1;
                    if missing[consumer] == 0 {
                        ready.push(consumer);
                    }
                }
            }
            ready.sort_unstable();
            placed += wave.len();
            waves.push(std::mem::replace(&mut wave, ready));
        }
        (waves, placed)
    }

    fn cycles(&self) -> Vec<Vec<usize>> {
        let components = self.makes.len();
        let made = self.makes.iter().map(|v| v.iter().map(|v| components + v).collect());
        let consumed = self.values.iter().map(|(_, consumers)| consumers.clone());
        let next: Vec<Vec<usize>> = made.chain(consumed).collect();
        cycles_of(&next)
            .into_iter()
            .map(|cycle| cycle.into_iter().filter(|node| *node < components).collect())
            .collect()
    }
}

/// One cycle for each knot, beginning with its lowest node: a depth-first walk along `next` with its own stack, so that a
/// long chain cannot overflow anybody's.
pub(crate) fn cycles_of(next: &[Vec<usize>]) -> Vec<Vec<usize>> {
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        No,
        OnPath(usize),
        Done,
    }
    let mut seen = vec![Seen::No; next.len()];
    let mut found = Vec::new();
    for root in 0..next.len() {
        if seen[root] != Seen::No {
            continue;
        }
        let mut path: Vec<(usize, usize)> = vec![(root, 0)];
        seen[root] = Seen::OnPath(0);
        let mut reported = false;
        while let Some((node, tried)) = path.last_mut() {
            let Some(&to) = next[*node].get(*tried) else {
                seen[*node] = Seen::Done;
                path.pop();
                continue;
            };
            *tried += 1;
            match seen[to] {
                Seen::No => {
                    seen[to] = Seen::OnPath(path.len());
                    path.push((to, 0));
                }
                Seen::OnPath(at) if !reported => {
                    // One finding names the knot; its other loops are the same mistake.
                    reported = true;
                    let mut cycle: Vec<usize> = path[at..].iter().map(|(n, _)| *n).collect();
                    let first = cycle.iter().enumerate().min_by_key(|(_, n)| **n).map_or(0, |(i, _)| i);
                    cycle.rotate_left(first);
                    found.push(cycle);
                }
                Seen::OnPath(_) | Seen::Done => {}
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::cycles_of;

    fn cycles(nodes: usize, edges: &[(usize, usize)]) -> Vec<Vec<usize>> {
        let mut next = vec![Vec::new(); nodes];
        for (from, to) in edges {
            next[*from].push(*to);
        }
        cycles_of(&next)
    }

    #[test]
    fn cycles_are_found_once_and_begin_with_the_first_component() {
        for (nodes, edges, want) in [
            (3, vec![(0, 1), (1, 2)], vec![]),
            (3, vec![(0, 1), (1, 2), (2, 0)], vec![vec![0, 1, 2]]),
            (1, vec![(0, 0)], vec![vec![0]]),
            (4, vec![(3, 1), (1, 3), (0, 1)], vec![vec![1, 3]]),
            (4, vec![(0, 1), (1, 0), (2, 3), (3, 2)], vec![vec![0, 1], vec![2, 3]]),
            (3, vec![(0, 1), (0, 2), (1, 2)], vec![]),
        ] {
            assert_eq!(cycles(nodes, &edges), want, "{edges:?}");
        }
    }

    #[test]
    fn a_long_chain_is_walked_without_recursion() {
        let edges: Vec<_> = (0..1_000_000).map(|i| (i, i + 1)).collect();
        assert!(cycles(1_000_001, &edges).is_empty());
    }
}
