import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { CallOutcome } from '../../../src/rules/jobs/contract.ts'
import { type Journal, openJournal } from '../../../src/worker/job/journal.ts'
import type { JournalCall, Settled } from '../../../src/worker/job/replica.ts'
import { isRunning } from '../child-driver.ts'

const holder = fileURLToPath(new URL('../journal-holder.ts', import.meta.url))
const done: Settled = { outcome: { kind: 'succeeded', output: 'fine' }, durationMs: 7 }
const cancelled = {
  kind: 'failed',
  error: { category: 'cancelled', message: 'stopped' },
} as const

let directory = ''
const open: Journal[] = []
const children: ChildProcess[] = []

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'journal-'))
})

afterEach(async () => {
  for (const journal of open.splice(0)) journal[Symbol.dispose]()
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await rm(directory, { recursive: true, force: true })
})

async function openAs(replica: string): Promise<Journal> {
  const journal = await openJournal(directory, { replica })
  open.push(journal)
  return journal
}

function call(callId: string, more: Partial<JournalCall> = {}): JournalCall {
  return {
    callId,
    attempt: 1,
    argumentsSha256: 'a',
    idempotent: false,
    exp: 2_000_000_000,
    ...more,
  }
}

/** Replica in its own process that holds `callId` and a running command. */
async function hold(callId: string, idempotent = false) {
  const child = spawn(process.execPath, [holder, directory, callId, String(idempotent)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  const [line] = await once(child.stdout, 'data')
  const { kind, pid } = JSON.parse(String(line))
  expect(kind).toBe('started')
  return {
    child,
    commandPid: Number(pid),
    kill: async () => {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

describe('a call', () => {
  test('LOOP-05 starts once, and later gets its stored result', async () => {
    const journal = await openAs('a')
    expect(await journal.begin(call('c'))).toEqual({ kind: 'started' })
    expect(await journal.begin(call('c'))).toEqual({ kind: 'running', replica: 'a' })
    expect(await journal.finish('c', done)).toBe(true)
    expect(await journal.begin(call('c'))).toEqual({ kind: 'settled', ...done })
    const other = await openAs('b')
    expect(await other.begin(call('c'))).toEqual({ kind: 'settled', ...done })
    expect(await other.look(call('c'))).toEqual({ kind: 'settled', ...done })
  })

  test('LOOP-05 THREAT-3 is started by only one of many concurrent attempts', async () => {
    const journals = await Promise.all(['a', 'b', 'c', 'd'].map(openAs))
    const tries = Array.from({ length: 40 }, (_, index) =>
      (journals[index % 4] ?? journals[0])?.begin(call('c')),
    )
    const kinds = (await Promise.all(tries)).map((begin) => begin?.kind)
    expect(kinds.filter((kind) => kind === 'started')).toHaveLength(1)
    expect(kinds.filter((kind) => kind === 'running')).toHaveLength(39)
  })

  test('LOOP-05 that has started is not started again under a greater attempt', async () => {
    const journal = await openAs('a')
    await journal.begin(call('c'))
    await journal.finish('c', done)
    expect(await journal.begin(call('c', { attempt: 2 }))).toEqual({ kind: 'settled', ...done })
  })

  test('LOOP-05 with another text is refused once it has started, not answered with the wrong result', async () => {
    const journal = await openAs('a')
    await journal.begin(call('c'))
    await journal.finish('c', done)
    const changed = call('c', { attempt: 2, argumentsSha256: 'b' })
    expect(await journal.begin(changed)).toMatchObject({
      kind: 'settled',
      outcome: { kind: 'refused' },
    })
  })

  test.each([
    { kind: 'elsewhere', canonical: ['/x'] },
    { kind: 'changed', path: '/x' },
    { kind: 'refused', why: 'late' },
  ] satisfies CallOutcome[])(
    'THREAT-1 that ended $kind did nothing: a greater attempt may start',
    async (outcome) => {
      const journal = await openAs('a')
      await journal.begin(call('c'))
      await journal.finish('c', { outcome, durationMs: 0 })
      expect(await journal.begin(call('c'))).toMatchObject({ kind: 'settled', outcome })
      expect(await journal.begin(call('c', { attempt: 2 }))).toEqual({ kind: 'started' })
      expect(await journal.begin(call('c', { attempt: 3 }))).toMatchObject({ kind: 'running' })
    },
  )
})

describe('a cancel', () => {
  test('INT-8 that arrives before its call blocks the start', async () => {
    const journal = await openAs('a')
    const { callId, attempt, exp } = call('c')
    const known = await journal.bar({ callId, attempt, exp, idempotent: false }, cancelled)
    expect(known).toMatchObject({ kind: 'settled', outcome: cancelled })
    const other = await openAs('b')
    expect(await other.begin(call('c'))).toMatchObject({ kind: 'settled', outcome: cancelled })
  })

  test('INT-7 of a call that has ended returns its result', async () => {
    const journal = await openAs('a')
    await journal.begin(call('c'))
    await journal.finish('c', done)
    expect(await journal.bar(call('c'), cancelled)).toEqual({ kind: 'settled', ...done })
  })

  test('INT-8 of a call that a living replica runs changes nothing', async () => {
    const held = await hold('c')
    const journal = await openAs('a')
    expect(await journal.bar(call('c'), cancelled)).toMatchObject({ kind: 'running' })
    await held.kill()
  })
})

describe('a replica that was killed', () => {
  test('INT-15 leaves its call interrupted, after the remaining processes of its command were killed', async () => {
    const held = await hold('c')
    const journal = await openAs('a')
    expect(await journal.begin(call('c'))).toMatchObject({ kind: 'running' })
    expect(await journal.sweep()).toEqual([])
    await held.kill()
    expect(isRunning(held.commandPid)).toBe(true)
    expect(await journal.begin(call('c'))).toMatchObject({
      kind: 'settled',
      outcome: { kind: 'interrupted' },
    })
    await expect.poll(() => isRunning(held.commandPid), { timeout: 20_000 }).toBe(false)
  })

  test('INT-36 is swept once: its open calls are reported, its ended ones are not', async () => {
    const held = await hold('c')
    const journal = await openAs('a')
    await journal.begin(call('mine'))
    await journal.bar(call('barred'), cancelled)
    await held.kill()
    expect(await journal.sweep()).toEqual([{ callId: 'c', attempt: 1 }])
    expect(await journal.sweep()).toEqual([])
    await expect.poll(() => isRunning(held.commandPid)).toBe(false)
  })

  test('BOX-06 has its boxes stopped before its calls are answered', async () => {
    const held = await hold('c')
    const ended: string[] = []
    const journal = await openJournal(directory, {
      replica: 'a',
      endLeftovers: async (replica) => void ended.push(replica),
    })
    open.push(journal)
    await held.kill()
    await journal.sweep()
    expect(new Set(ended)).toEqual(new Set([`holder-${held.child.pid}`]))
  })

  test('LOOP-05 only an idempotent call of it is started again', async () => {
    const held = await hold('c', true)
    const journal = await openAs('a')
    await held.kill()
    expect(await journal.begin(call('c', { idempotent: true }))).toEqual({ kind: 'started' })
  })

  test('LOOP-05 ERR-03 a sweep does not report an idempotent call: it runs again with the next copy of its job', async () => {
    const held = await hold('c', true)
    const journal = await openAs('a')
    await held.kill()
    expect(await journal.sweep()).toEqual([])
    expect(await journal.begin(call('c', { idempotent: true }))).toEqual({ kind: 'started' })
  })

  test('INT-14 that resumes finds its call settled, and cannot change that', async () => {
    const sleeper = await openAs('sleeper')
    await sleeper.begin(call('c'))
    // Its heartbeat is gone, as on a host that was suspended for a minute.
    sleeper[Symbol.dispose]()
    await rm(join(directory, 'replicas', 'sleeper'))
    const journal = await openAs('a')
    expect(await journal.begin(call('c'))).toMatchObject({ outcome: { kind: 'interrupted' } })
    expect(await sleeper.finish('c', done)).toBe(false)
    expect(await journal.begin(call('c'))).toMatchObject({ outcome: { kind: 'interrupted' } })
  })
})

describe('a damaged journal', () => {
  test.each(['', '{', '{"v":1}', '\0\0\0'])(
    'THREAT-3 fails closed: an entry that reads %j counts as started',
    async (text) => {
      await writeFile(join(directory, 'c.0'), text)
      const journal = await openAs('a')
      for (const attempt of [1, 2]) {
        expect(await journal.begin(call('c', { attempt }))).toMatchObject({
          kind: 'settled',
          outcome: { kind: 'interrupted' },
        })
      }
    },
  )

  test('THREAT-3 a result that cannot be read shows that the call ran, not how it ended', async () => {
    const journal = await openAs('a')
    await journal.begin(call('c'))
    await writeFile(join(directory, 'c.0.done'), '{"outcome"')
    expect(await journal.begin(call('c'))).toMatchObject({ outcome: { kind: 'interrupted' } })
  })
})

describe('pruning', () => {
  const dayMs = 86_400_000

  /** Makes everything in the journal older by this much. */
  async function age(ms: number): Promise<void> {
    for (const name of await readdir(directory)) {
      const path = join(directory, name)
      const at = new Date((await stat(path)).mtimeMs - ms)
      await utimes(path, at, at)
    }
  }

  test('THREAT-3 keeps all entries of a call until a day after its end', async () => {
    const journal = await openAs('a')
    await journal.begin(call('c', { exp: 1_000 }))
    await journal.finish('c', { outcome: { kind: 'refused', why: 'late' }, durationMs: 0 })
    await age(2 * dayMs)
    await journal.begin(call('c', { attempt: 2, exp: 2_000 }))
    await journal.finish('c', done)
    await age(dayMs - 60_000)
    await journal.prune()
    expect(await journal.begin(call('c', { attempt: 3 }))).toEqual({ kind: 'settled', ...done })
    await age(120_000)
    await journal.prune()
    expect(await readdir(directory)).toEqual(['replicas'])
  })

  test('THREAT-3 REL-01 a call that may still run is never removed, whatever the clock of the pruning process says', async () => {
    const journal = await openAs('a')
    const other = await openAs('b')
    await journal.begin(call('c', { exp: 1_000 }))
    await age(5 * dayMs)
    await other.prune()
    expect(await other.begin(call('c'))).toEqual({ kind: 'running', replica: 'a' })
    await journal.finish('c', done)
    const clock = vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 9 * dayMs })
    try {
      await other.prune()
    } finally {
      clock.useRealTimers()
    }
    expect(await other.begin(call('c'))).toEqual({ kind: 'settled', ...done })
  })
})
