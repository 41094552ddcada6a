import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { SocketConnection } from '../../src/db/embedded/socket-directory.ts'
import { compileCache } from '../support/database/compile-cache.ts'
import { mainProgram } from '../support/run/programs.ts'

export interface Run {
  /** Working directory; its data directory is `data` there unless `environment` says otherwise. */
  readonly cwd: string
  readonly environment?: Readonly<Record<string, string>>
  readonly input?: string
}

export interface Ended {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs the real program to its end. Of our environment it gets only PATH and HOME. */
export async function runProgram(args: readonly string[], run: Run): Promise<Ended> {
  const program = startProgram(args, run)
  program.child.stdin?.end(run.input ?? '')
  return program.ended
}

/** Starts the real program and returns while it runs. */
export interface Program {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  /** Standard output so far. */
  stdout(): string
}

export function startProgram(args: readonly string[], { cwd, environment = {} }: Run): Program {
  const env = {
    ...compileCache,
    PATH: '/usr/bin:/bin',
    HOME: cwd,
    COUNTERSIGN_DATA_DIR: `${cwd}/data`,
    ...environment,
  }
  const child = spawn(process.execPath, [mainProgram, ...args], { cwd, env })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  // Its input may be closed before everything is written.
  child.stdin.on('error', () => undefined)
  const ended = once(child, 'close').then(() => ({ exitCode: child.exitCode, stdout, stderr }))
  return { child, ended, stdout: () => stdout }
}

/** DATABASE_URL of a database behind a socket, in a form that every URL parser accepts. */
export function toDatabaseUrl({ host, user, database }: SocketConnection): string {
  return `postgresql://${user}@${encodeURIComponent(host)}/${database}`
}
