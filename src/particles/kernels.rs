//! The wide kernels: eight contacts of particles at once.
//!
//! They are the laws of [`impact::particle`](crate::impact::particle) in lanes, with the impulses of contacts that rest added up
//! over the passes. Contacts of a block share no particle, so that their order does not show.

use super::block::Block;
use super::swarm::{Motion, Place};
use crate::math::Real;
use crate::solver::lanes::{Kernel, Lane, Row, Vector, WIDTH};

/// Scalars from one particle to the next, in its places and in its motions.
const STRIDE: usize = 4;
const _: () = assert!(size_of::<Place>() == STRIDE * size_of::<Real>());
const _: () = assert!(size_of::<Motion>() == STRIDE * size_of::<Real>());

/// Particles of some lanes: their places with the radii, or their velocities with the inverse masses.
#[derive(Clone, Copy)]
struct Side<L> {
    v: Vector<L>,
    w: L,
}

impl<L: Lane> Side<L> {
    /// # Safety
    /// As for [`Lane::gather`].
    #[inline(always)]
    unsafe fn gather(data: *const Real, ids: &[u32; WIDTH], o: usize) -> Self {
        // SAFETY: passed on to the caller.
        let quad = unsafe { L::gather::<STRIDE>(data, ids, o, 0) };
        Self { v: Vector::from_quad(quad), w: quad[3] }
    }

    /// # Safety
    /// As for [`Lane::scatter`].
    #[inline(always)]
    unsafe fn scatter(self, data: *mut Real, ids: &[u32; WIDTH], write: u32, o: usize) {
        // SAFETY: passed on to the caller.
        unsafe { L::scatter::<STRIDE>(data, ids, write, o, 0, self.v.quad(self.w)) }
    }
}

/// Finds normals of a slab's blocks and which contacts bounce; returns the deepest overlap as a part of the sum of the radii.
pub(super) struct Meet<'a> {
    /// The slab's blocks, with what their contacts carried and, as those that bounce, all that did not touch before.
    pub blocks: &'a mut [Block],
    /// Places and motions from the first particle of the slab on.
    pub places: &'a [Place],
    pub motions: &'a [Motion],
    /// How many of these the blocks are about.
    pub span: usize,
    /// Slower approaches rest (m/s).
    pub rest: Real,
}

impl Kernel for Meet<'_> {
    type Output = Real;

    #[inline(always)]
    fn run<L: Lane>(self) -> Real {
        let Self { blocks, places, motions, span, rest } = self;
        assert!(span <= places.len() && span <= motions.len());
        let (places, motions) = (places.as_ptr().cast::<Real>(), motions.as_ptr().cast::<Real>());
        let zero = L::splat(0.0);
        let mut overlaps = Row([0.0; WIDTH]);
        for block in blocks {
            let mut o = 0;
            while o < WIDTH {
                // SAFETY: blocks name particles below `span` only, and nothing is written.
                let (p, q) =
                    unsafe { (Side::<L>::gather(places, &block.a, o), Side::<L>::gather(places, &block.b, o)) };
                let apart = p.v - q.v;
                let distance = apart.dot(apart).sqrt();
                let some = distance.gt(zero);
                let over = L::splat(1.0).div(L::select(some, distance, L::splat(1.0)));
                let normal = Vector::select(some, apart.scale(over), Vector::new(zero, L::splat(1.0), zero));
                normal.store(&mut block.normal, o);
                let overlap = L::splat(1.0) - distance.div(p.w + q.w);
                // What no contact uses is no overlap.
                let mut own = Row::default();
                overlap.store(&mut own, o);
                for lane in (o..o + L::N).filter(|lane| block.used >> lane & 1 == 1) {
                    overlaps.0[lane] = overlaps.0[lane].max(own.0[lane]);
                }
                // SAFETY: as above.
                let (a, b) =
                    unsafe { (Side::<L>::gather(motions, &block.a, o), Side::<L>::gather(motions, &block.b, o)) };
                let approach = normal.dot(b.v - a.v);
                if rest > 0.0 {
                    block.bounces &= !(((1 << L::N) - 1) << o) | L::bits(approach.gt(L::splat(rest))) << o;
                }
                o += L::N;
            }
        }
        overlaps.0.iter().fold(0.0, |most, &x| if x > most { x } else { most })
    }
}

/// Lets resting contacts start from what they carried, as it acts with the normals of today.
pub(super) struct Resume<'a> {
    pub blocks: &'a mut [Block],
    pub motions: &'a mut [Motion],
    pub span: usize,
}

impl Kernel for Resume<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        assert!(self.span <= self.motions.len());
        let data = self.motions.as_mut_ptr().cast::<Real>();
        for block in self.blocks {
            let mut o = 0;
            while o < WIDTH {
                let normal = Vector::<L>::load(&block.normal, o);
                let hold = Vector::<L>::load(&block.hold, o);
                let hold = hold - normal.scale(normal.dot(hold));
                hold.store(&mut block.hold, o);
                let impulse = normal.scale(L::load(&block.push, o)) + hold;
                // SAFETY: the slice is ours alone, and blocks name particles below `span` only, each once.
                unsafe { strike(data, block, o, impulse) };
                o += L::N;
            }
        }
    }
}

/// Gives both particles of some lanes their impulse.
///
/// # Safety
/// The block's particles must be in the data, in nobody else's hands, and each in one lane only.
#[inline(always)]
unsafe fn strike<L: Lane>(data: *mut Real, block: &Block, o: usize, impulse: Vector<L>) {
    // SAFETY: passed on to the caller.
    unsafe {
        let (a, b) = (Side::<L>::gather(data, &block.a, o), Side::<L>::gather(data, &block.b, o));
        Side { v: a.v + impulse.scale(a.w), ..a }.scatter(data, &block.a, block.used, o);
        Side { v: b.v - impulse.scale(b.w), ..b }.scatter(data, &block.b, block.used, o);
    }
}

/// One pass over the impacts of a slab's pairs.
pub(super) struct Hit<'a> {
    pub blocks: &'a mut [Block],
    pub motions: &'a mut [Motion],
    pub span: usize,
    /// Whether the blocks are taken from the last one on.
    pub backwards: bool,
    /// Slower impacts do not bounce (m/s).
    pub rest: Real,
}

impl Kernel for Hit<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let Self { blocks, motions, span, backwards, rest } = self;
        assert!(span <= motions.len());
        let (data, count) = (motions.as_mut_ptr().cast::<Real>(), blocks.len());
        for k in 0..count {
            let block = &mut blocks[if backwards { count - 1 - k } else { k }];
            let mut o = 0;
            while o < WIDTH {
                // SAFETY: the slice is ours alone, and blocks name particles below `span` only, each once.
                unsafe { hit::<L>(block, data, o, rest) };
                o += L::N;
            }
        }
    }
}

/// The impacts of some lanes of a block.
///
/// # Safety
/// As for [`strike`].
#[inline(always)]
unsafe fn hit<L: Lane>(block: &mut Block, data: *mut Real, o: usize, rest: Real) {
    // SAFETY: passed on to the caller.
    let (a, b) = unsafe { (Side::<L>::gather(data, &block.a, o), Side::<L>::gather(data, &block.b, o)) };
    let normal = Vector::<L>::load(&block.normal, o);
    let friction = L::load(&block.friction, o);
    let relative = a.v - b.v;
    let inverse = L::splat(1.0).div(a.w + b.w);
    let speed = normal.dot(relative);
    let sliding = relative - normal.scale(speed);

    // What keeps a resting contact still, as far as it only pushes and friction holds; it adds to what earlier passes gave, and may
    // take that back.
    let before = (L::load(&block.push, o), Vector::<L>::load(&block.hold, o));
    let push = (before.0 - speed * inverse).max(L::splat(0.0));
    let wanted = before.1 - sliding.scale(inverse);
    let (most, asked) = (friction * push, wanted.dot(wanted));
    let slips = asked.gt(most * most);
    let part = L::select(slips, most.div(L::select(slips, asked, L::splat(1.0)).sqrt()), L::splat(1.0));
    let hold = wanted.scale(part);
    let mut impulse = normal.scale(push - before.0) + (hold - before.1);

    let lanes = (1 << L::N) - 1;
    if block.bounces >> o & lanes == 0 {
        push.store(&mut block.push, o);
        hold.store(&mut block.hold, o);
    } else {
        let bounces = L::load(&mask(block.bounces), o).gt(L::splat(0.0));
        let bounced = bounce(block, o, normal, sliding, speed, inverse, rest);
        impulse = Vector::select(bounces, bounced, impulse);
        L::select(bounces, before.0, push).store(&mut block.push, o);
        Vector::select(bounces, before.1, hold).store(&mut block.hold, o);
    }
    let (a, b) = (Side { v: a.v + impulse.scale(a.w), ..a }, Side { v: b.v - impulse.scale(b.w), ..b });
    // SAFETY: passed on to the caller.
    unsafe {
        a.scatter(data, &block.a, block.used, o);
        b.scatter(data, &block.b, block.used, o);
    }
}

/// [`impulse`](crate::impact::particle::impulse) in lanes.
#[inline(always)]
fn bounce<L: Lane>(
    block: &Block,
    o: usize,
    normal: Vector<L>,
    sliding: Vector<L>,
    speed: L,
    inverse: L,
    rest: Real,
) -> Vector<L> {
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let approach = (zero - speed).max(zero);
    let restitution = L::select(approach.gt(L::splat(rest)), L::load(&block.restitution, o), zero);
    let push = (one + restitution) * approach * inverse;
    let across = sliding.dot(sliding).sqrt();
    let slides = across.gt(zero);
    let most = (L::load(&block.friction, o) * push).div(L::select(slides, across, one));
    normal.scale(push) - sliding.scale(L::select(slides, most.min(inverse), zero))
}

/// Ones where bits are set.
#[inline(always)]
fn mask(bits: u32) -> Row {
    let mut row = Row::default();
    for lane in 0..WIDTH {
        row.0[lane] = (bits >> lane & 1) as Real;
    }
    row
}

/// Takes a part of the overlaps of a slab's pairs out.
pub(super) struct Part<'a> {
    pub blocks: &'a [Block],
    pub places: &'a mut [Place],
    /// Of the same particles.
    pub motions: &'a [Motion],
    pub span: usize,
    /// Whether the blocks are taken from the last one on.
    pub backwards: bool,
    /// The part, 0 to 1.
    pub factor: Real,
}

impl Kernel for Part<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let Self { blocks, places, motions, span, backwards, factor } = self;
        assert!(span <= places.len() && span <= motions.len());
        let (data, motions) = (places.as_mut_ptr().cast::<Real>(), motions.as_ptr().cast::<Real>());
        for k in 0..blocks.len() {
            let block = &blocks[if backwards { blocks.len() - 1 - k } else { k }];
            let mut o = 0;
            while o < WIDTH {
                // SAFETY: the slice of places is ours alone, and blocks name particles below `span` only, each once.
                unsafe { part::<L>(block, data, motions, o, factor) };
                o += L::N;
            }
        }
    }
}

/// # Safety
/// As for [`strike`]; the motions must be those of the same particles.
#[inline(always)]
unsafe fn part<L: Lane>(block: &Block, data: *mut Real, motions: *const Real, o: usize, factor: Real) {
    // SAFETY: passed on to the caller.
    let [a, b, own, other] = unsafe {
        [
            Side::<L>::gather(data, &block.a, o),
            Side::<L>::gather(data, &block.b, o),
            Side::<L>::gather(motions, &block.a, o),
            Side::<L>::gather(motions, &block.b, o),
        ]
    };
    let normal = Vector::<L>::load(&block.normal, o);
    let overlap = (a.w + b.w - normal.dot(a.v - b.v)).max(L::splat(0.0));
    let shift = (L::splat(factor) * overlap).div(own.w + other.w);
    let a = Side { v: a.v + normal.scale(shift * own.w), ..a };
    let b = Side { v: b.v - normal.scale(shift * other.w), ..b };
    // SAFETY: passed on to the caller.
    unsafe {
        a.scatter(data, &block.a, block.used, o);
        b.scatter(data, &block.b, block.used, o);
    }
}
