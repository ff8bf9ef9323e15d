//! Sparse Cholesky factor of a symmetric positive definite matrix of blocks of 6 x 6, one row of
//! blocks a body.

use std::collections::BTreeSet;

/// A block, by rows.
pub type Block = [[f64; 6]; 6];

/// A row of blocks of a vector.
pub type Block6 = [f64; 6];

/// The matrix, then its factor, in an order of elimination of least degree.
pub struct BlockCholesky {
    /// Body that is eliminated `k`th, and its inverse.
    order: Vec<usize>,
    place: Vec<usize>,
    /// By column: places below the diagonal, and the first of their blocks.
    columns: Vec<Vec<usize>>,
    starts: Vec<usize>,
    diagonal: Vec<Block>,
    blocks: Vec<Block>,
}

impl BlockCholesky {
    /// The symbolic factor of a matrix whose blocks off the diagonal belong to these pairs.
    pub fn new(bodies: usize, pairs: impl Iterator<Item = (usize, usize)>) -> Self {
        let mut neighbours = vec![BTreeSet::new(); bodies];
        for (a, b) in pairs.filter(|(a, b)| a != b) {
            neighbours[a].insert(b);
            neighbours[b].insert(a);
        }
        let mut queue: BTreeSet<(usize, usize)> = (0..bodies).map(|body| (neighbours[body].len(), body)).collect();
        let (mut order, mut place, mut columns) = (Vec::new(), vec![0; bodies], Vec::new());
        while let Some((_, body)) = queue.pop_first() {
            place[body] = order.len();
            order.push(body);
            let around: Vec<usize> = std::mem::take(&mut neighbours[body]).into_iter().collect();
            for &one in &around {
                queue.remove(&(neighbours[one].len(), one));
                neighbours[one].remove(&body);
                neighbours[one].extend(around.iter().filter(|&&other| other != one));
                queue.insert((neighbours[one].len(), one));
            }
            columns.push(around);
        }
        let mut starts = vec![0];
        for column in &mut columns {
            column.iter_mut().for_each(|body| *body = place[*body]);
            column.sort_unstable();
            starts.push(starts.last().unwrap() + column.len());
        }
        let blocks = vec![[[0.0; 6]; 6]; *starts.last().unwrap()];
        Self { order, place, columns, starts, diagonal: vec![[[0.0; 6]; 6]; bodies], blocks }
    }

    /// Starts a new matrix.
    pub fn clear(&mut self) {
        self.diagonal.fill([[0.0; 6]; 6]);
        self.blocks.fill([[0.0; 6]; 6]);
    }

    /// Adds a block in the row of one body and the column of another. Only one of the two blocks of
    /// a pair is to be added.
    pub fn add(&mut self, row: usize, column: usize, block: &Block) {
        let (row, column) = (self.place[row], self.place[column]);
        let transposed = row < column;
        let target = match row == column {
            true => &mut self.diagonal[row],
            false => {
                let (low, high) = (row.min(column), row.max(column));
                let at = self.columns[low].binary_search(&high).expect("the pair was named");
                &mut self.blocks[self.starts[low] + at]
            }
        };
        for i in 0..6 {
            for j in 0..6 {
                target[i][j] += if transposed { block[j][i] } else { block[i][j] };
            }
        }
    }

    /// Makes the factor. False if the matrix is not positive definite.
    pub fn factor(&mut self) -> bool {
        for k in 0..self.order.len() {
            if !cholesky(&mut self.diagonal[k]) {
                return false;
            }
            let diagonal = self.diagonal[k];
            let range = self.starts[k]..self.starts[k + 1];
            for block in &mut self.blocks[range] {
                block.iter_mut().for_each(|row| forward(&diagonal, row));
            }
            for i in 0..self.columns[k].len() {
                let (row, left) = (self.columns[k][i], self.blocks[self.starts[k] + i]);
                subtract_product(&mut self.diagonal[row], &left, &left);
                for j in 0..i {
                    let column = self.columns[k][j];
                    let right = self.blocks[self.starts[k] + j];
                    let at = self.columns[column].binary_search(&row).expect("fill is symbolic");
                    let target = self.starts[column] + at;
                    subtract_product(&mut self.blocks[target], &left, &right);
                }
            }
        }
        true
    }

    /// Solves for a right side by body, in place.
    pub fn solve(&self, vector: &mut [Block6]) {
        let mut solution: Vec<Block6> = self.order.iter().map(|&body| vector[body]).collect();
        for k in 0..solution.len() {
            forward(&self.diagonal[k], &mut solution[k]);
            let known = solution[k];
            for (&row, block) in self.columns[k].iter().zip(&self.blocks[self.starts[k]..]) {
                for i in 0..6 {
                    solution[row][i] -= (0..6).map(|j| block[i][j] * known[j]).sum::<f64>();
                }
            }
        }
        for k in (0..solution.len()).rev() {
            for (&row, block) in self.columns[k].iter().zip(&self.blocks[self.starts[k]..]) {
                let known = solution[row];
                for j in 0..6 {
                    solution[k][j] -= (0..6).map(|i| block[i][j] * known[i]).sum::<f64>();
                }
            }
            let (diagonal, value) = (&self.diagonal[k], &mut solution[k]);
            for i in (0..6).rev() {
                let below: f64 = (i + 1..6).map(|j| diagonal[j][i] * value[j]).sum();
                value[i] = (value[i] - below) / diagonal[i][i];
            }
        }
        for (value, &body) in solution.iter().zip(&self.order) {
            vector[body] = *value;
        }
    }
}

/// Cholesky factor of a block, in its lower triangle.
fn cholesky(block: &mut Block) -> bool {
    for i in 0..6 {
        for j in 0..=i {
            let sum: f64 = block[i][j] - (0..j).map(|k| block[i][k] * block[j][k]).sum::<f64>();
            if i == j {
                if sum.is_nan() || sum <= 0.0 {
                    return false;
                }
                block[i][i] = sum.sqrt();
            } else {
                block[i][j] = sum / block[j][j];
            }
        }
    }
    true
}

/// Solves with a lower triangle.
fn forward(lower: &Block, value: &mut Block6) {
    for i in 0..6 {
        let known: f64 = (0..i).map(|j| lower[i][j] * value[j]).sum();
        value[i] = (value[i] - known) / lower[i][i];
    }
}

/// Subtracts the product of a block and the transpose of another.
fn subtract_product(target: &mut Block, left: &Block, right: &Block) {
    for i in 0..6 {
        for j in 0..6 {
            target[i][j] -= (0..6).map(|k| left[i][k] * right[j][k]).sum::<f64>();
        }
    }
}
