/** What `knownWork` takes on two cores at rest, for which the bounds in the tests are. */
const knownWorkMs = 30

const paceKeptMs = 1_000

let pace = 1
let pacedAt = -Infinity

/**
 * How long this thread computes, in milliseconds of a machine at rest: the time that passes does not count, and the
 * processor's pace, which other processes slow down, is measured with a known piece of work.
 */
export function processorMs(work: () => void): number {
  const before = paceNow()
  const ms = computed(work)
  return ms / Math.max(before, paceNow())
}

/**
 * The least of up to thirty tries, which ends with the first below `enoughMs`: what slows one down seldom slows down all. After
 * a slow try the processor's pace is measured anew, as it may have changed since.
 */
export function leastProcessorMs(work: () => void, enoughMs: number): number {
  let least = processorMs(work)
  for (let tries = 1; tries < 30 && least >= enoughMs; tries += 1) {
    pacedAt = -Infinity
    least = Math.min(least, processorMs(work))
  }
  return least
}

function paceNow(): number {
  if (performance.now() - pacedAt < paceKeptMs) return pace
  pace = Math.max(1, computed(knownWork) / knownWorkMs)
  pacedAt = performance.now()
  return pace
}

function computed(work: () => void): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}

/** Strings made, cut and looked up, as parsers do. */
function knownWork(): void {
  const seen = new Map<string, number>()
  for (let index = 0; index < 60_000; index += 1) {
    const word = `w${(index * 7_919) % 9_973}`.repeat(3)
    seen.set(word.slice(2), (seen.get(word.slice(2)) ?? 0) + word.split('w').length)
  }
}
