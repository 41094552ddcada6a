import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rareSleep, untilGone, untilRunning } from '../adapters/sandbox/fixtures/processes.ts'
import { executorFolder } from '../support/run/programs.ts'

const program = join(executorFolder, 'serve-behind-proxy.mjs')

let dir = ''
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'behind-'))
})
afterAll(() => rm(dir, { recursive: true }))

/** Starts the program with its own environment alone. */
function start(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: '/usr/bin:/bin', ...env },
  })
  const exited = once(child, 'exit')
  return { child, exited, errors: text(child.stderr) }
}

const behind = (...command: readonly string[]) => ['--socket', join(dir, 'none'), '--', ...command]
const node = (code: string, ...args: readonly string[]) =>
  behind(process.execPath, '-e', code, ...args)

/** Waits for the first line that a process prints. */
async function firstLine(child: ReturnType<typeof start>['child']): Promise<string> {
  const [chunk]: readonly unknown[] = await once(child.stdout, 'data')
  return String(chunk).trim()
}

test('MCP-04 the server has the driver’s environment, its arguments, and the proxy in every usual variable', async () => {
  const { child, exited } = start(
    node('console.log(JSON.stringify([process.env, process.argv.slice(1)]))', '--', '--port', '9'),
    { TOKEN: 'x', HTTPS_PROXY: 'http://elsewhere:1' },
  )
  const [env, args] = JSON.parse(await text(child.stdout))
  expect(await exited).toEqual([0, null])
  expect(args).toEqual(['--port', '9'])
  const proxy = env.HTTPS_PROXY
  expect(proxy).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  const direct = 'localhost,127.0.0.1,::1'
  expect(env).toEqual({
    ...{ PATH: '/usr/bin:/bin', TOKEN: 'x', NODE_USE_ENV_PROXY: '1' },
    COUNTERSIGN_CALL: expect.stringMatching(/^served:/),
    ...{ HTTP_PROXY: proxy, HTTPS_PROXY: proxy, ALL_PROXY: proxy, NO_PROXY: direct },
    ...{ http_proxy: proxy, https_proxy: proxy, all_proxy: proxy, no_proxy: direct },
  })
})

test('MCP-04 the server speaks by the very input and output of the program', async () => {
  const { child, exited } = start(behind('/bin/cat'))
  child.stdin.end('one\ntwo\n')
  expect(await text(child.stdout)).toBe('one\ntwo\n')
  expect(await exited).toEqual([0, null])
})

test.each([
  ['its code', 'process.exit(7)', 7],
  ['128 and the signal’s number', 'process.kill(process.pid, "SIGKILL")', 137],
])('MCP-04 the program ends with %s of the server', async (_what, code, expected) => {
  expect(await start(node(code)).exited).toEqual([expected, null])
})

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  'MCP-04 %s goes to the server, which decides',
  async (signal) => {
    const { child, exited } = start(
      node(
        `process.on('${signal}', () => process.exit(9)); setInterval(() => {}, 1000); console.log('up')`,
      ),
    )
    await firstLine(child)
    child.kill(signal)
    expect(await exited).toEqual([9, null])
  },
)

test('MCP-04 nothing that the server started is left, even in a session of its own', async () => {
  const [near, far] = [rareSleep(), rareSleep()]
  const { child, exited } = start(
    behind('/bin/sh', '-c', `sleep ${near} & setsid sleep ${far} & echo up; read line`),
  )
  await firstLine(child)
  await untilRunning(near, 1)
  await untilRunning(far, 1)
  child.stdin.end('end\n')
  expect(await exited).toEqual([0, null])
  await untilGone(near)
  await untilGone(far)
})

test('MCP-04 an error of its own ends the server as well', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const address = taken.address()
  const port = typeof address === 'object' ? address?.port : 0
  const marker = join(dir, 'started')
  const { exited, errors } = start([
    ...['--socket', join(dir, 'none'), '--port', String(port)],
    ...['--', '/bin/sh', '-c', `echo > ${marker}`],
  ])
  expect(await exited).toEqual([1, null])
  expect(await errors).toContain('EADDRINUSE')
  await expect(writeFile(marker, '', { flag: 'wx' })).resolves.toBeUndefined()
  taken.close()
})

test.each([
  ['nothing', [], 64],
  ['no command', ['--socket', '/x'], 64],
  ['no socket', ['--', 'true'], 64],
  ['a port that is no number', ['--socket', '/x', '--port', 'x', '--', 'true'], 64],
  ['another option', ['--socket', '/x', '--other', '--', 'true'], 64],
  ['a program that is not there', ['--socket', '/x', '--', '/none/such'], 127],
])('MCP-04 %s is told on the error stream', async (_what, args, code) => {
  const { exited, errors } = start(args)
  expect(await exited).toEqual([code, null])
  expect(await errors).toMatch(
    code === 64 ? /^usage: / : /^serve-behind-proxy: spawn \/none\/such ENOENT/,
  )
})

test('MCP-04 who connects before the proxy listens waits for it', async () => {
  const socket = join(dir, 'late.sock')
  const { child, exited } = start([
    ...['--socket', socket, '--', 'node', '-e'],
    'console.log(process.env.HTTP_PROXY); process.stdin.resume()',
  ])
  const { port } = new URL(await firstLine(child))
  const client = connect(Number(port), '127.0.0.1')
  client.write('early')
  await once(client, 'connect')
  const server = createServer((proxied) => proxied.once('data', (chunk) => proxied.end(chunk)))
  server.listen(socket)
  expect(await text(client)).toBe('early')
  server.close()
  child.stdin.end()
  expect(await exited).toEqual([0, null])
})

test('MCP-04 bytes pass between the port and the socket, with the end of each side, many at a time', async () => {
  const socket = join(dir, 'echo.sock')
  const server = createServer({ allowHalfOpen: true }, (client) => {
    let said = ''
    client
      .on('data', (chunk) => (said += String(chunk)))
      .on('end', () => client.end(`${said.length}`))
  }).listen(socket)
  await once(server, 'listening')
  const { child, exited } = start([
    ...['--socket', socket, '--', process.execPath, '-e'],
    'console.log(process.env.HTTP_PROXY); process.stdin.resume()',
  ])
  const { port } = new URL(await firstLine(child))
  const answers = await Promise.all(
    [1, 10, 1_000_000].map(async (length) => {
      const client = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true })
      client.end('x'.repeat(length))
      return text(client)
    }),
  )
  expect(answers).toEqual(['1', '10', '1000000'])
  server.close()
  // Without the proxy a connection ends, and the server goes on.
  const late = connect(Number(port), '127.0.0.1')
  late.on('error', () => undefined)
  await once(late, 'close')
  child.stdin.end()
  expect(await exited).toEqual([0, null])
})
