// Pair numbers: pair t is of the last row whose sum is at most t.
fn sum_at(i: u32) -> vec2<u32> {
    return vec2<u32>(sums[2u * i], sums[2u * i + 1u]);
}

fn is_less(x: vec2<u32>, y: vec2<u32>) -> bool {
    return x.y < y.y || (x.y == y.y && x.x < y.x);
}

fn row_of(t: vec2<u32>, rows: u32) -> u32 {
    var low = 0u;
    var high = rows;
    while low < high {
        let middle = low + (high - low) / 2u;
        if is_less(t, sum_at(middle)) { high = middle; } else { low = middle + 1u; }
    }
    return low - 1u;
}
