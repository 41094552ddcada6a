import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { parseArguments } from '../../../src/rules/tools/parse-arguments.ts'

const spec = {
  name: 'sample',
  schema: z.strictObject({
    path: z.string().min(1),
    count: z.number().int().optional(),
    nested: z.strictObject({ flag: z.boolean() }).optional(),
  }),
}

function faultOf(text: string): string {
  const parsed = parseArguments(spec, text)
  if (parsed.kind === 'ok') throw new Error('expected an error')
  return `${parsed.error.category} ${parsed.error.message}`
}

test('REG-05 valid arguments are returned as they are', () => {
  const parsed = parseArguments(spec, '{"path":"a","count":2}')
  expect(parsed).toEqual({ kind: 'ok', args: { path: 'a', count: 2 } })
})

test('REG-05 malformed JSON is invalid_parameters', () => {
  expect(faultOf('{"path":')).toMatch(/^invalid_parameters .*not valid JSON/)
})

test('REG-05 missing and unknown fields are invalid_parameters with their paths', () => {
  expect(faultOf('{}')).toMatch(/^invalid_parameters path: required/)
  expect(faultOf('')).toMatch(/^invalid_parameters path: required/)
  expect(faultOf('{"path":"a","pth":1}')).toBe('invalid_parameters pth: unknown field')
  expect(faultOf('{"path":"a","nested":{"flag":true,"x":1}}')).toMatch(/nested\.x: unknown field/)
})

test('REG-05 a wrong type is type_mismatch with its path', () => {
  expect(faultOf('{"path":5}')).toBe('type_mismatch path: expected string, got number')
  expect(faultOf('{"path":"a","nested":{"flag":"yes"}}')).toMatch(/^type_mismatch nested\.flag/)
  expect(faultOf('{"path":null}')).toMatch(/^type_mismatch path: expected string, got null/)
  expect(faultOf('[]')).toMatch(/^type_mismatch/)
  expect(faultOf('"text"')).toMatch(/^type_mismatch/)
})

test('REG-05 every field at fault is named', () => {
  expect(faultOf('{"path":5,"count":"x"}')).toMatch(/path:.*count:/)
})

test('REG-05 a value out of range is invalid_parameters', () => {
  expect(faultOf('{"path":""}')).toMatch(/^invalid_parameters path:/)
})

test.each(['{"__proto__":{}}', '{"path":"a","nested":{"constructor":1}}', '{"prototype":1}'])(
  'REG-05 prototype keys are refused at any depth: %s',
  (text) => {
    expect(faultOf(text)).toMatch(/^invalid_parameters .*not accepted/)
  },
)

test('REG-05 the message never holds the value', () => {
  expect(faultOf('{"path":"a","count":"hunter2-secret"}')).not.toContain('hunter2')
})

test('REG-05 no text makes it throw, and a success fits the schema', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json({ maxDepth: 6 })), (text) => {
      const parsed = parseArguments(spec, text)
      if (parsed.kind === 'ok') spec.schema.parse(parsed.args)
      else expect(['invalid_parameters', 'type_mismatch']).toContain(parsed.error.category)
    }),
  )
})

test('REG-05 nesting as deep as a message can hold is answered', () => {
  const deep = `{"path":${'['.repeat(50_000)}${']'.repeat(50_000)}}`
  expect(faultOf(deep)).toMatch(/^(type_mismatch|invalid_parameters)/)
})
