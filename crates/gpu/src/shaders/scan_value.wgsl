// Which number an item stands for: itself, its set bits, or whether it is not 0.
fn value_of(item: u32, what: u32) -> u32 {
    if what == 1u { return countOneBits(item); }
    if what == 2u { return select(0u, 1u, item != 0u); }
    return item;
}
