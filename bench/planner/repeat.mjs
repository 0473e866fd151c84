/**
 * The clock of the bench, in ms: time as it passes, or with BENCH_CLOCK=cpu the CPU time of this process with all its
 * threads, which other work on the machine hardly changes. The peers' programs do the same.
 */
export const clock =
  process.env.BENCH_CLOCK === 'cpu'
    ? () => {
        const { user, system } = process.cpuUsage()
        return (user + system) / 1000
      }
    : () => performance.now()

/** A first plan that took longer than this many seconds is the only one: there is no point in warming up. */
export const isSlow = (firstMs, warm, measure) => firstMs > 2000 * (warm + measure)

/** Until the time is up, but three calls at least unless they take long. */
export async function repeat(seconds, call) {
  const runs = []
  const start = clock()
  for (;;) {
    runs.push(await call())
    const spent = (clock() - start) / 1000
    if (spent > 3 * seconds || (spent > seconds && runs.length >= 3) || runs.length === 2000) return runs
  }
}
