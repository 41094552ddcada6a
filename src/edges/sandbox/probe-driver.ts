import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Box, BoxSpec, SandboxDriver } from '../../ports/sandbox.ts'
import { newId } from '../../util/new-id.ts'
import { SandboxUnavailable } from './sandbox-unavailable.ts'

const patienceMs = 20_000

/** Starts a box and waits for the executor's `ready`. Rejects with SandboxUnavailable when it does not come. */
export async function probeDriver(driver: SandboxDriver, cacheDir: string): Promise<void> {
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
  })
  const words = errorWords(box)
  try {
    if (await saysReady(box)) return
  } finally {
    await box.kill()
  }
  throw new SandboxUnavailable(`${driver.name}: ${await words}`)
}

async function startOrSay(driver: SandboxDriver, spec: BoxSpec): Promise<Box> {
  try {
    return await driver.start(spec)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new SandboxUnavailable(`${driver.name}: ${why}`, { cause })
  }
}

async function saysReady(box: Box): Promise<boolean> {
  const timer = setTimeout(() => box.stdout.destroy(), patienceMs)
  try {
    for await (const line of createInterface({ input: box.stdout })) return isReady(line)
    return false
  } catch {
    return false
  } finally {
    clearTimeout(timer)
  }
}

function isReady(line: string): boolean {
  return /^\{"type":"ready"[,}]/.test(line)
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
