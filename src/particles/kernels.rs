//! The SIMD kernels: eight particle contacts at once.
//!
//! They implement [`impact::particle`](crate::impact::particle) in lanes; the impulses of resting
//! contacts accumulate over the passes. Contacts of a block share no particle, so that their order
//! has no effect.

use super::block::Block;
use super::particle_set::{Motion, Place};
use crate::math::Real;
use crate::solver::simd::{Simd, SimdKernel, Vector, WIDTH, Wide};

/// Scalars per particle, in the arrays of places and of motions.
const STRIDE: usize = 4;
const _: () = assert!(size_of::<Place>() == STRIDE * size_of::<Real>());
const _: () = assert!(size_of::<Motion>() == STRIDE * size_of::<Real>());

/// Particles in lanes: positions and radii, or velocities and inverse masses.
#[derive(Clone, Copy)]
struct ParticleLanes<L> {
    v: Vector<L>,
    w: L,
}

impl<L: Simd> ParticleLanes<L> {
    /// # Safety
    /// As for [`Simd::gather`].
    #[inline(always)]
    unsafe fn gather(data: *const Real, ids: &[u32; WIDTH], o: usize) -> Self {
        // SAFETY: passed on to the caller.
        let quad = unsafe { L::gather::<STRIDE>(data, ids, o, 0) };
        Self { v: Vector::from_quad(quad), w: quad[3] }
    }

    /// # Safety
    /// As for [`Simd::scatter`].
    #[inline(always)]
    unsafe fn scatter(self, data: *mut Real, ids: &[u32; WIDTH], write: u32, o: usize) {
        // SAFETY: passed on to the caller.
        unsafe { L::scatter::<STRIDE>(data, ids, write, o, 0, self.v.quad(self.w)) }
    }
}

/// Prepares the contacts of a slab: normals, and which contacts bounce. Returns the deepest overlap
/// as a part of the sum of the radii.
pub(super) struct PrepareContacts<'a> {
    /// The slab's blocks, with warm-start impulses; all new contacts are marked in `bounces`.
    pub blocks: &'a mut [Block],
    /// Places and motions, from the first particle of the slab.
    pub places: &'a [Place],
    pub motions: &'a [Motion],
    /// Number of particles that the blocks refer to.
    pub span: usize,
    /// Slower approaches are resting contacts (m/s).
    pub rest_speed: Real,
}

impl SimdKernel for PrepareContacts<'_> {
    type Output = Real;

    #[inline(always)]
    fn run<L: Simd>(self) -> Real {
        let Self { blocks, places, motions, span, rest_speed } = self;
        assert!(span <= places.len() && span <= motions.len());
        let (places, motions) = (places.as_ptr().cast::<Real>(), motions.as_ptr().cast::<Real>());
        let zero = L::splat(0.0);
        let mut overlaps = Wide([0.0; WIDTH]);
        for block in blocks {
            let mut o = 0;
            while o < WIDTH {
                // SAFETY: particles of blocks are below `span`, and nothing is written.
                let (p, q) = unsafe {
                    (ParticleLanes::<L>::gather(places, &block.a, o), ParticleLanes::<L>::gather(places, &block.b, o))
                };
                let apart = p.v - q.v;
                let distance = apart.dot(apart).sqrt();
                let some = distance.gt(zero);
                let over = L::splat(1.0).div(L::select(some, distance, L::splat(1.0)));
                let normal = Vector::select(some, apart.scale(over), Vector::new(zero, L::splat(1.0), zero));
                normal.store(&mut block.normal, o);
                let overlap = L::splat(1.0) - distance.div(p.w + q.w);
                // Unused lanes do not count.
                let mut own = Wide::default();
                overlap.store(&mut own, o);
                for lane in (o..o + L::N).filter(|lane| block.used >> lane & 1 == 1) {
                    overlaps.0[lane] = overlaps.0[lane].max(own.0[lane]);
                }
                // SAFETY: as above.
                let (a, b) = unsafe {
                    (ParticleLanes::<L>::gather(motions, &block.a, o), ParticleLanes::<L>::gather(motions, &block.b, o))
                };
                let approach = normal.dot(b.v - a.v);
                if rest_speed > 0.0 {
                    block.bounces &= !(((1 << L::N) - 1) << o) | L::bits(approach.gt(L::splat(rest_speed))) << o;
                }
                o += L::N;
            }
        }
        overlaps.0.iter().fold(0.0, |most, &x| if x > most { x } else { most })
    }
}

/// Warm start: applies the stored impulses of resting contacts, with friction projected onto the
/// tangent plane of the current normal.
pub(super) struct WarmStart<'a> {
    pub blocks: &'a mut [Block],
    pub motions: &'a mut [Motion],
    pub span: usize,
}

impl SimdKernel for WarmStart<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Simd>(self) {
        assert!(self.span <= self.motions.len());
        let data = self.motions.as_mut_ptr().cast::<Real>();
        for block in self.blocks {
            let mut o = 0;
            while o < WIDTH {
                let normal = Vector::<L>::load(&block.normal, o);
                let friction_impulse = Vector::<L>::load(&block.friction_impulse, o);
                let friction_impulse = friction_impulse - normal.scale(normal.dot(friction_impulse));
                friction_impulse.store(&mut block.friction_impulse, o);
                let impulse = normal.scale(L::load(&block.normal_impulse, o)) + friction_impulse;
                // SAFETY: the slice is borrowed exclusively, and particles of blocks are below
                // `span`, each once.
                unsafe { apply_impulses(data, block, o, impulse) };
                o += L::N;
            }
        }
    }
}

/// Applies impulses to both particles of some lanes.
///
/// # Safety
/// The block's particles must be within the data, not accessed by another thread, and each in one
/// lane only.
#[inline(always)]
unsafe fn apply_impulses<L: Simd>(data: *mut Real, block: &Block, o: usize, impulse: Vector<L>) {
    // SAFETY: passed on to the caller.
    unsafe {
        let (a, b) = (ParticleLanes::<L>::gather(data, &block.a, o), ParticleLanes::<L>::gather(data, &block.b, o));
        ParticleLanes { v: a.v + impulse.scale(a.w), ..a }.scatter(data, &block.a, block.used, o);
        ParticleLanes { v: b.v - impulse.scale(b.w), ..b }.scatter(data, &block.b, block.used, o);
    }
}

/// One pass over the contacts of a slab's pairs.
pub(super) struct SolveImpacts<'a> {
    pub blocks: &'a mut [Block],
    pub motions: &'a mut [Motion],
    pub span: usize,
    /// True if the blocks are visited in reverse order.
    pub backwards: bool,
    /// Slower impacts do not bounce (m/s).
    pub rest_speed: Real,
}

impl SimdKernel for SolveImpacts<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Simd>(self) {
        let Self { blocks, motions, span, backwards, rest_speed } = self;
        assert!(span <= motions.len());
        let (data, count) = (motions.as_mut_ptr().cast::<Real>(), blocks.len());
        for k in 0..count {
            let block = &mut blocks[if backwards { count - 1 - k } else { k }];
            let mut o = 0;
            while o < WIDTH {
                // SAFETY: the slice is borrowed exclusively, and particles of blocks are below
                // `span`, each once.
                unsafe { solve_lanes::<L>(block, data, o, rest_speed) };
                o += L::N;
            }
        }
    }
}

/// Solves the contacts of some lanes of a block.
///
/// # Safety
/// As for [`apply_impulses`].
#[inline(always)]
unsafe fn solve_lanes<L: Simd>(block: &mut Block, data: *mut Real, o: usize, rest_speed: Real) {
    // SAFETY: passed on to the caller.
    let (a, b) =
        unsafe { (ParticleLanes::<L>::gather(data, &block.a, o), ParticleLanes::<L>::gather(data, &block.b, o)) };
    let normal = Vector::<L>::load(&block.normal, o);
    let friction = L::load(&block.friction, o);
    let relative = a.v - b.v;
    let inverse = L::splat(1.0).div(a.w + b.w);
    let speed = normal.dot(relative);
    let sliding = relative - normal.scale(speed);

    // Resting contacts: the accumulated impulse that stops the relative motion, clamped to be
    // repulsive and inside the friction cone.
    let before = (L::load(&block.normal_impulse, o), Vector::<L>::load(&block.friction_impulse, o));
    let normal_impulse = (before.0 - speed * inverse).max(L::splat(0.0));
    let wanted = before.1 - sliding.scale(inverse);
    let (most, asked) = (friction * normal_impulse, wanted.dot(wanted));
    let slips = asked.gt(most * most);
    let part = L::select(slips, most.div(L::select(slips, asked, L::splat(1.0)).sqrt()), L::splat(1.0));
    let friction_impulse = wanted.scale(part);
    let mut impulse = normal.scale(normal_impulse - before.0) + (friction_impulse - before.1);

    let lanes = (1 << L::N) - 1;
    if block.bounces >> o & lanes == 0 {
        normal_impulse.store(&mut block.normal_impulse, o);
        friction_impulse.store(&mut block.friction_impulse, o);
    } else {
        let bounces = L::load(&mask(block.bounces), o).gt(L::splat(0.0));
        let bounced = bounce(block, o, normal, sliding, speed, inverse, rest_speed);
        impulse = Vector::select(bounces, bounced, impulse);
        L::select(bounces, before.0, normal_impulse).store(&mut block.normal_impulse, o);
        Vector::select(bounces, before.1, friction_impulse).store(&mut block.friction_impulse, o);
    }
    let (a, b) =
        (ParticleLanes { v: a.v + impulse.scale(a.w), ..a }, ParticleLanes { v: b.v - impulse.scale(b.w), ..b });
    // SAFETY: passed on to the caller.
    unsafe {
        a.scatter(data, &block.a, block.used, o);
        b.scatter(data, &block.b, block.used, o);
    }
}

/// [`impulse`](crate::impact::particle::impulse) in lanes: impacts.
#[inline(always)]
fn bounce<L: Simd>(
    block: &Block,
    o: usize,
    normal: Vector<L>,
    sliding: Vector<L>,
    speed: L,
    inverse: L,
    rest_speed: Real,
) -> Vector<L> {
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let approach = (zero - speed).max(zero);
    let restitution = L::select(approach.gt(L::splat(rest_speed)), L::load(&block.restitution, o), zero);
    let normal_impulse = (one + restitution) * approach * inverse;
    let across = sliding.dot(sliding).sqrt();
    let slides = across.gt(zero);
    let most = (L::load(&block.friction, o) * normal_impulse).div(L::select(slides, across, one));
    normal.scale(normal_impulse) - sliding.scale(L::select(slides, most.min(inverse), zero))
}

/// 1 in the lanes whose bits are set, 0 in the others.
#[inline(always)]
fn mask(bits: u32) -> Wide {
    let mut row = Wide::default();
    for lane in 0..WIDTH {
        row.0[lane] = (bits >> lane & 1) as Real;
    }
    row
}

/// Corrects a part of the overlaps of a slab's pairs.
pub(super) struct ProjectOverlaps<'a> {
    pub blocks: &'a [Block],
    pub places: &'a mut [Place],
    /// Motions of the same particles.
    pub motions: &'a [Motion],
    pub span: usize,
    /// True if the blocks are visited in reverse order.
    pub backwards: bool,
    /// The part, 0 to 1.
    pub factor: Real,
}

impl SimdKernel for ProjectOverlaps<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Simd>(self) {
        let Self { blocks, places, motions, span, backwards, factor } = self;
        assert!(span <= places.len() && span <= motions.len());
        let (data, motions) = (places.as_mut_ptr().cast::<Real>(), motions.as_ptr().cast::<Real>());
        for k in 0..blocks.len() {
            let block = &blocks[if backwards { blocks.len() - 1 - k } else { k }];
            let mut o = 0;
            while o < WIDTH {
                // SAFETY: the places are borrowed exclusively, and particles of blocks are below
                // `span`, each once.
                unsafe { project_lanes::<L>(block, data, motions, o, factor) };
                o += L::N;
            }
        }
    }
}

/// # Safety
/// As for [`apply_impulses`]; the motions must be those of the same particles.
#[inline(always)]
unsafe fn project_lanes<L: Simd>(block: &Block, data: *mut Real, motions: *const Real, o: usize, factor: Real) {
    // SAFETY: passed on to the caller.
    let [a, b, own, other] = unsafe {
        [
            ParticleLanes::<L>::gather(data, &block.a, o),
            ParticleLanes::<L>::gather(data, &block.b, o),
            ParticleLanes::<L>::gather(motions, &block.a, o),
            ParticleLanes::<L>::gather(motions, &block.b, o),
        ]
    };
    let normal = Vector::<L>::load(&block.normal, o);
    let overlap = (a.w + b.w - normal.dot(a.v - b.v)).max(L::splat(0.0));
    let shift = (L::splat(factor) * overlap).div(own.w + other.w);
    let a = ParticleLanes { v: a.v + normal.scale(shift * own.w), ..a };
    let b = ParticleLanes { v: b.v - normal.scale(shift * other.w), ..b };
    // SAFETY: passed on to the caller.
    unsafe {
        a.scatter(data, &block.a, block.used, o);
        b.scatter(data, &block.b, block.used, o);
    }
}
