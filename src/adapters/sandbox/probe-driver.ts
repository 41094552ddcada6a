import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { ExecutorReply, ExecutorRequest } from '../../domain/tool/executor-protocol.ts'
import type { Box, BoxSpec, SandboxDriver } from '../../ports/sandbox.ts'
import { newId } from '../../util/ids.ts'
import type { SandboxOptions } from './sandbox-options.ts'
import { SandboxUnavailable } from './sandbox-options.ts'

/** As long as the first box of a session may take by default: a busy machine is no reason to choose a weaker sandbox. */
const probeTimeoutMs = 60_000

/**
 * Starts a box, waits for the executor's `ready`, and lets it copy a file in its workspace, as paths may mean something else to
 * an engine. Rejects with SandboxUnavailable if any of these fails.
 */
export async function probeDriver(
  driver: SandboxDriver,
  { cacheDir, network }: Pick<SandboxOptions, 'cacheDir' | 'network'>,
  withinMs = probeTimeoutMs,
): Promise<void> {
  // Always the same path: with a user per workspace, each new one would use up a user id.
  const workspace = join(cacheDir, `probe-${driver.name}`)
  await mkdir(workspace, { recursive: true })
  const key = `probe/${newId()}`
  const box = await startBox(driver, {
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
    // Ends the wait for the next line.
    void lines.return?.()
  }, withinMs)
  try {
    if (await waitForReply(lines, 'ready')) {
      if (await writesWhereWeRead(driver, workspace, box, lines)) return
      if (!isLate) throw new SandboxUnavailable(`${driver.name}: ${unreadableMessage(workspace)}`)
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
    await waitForReply(lines, 'result')
    return (await readFile(answered, 'utf8').catch(() => undefined)) === id
  } finally {
    await Promise.all([asked, answered].map((file) => rm(file, { force: true })))
  }
}

function unreadableMessage(workspace: string): string {
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
    timeoutMs: probeTimeoutMs,
    maxStreamBytes: 4096,
    maxDiagnostics: 0,
    env: {},
  }
}

async function startBox(driver: SandboxDriver, spec: BoxSpec): Promise<Box> {
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

/** Whether a line of this type arrives before the output ends. */
async function waitForReply(lines: Lines, type: ExecutorReply['type']): Promise<boolean> {
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

/** The last line that the box wrote to its standard error. */
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
