//! An order of rows and columns that makes a sparse matrix a band.
//!
//! Rows and columns are the two kinds of nodes of one graph, the entries its edges; breadth first from a node at the
//! rim, lowest degree first (Cuthill and McKee), numbers rows and columns apart. A band is what C can factorise in
//! memory that is known beforehand, with pivoting.

/// Positions of rows and columns, and how many diagonals there are below and above the main one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Band {
    pub row: Vec<usize>,
    pub column: Vec<usize>,
    pub low: usize,
    pub high: usize,
}

/// Finds the order for a pattern of (row, column).
pub(crate) fn order(n: usize, entries: impl Iterator<Item = (usize, usize)> + Clone) -> Band {
    let mut neighbours: Vec<Vec<usize>> = vec![Vec::new(); 2 * n];
    for (row, column) in entries.clone() {
        neighbours[row].push(n + column);
        neighbours[n + column].push(row);
    }
    let degree: Vec<usize> = neighbours.iter().map(Vec::len).collect();
    for list in &mut neighbours {
        list.sort_unstable_by_key(|&node| (degree[node], node));
        list.dedup();
    }
    let mut seeds: Vec<usize> = (0..2 * n).collect();
    seeds.sort_unstable_by_key(|&node| (degree[node], node));
    let (mut visited, mut explored) = (vec![false; 2 * n], vec![false; 2 * n]);
    let mut sequence = Vec::with_capacity(2 * n);
    for seed in seeds {
        if !visited[seed] {
            // The last node of one search is a good first node for the next: it lies at the rim.
            let rim = search(&neighbours, seed, &mut explored);
            let start = rim.last().copied().unwrap_or(seed);
            sequence.extend(search(&neighbours, start, &mut visited));
        }
    }
    let (mut row, mut column): (Vec<usize>, Vec<usize>) = (vec![0; n], vec![0; n]);
    let (mut rows, mut columns) = (0, 0);
    for node in sequence {
        if node < n {
            row[node] = rows;
            rows += 1;
        } else {
            column[node - n] = columns;
            columns += 1;
        }
    }
    let (mut low, mut high) = (0, 0);
    for (r, c) in entries {
        low = low.max(row[r].saturating_sub(column[c]));
        high = high.max(column[c].saturating_sub(row[r]));
    }
    Band { row, column, low, high }
}

fn search(neighbours: &[Vec<usize>], start: usize, visited: &mut [bool]) -> Vec<usize> {
    let mut queue = vec![start];
    visited[start] = true;
    let mut next = 0;
    while let Some(&node) = queue.get(next) {
        next += 1;
        for &neighbour in &neighbours[node] {
            if !std::mem::replace(&mut visited[neighbour], true) {
                queue.push(neighbour);
            }
        }
    }
    queue
}

#[cfg(test)]
mod tests {
    use super::order;

    /// A tridiagonal matrix whose rows and columns were shuffled (multiplication by 7 and 3 modulo 20) has a narrow
    /// band again.
    #[test]
    fn shuffled_chain() {
        let n = 20_usize;
        let entries: Vec<(usize, usize)> = (0..n)
            .flat_map(|i| [(i, i), (i, (i + 1).min(n - 1)), (i, i.saturating_sub(1))])
            .map(|(i, j)| (i * 7 % n, j * 3 % n))
            .collect();
        let band = order(n, entries.iter().copied());
        assert!(band.low <= 2 && band.high <= 2, "{band:?}");
        let mut rows = band.row.clone();
        rows.sort_unstable();
        assert_eq!(rows, (0..n).collect::<Vec<_>>());
    }
}
