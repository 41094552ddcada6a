import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { createMcpHandler, McpServer as SdkServer } from '@modelcontextprotocol/server'
import { expect, onTestFinished, test } from 'vitest'
import type { McpServerState } from '../../../src/domain/tool/mcp-tool.ts'
import type { SandboxDriver } from '../../../src/ports/sandbox.ts'
import { silentLog } from '../../../src/util/log.ts'
import { createGuardedFetch } from '../../../src/worker/mcp/guarded-fetch.ts'
import { McpServer } from '../../../src/worker/mcp/mcp-server.ts'

const signal = new AbortController().signal

const noDriver: SandboxDriver = {
  ...{ name: 'bubblewrap', confined: true, refusesSetuid: true, warnings: [] },
  boxWorkspace: (path) => path,
  start: async () => Promise.reject(new Error('no box is needed')),
  sweep: async () => 0,
}

async function listen(listener: Parameters<typeof createServer>[1]): Promise<string> {
  const server: Server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return `http://127.0.0.1:${port}`
}

function sdkListener() {
  const handler = createMcpHandler(() => {
    const server = new SdkServer({ name: 'over http', version: '2.0.0' })
    server.registerTool('greet', { description: 'Greets.' }, async () => ({
      content: [{ type: 'text', text: 'hello' }],
    }))
    return server
  })
  return getRequestListener((request) => handler.fetch(request))
}

function connect(url: string, token?: string) {
  const told: McpServerState[] = []
  const options = { name: 'it', transport: 'http', url, token, timeoutMs: 5_000 } as const
  const backoffMs = { first: 50, most: 100 }
  const surroundings = { driver: noDriver, replica: 'r', version: '0', log: silentLog, backoffMs }
  const server = new McpServer(options, surroundings, (state) => told.push(state))
  onTestFinished(() => server[Symbol.asyncDispose]())
  return { server, told }
}

test('REACH-02 MCP-07 a server over HTTP is called with the token that was configured, and refuses another', async () => {
  const listener = sdkListener()
  const url = await listen((request, response) => {
    if (request.headers.authorization === 'Bearer sesame') void listener(request, response)
    else response.writeHead(401).end()
  })
  const { server, told } = connect(`${url}/mcp?key=1`, 'sesame')
  await expect
    .poll(() => told.at(-1))
    .toMatchObject({
      ...{ state: 'up', title: 'over http 2.0.0', launch: `${url}/mcp` },
    })
  const sha256 = server.find('it_greet')?.sha256 ?? ''
  expect(await server.call('it_greet', sha256, {}, { signal, timeoutMs: 5_000 })).toEqual({
    ...{ kind: 'ok', output: 'hello' },
  })
  const other = connect(`${url}/mcp`, 'wrong')
  await expect.poll(() => other.told.at(-1)?.state).toBe('away')
  expect(JSON.stringify(other.told)).not.toContain('wrong')
})

test('MCP-04 THREAT-35 a server over HTTP leads nowhere else: neither by a redirect nor by a name of ours', async () => {
  const asked: string[] = []
  const elsewhere = await listen((request, response) => {
    asked.push(request.url ?? '')
    response.end('{}')
  })
  const url = await listen((_request, response) => {
    response.writeHead(307, { location: `${elsewhere}/latest/meta-data` }).end()
  })
  const { told } = connect(`${url}/mcp`)
  await expect.poll(() => told.at(-1)?.state).toBe('away')
  expect(asked).toEqual([])

  await using guarded = createGuardedFetch('http://mcp.example.com/', async () => [
    '169.254.169.254',
  ])
  const refused = await guarded
    .fetch('http://mcp.example.com/')
    .catch((error: Error) => error.cause)
  expect(String(refused)).toContain('169.254.169.254, which is not a public address')
  await expect(guarded.fetch('http://other.example.com/')).rejects.toThrow(/not the server/)
})

test('MCP-08 an answer over HTTP that does not end is cut', async () => {
  const url = await listen((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const more = () => {
      while (response.write(Buffer.alloc(1 << 20, 32)));
      response.once('drain', more)
    }
    more()
  })
  await using guarded = createGuardedFetch(url)
  const answer = await guarded.fetch(url)
  await expect(answer.text()).rejects.toThrow(/too large/)
})
