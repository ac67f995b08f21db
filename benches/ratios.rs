//! tmp
fn main() -> anyhow::Result<()> {
    let n = 200_000;
    let pairs = benches::pairs::in_turn(|| benches::kernel::kernel(n), || benches::kernel::bare(n))?;
    println!("{pairs:#?} kernel {} ns, bare {} ns", pairs.first.median / n as f64 * 1e9, pairs.second.median/n as f64*1e9);
    Ok(())
}
