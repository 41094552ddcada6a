import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Box, BoxSpec, SandboxDriver } from '../../src/ports/sandbox.ts'
import { compileCache } from '../support/database/compile-cache.ts'
import { executorFolder } from '../support/run/programs.ts'

/** Driver that starts plain child processes and keeps a list of them. */
export interface ChildDriver extends SandboxDriver {
  readonly started: { readonly spec: BoxSpec; readonly box: Box }[]
  readonly swept: string[]
  /** Counts boxes that were started and have not exited. */
  alive(): number
}

/** Starts the real executor, or `script` (an ES module) instead of it. */
export function createChildDriver(script?: string): ChildDriver {
  const started: ChildDriver['started'] = []
  const swept: string[] = []
  let alive = 0
  const args =
    script === undefined
      ? ['--enable-experimental-regexp-engine', join(executorFolder, 'main.mjs')]
      : ['--input-type=module', '-e', script]
  return {
    name: 'process',
    confined: false,
    refusesSetuid: false,
    warnings: ['not confined'],
    started,
    swept,
    alive: () => alive,
    boxWorkspace: (host) => host,
    async start(spec) {
      const box = await startBox(args, spec)
      alive += 1
      void box.exited.then(() => {
        alive -= 1
      })
      started.push({ spec, box })
      return box
    },
    async sweep(prefix) {
      swept.push(prefix)
      return 0
    },
  }
}

async function startBox(args: readonly string[], spec: BoxSpec): Promise<Box> {
  const child = spawn(process.execPath, args, {
    cwd: existsSync(spec.workspace) ? spec.workspace : '/',
    env: {
      ...compileCache,
      PATH: '/usr/local/bin:/usr/bin:/bin',
      HOME: spec.workspace,
      COUNTERSIGN_BOX: spec.key,
    },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit').then(([code, signal]) => ({ code, signal }))
  await once(child, 'spawn')
  const pid = child.pid ?? 0
  child.stdin.on('error', () => undefined)
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    pid,
    startTicks: ticksOf(pid),
    exited,
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** Returns field 22 of `/proc/<pid>/stat`; 0 if there is no such process. */
function ticksOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19])
  } catch {
    return 0
  }
}

/** Reports whether a process exists and is not a zombie. */
export function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2)[0] !== 'Z'
  } catch {
    return false
  }
}

/** Builds an executor of a few lines: after sending `ready`, it calls `on(request, reply)` for each request. */
export function scripted(on: string): string {
  return `
    import { createInterface } from 'node:readline'
    const reply = (value) => process.stdout.write((typeof value === 'string' ? value : JSON.stringify(value)) + '\\n')
    const ok = (id, output) => reply({ type: 'result', id, outcome: { kind: 'ok', output } })
    const on = (request) => { ${on} }
    reply({ type: 'ready', pid: process.pid })
    createInterface({ input: process.stdin }).on('line', (line) => on(JSON.parse(line)))
      .on('close', () => process.exit(0))
  `
}
