import { hostname } from 'node:os'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { announceAgent, createRulesWatch, describeRules } from '../../src/agent/announce-agent.ts'
import { checkProcesses } from '../../src/cli/doctor/check-database.ts'
import type { TurnContext } from '../../src/core/turn/turn-context.ts'
import { saveAgent } from '../../src/db/worker/agents.ts'
import { createRule } from '../../src/rules/gate/permissions/rule.ts'
import { newId } from '../../src/util/ids.ts'
import { MemoryLog } from '../adapters/chat/telegram/incoming/memory-log.ts'
import { createBenchContext } from '../support/bench-context.ts'
import { createScriptedModel } from '../support/scripted-model.ts'

const lax = '{ "*": "allow" }'
const strict = '{ "*": "ask" }'

test('PROC-01 GATE-04 an agent tells where it runs and which rules it works with, and since when', async () => {
  await using scene = await createScene()
  await using _agent = await announceAgent(scene.agent(strict))
  const { rules_since, ...row } = await scene.row()
  expect(row).toMatchObject({
    host: hostname(),
    rules_worker: 'default',
    rules_path: '/rules/of/strict',
    rules_sha256: await scene.fingerprint(strict),
  })
  const since = rules_since?.getTime() ?? 0
  await scene.say({ id: row.id, text: strict })
  expect((await scene.row()).rules_since?.getTime()).toBe(since)
  await scene.say({ id: row.id, text: lax })
  expect((await scene.row()).rules_since?.getTime()).toBeGreaterThan(since)
})

test('PROC-01 GATE-04 agents with the same rules, or that know of different workers yet, are nothing to tell', async () => {
  await using scene = await createScene()
  for (const host of ['east', 'west']) await scene.say({ host, text: strict })
  await scene.say({ host: 'west', text: lax, worker: 'other' })
  await scene.age()
  await using _agent = await announceAgent(scene.agent(strict))
  await scene.age()
  await scene.watch()
  expect(await scene.told()).toEqual({ log: [], status: [], doctor: [] })
})

test('PROC-01 CLI-01 GATE-04 agents that go by different rules are told in the log once, in /status and by doctor: who, where, and how to mend it', async () => {
  await using scene = await createScene()
  const east = await scene.say({ host: 'east', text: strict })
  const west = await scene.say({ host: 'west', text: lax })
  const south = await scene.say({ host: 'south', text: lax })
  await scene.age()
  // It announces itself twice: at once, and as the first of what it does now and then.
  await using _agent = await announceAgent(scene.agent(strict))
  const { log, status, doctor } = await scene.told()
  expect(log).toEqual([expect.stringMatching(/^warn agents have different rules .*fix:/s)])
  const [side, other] = (await Promise.all([strict, lax].map(scene.fingerprint))).map(
    (sha256) => `(fingerprint ${sha256.slice(0, 12)}…)`,
  )
  for (const words of [log[0], status[0], doctor[0]]) {
    expect(words).toContain('agents have different rules or configuration for worker "default"')
    expect(words).toContain(`agent ${east} on east by /rules/of/strict ${side}`)
    const both = [west, south].sort().map((id) => `agent ${id} on `)
    expect(words).toMatch(new RegExp(`${both[0]}\\w+ by /rules/of/lax, ${both[1]}`))
    expect(words).toContain(`by /rules/of/lax ${other}`)
    expect(words).toContain('let all agents share one data directory')
  }
  expect(status).toHaveLength(1)
  expect(doctor).toHaveLength(1)
})

test('PROC-01 GATE-04 a difference is logged once, again when it changes, and so is its end', async () => {
  await using scene = await createScene()
  await scene.say({ host: 'east', text: strict })
  await scene.say({ host: 'west', text: lax })
  await scene.age()
  for (let round = 0; round < 3; round += 1) await scene.watch()
  expect((await scene.told()).log).toHaveLength(1)
  const third = await scene.say({ host: 'south', text: '{}' })
  await scene.age()
  for (let round = 0; round < 3; round += 1) await scene.watch()
  expect((await scene.told()).log).toEqual([
    expect.not.stringContaining('south'),
    expect.stringContaining(`agent ${third} on south`),
  ])
  await scene.gone('west')
  await scene.say({ id: third, host: 'south', text: lax })
  await scene.watch()
  expect((await scene.told()).log).toHaveLength(2)
  await scene.say({ id: third, host: 'south', text: strict })
  for (let round = 0; round < 3; round += 1) await scene.watch()
  expect((await scene.told()).log.slice(2)).toEqual([
    expect.stringMatching(/^info agents have the same rules again/),
  ])
})

test('PROC-01 CLI-01 GATE-04 a difference that lasts a moment, as when rules change that agents share, is nothing to tell', async () => {
  await using scene = await createScene()
  const east = await scene.say({ host: 'east', text: strict })
  const west = await scene.say({ host: 'west', text: strict })
  await scene.age()
  await scene.say({ id: east, host: 'east', text: lax })
  await scene.age('1 minute')
  await scene.watch()
  expect(await scene.told()).toEqual({ log: [], status: [], doctor: [] })
  await scene.say({ id: west, host: 'west', text: lax })
  await scene.age()
  await scene.watch()
  expect(await scene.told()).toEqual({ log: [], status: [], doctor: [] })
})

test('PROC-01 CLI-01 GATE-04 a warning of different rules goes with the agent that had others, also without a farewell', async () => {
  await using scene = await createScene()
  await scene.say({ host: 'east', text: strict })
  await scene.say({ host: 'west', text: lax })
  await scene.age()
  const different = [expect.stringContaining('different rules')]
  expect(await scene.told()).toEqual({ log: [], status: different, doctor: different })
  await scene.gone('west')
  expect(await scene.told()).toEqual({ log: [], status: [], doctor: [] })
})

test('PROC-01 GATE-04 agents with one file of rules and different configurations are told of', async () => {
  await using scene = await createScene()
  const own = scene.agent(strict)
  const deny = createRule({ layer: 'operator', tool: 'bash', pattern: 'rm *', action: 'deny' })
  const elsewhere = { ...own, operator: { rules: [deny] } }
  await saveAgent(scene.db, {
    id: newId(),
    model: 'm',
    warnings: [],
    liveKey: '',
    host: 'east',
    rules: await describeRules(elsewhere),
  })
  await using _agent = await announceAgent(own)
  await scene.age()
  const { status } = await scene.told()
  expect(status).toEqual([
    expect.stringMatching(
      /different rules or configuration.* by \/rules\/of\/strict .* by \/rules\/of\/strict /,
    ),
  ])
})

test('PROC-01 GATE-04 whatever the gate and questions go by counts as configuration; where a machine keeps its files does not', async () => {
  await using scene = await createScene()
  const own = scene.agent(strict)
  const { files, web, settings, permissions } = own
  const allow = createRule({ layer: 'operator', tool: 'bash', pattern: 'ls *', action: 'allow' })
  const others: readonly Partial<TurnContext>[] = [
    { operator: { rules: [allow] } },
    { operator: { rules: [{ ...allow, action: 'ask' }] } },
    { files: { ...files, allowed: () => ['/srv'] } },
    { files: { ...files, denyRead: ['**/.env'] } },
    { files: { ...files, allowRead: ['/etc/hosts'] } },
    { web: { ...web, allowedDomains: ['example.org'] } },
    { web: { ...web, deniedDomains: ['example.org'] } },
    { web: { ...web, allowedPorts: [8443] } },
    { settings: { ...settings, onExpiry: 'wait' } },
    { settings: { ...settings, alwaysByName: ['diagnostics'] } },
    { settings: { ...settings, approvalTtlMs: settings.approvalTtlMs + 1 } },
    { settings: { ...settings, toolsEnabled: !settings.toolsEnabled } },
  ]
  const hashOf = async (more: Partial<TurnContext>) =>
    (await describeRules({ ...own, ...more })).sha256
  const hashes = await Promise.all([{}, ...others].map(hashOf))
  expect(new Set(hashes).size).toBe(others.length + 1)
  const moved = {
    permissions: { ...permissions, describe: () => '/elsewhere/permissions.jsonc' },
    protectedPaths: () => ['/elsewhere'],
    operator: { rules: [...own.operator.rules] },
  }
  expect(await hashOf(moved)).toBe(hashes[0])
})

test('PROC-01 GATE-04 agents that name different workers as their own are held to the rules of all workers that there are', async () => {
  await using scene = await createScene()
  const textOf = (own: string) => (worker: string) => (worker === own ? strict : lax)
  const agentOf = (own: string): TurnContext => {
    const agent = scene.agent(strict)
    const load = async (worker: string) => ({ text: textOf(own)(worker), version: own })
    return {
      ...agent,
      settings: { ...agent.settings, worker: own },
      permissions: { ...agent.permissions, load },
    }
  }
  await sql`insert into worker (name, replica, driver, confined, warnings, box_workspace, tools, public_key)
    values ('build', 'r', 'process', false, '[]', '/w', '[]', 'k')`.execute(scene.db)
  await using _first = await announceAgent(agentOf('default'))
  await using _second = await announceAgent(agentOf('build'))
  await scene.age()
  const { doctor } = await scene.told()
  expect(doctor).toEqual([expect.stringContaining('for worker "build, default"')])
})

async function createScene() {
  const bench = await createBenchContext(createScriptedModel([]))
  const { db } = bench.database
  const log = new MemoryLog()
  const pathOf = (text: string): string => `/rules/of/${text === lax ? 'lax' : 'strict'}`
  /** An agent of its own machine, as far as its rules go. */
  const agent = (text: string): TurnContext => ({
    ...bench.another(),
    log,
    permissions: {
      load: async () => ({ text, version: text }),
      save: async () => false,
      describe: () => pathOf(text),
    },
  })
  return {
    watch: createRulesWatch(db, log),
    db,
    agent,
    fingerprint: async (text: string) => (await describeRules(agent(text))).sha256,
    /** What an agent elsewhere announces. */
    say: async ({ id = newId(), host = 'east', text = strict, worker = 'default' }) => {
      const rules = { ...(await describeRules(agent(text))), worker }
      await saveAgent(db, { id, model: 'm', warnings: [], liveKey: '', host, rules })
      return id
    },
    row: () => db.selectFrom('agent').selectAll().executeTakeFirstOrThrow(),
    age: async (by = '2 minutes') => {
      await sql`update agent set rules_since = rules_since - ${by}::interval`.execute(db)
    },
    gone: async (...hosts: readonly string[]) => {
      await db
        .updateTable('agent')
        .set({ seen_at: sql<Date>`now() - interval '16 seconds'` })
        .where('host', 'in', hosts)
        .execute()
    },
    /** What the log, `/status` and `doctor` say of differing rules. */
    told: async () => {
      await bench.say('/status')
      const status = (await bench.notices()).at(-1) ?? ''
      const doctor = (await checkProcesses(db)).filter(({ what }) => what === 'rules')
      return {
        log: log.having('rules'),
        status: status.split('\n').filter((line) => /^Warning: .*different rules/.test(line)),
        doctor: doctor.map(({ level, finding, mend }) => `${level}: ${finding} → ${mend}`),
      }
    },
    [Symbol.asyncDispose]: () => bench[Symbol.asyncDispose](),
  }
}
