/** Replacement of lines `beforeFrom…beforeTo` by `afterFrom…afterTo`; counted from 0, ends excluded. */
export interface Change {
  readonly beforeFrom: number
  readonly beforeTo: number
  readonly afterFrom: number
  readonly afterTo: number
}

/** Number of differing lines at which the search stops and the rest counts as replaced. */
const maxDistance = 1000

/** Computes the changes between two lists of lines by Myers' O(ND) algorithm, after trimming common ends. */
export function diffLines(before: readonly string[], after: readonly string[]): Change[] {
  const limit = Math.min(before.length, after.length)
  let start = 0
  while (start < limit && before[start] === after[start]) start++
  let end = 0
  while (end < limit - start && before[before.length - 1 - end] === after[after.length - 1 - end]) {
    end++
  }
  const inner = diffMiddle(
    before.slice(start, before.length - end),
    after.slice(start, after.length - end),
  )
  return inner.map((change) => ({
    beforeFrom: change.beforeFrom + start,
    beforeTo: change.beforeTo + start,
    afterFrom: change.afterFrom + start,
    afterTo: change.afterTo + start,
  }))
}

function diffMiddle(before: readonly string[], after: readonly string[]): Change[] {
  if (before.length === 0 && after.length === 0) return []
  const trace = findTrace(before, after)
  if (trace === undefined) {
    return [{ beforeFrom: 0, beforeTo: before.length, afterFrom: 0, afterTo: after.length }]
  }
  return joinSteps(walkBack(trace, before.length, after.length))
}

/** Returns the furthest point of each diagonal for each distance; undefined if the texts differ too much. */
function findTrace(before: readonly string[], after: readonly string[]): Int32Array[] | undefined {
  const most = Math.min(before.length + after.length, maxDistance)
  const offset = most + 1
  const reach = new Int32Array(2 * offset + 1)
  const trace: Int32Array[] = []
  for (let distance = 0; distance <= most; distance++) {
    trace.push(reach.slice(offset - distance - 1, offset + distance + 2))
    for (let diagonal = -distance; diagonal <= distance; diagonal += 2) {
      let x = isDown(reach, offset, diagonal, distance)
        ? (reach[offset + diagonal + 1] ?? 0)
        : (reach[offset + diagonal - 1] ?? 0) + 1
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal])
        x++
      reach[offset + diagonal] = x
      if (x >= before.length && x - diagonal >= after.length) return trace
    }
  }
  return undefined
}

function isDown(reach: Int32Array, offset: number, diagonal: number, distance: number): boolean {
  if (diagonal === -distance) return true
  if (diagonal === distance) return false
  return (reach[offset + diagonal - 1] ?? 0) < (reach[offset + diagonal + 1] ?? 0)
}

/** Returns single inserted and deleted lines, last to first. */
function walkBack(trace: readonly Int32Array[], length: number, otherLength: number): Change[] {
  const steps: Change[] = []
  let x = length
  let y = otherLength
  for (let distance = trace.length - 1; distance > 0; distance--) {
    const reach = trace[distance] ?? new Int32Array()
    const offset = distance + 1
    const diagonal = x - y
    const down = isDown(reach, offset, diagonal, distance)
    const from = down ? diagonal + 1 : diagonal - 1
    x = reach[offset + from] ?? 0
    y = x - from
    steps.push({
      beforeFrom: x,
      beforeTo: down ? x : x + 1,
      afterFrom: y,
      afterTo: down ? y + 1 : y,
    })
  }
  return steps
}

function joinSteps(steps: readonly Change[]): Change[] {
  const changes: Change[] = []
  for (const step of [...steps].reverse()) {
    const last = changes.at(-1)
    if (last?.beforeTo === step.beforeFrom && last.afterTo === step.afterFrom) {
      changes[changes.length - 1] = { ...last, beforeTo: step.beforeTo, afterTo: step.afterTo }
    } else {
      changes.push(step)
    }
  }
  return changes
}
