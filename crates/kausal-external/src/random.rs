//! Random numbers: the generators `Modelica.Math.Random.Generators` declares.
//!
//! The generators are S. Vigna's xorshift64*, xorshift128+ and xorshift1024* (*An experimental exploration of Marsaglia's
//! xorshift generators, scrambled*, ACM Trans. Math. Softw. 42, 2016; first published 2014). The state is a vector of
//! 32-bit integers, the lower half of each 64-bit word first. As the library defines them, the first two keep the scrambled
//! number in their state, where Vigna keeps the one before scrambling.
//!
//! A 64-bit number x becomes a Real between 0 and 1 as `int64(x)*2^-64 + 1/2` (J. A. Doornik, *Conversion of
//! high-period random numbers to floating point*, 2007).

use kausal_symbolic::function::Value;
use serde::{Deserialize, Serialize};

use crate::frame::{Frame, Outcome, failed};
use crate::{Kind, Native, StandardExternals};

/// The generator with a state of its own.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Impure {
    words: [u64; 16],
    place: usize,
    id: i64,
}

pub(crate) fn find(name: &str) -> Option<(Kind, Native)> {
    let pure: Native = match name {
        "ModelicaRandom_xorshift64star" => |_, f| generate(f, xorshift64star),
        "ModelicaRandom_xorshift128plus" => |_, f| generate(f, xorshift128plus),
        "ModelicaRandom_xorshift1024star" => {
            return Some((Kind::Pure, |_, f| {
                let mut words = first_words(f, &state_words(f)?)?;
                let mut place = place(f)?;
                let y = xorshift1024star(&mut words, &mut place);
                let mut numbers = integers(&words);
                numbers.push(place as f64);
                f.set(1, Value::vector(numbers));
                f.set_number(2, y);
                Ok(())
            }));
        }
        "ModelicaRandom_automaticGlobalSeed" => {
            |externals, f| f.give_number(f64::from(externals.options.seed))
        }
        "ModelicaRandom_convertRealToIntegers" => |_, f| {
            let numbers = integers(&[f.number(0)?.to_bits()]);
            f.set(1, Value::vector(numbers));
            Ok(())
        },
        "ModelicaRandom_setInternalState_xorshift1024star" => return Some((Kind::State, set_internal_state)),
        "ModelicaRandom_impureRandom_xorshift1024star" => return Some((Kind::State, impure_random)),
        _ => return None,
    };
    Some((Kind::Pure, pure))
}

/// The state as 64-bit words, the lower half first.
fn state_words(f: &Frame<'_>) -> Outcome<Vec<u64>> {
    let half = |x: f64| u64::from(x as i64 as u32);
    Ok(f.numbers(0)?.chunks_exact(2).map(|pair| half(pair[0]) | half(pair[1]) << 32).collect())
}

fn first_words<const N: usize>(f: &Frame<'_>, words: &[u64]) -> Outcome<[u64; N]> {
    match words.first_chunk::<N>() {
        Some(words) => Ok(*words),
        None => failed(format!("the state of {} needs {} integers", f.name(), 2 * N)),
    }
}

/// The place in the state of xorshift1024*. The library fills it with any integer; its last four bits count.
fn place(f: &Frame<'_>) -> Outcome<usize> {
    Ok(f.numbers(0)?.get(32).map_or(0, |&p| (p as i64).rem_euclid(16) as usize))
}

fn integers(words: &[u64]) -> Vec<f64> {
    words.iter().flat_map(|&w| [f64::from(w as u32 as i32), f64::from((w >> 32) as u32 as i32)]).collect()
}

/// `(stateIn, stateOut, result)`
fn generate<const N: usize>(f: &mut Frame<'_>, step: fn(&mut [u64; N]) -> f64) -> Outcome<()> {
    let state = state_words(f)?;
    let mut words = first_words(f, &state)?;
    let y = step(&mut words);
    f.set(1, Value::vector(integers(&words)));
    f.set_number(2, y);
    Ok(())
}

fn unit_interval(x: u64) -> f64 {
    const TWO_TO_MINUS_64: f64 = 1.0 / 18446744073709551616.0;
    x as i64 as f64 * TWO_TO_MINUS_64 + 0.5
}

fn xorshift64star(state: &mut [u64; 1]) -> f64 {
    let x = &mut state[0];
    *x ^= *x >> 12;
    *x ^= *x << 25;
    *x ^= *x >> 27;
    *x = x.wrapping_mul(2685821657736338717);
    unit_interval(*x)
}

fn xorshift128plus(state: &mut [u64; 2]) -> f64 {
    let [mut s1, s0] = *state;
    s1 ^= s1 << 23;
    *state = [s0, (s1 ^ s0 ^ (s1 >> 17) ^ (s0 >> 26)).wrapping_add(s0)];
    unit_interval(state[1])
}

fn xorshift1024star(words: &mut [u64; 16], place: &mut usize) -> f64 {
    let mut s0 = words[*place % 16];
    *place = (*place + 1) % 16;
    let mut s1 = words[*place];
    s1 ^= s1 << 31;
    s1 ^= s1 >> 11;
    s0 ^= s0 >> 30;
    words[*place] = s0 ^ s1;
    unit_interval(words[*place].wrapping_mul(1181783497276652981))
}

/// `(rngState, size(rngState, 1), id)`
fn set_internal_state(externals: &StandardExternals, f: &mut Frame<'_>) -> Outcome<()> {
    let words = first_words(f, &state_words(f)?)?;
    let place = place(f)?;
    externals.state().random = Impure { words, place, id: f.integer(2)? };
    Ok(())
}

/// `y = (id)`
fn impure_random(externals: &StandardExternals, f: &mut Frame<'_>) -> Outcome<()> {
    let id = f.integer(0)?;
    let mut state = externals.state();
    let random = &mut state.random;
    if random.id != id {
        return failed("impureRandom is called before initializeImpureRandom");
    }
    let y = xorshift1024star(&mut random.words, &mut random.place);
    f.give_number(y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use crate::test::{call, input, output, perform};

    #[test]
    fn xorshift64star_by_hand() {
        // The state 1: 1 ^ 1>>12 = 1; ^ 1<<25 = 0x2000001; ^ >>27 unchanged; times the multiplier.
        let mut state = [1u64];
        let y = xorshift64star(&mut state);
        let expected = 0x2000001u64.wrapping_mul(2685821657736338717);
        assert_eq!(state, [expected]);
        // Vigna's first output for seed 1: 5180492295206395165.
        assert_eq!(expected, 5180492295206395165);
        assert_eq!(y, 5180492295206395165.0 / 18446744073709551616.0 + 0.5);
    }

    #[test]
    fn xorshift128plus_by_hand() {
        // s1 = 1, s0 = 2: s1 ^= 1<<23 = 0x800001; s1>>17 = 0x40; s0>>26 = 0; 0x800001 ^ 2 ^ 0x40 = 0x800043; + 2.
        let mut state = [1u64, 2];
        let y = xorshift128plus(&mut state);
        assert_eq!(state, [2, 0x800045]);
        assert!((y - 0.5).abs() < 1e-12);
    }

    #[test]
    fn xorshift1024star_by_hand() {
        // Words 1, 2, …: s0 = 1, s1 = 2 ^ 2<<31 = 0x100000002; ^ >>11 = 0x100200002; s0>>30 = 0; together 0x100200003.
        let mut words: [u64; 16] = std::array::from_fn(|i| i as u64 + 1);
        let mut place = 0;
        let y = xorshift1024star(&mut words, &mut place);
        assert_eq!((place, words[1]), (1, 0x1_0020_0003));
        assert_eq!(y, unit_interval(0x1_0020_0003u64.wrapping_mul(1181783497276652981)));
    }

    /// A state of `count` words as `initialStateWithXorshift64star` makes it, and the half word after it.
    fn initial_state<const N: usize>(local: i32, global: i32) -> ([u64; N], i32) {
        let mut word = [u64::from(local as u32) | u64::from(global as u32) << 32];
        for _ in 0..10 {
            xorshift64star(&mut word);
        }
        let words = std::array::from_fn(|_| {
            let this = word[0];
            xorshift64star(&mut word);
            this
        });
        (words, word[0] as i32)
    }

    #[test]
    fn the_numbers_of_the_library() {
        // Dymola's results for Modelica.Blocks.Examples.Noise.UniformNoise: noise in -1..3 at times 0, 0.02 and 0.04, local seed 10.
        let (mut state, _) = initial_state(10, 67867967);
        for noise in [0.20217088936010374, 0.045513176341681394, 0.4806722354481434] {
            assert!((-1.0 + 4.0 * xorshift128plus(&mut state) - noise).abs() < 1e-14);
        }
        // And for Modelica.Blocks.Examples.Noise.ImpureGenerator: the numbers at time 0 and, 200 samples later, 2.
        let externals = StandardExternals::new(Options::default());
        let (words, last) = initial_state::<16>(715827883, 67867967);
        let mut state = integers(&words);
        state.push(f64::from(last));
        let set = [input(state), input(33.0), input(7.0)];
        perform(&externals, "ModelicaRandom_setInternalState_xorshift1024star", &set).unwrap();
        let name = "ModelicaRandom_impureRandom_xorshift1024star";
        let numbers: Vec<f64> = (0..201)
            .map(|_| call(&externals, name, &[input(7.0)]).unwrap()[0].as_scalar().unwrap())
            .collect();
        assert!((numbers[0] - 0.018660680846204425).abs() < 1e-15);
        assert!((numbers[200] - 0.20139026719150938).abs() < 1e-15);
    }

    #[test]
    fn states_are_integers_of_32_bits() {
        let externals = StandardExternals::new(Options::default());
        let args = [input(vec![1.0, 0.0]), output(vec![0.0, 0.0]), output(0.0)];
        let values = perform(&externals, "ModelicaRandom_xorshift64star", &args).unwrap();
        let word = 5180492295206395165u64;
        let halves = vec![f64::from(word as u32 as i32), f64::from((word >> 32) as i32)];
        assert_eq!(values[0], Value::vector(halves.clone()));
        // The state comes in as it went out.
        let args = [input(halves), output(vec![0.0, 0.0]), output(0.0)];
        let again = perform(&externals, "ModelicaRandom_xorshift64star", &args).unwrap();
        let mut state = [word];
        assert_eq!(again[1], Value::Scalar(xorshift64star(&mut state)));
    }

    #[test]
    fn the_impure_generator_starts_with_its_state() {
        let externals = StandardExternals::new(Options::default());
        let name = "ModelicaRandom_impureRandom_xorshift1024star";
        assert!(call(&externals, name, &[input(7.0)]).is_err());
        let mut state: Vec<f64> = (0..33).map(f64::from).collect();
        state[32] = 0.0;
        let set = [input(state.clone()), input(33.0), input(7.0)];
        perform(&externals, "ModelicaRandom_setInternalState_xorshift1024star", &set).unwrap();
        let first = call(&externals, name, &[input(7.0)]).unwrap();
        let args = [input(state.clone()), output(state), output(0.0)];
        let pure = perform(&externals, "ModelicaRandom_xorshift1024star", &args).unwrap();
        assert_eq!(first[0], pure[1]);
        let translation = StandardExternals::new(Options::translation(crate::Permissions::default()));
        assert!(call(&translation, name, &[input(7.0)]).is_err());
    }
}
