//! A step of the grains in a rotating drum, after half a second of settling. Run with `cargo bench
//! --bench particles`. The printed time is that of one step at 60 Hz, bodies included.

#[path = "../tests/support/drum.rs"]
mod drum;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use drum::Drum;

const DT: dolmen::math::Real = 1.0 / 60.0;

fn particles(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("drum");
    group.sample_size(10);
    for count in [10_000, 100_000] {
        for threads in [1, 2] {
            let mut drum = Drum::new(count, 0.025, 0.8);
            drum.physics.settings.threads = Some(threads);
            for _ in 0..30 {
                drum.step(DT);
            }
            group.throughput(Throughput::Elements(count as u64));
            let name = BenchmarkId::new(format!("{threads} threads"), count);
            group.bench_function(name, |bencher| bencher.iter(|| drum.step(DT)));
        }
    }
    group.finish();
}

criterion_group!(benches, particles);
criterion_main!(benches);
