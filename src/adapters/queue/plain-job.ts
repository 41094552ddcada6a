/** Fields of a stored job that BullMQ needs; of the others, options and schedules included, we use none. */
const needed = new Set([
  'name',
  'data',
  'timestamp',
  'delay',
  'priority',
  'ats',
  'atm',
  'stc',
  'processedOn',
  'pb',
  'defa',
])

/**
 * An answer of a script that hands out the next job, with nothing in it that BullMQ would stumble over: it reads a job after
 * it was taken, so that one it cannot read would be given up, found again and taken again for ever, half a minute apart.
 */
export function withPlainJob(answer: unknown): unknown {
  if (!Array.isArray(answer) || !Array.isArray(answer[0])) return answer
  const [job, id, ...times] = answer
  return isId(id) ? [plain(job), id, ...times] : answer
}

function isId(id: unknown): boolean {
  return typeof id === 'string'
}

function plain(fields: readonly unknown[]): readonly unknown[] {
  const pairs = fields.flatMap((name, index) =>
    index % 2 === 0 && needed.has(String(name)) ? [[name, fields[index + 1]]] : [],
  )
  return pairs.flatMap(([name, value]) => [
    name,
    name === 'data' && !isJson(value) ? 'null' : value,
  ])
}

function isJson(text: unknown): boolean {
  try {
    JSON.parse(String(text))
    return true
  } catch {
    return false
  }
}
