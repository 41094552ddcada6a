import { expect, test } from 'vitest'
import { ToolCatalogue } from '../../../../src/core/mcp/tool-catalogue.ts'
import type { TurnContext } from '../../../../src/core/turn/turn-context.ts'
import type { SchemaFilter, ToolView } from '../../../../src/domain/tool/tool-view.ts'
import type { Embedder } from '../../../../src/ports/embedder.ts'
import { ModelError } from '../../../../src/ports/model.ts'
import { builtinTools, findTool } from '../../../../src/rules/tools/registry.ts'
import type { ToolSpec } from '../../../../src/rules/tools/tool-spec.ts'
import { type BenchContext, createBenchContext, ok } from '../../../support/bench-context.ts'
import {
  call,
  createScriptedModel,
  type ScriptedModel,
  say,
} from '../../../support/scripted-model.ts'

const alwaysOn = ['bash', 'read', 'read_overflow']
const filter: SchemaFilter = {
  ...{ aboveTools: 40, topK: 2, threshold: 0.3 },
  ...{ alwaysOn, minDescriptionWords: 5 },
}
const core = [...alwaysOn, 'tool_search'].sort()

function foreign(name: string, description: string): ToolSpec {
  const base = findTool('list_directory')
  if (base === undefined) throw new Error('no such tool')
  return { ...base, name, description }
}

const things = [
  'invoice',
  'ticket',
  'calendar',
  'weather',
  'contact',
  'photo',
  'song',
  'map',
  'route',
]
const verbs = ['create', 'search', 'delete']
const many = things.flatMap((thing) =>
  verbs.map((verb) => foreign(`${thing}_${verb}`, `Can ${verb} every ${thing} of the company.`)),
)
const tools = [...builtinTools, ...many]

const withTools = (known: readonly ToolSpec[]) => ({
  tools: known,
  catalogue: new ToolCatalogue(known),
})

/** Each thing is a direction of its own, and so is all that is no description of a tool. */
const directions: Embedder = {
  name: 'directions',
  embed: async (texts) =>
    texts.map((text) => [
      ...things.map((thing) => (text.toLowerCase().includes(thing) ? 1 : 0)),
      text.includes('company') ? 0 : 1,
    ]),
}

interface Place extends AsyncDisposable {
  readonly bench: BenchContext
  readonly ctx: TurnContext
  readonly logged: { level: string; fields: Readonly<Record<string, unknown>> }[]
  shown(request?: number): readonly string[] | undefined
}

async function place(
  model: ScriptedModel,
  over: Partial<TurnContext> = {},
  view: ToolView = { filter },
): Promise<Place> {
  const bench = await createBenchContext(model, { toolView: view })
  bench.rules.text = '{ "*": "allow" }'
  const logged: Place['logged'] = []
  const note = (level: string) => (fields: Readonly<Record<string, unknown>>) =>
    void logged.push({ level, fields })
  const log = { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') }
  return {
    bench,
    ctx: { ...bench.ctx, ...withTools(over.tools ?? tools), log, ...over },
    logged,
    shown: (request = -1) => model.requests.at(request)?.tools.map(({ name }) => name),
    [Symbol.asyncDispose]: () => bench[Symbol.asyncDispose](),
  }
}

async function ask({ bench, ctx }: Place, text: string): Promise<void> {
  await bench.say(text)
  await bench.step(ctx)
}

test('SCH-02 up to 40 tools all are shown, and nothing that finds more', async () => {
  const few = tools.slice(0, 41)
  await using here = await place(createScriptedModel([say('done')]), { tools: few })
  await ask(here, 'hello')
  // 40 and tool_search, which there is no use for.
  const names = few.map(({ name }) => name).filter((name) => name !== 'tool_search')
  expect(here.shown()).toEqual(names.sort())
})

test('SCH-02 above, without embeddings, the core and tool_search are shown, with a reason for each other one', async () => {
  await using here = await place(createScriptedModel([say('done')]))
  await ask(here, 'what about the weather? use contact_search')
  expect(here.shown()).toEqual([...core, 'contact_search'].sort())
  const [chosen] = here.logged.filter(({ fields }) => 'reasons' in fields)
  expect(chosen).toMatchObject({ level: 'debug', fields: { shown: 4 } })
  const { hidden, reasons } = Object(chosen?.fields)
  expect(Object.keys(reasons)).toHaveLength(hidden)
  expect(reasons).toMatchObject({ weather_search: 'not compared' })
})

test('SCH-02 with embeddings the nearest to the message are shown besides', async () => {
  await using here = await place(createScriptedModel([say('done')]), { embedder: directions })
  await ask(here, 'Will the weather hold? Search.')
  expect(here.shown()).toEqual([...core, 'weather_create', 'weather_search'].sort())
  const [chosen] = here.logged.filter(({ fields }) => 'reasons' in fields)
  expect(Object(chosen?.fields).reasons).toMatchObject({
    weather_delete: expect.stringMatching(/^outranked \(0\.\d\d\)$/),
    song_search: expect.stringMatching(/^dissimilar \(0\.\d\d\)$/),
  })
})

test('SCH-02 embeddings that fail are told, and what is then left out can be searched for', async () => {
  const embed = async () => {
    throw new Error('the provider answered 503')
  }
  await using here = await place(createScriptedModel([say('done')]), {
    embedder: { name: 'broken', embed },
  })
  await ask(here, 'Will the weather hold?')
  expect(here.shown()).toEqual(core)
  expect(here.logged).toContainEqual({
    level: 'warn',
    fields: { model: 'broken', error: 'the provider answered 503' },
  })
})

test('SCH-02 MODEL-01 the choice stands for the turn, also for another process and when the provider would answer otherwise', async () => {
  const script = [call('weather_search', { path: '.' }), say('done'), say('done')]
  let asked = 0
  const fickle: Embedder = {
    name: 'fickle',
    embed: (texts, signal) => {
      asked++
      return directions.embed(asked === 1 ? texts : texts.toReversed(), signal)
    },
  }
  await using here = await place(createScriptedModel(script), { embedder: fickle })
  await ask(here, 'Search for the weather')
  const first = here.shown()
  for (const one of await here.bench.calls()) await here.bench.result(one, ok)
  // Another process, whose provider has none.
  await here.bench.step({
    ...here.ctx,
    ...here.bench.another(),
    embedder: undefined as never,
    ...withTools(tools),
  })
  expect(here.shown()).toEqual(first)
  expect(asked).toBe(1)
})

test('SCH-02 an agent that ends while it waits for embeddings leaves the choice to the next one', async () => {
  const model = createScriptedModel([say('done')])
  const ending: Embedder = {
    name: 'ending',
    embed: async () => {
      for (const call of here.ctx.runningModelCalls.values()) call.abort(new Error('agent stopped'))
      throw new Error('aborted')
    },
  }
  await using here = await place(model, { embedder: ending })
  await ask(here, 'Will the weather hold? Search.')
  expect(model.requests).toEqual([])
  expect(here.bench.due).toHaveLength(2)
  await here.bench.step({
    ...here.ctx,
    ...here.bench.another(),
    embedder: directions,
    ...withTools(tools),
  })
  expect(here.shown()).toEqual([...core, 'weather_create', 'weather_search'].sort())
})

test('SCH-02 what a session has used stays shown in its later turns', async () => {
  const script = [call('song_search', { path: '.' }), say('done'), say('done')]
  await using here = await place(createScriptedModel(script))
  await ask(here, 'take song_search')
  for (const one of await here.bench.calls()) await here.bench.result(one, ok)
  await here.bench.step(here.ctx)
  await ask(here, 'once more')
  expect(here.shown()).toEqual([...core, 'song_search'].sort())
})

test('SCH-02 tool_search finds by words or by name, tells the others’ names, and what it found is shown from the next step on', async () => {
  const script = [
    call('tool_search', { query: 'delete a ticket' }),
    call('tool_search', { query: 'song_create' }),
    call('ticket_delete', { path: '.' }),
    say('done'),
  ]
  await using here = await place(createScriptedModel(script))
  await ask(here, 'clean up')
  const [first, second, third] = await here.bench.calls()
  expect(first).toMatchObject({ tool: 'tool_search', state: 'succeeded' })
  const [head, best] = first?.result?.split('\n') ?? []
  expect(head).toBe('[in the catalogue from the next step on]')
  expect(best).toBe('ticket_delete: Can delete every ticket of the company.')
  expect(first?.result).toMatch(/\[others, to be searched for by name\]\n.*song_create/)
  expect(here.shown(0)).toEqual(core)
  expect(here.shown(1)).toContain('ticket_delete')
  expect(here.shown(1)).not.toContain('song_create')
  expect(second?.result).toMatch(/^\[in the catalogue[^\n]*\nsong_create: /)
  expect(here.shown(2)).toEqual(expect.arrayContaining(['ticket_delete', 'song_create']))
  expect(third).toMatchObject({ tool: 'ticket_delete', state: 'queued' })
})

test('SCH-02 SCH-03 tool_search finds nothing that a rule or a requirement keeps back', async () => {
  const script = [call('tool_search', { query: 'weather' }), say('done')]
  const rules = { weather_search: { requires: ['read'], prefers: [] } }
  const dependencies = { boostPerDep: 0.15, maxTotalBoost: 0.2, rules }
  await using here = await place(createScriptedModel(script), {}, { filter, dependencies })
  here.bench.rules.text = '{ "*": "allow", "weather_delete": "deny" }'
  await ask(here, 'hello')
  const [found] = await here.bench.calls()
  expect(found?.result).toContain('weather_create:')
  expect(found?.result).not.toMatch(/weather_search|weather_delete/)
})

test('SCH-02 where rules keep tool_search from the model, nothing is left out that it could not find', async () => {
  await using here = await place(createScriptedModel([say('done')]))
  here.bench.rules.text = '{ "*": "allow", "tool_search": "deny" }'
  await ask(here, 'hello')
  expect(here.shown()).toHaveLength(tools.length - 1)
})

test('SCH-02 tools that rules hide do not count', async () => {
  await using here = await place(createScriptedModel([say('done')]))
  const denied = many.slice(0, 5).map(({ name }) => `"${name}": "deny"`)
  here.bench.rules.text = `{ "*": "allow", ${denied.join(', ')} }`
  await ask(here, 'hello')
  expect(here.shown()).toHaveLength(tools.length - 1 - denied.length)
})

test('SCH-02 a tool that was left out and is called all the same is judged like any other: leaving out saves tokens, and keeps nobody from anything', async () => {
  const script = [call('song_search', { path: '.' }), say('done')]
  await using here = await place(createScriptedModel(script))
  await ask(here, 'hello')
  expect(here.shown()).not.toContain('song_search')
  expect(await here.bench.calls()).toMatchObject([{ tool: 'song_search', state: 'queued' }])
})

test('SCH-02 MODEL-04 after /retry the tools fit the message that is tried again', async () => {
  const script = [new ModelError('refused', 'No.'), say('done')]
  await using here = await place(createScriptedModel(script))
  await ask(here, 'take song_search')
  await ask(here, '/retry')
  expect(here.shown(0)).toEqual([...core, 'song_search'].sort())
  expect(here.shown(1)).toEqual(here.shown(0))
})
