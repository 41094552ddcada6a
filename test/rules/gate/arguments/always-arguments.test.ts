import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { exactArguments } from '../../../../src/rules/gate/arguments/exact-arguments.ts'
import { addGrants } from '../../../../src/rules/gate/permissions/add-grants.ts'
import { removeGrant } from '../../../../src/rules/gate/permissions/remove-grant.ts'
import { argumentTextProblem } from '../../../../src/rules/tools/argument-text-problem.ts'
import { parseArguments } from '../../../../src/rules/tools/parse-arguments.ts'
import { canonicalJson } from '../../../../src/util/canonical-json.ts'
import { leastProcessorMs } from '../../../support/processor-ms.ts'
import { judgeArguments, serverTool } from '../support/judge-arguments.ts'

const tool = 'github_create_issue'
const pin = 'ab12'.repeat(8)
const pinned = serverTool({ origin: { server: 'github', tool: 'create_issue', pin } })

/** Arguments that differ by little, and hold what patterns use themselves. */
const text = fc.oneof(
  fc.constantFrom(
    'a',
    'A',
    'a*',
    '*',
    'b',
    '',
    ' ',
    'a b',
    "'",
    '"',
    '\\',
    '{',
    '[0]',
    'a=b',
    '~/x',
    '@',
    '$HOME',
    '\n',
    'é',
    '1',
    'null',
  ),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
)
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.constantFrom(0, 1, -1, 1.5, 1e21, 100, true, false, null),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(text, tie('value'), { maxKeys: 3 }),
  ),
}))
const someArguments = fc
  .dictionary(text, value, { maxKeys: 4 })
  .map((record) => parseArguments(serverTool(), JSON.stringify(record)))
  .filter((parsed) => parsed.kind === 'ok')
  .map(({ args }) => args)

/** The same arguments with one thing changed, added or left out. */
function neighbours(args: Record<string, unknown>): readonly Record<string, unknown>[] {
  const names = Object.keys(args)
  return [
    { ...args, extra: 1 },
    { arguments: args },
    ...names.flatMap((name) => {
      const { [name]: own, ...others } = args
      const changed = [
        `${String(own)}x`,
        [own],
        { a: own },
        own === null ? 'null' : null,
        String(own),
        Number(own),
      ]
      return [
        others,
        { ...others, [`${name}x`]: own },
        { ...others, [name.toUpperCase()]: own },
        ...changed.map((other) => ({ ...others, [name]: other })),
      ]
    }),
  ]
}

describe('Always for tools that are ruled by their arguments', () => {
  test('APPR-23 offers exactly the arguments, with the tool\u2019s digest, and never the bare tool', () => {
    const args = { title: 'Fix *', repo: 'acme/web', n: 1 }
    const setting = { permissions: { '*': 'ask' } }
    expect(judgeArguments(args, setting).alwaysPatterns).toEqual([
      '{"n":1,"repo":"acme/web","title":"Fix *"}',
    ])
    expect(judgeArguments(args, setting, pinned).alwaysPatterns).toEqual([
      `{"n":1,"repo":"acme/web","title":"Fix *"} @${pin}`,
    ])
    expect(judgeArguments({}, setting).alwaysPatterns).toEqual(['{}'])
  })

  test('APPR-23 offers the name where the operator lists the tool, by either name', () => {
    const offered = (alwaysByName: readonly string[], spec = serverTool()) =>
      judgeArguments({ a: 1 }, { facts: { alwaysByName } }, spec).alwaysPatterns
    expect(offered(['github_*'])).toEqual(['*'])
    expect(offered(['mcp__github__create_issue'])).toEqual(['*'])
    expect(offered(['mcp__github'], pinned)).toEqual([`* @${pin}`])
    expect(offered(['mcp__git__hub_create_issue', 'mcp__gitlab__*'])).toEqual(['{"a":1}'])
    expect(offered(['github_*'], serverTool({ requiresPerson: true }))).toEqual([])
  })

  test.each<[string, Record<string, unknown>]>([
    ['long ones', { body: 'x'.repeat(1_001) }],
    ['unseen characters in a value', { a: 'x\u200By' }],
    ['control characters', { a: 'x\u001B[2J' }],
    ['a carriage return', { a: 'x\ry' }],
    ['a bidirectional override', { a: ['\u202Ex'] }],
    ['text that is not in its normal form', { a: 'e\u0301' }],
    ['the mark of unreadable bytes', { a: 'x\uFFFD' }],
    ['stacked marks', { a: 'x\u0301\u0302\u0303\u0304' }],
    ['blanks that push text out of sight', { a: `x${' '.repeat(40)}y` }],
    ['what looks like a card\u2019s own line', { a: '\u2588\u2588' }],
  ])('APPR-23 offers nothing for %s', (_, args) => {
    const { action, alwaysPatterns } = judgeArguments(args, { permissions: { '*': 'ask' } })
    expect({ action, alwaysPatterns }).toEqual({ action: 'ask', alwaysPatterns: [] })
  })

  test('APPR-23 what is offered matches this call and no other, in the session and from the file', () => {
    let offered = 0
    fc.assert(
      fc.property(someArguments, someArguments, (args, other) => {
        const pattern = exactArguments(args, pinned.origin)
        if (pattern === undefined) return
        offered += 1
        const file = addGrants('{"*": "ask"}', tool, [pattern], 'granted by ada')
        const settings = [{ session: [{ tool, pattern }] }, { permissions: file }]
        for (const setting of settings) {
          const judge = (given: Record<string, unknown>) =>
            judgeArguments(given, setting, pinned).action
          expect(judge(args)).toBe('allow')
          // The same in another order.
          expect(judge(Object.fromEntries(Object.entries(args).reverse()))).toBe('allow')
          for (const near of [other, ...neighbours(args)]) {
            const isSame = canonicalJson(near) === canonicalJson(args)
            expect(judge(near)).toBe(isSame ? 'allow' : 'ask')
          }
        }
        expect(removeGrant(file, tool, pattern)).not.toContain('granted')
      }),
    )
    expect(offered).toBeGreaterThan(0)
  })

  test('APPR-23 equal canonical text is equal arguments', () => {
    fc.assert(
      fc.property(someArguments, (args) => {
        const json = canonicalJson(args)
        expect(argumentTextProblem(json)).toBeUndefined()
        expect(canonicalJson(JSON.parse(json))).toBe(json)
      }),
    )
  })

  test('MCP-01 a grant holds for the definition that it was given for, and ends with it', () => {
    const { alwaysPatterns } = judgeArguments({ a: 1 }, {}, pinned)
    const [pattern = ''] = alwaysPatterns
    const changed = serverTool({
      origin: { server: 'github', tool: 'create_issue', pin: 'cd34'.repeat(8) },
    })
    const elsewhere = serverTool({
      origin: { server: 'git', tool: 'hub_create_issue', pin: 'ef56'.repeat(8) },
    })
    expect(elsewhere.name).toBe(tool)
    const file = addGrants('{"*": "ask"}', tool, [pattern, `* @${pin}`], 'granted by ada')
    for (const setting of [{ session: [{ tool, pattern }] }, { permissions: file }]) {
      expect(judgeArguments({ a: 1 }, setting, pinned).action).toBe('allow')
      expect(judgeArguments({ a: 1 }, setting, changed).action).toBe('ask')
      expect(judgeArguments({ a: 1 }, setting, elsewhere).action).toBe('ask')
      expect(judgeArguments({ a: 1 }, setting).action).toBe('ask')
    }
    expect(judgeArguments({ b: 2 }, { permissions: file }, pinned).action).toBe('allow')
    // Without a digest a grant is for no definition; what people write is for the name.
    expect(judgeArguments({ a: 1 }, { session: [{ tool, pattern: '*' }] }, pinned).action).toBe(
      'ask',
    )
    expect(
      judgeArguments({ a: 1 }, { session: [{ tool, pattern: '{"a":1}' }] }, pinned).action,
    ).toBe('ask')
    expect(judgeArguments({ a: 1 }, { permissions: { [tool]: 'allow' } }, changed).action).toBe(
      'allow',
    )
  })

  test('APPR-07 a grant answers the questions that its call met, and no others', () => {
    const permissions = { [tool]: { '*': 'allow', 'repo=acme/*': 'ask', 'draft?=true': 'ask' } }
    const args = { repo: 'acme/web' }
    const { alwaysPatterns, alwaysBeats } = judgeArguments(args, { permissions })
    const [pattern = ''] = alwaysPatterns
    expect(alwaysBeats).toEqual({ [pattern]: [`worker: ${tool} "repo=acme/*" ask`] })
    const session = [{ tool, pattern, beats: alwaysBeats?.[pattern] ?? [] }]
    expect(judgeArguments(args, { permissions, session }).action).toBe('allow')
    const stricter = { [tool]: { ...permissions[tool], 'repo=*/web': 'ask' } }
    expect(judgeArguments(args, { permissions: stricter, session }).action).toBe('ask')
    // Of a grant whose questions were not recorded the call itself tells them.
    expect(
      judgeArguments(args, { permissions: stricter, session: [{ tool, pattern }] }).action,
    ).toBe('allow')
    const denied = { [tool]: { ...permissions[tool], 'repo=acme/web': 'deny' } }
    expect(judgeArguments(args, { permissions: denied, session }).action).toBe('deny')
  })

  test('APPR-23 a call of 10,000 characters is judged among 500 grants in under 50 ms', () => {
    const session = Array.from({ length: 500 }, (_, at) => ({
      tool,
      pattern: `{"a":${at},"b":"${'x'.repeat(400)}"}`,
    }))
    const args = { body: 'y'.repeat(10_000) }
    expect(leastProcessorMs(() => judgeArguments(args, { session }), 50)).toBeLessThan(50)
  })
})

describe('tools that require a person', () => {
  const spec = serverTool({ requiresPerson: true })
  const reason = `${tool} requires a person for each call, so no rule can allow it`

  test.each<[string, Parameters<typeof judgeArguments>[1]]>([
    ['a rule for its name', { permissions: { [tool]: 'allow' } }],
    ['a rule on its arguments', { permissions: { [tool]: { 'a=1': 'allow' } } }],
    ['a grant of the session', { session: [{ tool, pattern: '{"a":1}' }] }],
    [
      'a grant in the file',
      { permissions: addGrants('{"*":"ask"}', tool, ['{"a":1}'], 'granted') },
    ],
    [
      'the operator',
      { permissions: {}, operator: { [tool]: [{ pattern: '*', action: 'allow' }] } },
    ],
    ['the gate that is switched off', { permissions: { '*': 'allow' } }],
  ])('MCP-02 %s does not allow a call, and the reason says why', (_, setting) => {
    expect(judgeArguments({ a: 1 }, setting).action).toBe('allow')
    const judged = judgeArguments({ a: 1 }, setting, spec)
    expect(judged).toMatchObject({ action: 'ask', alwaysPatterns: [], reasons: [reason] })
    expect(judged.asks).toEqual([{ why: 'person', about: tool }])
    expect(judged.effects).toEqual([])
  })

  test('MCP-02 what denies still denies', () => {
    const permissions = { [tool]: { 'a=1': 'deny' } }
    expect(judgeArguments({ a: 1 }, { permissions }, spec).action).toBe('deny')
  })

  test('MCP-02 the risk is the one of the definition', () => {
    expect(judgeArguments({}, {}, serverTool({ risk: 'high' })).risk).toBe('high')
    expect(judgeArguments({}, {}, serverTool({ risk: 'low' })).risk).toBe('low')
  })
})
