import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import { descendsFrom } from '../../../src/worker/process-identity.ts'

/** Words to look for, by what they are called. */
export type Needles = Readonly<Record<string, string>>

const chunkBytes = 4 * 1024 * 1024
const overlapBytes = 4_096

/** Which of the needles stand in the environment, the command line or anywhere in the memory of a process that lives. */
export function findInProcess(pid: number, needles: Needles): readonly string[] {
  const forms = Object.entries(needles).flatMap(([name, needle]) =>
    formsOf(needle).map((form) => ({ name, form })),
  )
  const found = new Set<string>()
  for (const bytes of everythingOf(pid)) {
    for (const { name, form } of forms) if (bytes.includes(form)) found.add(name)
  }
  return [...found].toSorted()
}

/** Every process that a process has started, and those that they have started. */
export function descendantsOf(pid: number): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((other) => Number.isInteger(other) && other !== pid && descendsFrom(other, pid))
}

/** V8 keeps text as bytes of Latin-1, or in two bytes a character. */
function formsOf(needle: string): readonly Buffer[] {
  return [Buffer.from(needle, 'utf8'), Buffer.from(needle, 'utf16le')]
}

function* everythingOf(pid: number): Generator<Buffer> {
  // Small commands come and go.
  if (!existsSync(`/proc/${pid}/mem`)) return
  const memory = openSync(`/proc/${pid}/mem`, 'r')
  try {
    for (const file of ['environ', 'cmdline']) yield readFileSync(`/proc/${pid}/${file}`)
    for (const region of readableRegions(pid)) yield* chunksOf(memory, region)
  } catch (error) {
    if (existsSync(`/proc/${pid}/mem`)) throw error
  } finally {
    closeSync(memory)
  }
}

interface Region {
  readonly start: number
  readonly end: number
}

// proc_pid_maps(5); what the kernel lends (vvar and the like) cannot be read this way.
function readableRegions(pid: number): readonly Region[] {
  const lines = readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n')
  return lines.flatMap((line) => {
    const [, from = '', to = '', name = ''] =
      /^(\w+)-(\w+) r\S+ \S+ \S+ \S+\s*(.*)$/.exec(line) ?? []
    if (from === '' || name.startsWith('[v')) return []
    return [{ start: Number.parseInt(from, 16), end: Number.parseInt(to, 16) }]
  })
}

function* chunksOf(memory: number, { start, end }: Region): Generator<Buffer> {
  const buffer = Buffer.alloc(Math.min(chunkBytes, end - start))
  for (let at = start; at < end; at += chunkBytes - overlapBytes) {
    const read = tryRead(memory, buffer, at, Math.min(buffer.length, end - at))
    if (read === 0) return
    yield buffer.subarray(0, read)
  }
}

/** A region may be gone, or not be backed by anything. */
function tryRead(memory: number, buffer: Buffer, at: number, length: number): number {
  try {
    return readSync(memory, buffer, 0, length, at)
  } catch {
    return 0
  }
}
