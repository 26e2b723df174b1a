var<workgroup> part: array<vec2<u32>, 256>;

// The sum of the values before this invocation's; the sum of all is part[255] afterwards.
fn sum_before(l: u32, own: vec2<u32>) -> vec2<u32> {
    part[l] = own;
    workgroupBarrier();
    for (var step = 1u; step < 256u; step = step * 2u) {
        var sum = part[l];
        if l >= step { sum = add2(part[l - step], sum); }
        workgroupBarrier();
        part[l] = sum;
        workgroupBarrier();
    }
    var before = vec2<u32>(0u, 0u);
    if l > 0u { before = part[l - 1u]; }
    return before;
}
