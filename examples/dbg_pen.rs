use dolmen::prelude::*;
fn main(){
    let text=std::fs::read_to_string(std::env::args().nth(1).unwrap()).unwrap();
    let scene=dolmen::scene::read(&text).unwrap();
    let mut world=hecs::World::new();
    let built=dolmen::scene::build(&scene,&mut world).unwrap();
    let mut physics=Physics::new(built.settings);
    let steps: usize=std::env::args().nth(2).unwrap().parse().unwrap();
    for s in 0..steps { let r=physics.step(&mut world,built.dt as Real).unwrap();
        for c in physics.contacts(){ if s>755 && s<772 && c.entities[0].id()==365 && c.entities[1].id()==265 { println!("   {s} sep {:.5} n {:?} p {:?} imp {:?}", c.separation,c.normal,c.point,c.impulse);} }
        if s>755&&s<772 { for e in physics.events(){ if let Event::Impact{entities,speed,impulse,..}=e { if [365,265].contains(&entities[0].id()) || [365,265].contains(&entities[1].id()) { println!("      ev {:?} speed {speed} imp {impulse}",entities);} } } for e in &built.entities { if [365,265].contains(&e.id()) { println!("      {:?} v {:?} w {:?}", e, world.get::<&LinearVelocity>(*e).unwrap().0, world.get::<&AngularVelocity>(*e).unwrap().0);} } }
        let mut worst=(0.0 as Real,None);
        for c in physics.contacts(){ if c.separation<worst.0 { worst=(c.separation,Some(c)); } }
        if s%20==0 || worst.0 < -0.03 { println!("{s} worst {:.5} {:?} impacts {} left {} ", worst.0, worst.1.map(|c|(c.entities,c.normal,c.point)), r.counts.impacts, r.counts.impacts_left); }
    }
}
