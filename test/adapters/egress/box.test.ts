import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect } from 'vitest'
import { createBubblewrapDriver } from '../../../src/adapters/sandbox/bubblewrap/bubblewrap-driver.ts'
import { executorFolder } from '../../support/run/programs.ts'
import { requirement } from '../../support/run/requirements.ts'
import { rareSleep, untilGone, untilRunning } from '../sandbox/fixtures/processes.ts'
import { makeSandboxPlace } from '../sandbox/fixtures/sandbox-place.ts'
import { createEgressPlace, type EgressPlace, other, site } from './egress-place.ts'

const { bubblewrap } = requirement

let place: EgressPlace
beforeEach(async () => {
  place = await createEgressPlace()
})
afterEach(() => place[Symbol.asyncDispose]())

/** A server of the other side, as a program: fetches each URL of its input by what Node brings along, and says what came. */
const server = `
const { connect } = require('node:net')
const lines = require('node:readline').createInterface({ input: process.stdin })
const why = (error) => error === undefined ? '' : [error.message, error.code, why(error.cause)].join(' ')
lines.on('line', async (url) => {
  try {
    if (url.startsWith('tcp:')) {
      const [host, port] = url.slice(4).split(' ')
      const socket = connect(Number(port), host)
      await new Promise((resolve, reject) => socket.on('connect', resolve).on('error', reject))
      console.log('reached')
      return
    }
    const response = await fetch(url)
    console.log(response.status + ' ' + (await response.text()))
  } catch (error) {
    console.log('failed: ' + why(error).replaceAll('\\n', ' '))
  }
})
`

const page = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello'

bubblewrap(
  'MCP-04 THREAT-36 a server in a box of the driver, without network, reaches what is listed by the proxy alone',
  async () => {
    await using sandbox = makeSandboxPlace()
    const driver = await createBubblewrapDriver(sandbox.options)
    const directory = join(sandbox.dir, 'proxy')
    mkdirSync(directory)
    // Root's boxes run as the owner of their workspace, who has to find the socket.
    chmodSync(directory, 0o711)
    const spec = sandbox.spec('r1/server', { readOnly: [directory] })
    writeFileSync(join(spec.workspace, 'server.cjs'), server)
    writeFileSync(join(spec.workspace, 'ca.pem'), place.certificates.ca)
    const box = await driver.start({
      ...spec,
      program: {
        command: [
          ...['node', '/opt/countersign/executor/serve-behind-proxy.mjs'],
          ...['--socket', join(directory, 'egress.sock'), '--', 'node', 'server.cjs'],
        ],
        env: { NODE_EXTRA_CA_CERTS: 'ca.pem' },
      },
    })
    box.stderr.pipe(process.stderr)
    const tls = await place.tlsHost((socket) => socket.once('data', () => socket.end(page)))
    const plain = await place.httpHost((request, response) => response.end(`plain ${request.url}`))
    const lines = createInterface({ input: box.stdout })[Symbol.asyncIterator]()
    const fetched = async (url: string): Promise<unknown> => {
      box.stdin.write(`${url}\n`)
      return (await lines.next()).value
    }
    // The program may be sooner than the proxy.
    const first = fetched(`https://${site}:${tls.port}/a`)
    const { uid, gid } = statSync(spec.workspace)
    await place.open([`${site}:${tls.port}`, `http://${other}:${plain.port}`], {
      directory,
      ...(process.getuid?.() === 0 && { owner: { uid, gid } }),
    })
    expect(await first).toBe('200 hello')
    expect(await fetched(`http://${other}:${plain.port}/b`)).toBe('200 plain /b')
    expect(await fetched('https://evil.example/')).toMatch(/^failed: .*403/)
    // Its own loopback, where the proxy is not asked, and nobody listens.
    expect(await fetched(`https://127.0.0.1:${tls.port}/`)).toMatch(/^failed: .*ECONNREFUSED/)
    expect(await fetched(`tcp:127.0.0.1 ${tls.port}`)).toMatch(/^failed: .*ECONNREFUSED/)
    expect(await fetched('tcp:93.184.216.34 443')).toMatch(/^failed: .*ENETUNREACH/)
    expect((await place.seen(3)).map(({ host, outcome }) => [host, outcome])).toEqual([
      [site, 'allowed'],
      [other, 'allowed'],
      ['evil.example', 'refused'],
    ])
    box.stdin.end()
    expect(await box.exited).toMatchObject({ code: 0 })
  },
)

/** Starts a program behind the proxy in a box by bubblewrap itself, with the socket alone of its directory. */
function startInBox(
  socket: string,
  command: readonly string[],
  env: Readonly<Record<string, string>>,
) {
  const box = [
    ...['--unshare-user', '--unshare-pid', '--unshare-net', '--die-with-parent', '--new-session'],
    ...['--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev', '--tmpfs', '/run'],
    ...['--ro-bind', socket, '/run/egress.sock'],
  ]
  const relay = [process.execPath, join(executorFolder, 'serve-behind-proxy.mjs')]
  return spawn(
    'bwrap',
    [...box, '--', ...relay, '--socket', '/run/egress.sock', '--', ...command],
    {
      env: { PATH: '/usr/bin:/bin', ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
}

bubblewrap(
  'MCP-04 a server asks and answers for long behind one proxy, whose socket is mounted read-only',
  async () => {
    const asked: string[] = []
    const tls = await place.tlsHost((socket) => socket.once('data', () => socket.end(page)))
    await place.open([], {
      ask: async (host) => {
        asked.push(host)
        return host === site ? 'allow' : 'deny'
      },
    })
    const ca = join(place.dir, 'ca.pem')
    writeFileSync(ca, place.certificates.ca)
    const child = startInBox(place.socket, [process.execPath, '-e', server], {
      NODE_EXTRA_CA_CERTS: ca,
    })
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const fetched = async (host: string) => {
      child.stdin.write(`https://${host}:${tls.port}/\n`)
      return (await lines.next()).value
    }
    expect(await fetched(site)).toBe('200 hello')
    expect(await fetched(other)).toMatch(/^failed: .*403/)
    expect(await fetched(site)).toBe('200 hello')
    expect(asked).toEqual([site, other, site])
    child.stdin.end()
    expect(await once(child, 'exit')).toEqual([0, null])
  },
)

bubblewrap(
  'MCP-04 a box that is killed leaves neither the server nor its connections',
  async () => {
    let served = 0
    const tls = await place.tlsHost((socket) => {
      served += 1
      socket.resume().write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nbegin')
    })
    await place.open([`${site}:${tls.port}`])
    const word = rareSleep()
    const hang = `fetch('https://${site}:${tls.port}/').catch(() => undefined)
    require('node:child_process').spawn('sleep', ['${word}'], { detached: true, stdio: 'ignore' })`
    const child = startInBox(place.socket, [process.execPath, '-e', hang], {
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
      NODE_NO_WARNINGS: '1',
    })
    await untilRunning(word, 1)
    await expect.poll(() => served).toBe(1)
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
    await untilGone(word)
    await expect.poll(() => tls.sockets.size).toBe(0)
    expect(await place.seen(1)).toMatchObject([{ host: site, outcome: 'allowed' }])
  },
)
