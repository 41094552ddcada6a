import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { saveServer } from '../../../src/db/worker/mcp-tools.ts'
import { saveWorker } from '../../../src/db/worker/workers.ts'
import { temporaryDirectory } from '../../db/embedded/fixtures/temporary-directory.ts'
import { auditRows } from '../../support/audit-rows.ts'
import { createTestDatabase } from '../../support/database/database.ts'
import { requirement } from '../../support/run/requirements.ts'
import { runProgram, toDatabaseUrl } from '../run-program.ts'

const packages = join(import.meta.dirname, '../../../node_modules')

async function createPlace() {
  const directory = await temporaryDirectory()
  const database = await createTestDatabase()
  const { db } = database
  const environment = { DATABASE_URL: toDatabaseUrl(database.connection), USER: 'olga' }
  return {
    db,
    configure: (toml: string) => writeFileSync(join(directory.path, 'countersign.toml'), toml),
    mcp: (...args: readonly string[]) =>
      runProgram(['mcp', ...args], { cwd: directory.path, environment }),
    [Symbol.asyncDispose]: async () => {
      await database[Symbol.asyncDispose]()
      await directory[Symbol.asyncDispose]()
    },
  }
}

test('MCP-01 MCP-09 list shows what waits with its code, approve takes that code alone and is audited', async () => {
  await using place = await createPlace()
  const replica = { name: 'default', replica: 'r1', driver: 'bubblewrap', confined: true }
  await saveWorker(place.db, {
    ...{ ...replica, warnings: '[]', box_workspace: '/workspace', tools: '[]' },
    ...{ public_key: '', beat: 1, said_at: new Date() },
  })
  const tool = { name: 'create', title: null, sha256: 'a'.repeat(64), input_schema: '{}' }
  await saveServer(place.db, {
    ...{ worker: 'default', replica: 'r1', server: 'notes', beat: 1, title: 'notes 1' },
    ...{ launch: 'node notes.js', state: 'up', note: null, timeout_ms: 1_000 },
    tools: [{ ...tool, description: 'Creates\u001b[31m a note.', annotations: '{}' }],
  })
  const { stdout } = await place.mcp('list')
  expect(stdout).toMatch(/notes_create\s+waiting\s+default\s+aaaaaaaaaaaaaaaa\s+Creates/)
  expect(stdout).not.toContain('\u001b')
  const code = /mcp approve notes ([0-9a-f]+)/.exec(stdout)?.[1] ?? ''
  const wrong = await place.mcp('approve', 'notes', code.replaceAll(/./g, '0'))
  expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringMatching(/nothing was decided/)])
  expect((await place.mcp('approve', 'notes', code)).stdout).toBe('approved: notes_create\n')
  expect(await auditRows(place.db)).toMatchObject([
    { kind: 'command', tool: 'notes_create', caller_id: 'console:olga' },
  ])
  expect((await place.mcp('list', '--json')).stdout).toContain('"state":"approved"')
})

requirement.bubblewrap(
  'MCP-09 test starts a configured server in a box and shows its tools',
  async () => {
    await using place = await createPlace()
    const script = join(packages, '@modelcontextprotocol/server-memory/dist/index.js')
    place.configure(
      `[mcp.memory]\ncommand = "node"\nargs = [${JSON.stringify(script)}]\nread = [${JSON.stringify(packages)}]\n`,
    )
    const { stdout } = await place.mcp('test', 'memory')
    expect(stdout).toMatch(/^memory: up, memory-server \d/)
    expect(stdout).toMatch(/create_entities {2}sha256 [0-9a-f]{16} {2}\w/)
    expect(await place.mcp('test', 'other')).toMatchObject({ exitCode: 2 })
  },
)

test('CONF-02 MCP-09 a command that fetches its program when it starts is refused', async () => {
  await using place = await createPlace()
  place.configure('[mcp.a]\ncommand = "npx"\nargs = ["-y", "some-server@latest"]\n')
  const { exitCode, stderr } = await place.mcp('list')
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/fetches a program when it starts/)])
})
