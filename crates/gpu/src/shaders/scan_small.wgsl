@group(0) @binding(1) var<storage, read> items: array<u32>;
@group(0) @binding(2) var<storage, read_write> sums: array<u32>;

// a: items, what they stand for. One workgroup; the total goes behind the last sum.
@compute @workgroup_size(256)
fn scan_small(@builtin(local_invocation_index) l: u32) {
    let n = p.a.x;
    var carry = vec2<u32>(0u, 0u);
    for (var begin = 0u; begin < n; begin += 2048u) {
        let first = begin + l * 8u;
        var own = vec2<u32>(0u, 0u);
        for (var k = 0u; k < 8u; k++) {
            if first + k < n { own = add2(own, vec2<u32>(value_of(items[first + k], p.a.y), 0u)); }
        }
        var sum = add2(carry, sum_before(l, own));
        for (var k = 0u; k < 8u; k++) {
            let i = first + k;
            if i < n {
                sums[2u * i] = sum.x;
                sums[2u * i + 1u] = sum.y;
                sum = add2(sum, vec2<u32>(value_of(items[i], p.a.y), 0u));
            }
        }
        carry = add2(carry, part[255]);
        workgroupBarrier();
    }
    if l == 0u {
        sums[2u * n] = carry.x;
        sums[2u * n + 1u] = carry.y;
    }
}
