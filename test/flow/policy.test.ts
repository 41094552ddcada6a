import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { setTrust } from '../../src/db/call/tool-trust.ts'
import type { TrustLevel } from '../../src/domain/trust.ts'
import { auditRows } from '../support/audit-rows.ts'
import { ada, createFlow, type Flow, pendingApproval } from '../support/flow.ts'
import type { ScriptedModel } from '../support/scripted-model.ts'
import { call, createScriptedModel, say } from '../support/scripted-model.ts'

function policy(rules: readonly object[], defaultEffect = 'allow'): Record<string, string> {
  return {
    COUNTERSIGN_TOOLS_POLICY_ENABLED: 'true',
    COUNTERSIGN_TOOLS_POLICY_DEFAULT_EFFECT: defaultEffect,
    COUNTERSIGN_TOOLS_POLICY_RULES: JSON.stringify(rules),
  }
}

const once = (tool: string, args: unknown) =>
  createScriptedModel((request) =>
    request.messages.at(-1)?.role === 'user' ? call(tool, args) : say('done'),
  )

const seen = (model: ScriptedModel): string =>
  String(
    model.requests
      .at(-1)
      ?.messages.flatMap((message) => ('text' in message ? message.text : []))
      .at(-1),
  )

const trust = (flow: Flow, tool: string, level: TrustLevel) =>
  setTrust(flow.db, { tool, level, set_by: 'test', reason: 'kept from people' })

async function auditOf({ db }: Flow) {
  const rows = (await auditRows(db)).filter((row) => row.call_id !== null)
  return rows.map((row) => ({ ...row, body: JSON.parse(row.body) }))
}

/** Everything that anybody was sent, as one text. */
const shown = (flow: Flow): string => JSON.stringify(flow.platform.sent)

async function allowAll(flow: Flow): Promise<void> {
  const { permissions } = flow.product.ctx
  const { version } = await permissions.load('default')
  await permissions.save('default', version, '{"*": "allow"}')
}

describe('policy in a conversation', () => {
  test('POL-02 AUD-01 what a rule denies is audited with the rule; model and people are told only that policy forbade it', async () => {
    const model = once('bash', { command: 'echo sesame' })
    const rules = [
      { effect: 'deny', tool: 'write' },
      { effect: 'deny', tool: 'bash', args_match: 'ses.me' },
    ]
    await using flow = await createFlow({ model, settings: policy(rules) })
    await flow.say('open it')
    expect(seen(model)).toMatch(
      /^\[tool_error\]\ncategory: policy_blocked\nerror: policy forbids it\n/,
    )
    expect(seen(model)).not.toMatch(/ses\.me|rule/)
    expect(shown(flow)).not.toMatch(/ses\.me|rule\[/)
    expect(flow.platform.cards()).toEqual([])
    const [decided] = await auditOf(flow)
    expect(decided).toMatchObject({
      kind: 'decided',
      verdict: 'deny',
      said_by: 'policy',
      body: { policy_match: 'rule[1] deny: tool=bash args_match=ses.me', caller_id: ada.id },
    })
  })

  test('POL-01 POL-02 an allow is audited and still asks; the check that asked is named as the one that decided', async () => {
    const model = once('bash', { command: 'echo hi' })
    const settings = policy([{ effect: 'allow', tool: 'bash', args_match: '^echo ' }], 'deny')
    await using flow = await createFlow({ model, settings })
    await flow.say('go')
    expect(flow.platform.cards()).toMatchObject([{ status: { kind: 'waiting' } }])
    expect(shown(flow)).not.toMatch(/rule\[|policy/)
    await flow.decide({ kind: 'approve' })
    expect(seen(model)).toContain('hi')
    const [decided] = await auditOf(flow)
    expect(decided).toMatchObject({
      verdict: 'ask',
      said_by: 'permissions',
      body: { policy_match: 'rule[0] allow: tool=bash args_match=^echo ' },
    })
  })

  test('POL-01 AUD-01 a call that permissions allow is not said to be decided by the policy that let it go on', async () => {
    const model = once('read', { path: 'a' })
    const settings = policy([{ effect: 'allow', tool: 're*' }], 'deny')
    await using flow = await createFlow({ model, settings })
    await flow.say('go')
    const [decided] = await auditOf(flow)
    expect(decided).toMatchObject({
      verdict: 'allow',
      said_by: 'permissions',
      body: { policy_match: 'rule[0] allow: tool=re*' },
    })
    // REG-04: what no rule lets through is not offered.
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(['read', 'read_overflow'])
  })

  test('POL-06 a rule that came while a card waited wins after Approve', async () => {
    const model = once('bash', { command: 'touch made' })
    await using flow = await createFlow({ model })
    await flow.say('go')
    const { id } = await pendingApproval(flow.db)
    await flow.product[Symbol.asyncDispose]()
    const settings = policy([{ effect: 'deny', tool: 'bash', args_match: 'made' }])
    await using later = await createFlow({ model, over: flow, settings })
    await later.act({ kind: 'decision', approvalId: id, decision: { kind: 'approve' } })
    await later.quiet()
    expect(seen(model)).toContain('error: policy forbids it\n')
    const row = await flow.db.selectFrom('tool_call').selectAll().executeTakeFirstOrThrow()
    expect(row).toMatchObject({ state: 'denied', attempt: 0 })
    expect((await auditOf(later))[0]?.body).toMatchObject({
      approval_state: 'approved',
      policy_match: 'rule[0] deny: tool=bash args_match=made',
    })
    expect(later.platform.statesOf(1).at(-1)).toBe('cancelled')
  })
})

describe('trust in a conversation', () => {
  test('POL-03 POL-06 a tool that was blocked while its card waited does not run after Approve', async () => {
    const model = once('bash', { command: 'touch made' })
    await using flow = await createFlow({ model })
    await flow.say('go')
    await trust(flow, 'bash', 'blocked')
    await flow.decide({ kind: 'approve' })
    expect(seen(model)).toContain('error: the tool bash is blocked; only an operator can')
    const row = await flow.db.selectFrom('tool_call').selectAll().executeTakeFirstOrThrow()
    expect(row).toMatchObject({ state: 'denied', attempt: 0, error_category: 'policy_blocked' })
    expect(shown(flow)).not.toContain('kept from people')
  })

  test('POL-03 REG-04 GATE-10 a blocked tool is hidden and refused, and comes back when it is trusted again', async () => {
    const model = once('read', { path: 'x' })
    await using flow = await createFlow({ model })
    await allowAll(flow)
    const offered = () => model.requests.at(-1)?.tools.map(({ name }) => name)
    await trust(flow, 'read', 'blocked')
    await flow.say('go')
    expect(offered()).not.toContain('read')
    expect(seen(model)).toContain('the tool read is blocked')
    await trust(flow, 'read', 'verified')
    await flow.say('again')
    expect(offered()).toContain('read')
    expect(seen(model)).toContain('no such file')
  })

  test('POL-03 GATE-10 APPR-07 a quarantined tool asks where everything is allowed, without Always; /status names it', async () => {
    const model = once('read', { path: 'x' })
    await using flow = await createFlow({ model })
    await allowAll(flow)
    await trust(flow, 'read', 'quarantined')
    await trust(flow, 'fetch', 'blocked')
    await flow.say('go')
    expect(flow.platform.cards()).toMatchObject([
      {
        tool: 'read',
        alwaysPatterns: [],
        effects: [{ kind: 'quarantined', of: 'read' }],
      },
    ])
    await flow.decide({ kind: 'approve' })
    expect(seen(model)).toContain('no such file')
    await flow.say('/status')
    const status = flow.platform.texts().at(-1)
    expect(status).toContain('\nTools blocked: fetch\nTools quarantined: read\n')
    expect(status).not.toContain('kept from people')
  })
})

test('SHELL-07 SHELL-12 a wildcard for files of one kind is not asked about, and shows nothing that rules deny', async () => {
  const model = createScriptedModel([
    call('write', { path: 'src/a.ts', content: 'shown\n' }),
    call('write', { path: 'src/my-secret.ts', content: 'hidden\n' }),
    call('bash', { command: 'cat src/*.ts | wc -l && cat src/*.ts' }),
    call('delete_path', { path: 'src/my-secret.ts' }),
    call('bash', { command: 'cat src/*.ts' }),
    say('done'),
  ])
  await using flow = await createFlow({ model })
  const { permissions } = flow.product.ctx
  const { version } = await permissions.load('default')
  const rules = { '*': 'allow', read: { '*': 'allow', '*secret*': 'deny' } }
  await permissions.save('default', version, JSON.stringify(rules))
  await flow.say('go')
  const results = model.requests.at(-1)?.messages.filter(({ role }) => role === 'tool') ?? []
  expect(results[2]?.text).toMatch(/policy_blocked[\s\S]*my-secret\.ts, which rules keep/)
  expect(results[2]?.text).not.toContain('hidden')
  expect(results[4]?.text).toContain('shown')
  expect(flow.platform.cards()).toEqual([])
})

test('SHELL-04 SHELL-07 PROC-02 names that a listing gives are looked at in the box when the call runs, after its question too', async () => {
  const listing = "find src -name '*.ts' | xargs"
  const model = createScriptedModel([
    call('write', { path: 'src/a.ts', content: 'shown\n' }),
    call('bash', { command: `${listing} wc -l` }),
    call('bash', { command: `${listing} head -n 5` }),
    say('done'),
  ])
  await using flow = await createFlow({ model })
  const { permissions } = flow.product.ctx
  const { version } = await permissions.load('default')
  const rules = {
    ...{ '*': 'allow', read: { '*': 'allow', '*secret*': 'deny' } },
    bash: { '*': 'allow', '*head*': 'ask' },
  }
  await permissions.save('default', version, JSON.stringify(rules))
  await flow.say('go')
  const workspaces = join(flow.dataDir, 'workspaces')
  const workspace = join(workspaces, (await readdir(workspaces))[0] ?? '')
  await writeFile(join(workspace, 'src/my-secret.ts'), 'hidden\n')
  await flow.decide({ kind: 'approve' })
  const results = model.requests.at(-1)?.messages.filter(({ role }) => role === 'tool') ?? []
  expect(results[1]?.text).toContain('1 src/a.ts')
  expect(results[2]?.text).toMatch(/policy_blocked[\s\S]*my-secret\.ts, which rules keep/)
  expect(results[2]?.text).toContain('did not run')
  expect(results[2]?.text).not.toContain('hidden')
})
