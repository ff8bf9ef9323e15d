//! Every level against the portable one, operation by operation.

use super::*;

/// Awkward scalars: zeros of both signs, subnormal, huge, infinite, not a number.
const AWKWARD: [Real; WIDTH] = [0.0, -0.0, 1.5, -2.25, 1e-40 as Real, 3e37, Real::INFINITY, Real::NAN];
const OTHER: [Real; WIDTH] = [-0.0, 0.0, -3.5, -2.25, 2e-40 as Real, -1e38, 1.0, 2.0];

/// Bits of every operation on the two operands and of a gather and a scatter.
fn trace<L: Simd>() -> Vec<u64> {
    let mut out = Vec::new();
    for (a, b) in [(AWKWARD, OTHER), (OTHER, AWKWARD)] {
        let (a, b) = (Wide(a), Wide(b));
        let results: [fn(L, L) -> L; 9] = [
            |a, b| a + b,
            |a, b| a - b,
            |a, b| a * b,
            |a, b| a.div(b),
            |a, b| a.max(b),
            |a, b| a.min(b),
            |a, b| L::select(a.gt(b), a, b),
            |a, _| a.abs(),
            |a, _| a.abs().sqrt(),
        ];
        for f in results {
            let mut row = Wide::default();
            for o in (0..WIDTH).step_by(L::N) {
                f(L::load(&a, o), L::load(&b, o)).store(&mut row, o);
            }
            // IEEE 754 leaves only the payload of a NaN open.
            out.extend(row.0.map(|x| if x.is_nan() { u64::MAX } else { u64::from(x.to_bits()) }));
        }
        let mut bits = 0;
        for o in (0..WIDTH).step_by(L::N) {
            bits |= L::bits(L::load(&a, o).gt(L::load(&b, o))) << o;
        }
        out.push(u64::from(bits));
    }
    let memory: Vec<Real> = (0..16 * 12).map(|x| x as Real).collect();
    let mut written = memory.clone();
    let ids = [3, 0, 11, 7, 5, 1, 9, 2];
    for o in (0..WIDTH).step_by(L::N) {
        for quad in 0..4 {
            // SAFETY: ids stay under the twelve records of sixteen scalars.
            let rows = unsafe { L::gather::<16>(memory.as_ptr(), &ids, o, quad) };
            for (k, row) in rows.iter().enumerate() {
                for lane in 0..L::N {
                    let mut seen = Wide::default();
                    row.store(&mut seen, 0);
                    assert_eq!(seen.0[lane], memory[ids[o + lane] as usize * 16 + 4 * quad + k]);
                }
            }
            // SAFETY: as above, and no id occurs twice.
            unsafe { L::scatter::<16>(written.as_mut_ptr(), &ids, 0b1011_0111, o, quad, rows.map(|r| r + r)) };
        }
    }
    for (k, &id) in ids.iter().enumerate() {
        let factor = if 0b1011_0111 >> k & 1 == 1 { 2.0 } else { 1.0 };
        for s in 0..16 {
            assert_eq!(written[id as usize * 16 + s], factor * memory[id as usize * 16 + s]);
        }
    }
    assert_eq!(L::splat(2.5).max_lane(1.0), 2.5);
    assert_eq!(L::splat(-2.5).max_lane(1.0), 1.0);
    out.extend(written.iter().map(|x| u64::from(x.to_bits())));
    out
}

#[test]
fn every_level_does_the_same_arithmetic_to_the_bit() {
    let reference = trace::<Portable>();
    #[cfg(target_arch = "x86_64")]
    {
        assert_eq!(trace::<Sse2>(), reference);
        if SimdLevel::named("avx2").is_some() {
            #[target_feature(enable = "avx2")]
            fn wide() -> Vec<u64> {
                trace::<Avx2>()
            }
            // SAFETY: `named` found the processor to have AVX2.
            assert_eq!(unsafe { wide() }, reference);
        }
    }
    #[cfg(any(target_arch = "aarch64", all(target_arch = "wasm32", target_feature = "simd128")))]
    assert_eq!(trace::<Quad>(), reference);
    assert!(!reference.is_empty());
}

#[test]
fn a_level_that_the_processor_lacks_has_no_name() {
    assert_eq!(SimdLevel::named("altivec"), None);
    for level in SimdLevel::available() {
        assert_eq!(SimdLevel::named(level.name()), Some(*level));
    }
}
