import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { constants } from 'node:os'
import { parseArgs } from 'node:util'
import { callMarker } from './bash/child-environment.ts'
import { killProcessesNow } from './bash/processes.ts'
import { ownVariables } from './own-environment.ts'
import { relayToSocket } from './relay-to-socket.ts'

// A program of its own in a box without network (MCP-04): makes the proxy's Unix socket a port of the box, and runs a server behind it.

const usage = 'usage: serve-behind-proxy.mjs --socket PATH [--port N] -- COMMAND [ARGUMENT …]'

/** `port` 0: any that is free. */
interface Line {
  readonly socket: string
  readonly port: number
  readonly command: string
  readonly args: readonly string[]
}

function readLine(): Line | undefined {
  try {
    const { values, positionals } = parseArgs({
      options: { socket: { type: 'string' }, port: { type: 'string', default: '0' } },
      allowPositionals: true,
    })
    const [command, ...args] = positionals
    const { socket, port } = values
    if (command === undefined || !socket || !/^\d{1,5}$/.test(port)) return undefined
    return { socket, port: Number(port), command, args }
  } catch {
    return undefined
  }
}

/** How programs learn of a proxy; Node's own HTTP clients since 24 and 22.21. The box's own loopback is reached without it. */
function proxyVariables(port: number): Readonly<Record<string, string>> {
  const proxy = `http://127.0.0.1:${port}`
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY']
  const variables = names.flatMap((name) => [name, name.toLowerCase()])
  const direct = 'localhost,127.0.0.1,::1'
  return {
    ...Object.fromEntries(variables.map((name) => [name, proxy])),
    ...{ NO_PROXY: direct, no_proxy: direct, NODE_USE_ENV_PROXY: '1' },
  }
}

const line = readLine()
if (line === undefined) {
  process.stderr.write(`${usage}\n`)
  process.exit(64)
}
/** Of all processes that it starts, also where they leave their group. */
const marker = `served:${randomBytes(12).toString('hex')}`
const port = await relayToSocket(line.socket, line.port)
// `node` is the box's own Node, as it is for a driver.
const file = line.command === 'node' ? process.execPath : line.command
const child = spawn(file, line.args, {
  stdio: 'inherit',
  env: { ...ownVariables(), ...proxyVariables(port), [callMarker]: marker },
  // A group of its own, which ends as a whole.
  detached: true,
})
process.on('exit', () => end(child))
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const)
  process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) =>
  process.exit(code ?? 128 + constants.signals[signal ?? 'SIGKILL']),
)
child.on('error', (error) => {
  process.stderr.write(`serve-behind-proxy: ${error.message}\n`)
  // As shells say that a program could not be run.
  process.exit(127)
})

/** Kills the server and everything that it started, whatever ends this program. */
function end({ pid }: ChildProcess): void {
  if (pid !== undefined) killProcessesNow({ groups: [pid], marker, own: true })
}
