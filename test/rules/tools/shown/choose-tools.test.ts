import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { SchemaFilter } from '../../../../src/domain/tool/tool-view.ts'
import { readTool } from '../../../../src/rules/tools/read.ts'
import { chooseTools, type ToolsToChoose } from '../../../../src/rules/tools/shown/choose-tools.ts'
import { cosine } from '../../../../src/rules/tools/shown/word-index.ts'

const filter: SchemaFilter = {
  ...{ aboveTools: 3, topK: 2, threshold: 0.3 },
  ...{ alwaysOn: ['bash'], minDescriptionWords: 3 },
}
const tool = (name: string, description = `Does what ${name} says.`) => ({
  ...readTool,
  name,
  description,
  schema: z.strictObject({}),
})
const names = ['bash', 'deploy', 'mail', 'plan', 'weather']

function choose(over: Partial<ToolsToChoose> = {}) {
  const choices = chooseTools({
    tools: names.map((name) => tool(name)),
    ...{ message: 'go on', used: new Set(), waiting: new Set(), boostOf: () => 0, filter },
    ...over,
  })
  return Object.fromEntries(choices.map(({ tool: name, isShown, why }) => [name, [isShown, why]]))
}

const alike = (likeness: Readonly<Record<string, number>>) => new Map(Object.entries(likeness))

describe('the choice of tools', () => {
  test('SCH-02 up to the limit all are shown, with embeddings and without', () => {
    const tools = names.slice(0, 3).map((name) => tool(name))
    const all = { bash: [true, 'few'], deploy: [true, 'few'], mail: [true, 'few'] }
    expect(choose({ tools })).toEqual(all)
    expect(choose({ tools, similarities: alike({}) })).toEqual(all)
  })

  test('SCH-02 without embeddings the core is shown, and what needs no comparison; words alone show nothing', () => {
    const tools = [...names.map((name) => tool(name)), tool('short', 'Helps.'), tool('mail_send')]
    const message = 'ask the weather about mail, and Mail_Send it'
    expect(choose({ tools, message, used: new Set(['plan']) })).toEqual({
      bash: [true, 'always on'],
      mail_send: [true, 'named'],
      mail: [true, 'named'],
      weather: [true, 'named'],
      plan: [true, 'used'],
      short: [true, 'short description'],
      deploy: [false, 'not compared'],
    })
    expect(choose({ message: 'does what is said' })['plan']).toEqual([false, 'not compared'])
  })

  test('SCH-02 the nearest above the threshold are shown, at most top_k, each other one with its reason', () => {
    const similarities = alike({ deploy: 0.9, mail: 0.31, plan: 0.5, weather: 0.29 })
    expect(choose({ similarities })).toEqual({
      bash: [true, 'always on'],
      deploy: [true, 'similar'],
      plan: [true, 'similar'],
      mail: [false, 'outranked'],
      weather: [false, 'dissimilar'],
    })
  })

  test('SCH-02 words count beside embeddings, half as much', () => {
    const tools = names.map((name) => tool(name, `Does the ${name} for everybody here.`))
    const similarities = alike({ deploy: 0.1, mail: 0.1, plan: 0.1, weather: 0.1 })
    expect(choose({ tools, similarities })['weather']).toEqual([false, 'dissimilar'])
    // Not its name as it stands, but its words.
    const message = 'the weathers!'
    expect(choose({ tools, similarities, message })['weather']).toEqual([true, 'similar'])
  })

  test('SCH-03 a satisfied preference lifts a tool over the threshold', () => {
    const similarities = alike({ deploy: 0.2 })
    expect(choose({ similarities })['deploy']).toEqual([false, 'dissimilar'])
    const boostOf = (name: string) => (name === 'deploy' ? 0.15 : 0)
    expect(choose({ similarities, boostOf })['deploy']).toEqual([true, 'similar'])
  })

  test('SCH-03 a tool that waits for others takes no place from the rest, and has its own when they are done', () => {
    const similarities = alike({ deploy: 0.9, mail: 0.6, plan: 0.5 })
    const found = choose({ similarities, waiting: new Set(['deploy']) })
    expect(found).toMatchObject({
      deploy: [true, 'similar'],
      mail: [true, 'similar'],
      plan: [true, 'similar'],
    })
  })

  test('SCH-02 the same facts give the same choice, in whatever order the tools come', () => {
    const likeness = fc.double({ min: 0, max: 1, noNaN: true })
    const given = fc.array(fc.tuple(fc.stringMatching(/^[a-z]{1,8}$/), likeness), { maxLength: 12 })
    fc.assert(
      fc.property(given, fc.string(), (some, message) => {
        const similarities = new Map(some)
        const tools = [...similarities.keys()].map((name) => tool(name))
        const one = choose({ tools, similarities, message })
        expect(choose({ tools: tools.toReversed(), similarities, message })).toEqual(one)
        expect(Object.keys(one).sort()).toEqual([...similarities.keys()].sort())
        const near = Object.values(one).filter(([isShown, why]) => isShown && why === 'similar')
        expect(near.length).toBeLessThanOrEqual(filter.topK)
      }),
    )
  })
})

describe('likeness', () => {
  test('SCH-02 is from 0 to 1, and 0 for what cannot be compared', () => {
    expect(cosine([1, 0], [2, 0])).toBe(1)
    expect(cosine([1, 0], [0, 3])).toBe(0)
    expect(cosine([1, 1], [1, 0])).toBeCloseTo(Math.SQRT1_2)
    expect(cosine([1, 0], [-1, 0])).toBe(0)
    expect(cosine([0, 0], [1, 0])).toBe(0)
    expect(cosine([], [])).toBe(0)
    expect(cosine([1e200, 1e200], [1e200, 1e200])).toBe(0)
  })
})
