//! Commands drive the program, and the world is looked at.

use crate::camera::Mode;
use crate::energy;
use crate::inspector;
use crate::layout::Layout;
use crate::overlay;
use crate::player::{Command, Player};
use crate::rules::Rule;
use crate::state_hash::hash;
use dolmen::debug::Show;
use dolmen::energy::EnergyBalance;
use dolmen::glam::Vec3;
use dolmen::prelude::*;
use hecs::Entity;

fn player(scene: &str) -> Player {
    let mut player = Player::new(Some(scene), Some(1), None).unwrap();
    player.playing = false;
    player
}

fn position(player: &Player, body: Entity) -> Vec3 {
    player.run.world().get::<&Position>(body).unwrap().0
}

fn bodies(player: &Player) -> usize {
    player.run.world().query::<&RigidBody>().iter().count()
}

/// The place in the picture of a body.
fn place(player: &Player, body: Entity) -> [f32; 2] {
    player.camera.place(position(player, body), player.aspect).unwrap()
}

/// The body at the top of a tower, after a few steps.
fn top(player: &mut Player) -> Entity {
    player.run_to(2);
    let world = player.run.world();
    world.query::<(Entity, &Position)>().iter().max_by(|a, b| a.1.0.y.total_cmp(&b.1.0.y)).unwrap().0
}

#[test]
fn time_passes_at_the_speed_while_it_plays() {
    let mut player = player("tower-3");
    player.pass(1.0);
    assert_eq!(player.run.step, 0);
    player.obey(Command::Pause);
    for _ in 0..30 {
        player.pass(1.0 / 60.0);
    }
    assert_eq!(player.run.step, 30);
    for (command, steps) in [(Command::Slower, 15), (Command::Slower, 8), (Command::Faster, 15), (Command::Faster, 30)]
    {
        player.obey(command);
        let before = player.run.step;
        (0..30).for_each(|_| player.pass(1.0 / 60.0));
        let taken = player.run.step - before;
        assert!(taken.abs_diff(steps) <= 1, "{taken} of {steps} at {}", player.speed);
    }
    (0..9).for_each(|_| player.obey(Command::Slower));
    player.obey(Command::Step);
    assert!(!player.playing);
    let before = player.run.step;
    player.obey(Command::Step);
    assert_eq!(player.run.step, before + 1);
}

#[test]
fn a_long_frame_is_not_caught_up_with() {
    let mut player = player("tower-3");
    player.obey(Command::Pause);
    player.pass(10.0);
    let burst = player.run.step;
    assert!(burst < 10);
    player.pass(1.0 / 60.0);
    assert!(player.run.step <= burst + 2);
}

#[test]
fn any_step_is_reached_again_with_the_same_bits() {
    let mut player = player("pyramid-5");
    let mut hashes = vec![hash(player.run.world())];
    for step in 0..150 {
        match step {
            20 | 41 => player.obey(Command::Shoot([0.0, 0.0])),
            50 => {
                let before = bodies(&player);
                player.obey(Command::Delete([0.0, -0.05]));
                assert_eq!(bodies(&player), before - 1);
            }
            60 => player.obey(Command::Grab([0.0, -0.1])),
            61..95 => player.obey(Command::Drag([0.01 * (step - 61) as f32, 0.2])),
            95 => player.obey(Command::LetGo),
            _ => {}
        }
        player.run_to(step + 1);
        hashes.push(hash(player.run.world()));
    }
    assert_eq!(player.run.range(), (0, 150));
    for target in [100, 40, 149, 0, 70, 45, 46, 150, 21, 50, 51, 60, 20, 90] {
        player.obey(Command::Seek(target));
        assert_eq!((player.run.step, player.playing), (target, false));
        assert_eq!(hash(player.run.world()), hashes[target as usize], "at {target}");
        let end = (target + 35).min(150);
        player.run_to(end);
        assert_eq!(hash(player.run.world()), hashes[end as usize], "from {target} to {end}");
    }
    player.obey(Command::ToEnd);
    player.obey(Command::StepBack);
    assert_eq!(hash(player.run.world()), hashes[149]);
    player.obey(Command::LeapBack);
    player.obey(Command::Leap);
    player.obey(Command::LeapBack);
    assert_eq!((player.run.step, hash(player.run.world())), (89, hashes[89].clone()));
}

#[test]
fn an_edit_in_the_past_replaces_what_came_after() {
    let mut player = player("pyramid-5");
    player.run_to(40);
    player.obey(Command::Shoot([0.0; 2]));
    player.run_to(100);
    let count = bodies(&player);
    player.obey(Command::Seek(50));
    assert_eq!(bodies(&player), count);
    player.obey(Command::Seek(35));
    assert_eq!(bodies(&player), count - 1);
    player.obey(Command::Delete([0.0, -0.05]));
    assert_eq!(player.run.range(), (0, 35));
    player.run_to(100);
    // The ball of step 40 belongs to the time that is no more.
    assert_eq!(bodies(&player), count - 2);
    player.obey(Command::ToStart);
    assert_eq!(bodies(&player), count - 1);
    player.obey(Command::ToEnd);
    assert_eq!((player.run.step, bodies(&player)), (100, count - 2));
}

#[test]
fn the_timeline_keeps_the_last_minute() {
    let mut player = player("tower-1");
    player.run_to(4000);
    let (first, last) = player.run.range();
    assert!(last == 4000 && (3000..=3600).contains(&(last - first)), "{first} {last}");
    player.obey(Command::Seek(0));
    assert_eq!(player.run.step, first);
}

#[test]
fn a_deleted_body_takes_its_joints_along_and_comes_back_with_them() {
    let mut player = player("net-6");
    player.run_to(10);
    let joints = |player: &Player| player.run.world().query::<&Joint>().iter().count();
    let (count, all) = (bodies(&player), joints(&player));
    let is_dynamic = |(_, kind): &(Entity, &RigidBody)| **kind == RigidBody::Dynamic;
    let ball = player.run.world().query::<(Entity, &RigidBody)>().iter().find(is_dynamic).unwrap().0;
    player.obey(Command::Delete(place(&player, ball)));
    player.run_to(40);
    assert_eq!(bodies(&player), count - 1);
    assert!(joints(&player) <= all - 2);
    let later = hash(player.run.world());
    player.obey(Command::Seek(5));
    assert_eq!((bodies(&player), joints(&player)), (count, all));
    player.obey(Command::Seek(40));
    assert_eq!(hash(player.run.world()), later);
}

#[test]
fn a_dragged_body_follows_the_hand_and_its_weight_is_shown() {
    let mut player = player("tower-1");
    let cube = top(&mut player);
    let at = place(&player, cube);
    player.obey(Command::Grab(at));
    let grip = player.run.grip.unwrap();
    assert_eq!(grip.body, cube);
    player.obey(Command::Drag([at[0] + 0.2, at[1] + 1.1]));
    let target = player.run.grip.unwrap().target;
    assert!(target.y > grip.target.y + 1.0, "{target}");
    player.run_to(300);
    // It swings: the mean of the force is its weight.
    let (mut sum, mut count) = (Vec3::ZERO, 0.0);
    for step in 300..1500 {
        player.run_to(step + 1);
        let held = player.run.held_point().unwrap();
        assert!((held - target).length() < 0.2, "{held} {target}");
        (sum, count) = (sum + player.run.grip.unwrap().force, count + 1.0);
    }
    let (mean, weight) = (sum / count, Vec3::Y * 1000.0 * 9.81);
    assert!((mean - weight).length() < 0.05 * weight.y, "{mean}");
    player.obey(Command::LetGo);
    player.run_to(1600);
    assert!(position(&player, cube).y < target.y - 1.0);
}

#[test]
fn a_ball_flies_where_the_mouse_is() {
    let mut player = player("tower-1");
    let cube = top(&mut player);
    let (before, at) = (position(&player, cube), place(&player, cube));
    player.obey(Command::Shoot(at));
    player.run_to(90);
    assert!((position(&player, cube) - before).length() > 0.5);
}

#[test]
fn what_is_static_is_neither_held_nor_deleted() {
    let mut player = player("tower-1");
    player.run_to(2);
    let (count, floor) = (bodies(&player), [0.9, -0.9]);
    assert!(player.ray(floor).is_some() && !player.is_body_at(floor));
    player.obey(Command::Grab(floor));
    player.obey(Command::Delete(floor));
    assert!(player.run.grip.is_none());
    assert_eq!(bodies(&player), count);
}

#[test]
fn scenes_are_opened_by_number_and_in_turn_and_restarted() {
    let mut player = player("tower-3");
    let start = hash(player.run.world());
    player.run_to(20);
    player.obey(Command::Restart);
    assert_eq!((player.run.step, hash(player.run.world())), (0, start));
    for _ in 0..player.scenes.len() {
        let before = player.open;
        player.obey(Command::NextScene);
        assert_eq!(player.open, (before + 1) % player.scenes.len());
        assert_eq!((player.run.step, &player.problem), (0, &None));
    }
    assert_eq!(player.open, 0);
    player.obey(Command::PreviousScene);
    assert_eq!(player.open, player.scenes.len() - 1);
    player.obey(Command::Open(0));
    assert_eq!(bodies(&player), 4);
}

#[test]
fn the_camera_obeys() {
    let mut player = player("tower-3");
    let before = player.camera;
    player.obey(Command::Turn(0.3, 0.1));
    player.obey(Command::Zoom(0.5));
    assert!((player.camera.yaw - before.yaw - 0.3).abs() < 1e-6);
    assert!((player.camera.distance - 0.5 * before.distance).abs() < 1e-4);
    // It does not follow the bodies any more.
    let looked = player.camera;
    player.run_to(30);
    assert_eq!(player.camera, looked);
    let eye = player.camera.eye();
    player.obey(Command::Fly(Vec3::NEG_Z, 0.5));
    assert_eq!(player.camera.mode, Mode::Fly);
    assert!((player.camera.eye() - eye).dot(player.camera.forward()) > 0.0);
    player.obey(Command::ToggleCamera);
    assert_eq!(player.camera.mode, Mode::Orbit);
    player.obey(Command::ToggleHelp);
    assert!(!player.help);
}

#[test]
fn the_account_of_energy_is_kept_on_request_balances_and_moves_no_bit() {
    let (mut told, mut silent) = (player("pile-40"), player("pile-40"));
    told.obey(Command::ToggleEnergy);
    for step in 1..=60 {
        told.run_to(step);
        silent.run_to(step);
        let balance = told.run.report.energy.unwrap();
        let EnergyBalance { impacts, damping, friction, gained, removed, .. } = balance;
        let after = balance.before + balance.work() - impacts - damping - friction + gained - removed;
        assert!((after - balance.after).abs() < 1e-9 * (balance.before + 1.0), "{balance:?}");
        let lines = energy::lines(&balance);
        assert!(lines[1].contains(&format!("gravity {:.4}", balance.gravity)), "{lines:?}");
    }
    assert!(silent.run.report.energy.is_none() && hash(told.run.world()) == hash(silent.run.world()));
    // It goes on in the next scene and from an earlier step, up to the next press.
    told.obey(Command::Restart);
    told.obey(Command::Step);
    assert!(told.run.report.energy.is_some());
    told.obey(Command::NextScene);
    told.obey(Command::Step);
    assert!(told.run.report.energy.is_some());
    told.obey(Command::ToggleEnergy);
    assert!(told.run.report.energy.is_none());
    told.obey(Command::Step);
    assert!(told.run.report.energy.is_none());
}

#[test]
fn the_camera_follows_what_falls_until_it_is_moved() {
    let mut player = player("pile-40");
    let before = player.camera;
    player.run_to(120);
    assert!(player.camera.focus.y < before.focus.y - 0.5 && player.camera.yaw == before.yaw);
    player.obey(Command::Restart);
    player.obey(Command::Pause);
    let high = player.camera.focus.y;
    (0..30).for_each(|_| player.pass(1.0 / 60.0));
    assert!(player.camera.focus.y > high);
}

#[test]
fn a_scene_that_is_not_there_is_a_sentence() {
    let error = Player::new(Some("no-such-scene"), None, None).err().unwrap();
    assert!(error.contains("no-such-scene") && error.contains("pyramid"), "{error}");
}

#[test]
fn a_step_that_fails_stops_the_clock_and_is_told() {
    let mut player = player("tower-3");
    let cube = top(&mut player);
    player.run.world().get::<&mut Position>(cube).unwrap().0.x = f32::NAN;
    player.obey(Command::Pause);
    player.pass(0.1);
    assert!(!player.playing && player.problem.as_ref().is_some_and(|problem| problem.contains("Position")));
    assert_eq!(player.run.step, 2);
}

/// The number of lines of debug drawing over the picture.
fn lines(player: &Player) -> usize {
    let layout = Layout { width: 1280.0, height: 720.0, scenes: 1, range: (0, 1) };
    let mut count = 0;
    let line = |[a, b]: [[f32; 2]; 2], _| {
        assert!(a.into_iter().chain(b).all(f32::is_finite));
        count += 1;
    };
    overlay::draw(player.run.physics(), player.show, (&player.camera, &layout), line, |_, _, _| {});
    count
}

#[test]
fn each_key_of_debug_drawing_draws_lines_and_takes_them_away_again() {
    let mut player = player("tower-3");
    player.run_to(4);
    let mut drawn = 0;
    for flag in 0..Show::FLAGS.len() {
        player.obey(Command::Overlay(flag));
        assert!(player.shows(flag));
        drawn += usize::from(lines(&player) > 0);
        player.obey(Command::Overlay(flag));
        assert_eq!((player.shows(flag), lines(&player)), (false, 0));
    }
    // The tower has no sensors, joints, limits or loads, and does not sleep yet.
    assert_eq!(drawn, Show::FLAGS.len() - 5);
    assert!(player.show("contacts").is_ok() && player.show.contacts);
    assert!(player.show("nothing of the kind").unwrap_err().contains("centres of mass"));
}

#[test]
fn a_body_is_frozen_and_goes_on_and_the_timeline_remembers_both() {
    let mut player = player("tower-3");
    let body = top(&mut player);
    let at = place(&player, body);
    player.obey(Command::Delete(at));
    let body = top(&mut player);
    let kind = |player: &Player| *player.run.world().get::<&RigidBody>(body).unwrap();
    let at = place(&player, body);
    player.obey(Command::Freeze(at));
    assert_eq!(kind(&player), RigidBody::Static);
    (0..40).for_each(|_| player.obey(Command::Step));
    let frozen = hash(player.run.world());
    let step = player.run.step;
    let at = place(&player, body);
    player.obey(Command::Freeze(at));
    assert_eq!(kind(&player), RigidBody::Dynamic);
    (0..40).for_each(|_| player.obey(Command::Step));
    let free = hash(player.run.world());
    player.obey(Command::Seek(step - 1));
    assert_eq!(kind(&player), RigidBody::Static);
    player.obey(Command::Step);
    assert_eq!(hash(player.run.world()), frozen);
    player.obey(Command::ToEnd);
    assert_eq!((hash(player.run.world()), kind(&player)), (free, RigidBody::Dynamic));
}

#[test]
fn sliders_change_gravity_accuracy_and_materials_and_are_remembered() {
    let mut player = player("tower-3");
    player.run_to(20);
    let value = |player: &Player, rule: Rule| rule.value(player.run.physics(), player.run.world());
    let before = Rule::ALL.map(|rule| value(&player, rule));
    Rule::ALL.into_iter().for_each(|rule| player.obey(Command::Slide(rule, 0.75)));
    let after = [15.0, 1.125, 0.75, 1.0];
    assert_eq!(Rule::ALL.map(|rule| value(&player, rule)), after);
    (0..40).for_each(|_| player.obey(Command::Step));
    let end = hash(player.run.world());
    player.obey(Command::Seek(10));
    assert_eq!(Rule::ALL.map(|rule| value(&player, rule)), before);
    player.obey(Command::ToEnd);
    assert_eq!((hash(player.run.world()), Rule::ALL.map(|rule| value(&player, rule))), (end, after));
}

#[test]
fn a_clicked_body_is_inspected_and_figures_are_plotted() {
    let mut player = player("tower-3");
    let body = top(&mut player);
    player.run_to(100);
    let at = place(&player, body);
    player.obey(Command::Grab(at));
    player.obey(Command::LetGo);
    assert_eq!(player.run.selected, Some(body));
    let lines = inspector::lines(&player.run, body);
    assert!(
        lines[0].contains("Dynamic") && lines.last().unwrap() == "awake: sleep is off in the settings",
        "{lines:?}"
    );
    let contacts = lines.iter().find(|line| line.contains("contact points with 1 others"));
    assert!(contacts.is_some(), "{lines:?}");
    let history = &player.run.history;
    assert_eq!(history.values(1).count(), 100);
    let (low, high) = history.range(1).unwrap();
    assert!(low > 0.0 && high >= low);
    // Steps that are taken again replace their figures.
    player.obey(Command::Seek(50));
    player.obey(Command::Step);
    assert!(player.run.history.values(0).count() <= 100);
}

#[test]
fn a_recording_is_replayed_back_and_forth_with_its_bits_and_takes_no_edits() {
    let mut scene = dolmen::scene::generators::make("tower", Some(3)).unwrap().scene;
    scene.settings.threads = Some(1);
    let (mut world, mut physics) = (hecs::World::new(), Physics::default());
    let built = dolmen::scene::build(&scene, &mut world).unwrap();
    physics.settings = built.settings;
    let mut recorder = dolmen::recording::Recorder::new(&world, &physics).unwrap();
    let mut hashes = Vec::new();
    for step in 0..80 {
        if step == 40 {
            let ball = Body::dynamic(Collider::ball(0.4)).at(-4.0, 1.0, 0.0).linear_velocity(Vec3::X * 12.0);
            world.spawn(ball);
        }
        recorder.step(&mut physics, &mut world, built.dt).unwrap();
        hashes.push(hash(&world));
    }
    let mut player = player("pyramid-3");
    player.open_file("fall.rec", &recorder.recording().to_bytes());
    assert_eq!((player.problem.as_deref(), player.scenes[0].name.as_str()), (None, "fall.rec"));
    assert_eq!(player.run.range(), (0, 80));
    player.run_to(200);
    assert_eq!((player.run.step, hash(player.run.world())), (80, hashes[79].clone()));
    player.obey(Command::Seek(41));
    assert_eq!(hash(player.run.world()), hashes[40]);
    let before = bodies(&player);
    player.obey(Command::Shoot([0.0, 0.0]));
    player.obey(Command::Delete([0.0, 0.0]));
    player.obey(Command::Slide(Rule::Gravity, 0.0));
    player.obey(Command::Step);
    assert_eq!((bodies(&player), hash(player.run.world())), (before, hashes[41].clone()));
    player.obey(Command::Restart);
    assert_eq!((player.run.step, bodies(&player)), (0, before - 1));
    player.open_file("noise", &[0xff, 0x00, 0x17]);
    assert!(player.problem.as_deref().is_some_and(|problem| problem.starts_with("noise: ")), "{:?}", player.problem);
}
