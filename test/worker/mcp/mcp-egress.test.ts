import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect } from 'vitest'
import { createEgressPlace, type EgressPlace, site } from '../../adapters/egress/egress-place.ts'
import { requirement } from '../../support/run/requirements.ts'
import { openServer, packages } from './open-server.ts'

const { bubblewrap } = requirement
const fixtures = join(import.meta.dirname, 'fixtures')
const command = ['node', join(fixtures, 'reaching-server.mjs')]
const page = 'HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\nsesame'

let place: EgressPlace
beforeEach(async () => {
  place = await createEgressPlace()
})
afterEach(() => place[Symbol.asyncDispose]())

/** What a server that may reach `hosts` gets from the address. */
async function fetched(hosts: readonly string[], address: string): Promise<unknown> {
  const env = { ADDRESS: address, NODE_EXTRA_CA_CERTS: '/workspace/ca.pem' }
  const more = { env, hosts, readOnly: [packages, fixtures] }
  await using it = await openServer(command, more, (options) => place.open(options.hosts, options))
  writeFileSync(join(it.home, 'ca.pem'), place.certificates.ca)
  await it.until(({ state }) => state === 'up')
  const sha256 = it.server.find('it_fetch')?.sha256 ?? ''
  const signal = new AbortController().signal
  return await it.server.call('it_fetch', sha256, {}, { signal, timeoutMs: 10_000 })
}

bubblewrap('MCP-04 a server reaches the hosts that its section names, and no other', async () => {
  const { port } = await place.tlsHost((socket) => socket.once('data', () => socket.end(page)))
  const address = `https://${site}:${port}/a`
  expect(await fetched([`${site}:${port}`], address)).toEqual({ kind: 'ok', output: 'sesame' })
  expect(await fetched(['api.example.com'], address)).toMatchObject({
    output: expect.stringMatching(/^failed: .*403/),
  })
  expect(await fetched([], address)).toMatchObject({ output: expect.stringMatching(/^failed: /) })
})
