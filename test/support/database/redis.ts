import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { newToken } from '../../../src/util/ids.ts'
import { freePort } from '../free-port.ts'

const program = 'redis-server'

export interface StartRedisOptions {
  /** Further lines of its configuration, such as `maxmemory 1mb`. */
  readonly settings?: readonly string[]
  /** What it keeps survives `restart`; otherwise it comes back empty. */
  readonly isDurable?: boolean
  /** Speaks TLS only, with this certificate. */
  readonly tls?: { readonly certFile: string; readonly keyFile: string }
  /** False: nobody needs a password. */
  readonly hasPassword?: boolean
}

/** A real `redis-server` of a test's own, on the loopback, with a password. */
export interface TestRedis extends AsyncDisposable {
  /** With the password; database 0. Over TLS it names `localhost`. */
  readonly url: string
  readonly port: number
  readonly password: string
  /** Its unix socket, which needs the password too. */
  readonly socket: string
  /** SIGKILL, and waits until it is gone. */
  kill(): Promise<void>
  /** SIGTERM, and waits until it is gone. */
  stop(): Promise<void>
  /** Kills it if it lives, and starts it on the same port. */
  restart(): Promise<void>
  /** SIGSTOP: it accepts connections and answers nothing. */
  pause(): void
  /** SIGCONT */
  resume(): void
  /** A connection by the socket, for looking inside; ends with the server's disposal. */
  connect(): Redis
}

/** Starts it and waits until it answers; tens of milliseconds. Throws when no `redis-server` is installed. */
export async function startRedis(options: StartRedisOptions = {}): Promise<TestRedis> {
  const folder = await mkdtemp(join(tmpdir(), 'redis-'))
  const socket = join(folder, 's')
  const password = options.hasPassword === false ? '' : newToken()
  const clients: Redis[] = []
  let port = await freePort()
  let child: ChildProcess | undefined

  const connect = () => {
    const client = new Redis({ path: socket, ...(password !== '' && { password }) })
    client.on('error', () => undefined)
    clients.push(client)
    return client
  }
  const end = async (signal: NodeJS.Signals) => {
    const going = child
    child = undefined
    if (going === undefined || going.exitCode !== null || going.signalCode !== null) return
    const gone = once(going, 'exit')
    going.kill('SIGCONT')
    going.kill(signal)
    await gone
  }
  const start = async () => {
    const file = await writeSettings(folder, port, password, options)
    child = await startServer(file)
  }
  // Between asking for a free port and listening on it somebody else may take it.
  for (let tries = 1; ; tries++) {
    try {
      await start()
      break
    } catch (error) {
      if (tries === 5) throw error
      port = await freePort()
    }
  }
  const scheme = options.tls ? 'rediss' : 'redis'
  const host = options.tls ? 'localhost' : '127.0.0.1'
  return {
    url: `${scheme}://${password === '' ? '' : `:${password}@`}${host}:${port}`,
    port,
    password,
    socket,
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    restart: async () => {
      await end('SIGKILL')
      await start()
    },
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    connect,
    [Symbol.asyncDispose]: async () => {
      for (const client of clients) client.disconnect()
      await end('SIGKILL')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** In a file, since others can read a command line. */
async function writeSettings(
  folder: string,
  port: number,
  password: string,
  { settings = [], isDurable = false, tls }: StartRedisOptions,
): Promise<string> {
  const file = join(folder, 'redis.conf')
  const lines = [
    'bind 127.0.0.1',
    ...(tls === undefined
      ? [`port ${port}`]
      : [
          'port 0',
          `tls-port ${port}`,
          `tls-cert-file ${tls.certFile}`,
          `tls-key-file ${tls.keyFile}`,
          'tls-auth-clients no',
        ]),
    `unixsocket ${folder}/s`,
    'unixsocketperm 700',
    `dir ${folder}`,
    'save ""',
    `appendonly ${isDurable ? 'yes' : 'no'}`,
    'appendfsync always',
    ...(password === '' ? [] : [`requirepass ${password}`]),
    ...settings,
  ]
  await writeFile(file, `${lines.join('\n')}\n`, { mode: 0o600 })
  return file
}

/** Settles when it accepts connections. */
async function startServer(file: string): Promise<ChildProcess> {
  // Not our standard error: a server left behind would keep the run of the tests from ending.
  const child = spawn(program, [file], { stdio: ['ignore', 'pipe', 'pipe'] })
  // A run of the tests that ends badly leaves no server behind.
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  const words: string[] = []
  const ready = Promise.withResolvers<void>()
  child.stdout.on('data', (chunk: Buffer) => {
    words.push(chunk.toString())
    if (words.join('').includes('Ready to accept connections')) ready.resolve()
  })
  child.stderr.on('data', (chunk: Buffer) => words.push(chunk.toString()))
  child.once('error', ready.reject)
  child.once('exit', () => ready.reject(new Error(`redis-server ended: ${words.join('')}`)))
  await ready.promise
  return child
}
