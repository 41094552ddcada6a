import { expect, test } from 'vitest'
import { reliabilityTable } from '../../../src/cli/tools/reliability-table.ts'
import { createJsonServer } from '../../adapters/model/json-server.ts'
import { temporaryDirectory } from '../../db/embedded/fixtures/temporary-directory.ts'
import { createBenchContext, ok } from '../../support/bench-context.ts'
import { createTestDatabase } from '../../support/database/database.ts'
import { call, createScriptedModel, say } from '../../support/scripted-model.ts'
import { runProgram } from '../run-program.ts'

test('ERR-06 CLI-01 tools explain shows how well each model uses each tool, as a table and as JSON', async () => {
  await using directory = await temporaryDirectory()
  await using database = await createTestDatabase()
  const explain = (...args: string[]) =>
    runProgram(['tools', 'explain', ...args], {
      cwd: directory.path,
      environment: { DATABASE_URL: database.url },
    })
  expect((await explain()).stdout).toBe('No model has called a tool yet.\n')
  const counted = { model: 'a', last_category: null, last_failure_at: null }
  await database.db
    .insertInto('model_standing')
    .values([
      { ...counted, tool: 'read', part: 1, successes: 7 },
      {
        ...counted,
        ...{ tool: 'read', part: 2, successes: 1, quality_failures: 1 },
        last_category: 'type_mismatch',
        last_failure_at: new Date('2026-01-02T03:04:05Z'),
      },
      { ...counted, tool: 'bash', part: 2, successes: 3 },
    ])
    .execute()
  const { stdout, stderr, exitCode } = await explain()
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 })
  expect(stdout.split('\n')).toEqual([
    'MODEL  TOOL  STANDING  WORKED  ASKED WRONGLY  LAST TIME (UTC)   WHY',
    'a      bash  100 %     3       0              -                 -',
    'a      read  90 %      8       1              2026-01-02 03:04  type_mismatch',
    '',
  ])
  const lines = (await explain('--json')).stdout.trim().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { model: 'a', tool: 'bash', standing: 1, successes: 3, qualityFailures: 0 },
    { tool: 'read', standing: 0.9, qualityFailures: 1, lastCategory: 'type_mismatch' },
  ])
})

test('ERR-06 a tool name invented by a model cannot emit terminal controls', () => {
  const [, row] = reliabilityTable([
    {
      ...{ model: 'a\u001b[2J', tool: 'b\nc', standing: 1, successes: 1, qualityFailures: 0 },
      ...{ lastCategory: null, lastFailureAt: null },
    },
  ])
  expect(row).not.toContain('\u001b')
  expect(row).not.toContain('\n')
})

interface Explained {
  readonly tool: string
  readonly isShown: boolean
  readonly why: string
  readonly [key: string]: unknown
}

async function explained(
  environment: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<Readonly<Record<string, Explained>>> {
  await using directory = await temporaryDirectory()
  const all = ['tools', 'explain', '--json', ...args]
  const { stdout, stderr, exitCode } = await runProgram(all, { cwd: directory.path, environment })
  expect(exitCode).toBe(0)
  if (environment['DATABASE_URL'] === undefined) expect(stderr).toMatch(/^not seen: trust in tools/)
  else expect(stderr).toBe('')
  const tools: Explained[] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  return Object.fromEntries(tools.map((tool) => [tool.tool, tool]))
}

const dependencies = {
  COUNTERSIGN_TOOLS_DEPENDENCIES_ENABLED: 'true',
  COUNTERSIGN_TOOLS_DEPENDENCIES_RULES: JSON.stringify({
    edit: { requires: ['read', 'grep'], prefers: ['write'] },
  }),
}

test('SCH-03 tools explain shows for a message which tools wait, for what, and that they are there afterwards', async () => {
  const before = await explained(dependencies, 'change it')
  expect(before['edit']).toMatchObject({
    isShown: false,
    why: 'edit is there once read and grep have succeeded in this session',
    requires: [
      { tool: 'read', hasSucceeded: false },
      { tool: 'grep', hasSucceeded: false },
    ],
    prefers: [{ tool: 'write', hasSucceeded: false }],
  })
  expect(before['read']).toMatchObject({ isShown: true, requires: [] })
  const then = await explained(dependencies, 'change it', '--after', 'read, grep')
  expect(then['edit']).toMatchObject({ isShown: true, requires: [{}, { hasSucceeded: true }] })
})

test('SCH-02 SCH-01 tools explain shows each tool’s reason and score, and how complex it is', async () => {
  await using provider = await createJsonServer(({ path, body }) => {
    if (path !== '/v1/embeddings') return undefined
    const isFar = (text: string) => !/diff|change/.test(text)
    return {
      body: {
        data: body.input.map((text: string) => ({ embedding: isFar(text) ? [0, 1] : [1, 0] })),
      },
    }
  })
  const tools = await explained(
    {
      COUNTERSIGN_MODEL_PROVIDER: 'openai',
      COUNTERSIGN_MODEL_EMBEDDING_NAME: 'embed-1',
      OPENAI_BASE_URL: provider.url,
      COUNTERSIGN_TOOLS_SCHEMA_FILTER_ABOVE_TOOLS: '5',
      COUNTERSIGN_TOOLS_SCHEMA_FILTER_ALWAYS_ON: '["bash"]',
      COUNTERSIGN_TOOLS_SCHEMA_FILTER_TOP_K: '2',
      COUNTERSIGN_TOOLS_TAFC_ENABLED: 'true',
      COUNTERSIGN_TOOLS_TAFC_COMPLEXITY_THRESHOLD: '0.3',
    },
    'what has to change? ask fetch',
  )
  expect(tools['bash']).toMatchObject({ isShown: true, why: 'always shown' })
  expect(tools['fetch']).toMatchObject({ isShown: true, why: 'the message names it' })
  expect(tools['tool_search']).toMatchObject({ isShown: true, why: 'finds the others' })
  expect(tools['edit']).toMatchObject({
    isShown: true,
    why: 'near to the message',
    score: { similarity: 1, boost: 0, total: 1 },
    complexity: 0.75,
    thinksFirst: true,
  })
  expect(tools['grep']).toMatchObject({ isShown: false, why: 'too far from the message' })
  expect(tools['list_directory']).toMatchObject({ complexity: 0.25, thinksFirst: false })
})

test('SCH-03 tools explain is a table for people, says what it could not see, and refuses what start refuses', async () => {
  await using directory = await temporaryDirectory()
  const explain = (environment: Readonly<Record<string, string>>) =>
    runProgram(['tools', 'explain', 'change it'], { cwd: directory.path, environment })
  const { stdout } = await explain(dependencies)
  const [heading, ...rows] = stdout.split('\n')
  expect(heading).toMatch(/^TOOL +SHOWN +SCORE +NEEDS +COMPLEXITY +WHY$/)
  expect(rows).toContainEqual(
    expect.stringMatching(/^edit +no +- +read, grep, ~write +0\.75 +edit is there once/),
  )
  expect(stdout).toMatch(/^not seen: trust in tools, in the database \(/m)
  const unknown = JSON.stringify({ edit: { requires: ['build'] } })
  const refused = await explain({ ...dependencies, COUNTERSIGN_TOOLS_DEPENDENCIES_RULES: unknown })
  expect(refused.exitCode).toBe(2)
  expect(refused.stderr).toContain('there is no tool "build"')
})

test('SCH-03 tools explain --session looks at what has succeeded there', async () => {
  await using bench = await createBenchContext(
    createScriptedModel([call('read', { path: 'a' }), call('grep', { pattern: 'a' }), say('done')]),
  )
  await bench.say('go')
  for (let step = 0; step < 3; step++) {
    await bench.step()
    const open = (await bench.calls()).find(({ settled_at }) => settled_at === null)
    if (open !== undefined) await bench.result(open, ok)
  }
  const { id } = await bench.database.db
    .selectFrom('session')
    .select('id')
    .executeTakeFirstOrThrow()
  const environment = { ...dependencies, DATABASE_URL: bench.database.url }
  expect((await explained(environment, 'change it', '--session', id))['edit']?.isShown).toBe(true)
  expect((await explained(environment, 'change it'))['edit']?.isShown).toBe(false)
})
