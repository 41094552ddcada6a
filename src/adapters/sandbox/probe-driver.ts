import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { ExecutorReply, ExecutorRequest } from '../../domain/tool/executor-protocol.ts'
import type { Box, BoxSpec, SandboxDriver } from '../../ports/sandbox.ts'
import { newId } from '../../util/new-id.ts'
import type { SandboxOptions } from './sandbox-options.ts'
import { SandboxUnavailable } from './sandbox-unavailable.ts'

/** As long as a session's own box may take by default: a machine may be busy, and a weaker sandbox is no answer to that. */
const patienceMs = 60_000

/**
 * Starts a box, waits for the executor's `ready`, and has it copy a file in its workspace: an engine may live where our
 * paths mean something else. Rejects with SandboxUnavailable when one of these does not happen.
 */
export async function probeDriver(
  driver: SandboxDriver,
  { cacheDir, network }: Pick<SandboxOptions, 'cacheDir' | 'network'>,
  withinMs = patienceMs,
): Promise<void> {
  // Always the same place: under a user of its own, each new one would claim a user id for good.
  const workspace = join(cacheDir, `probe-${driver.name}`)
  await mkdir(workspace, { recursive: true })
  const key = `probe/${newId()}`
  const box = await startOrSay(driver, {
    key,
    workspace,
    readWrite: [],
    readOnly: [],
    masked: [],
    ...(network === undefined ? {} : { network: true }),
  })
  const words = errorWords(box)
  const lines = linesOf(box)
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    // Whoever waits for the next line is told that there is none.
    void lines.return?.()
  }, withinMs)
  try {
    if (await says(lines, 'ready')) {
      if (await writesWhereWeRead(driver, workspace, box, lines)) return
      if (!isLate) throw new SandboxUnavailable(`${driver.name}: ${unlike(workspace)}`)
    }
  } finally {
    clearTimeout(timer)
    await box.kill()
  }
  const why = isLate ? `no box worked within ${withinMs / 1_000} s` : await words
  throw new SandboxUnavailable(`${driver.name}: ${why}`)
}

async function writesWhereWeRead(
  driver: SandboxDriver,
  workspace: string,
  box: Box,
  lines: Lines,
): Promise<boolean> {
  const id = newId()
  const [asked, answered] = [join(workspace, `asked-${id}`), join(workspace, `answered-${id}`)]
  try {
    await writeFile(asked, id)
    const call = copyCall(id, driver.boxWorkspace(workspace))
    box.stdin.write(`${JSON.stringify(call)}\n`)
    await says(lines, 'result')
    return (await readFile(answered, 'utf8').catch(() => undefined)) === id
  } finally {
    await Promise.all([asked, answered].map((file) => rm(file, { force: true })))
  }
}

function unlike(workspace: string): string {
  return `a box cannot write to ${workspace} so that it is seen here: is it the same directory to the engine, and does it belong to who boxes run as?`
}

function copyCall(id: string, workspace: string): ExecutorRequest {
  return {
    type: 'call',
    id,
    tool: 'bash',
    arguments: { command: `cat asked-${id} > answered-${id}` },
    rules: { workspace, allowed: [], denyRead: [], allowRead: [], denyByRule: [], masked: [] },
    judged: [],
    timeoutMs: patienceMs,
    maxStreamBytes: 4096,
    maxDiagnostics: 0,
    env: {},
  }
}

async function startOrSay(driver: SandboxDriver, spec: BoxSpec): Promise<Box> {
  try {
    return await driver.start(spec)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new SandboxUnavailable(`${driver.name}: ${why}`, { cause })
  }
}

type Lines = AsyncIterator<string>

function linesOf(box: Box): Lines {
  return createInterface({ input: box.stdout })[Symbol.asyncIterator]()
}

/** Whether a line of this type comes before the box's output ends. */
async function says(lines: Lines, type: ExecutorReply['type']): Promise<boolean> {
  try {
    for (;;) {
      const { value, done } = await lines.next()
      if (done === true) return false
      if (value.startsWith(`{"type":"${type}"`)) return true
    }
  } catch {
    return false
  }
}

/** The last line that the box wrote to its standard error before it ended. */
async function errorWords(box: Box): Promise<string> {
  let text = ''
  box.stderr.setEncoding('utf8')
  box.stderr.on('data', (chunk: string) => {
    text = (text + chunk).slice(-4000)
  })
  const { code, signal } = await box.exited
  const last = text.trim().split('\n').at(-1)
  return last || `the executor did not start (${signal ?? `exit ${code}`})`
}
