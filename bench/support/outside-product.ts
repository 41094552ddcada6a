import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildIfChanged, root } from '../../build/product.ts'
import { readEnvironment } from '../../src/config/env.ts'
import { createTelegram } from '../../test/support/telegram/telegram.ts'
import { type BenchPerson, personOf } from './bench-person.ts'
import { type Memory, memoryOf } from './memory-of.ts'
import { serverTicks, tickMs, ticksOf } from './used-by.ts'

/** `countersign start` in a process of its own with the offline model; Telegram's stand-in is in this one. */
export interface OutsideProduct extends AsyncDisposable {
  /** Milliseconds from the start of the process to its first `getUpdates`. */
  readonly polledAfterMs: number
  readonly pid: number
  readonly postmaster: number
  person(index: number): BenchPerson
  memory(): Promise<Memory>
  /** Processor time so far in milliseconds, user and system. */
  processorMs(): ProcessorMs
}

export interface ProcessorMs {
  readonly node: number
  readonly postgres: number
  /** Of the process that holds the stand-in and the people. */
  readonly standIn: number
}

const firstId = 1_000

/** Makes a directory for data, which outlives the product in it. */
export async function makePlace(): Promise<AsyncDisposable & { readonly path: string }> {
  await buildIfChanged()
  const path = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  }
}

/** Starts it in `place`; resolves once it polls. `options`: for Node. */
export async function startOutside(
  place: string,
  people: number,
  options: readonly string[] = [],
): Promise<OutsideProduct> {
  const resources = new AsyncDisposableStack()
  const telegram = resources.use(await createTelegram())
  const ids = Array.from({ length: people }, (_, index) => firstId + index)
  const data = join(place, 'data')
  const { path, home } = readEnvironment()
  const startedAt = performance.now()
  const child = spawn(process.execPath, [...options, join(root, 'dist/main.js'), 'start'], {
    cwd: place,
    env: {
      PATH: path,
      HOME: home,
      COUNTERSIGN_DATA_DIR: data,
      COUNTERSIGN_TOOLS_PERMISSIONS: JSON.stringify({
        bash: [{ pattern: 'true', action: 'allow' }],
      }),
      COUNTERSIGN_LIMITS_MESSAGES_PER_MINUTE: '10000',
      COUNTERSIGN_TELEGRAM_ALLOWED_USERS: ids.join(','),
      TELEGRAM_BOT_TOKEN: telegram.token,
      TELEGRAM_API_ROOT: telegram.url,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const exited = once(child, 'exit')
  resources.defer(async () => {
    child.kill('SIGTERM')
    await exited
  })
  await telegram.waitFor(() => telegram.isPolled(), { timeoutMs: 60_000 })
  const polledAfterMs = performance.now() - startedAt
  const { pid = 0 } = child
  const postmaster = Number(
    (await readFile(join(data, 'postgres/postmaster.pid'), 'utf8')).split('\n')[0],
  )
  const persons = ids.map((id) => {
    const user = telegram.addUser({ id, first_name: `Person ${id}` })
    return personOf(user, telegram.privateChat(user))
  })
  return {
    polledAfterMs,
    pid,
    postmaster,
    person: (index) => {
      const person = persons[index]
      if (person === undefined) throw new Error(`there is no person ${index}`)
      return person
    },
    memory: () => memoryOf(pid, postmaster),
    processorMs: () => {
      const { user, system } = process.cpuUsage()
      return {
        node: ticksOf(pid).own * tickMs,
        postgres: serverTicks(postmaster) * tickMs,
        standIn: (user + system) / 1_000,
      }
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
