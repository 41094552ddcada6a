import { join } from 'node:path'
import { expect } from 'vitest'
import { auditRows } from '../support/audit-rows.ts'
import { ada, createFlow, type Flow, olga } from '../support/flow.ts'
import { requirement } from '../support/run/requirements.ts'
import { call, createScriptedModel, say } from '../support/scripted-model.ts'

const packages = join(import.meta.dirname, '../../node_modules')
const everything = join(packages, '@modelcontextprotocol/server-everything/dist/index.js')

const toml = `
[mcp.demo]
command = "node"
args = [${JSON.stringify(everything)}]
read = [${JSON.stringify(packages)}]
`

const words = (flow: Flow) =>
  flow.platform.sent.flatMap((message) => (message.kind === 'notice' ? [message.text] : []))

/** Waits until the server's tools are known, and returns the code that approves them. */
async function codeOf(flow: Flow): Promise<string> {
  for (;;) {
    await flow.say('/mcp', olga, 'olga')
    const code = /\/mcp approve demo ([0-9a-f]{12})/.exec(words(flow).at(-1) ?? '')?.[1]
    if (code !== undefined) return code
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

requirement.bubblewrap(
  'REACH-02 MCP-01 MCP-04 AUD-01 a server’s tool is offered once an operator approved it as it is, and its call asks, runs and is audited like any other',
  async () => {
    const model = createScriptedModel((request) =>
      request.messages.at(-1)?.role === 'user'
        ? call('demo_echo', { message: 'sesame' })
        : say('done'),
    )
    await using flow = await createFlow({ model, toml })
    await flow.say('echo it', ada)
    const offered = () => model.requests.at(-1)?.tools.map(({ name }) => name) ?? []
    expect(offered()).not.toContain('demo_echo')

    const code = await codeOf(flow)
    await flow.say('/mcp approve demo 00000000', olga, 'olga')
    expect(words(flow).at(-1)).toMatch(/^Nothing was decided/)
    await flow.say(`/mcp approve demo ${code}`, ada, 'ada')
    expect(words(flow).at(-1)).toMatch(/^Only an operator/)
    await flow.say(`/mcp approve demo ${code}`, olga, 'olga')
    expect(words(flow).at(-1)).toMatch(/^Approved: demo_echo, /)

    await flow.say('echo it again', ada)
    expect(offered()).toContain('demo_echo')
    await flow.decide({ kind: 'approve' }, ada)
    const seen = JSON.stringify(model.requests.at(-1)?.messages.at(-1))
    expect(seen).toContain('Echo: sesame')
    const rows = (await auditRows(flow.db)).map(({ body }) => JSON.parse(body))
    expect(rows).toContainEqual(
      expect.objectContaining({
        kind: 'settled',
        tool: 'demo_echo',
        result: 'success',
        caller_id: ada.id,
      }),
    )
  },
)
