import { spawn } from 'node:child_process'

export interface RunOptions {
  readonly cwd?: string
  /** All of its environment. */
  readonly environment?: Readonly<Record<string, string>>
  readonly input?: string
}

/** What a program printed, once it has ended. Rejects with the end of what it said when it failed. */
export async function run(
  file: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<string> {
  const child = spawn(file, args, {
    cwd: options.cwd,
    env: options.environment ?? process.env,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const out: Buffer[] = []
  const all: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk) && all.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => all.push(chunk))
  child.stdin.on('error', () => undefined)
  child.stdin.end(options.input ?? '')
  const { promise, resolve, reject } = Promise.withResolvers<number | null>()
  child.on('error', reject)
  child.on('close', resolve)
  const code = await promise
  if (code === 0) return Buffer.concat(out).toString()
  const words = Buffer.concat(all).toString().slice(-4000)
  throw new Error(`${file} ${args.slice(0, 6).join(' ')} ended with ${code}:\n${words}`)
}
