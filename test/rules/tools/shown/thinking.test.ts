import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { toolJsonSchema } from '../../../../src/rules/tools/json-schema.ts'
import { parseArguments } from '../../../../src/rules/tools/parse-arguments.ts'
import { readTool } from '../../../../src/rules/tools/read.ts'
import { builtinTools } from '../../../../src/rules/tools/registry.ts'
import {
  shownSchema,
  thinksFirst,
  withoutThinking,
} from '../../../../src/rules/tools/shown/shown-schema.ts'
import { complexityOf, shapeOf } from '../../../../src/rules/tools/shown/tool-choice.ts'
import type { ToolSpec } from '../../../../src/rules/tools/tool-spec.ts'
import { configOf, loadToml } from '../../../config/support.ts'

const text = z.string()
const tool = (shape: z.ZodRawShape): ToolSpec => ({ ...readTool, schema: z.strictObject(shape) })
const complexity = (shape: z.ZodRawShape) => complexityOf(toolJsonSchema(tool(shape)))
const three = { a: text, b: text, c: text }
const five = { ...three, d: text, e: text }

describe('how complex a tool is', () => {
  test('SCH-01 counts what must be given, how deep it goes, and the largest choice', () => {
    const schema = toolJsonSchema(
      tool({
        a: text,
        b: z.array(z.strictObject({ c: z.enum(['x', 'y', 'z']), d: text.optional() })),
        e: z.union([z.literal('p'), z.literal('q')]).optional(),
      }),
    )
    expect(shapeOf(schema)).toEqual({ required: 3, levels: 3, options: 3 })
    expect(shapeOf(toolJsonSchema(tool({})))).toEqual({ required: 0, levels: 1, options: 0 })
  })

  test('SCH-01 follows its formula', () => {
    expect(complexity({})).toBe(0)
    expect(complexity(three)).toBeCloseTo(3 / 4)
    expect(complexity(five)).toBe(1)
    const choice = z.enum(Array.from({ length: 8 }, (_, at) => `v${at}`)).optional()
    expect(complexity({ choice })).toBeCloseTo(8 / 12)
    const list = z.array(z.strictObject({ a: text.optional() }))
    expect(complexity({ a: text, list })).toBeCloseTo(1 - (1 - 2 / 4) * (1 - 2 / 3))
  })

  test('SCH-01 at the default threshold the built-in tools with many required fields think first, and plain ones do not', () => {
    const config = configOf(loadToml('')).tools.tafc
    const chosen = builtinTools.filter((spec) => thinksFirst(spec, config.complexityThreshold))
    expect(chosen.map(({ name }) => name)).toEqual(['edit'])
  })

  test.each([
    ['three required fields', three, true],
    ['two', { a: text, b: text }, false],
    [
      'two and a choice of three',
      { a: text, b: text, c: z.enum(['x', 'y', 'z']).optional() },
      true,
    ],
    ['a list of objects', { a: z.array(z.strictObject({ b: text.optional() })).optional() }, true],
    ['one object', { a: z.strictObject({ b: text.optional() }).optional() }, false],
  ] as const)('SCH-01 whether a tool with %s thinks first by default', (_, shape, thinks) => {
    expect(complexity(shape) >= 0.6).toBe(thinks)
  })

  test('SCH-01 is from 0 to 1 for whatever an MCP server calls a schema', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), (schema) => {
        const found = complexityOf(schema)
        expect(found >= 0 && found <= 1).toBe(true)
      }),
    )
    const endless: Record<string, unknown> = { type: 'object' }
    endless['properties'] = { again: endless }
    expect(complexityOf(endless)).toBe(1)
  })
})

describe('thinking first', () => {
  test('SCH-01 a tool that reaches the threshold has an optional string `thinking` first; others and the switched-off are as they were', () => {
    const spec = tool(three)
    const schema = shownSchema(spec, 0.6)
    expect(Object.keys(Object(schema['properties']))).toEqual(['thinking', ...Object.keys(three)])
    expect(schema).toMatchObject({ properties: { thinking: { type: 'string' } } })
    expect(schema['required']).toEqual(Object.keys(three))
    expect(shownSchema(spec, 0.6)).toBe(schema)
    expect(shownSchema(spec, 0.8)).toBe(toolJsonSchema(spec))
    expect(shownSchema(spec, undefined)).toBe(toolJsonSchema(spec))
    expect(thinksFirst(tool({ a: text }), 0)).toBe(true)
  })

  test('SCH-01 a tool with a field of that name keeps it', () => {
    const own = tool({ ...five, thinking: text })
    expect(thinksFirst(own, 0)).toBe(false)
    expect(shownSchema(own, 0)).toBe(toolJsonSchema(own))
  })

  test('SCH-01 what was thought is cut out, and the rest stays as it was written', () => {
    expect(withoutThinking('{"thinking": "first {a}, then \\"b\\"", "path": "x", "n": 1.0}')).toBe(
      '{"path": "x","n": 1.0}',
    )
    expect(withoutThinking('{"a":[{"thinking":1}], "thinking": {"b": ["]}"]}}')).toBe(
      '{"a":[{"thinking":1}]}',
    )
    expect(withoutThinking('{"\\u0074hinking":null,"big":12345678901234567890,"thinking":2}')).toBe(
      '{"big":12345678901234567890}',
    )
    expect(withoutThinking(' { "thinking" : "x" } ')).toBe('{}')
  })

  test.each(['', '{"thinking": "x"', '["thinking"]', '"thinking"', '{"path":"x"}', 'null'])(
    'SCH-01 %j stays as it is',
    (written) => {
      expect(withoutThinking(written)).toBe(written)
    },
  )

  test('SCH-01 arguments without what was thought are those that were given without it, wherever it stood', () => {
    const json = fc.jsonValue({ maxDepth: 4 })
    const field = fc.string().filter((name) => name !== 'thinking' && name !== '__proto__')
    const members = fc.uniqueArray(fc.tuple(field, json), { selector: ([name]) => name })
    fc.assert(
      fc.property(members, json, fc.nat(), (given, thought, at) => {
        const written = given.map(
          ([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`,
        )
        const thinking = `"thinking":${JSON.stringify(thought)}`
        const place = at % (written.length + 1)
        const all = written.toSpliced(place, 0, thinking)
        expect(withoutThinking(`{${all.join(',')}}`)).toBe(`{${written.join(',')}}`)
      }),
    )
  })

  test('SCH-01 whatever text comes is answered, and what was JSON stays JSON', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (written) => {
        const kept = withoutThinking(written)
        if (kept !== written) expect(JSON.parse(kept)).not.toHaveProperty('thinking')
      }),
    )
  })

  test('SCH-01 what is left fits the tool as if nothing had been thought', () => {
    const spec = tool(five)
    const given = { a: '1', b: '2', c: '3', d: '4', e: '5' }
    const plain = parseArguments(spec, JSON.stringify(given))
    const thought = withoutThinking(JSON.stringify({ thinking: 'hm', ...given }))
    expect(parseArguments(spec, thought)).toEqual(plain)
  })
})
