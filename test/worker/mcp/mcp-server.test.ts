import { join } from 'node:path'
import { expect } from 'vitest'
import { requirement } from '../../support/run/requirements.ts'
import { openServer, packages } from './open-server.ts'

const { bubblewrap } = requirement
const real = (name: string) => [
  'node',
  join(packages, `@modelcontextprotocol/server-${name}/dist/index.js`),
]
const signal = new AbortController().signal

bubblewrap(
  'REACH-02 MCP-04 a real server of the older protocol runs in a box and answers',
  async () => {
    await using it = await openServer(real('everything'))
    const { tools, title } = await it.until(({ state }) => state === 'up')
    console.log(
      title,
      tools.map(({ name }) => name),
      it.states.map((s) => s.note),
    )
    const echo = it.server.find('it_echo')
    const outcome = await it.server.call(
      'it_echo',
      echo?.sha256 ?? '',
      { message: 'hello' },
      { signal, timeoutMs: 5_000 },
    )
    expect(outcome).toEqual({ kind: 'ok', output: 'Echo: hello' })
  },
)
