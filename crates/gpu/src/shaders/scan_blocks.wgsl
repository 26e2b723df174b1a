@group(0) @binding(1) var<storage, read_write> blocks: array<u32>;

// a: blocks. One workgroup; the total goes behind the last block.
@compute @workgroup_size(256)
fn scan_blocks(@builtin(local_invocation_index) l: u32) {
    let n = p.a.x;
    var carry = vec2<u32>(0u, 0u);
    for (var begin = 0u; begin < n; begin += 256u) {
        let i = begin + l;
        var own = vec2<u32>(0u, 0u);
        if i < n { own = vec2<u32>(blocks[2u * i], blocks[2u * i + 1u]); }
        let before = add2(carry, sum_before(l, own));
        if i < n {
            blocks[2u * i] = before.x;
            blocks[2u * i + 1u] = before.y;
        }
        carry = add2(carry, part[255]);
        workgroupBarrier();
    }
    if l == 0u {
        blocks[2u * n] = carry.x;
        blocks[2u * n + 1u] = carry.y;
    }
}
