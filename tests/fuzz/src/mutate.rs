//! Mutations of valid inputs.

use crate::campaign::Dice;

/// Numbers that text is spoilt with.
const WORDS: [&str; 12] =
    ["-1", "0", "1e39", "1e-50", "1e308", "null", "[]", "{}", "4294967296", "true", "\"\"", "1e9"];

/// Changes an input in a few places.
pub fn mutate(dice: &mut Dice, input: &[u8]) -> Vec<u8> {
    let mut made = input.to_vec();
    for _ in 0..dice.count([1, 6]) {
        if made.is_empty() {
            made.push(dice.count([0, 255]) as u8);
        }
        let at = dice.count([0, made.len() - 1]);
        match dice.count([0, 6]) {
            0 => made[at] ^= 1 << dice.count([0, 7]),
            1 => made[at] = dice.pick(&[0, 1, 0x7f, 0x80, 0xff]),
            2 => made[at] = dice.count([0, 255]) as u8,
            3 => {
                let to = (at + dice.count([1, 16])).min(made.len());
                made.drain(at..to);
            }
            4 => {
                let to = (at + dice.count([1, 64])).min(made.len());
                let piece = made[at..to].to_vec();
                let into = dice.count([0, made.len()]);
                made.splice(into..into, piece);
            }
            5 if made.iter().any(u8::is_ascii_digit) => replace_number(dice, &mut made),
            _ => made.truncate(made.len() - dice.count([0, 8]).min(made.len() - 1)),
        }
    }
    made
}

/// Puts a word in the place of a number of a text.
fn replace_number(dice: &mut Dice, text: &mut Vec<u8>) {
    let starts: Vec<usize> = (1..text.len())
        .filter(|&i| text[i].is_ascii_digit() && !text[i - 1].is_ascii_alphanumeric() && text[i - 1] != b'.')
        .collect();
    if starts.is_empty() {
        return;
    }
    let from = dice.pick(&starts);
    let length = text[from..].iter().take_while(|c| c.is_ascii_digit() || b".eE".contains(c)).count();
    text.splice(from..from + length, dice.pick(&WORDS).bytes());
}
