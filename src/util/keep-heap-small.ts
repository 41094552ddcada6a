import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** Size of the young generation in bytes from which it grows no more; its next doubling may be under way by then. */
const enoughYoungBytes = 8_000_000

/** Growth of the old generation in percent before it is collected again. */
const growthPercent = 40

/**
 * Keeps the garbage of this process small. Where a machine has much memory, Node lets the young generation grow to 128 MB,
 * and the old one to four times what lives in it; a turn needs neither. Nothing is limited: what lives may grow as ever.
 */
export function keepHeapSmall(): void {
  setFlagsFromString(`--heap-growing-percent=${growthPercent}`)
  let mayGrow = true
  const setGrowth = (): void => {
    const young = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')
    const isEnough = young !== undefined && young.space_size >= enoughYoungBytes
    if (mayGrow !== isEnough) return
    mayGrow = !isEnough
    setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`)
  }
  setGrowth()
  // Idle, it shrinks; then it may grow again up to there.
  new PerformanceObserver(setGrowth).observe({ entryTypes: ['gc'] })
}
