import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRedactor } from '../../../src/rules/output/create-redactor.ts'

const { redact } = createRedactor([])
const mark = '[redacted:kubernetes-secret]'
const manifest = (data: string) => `apiVersion: v1\nkind: Secret\n${data}metadata:\n  name: a\n`

describe('a Kubernetes Secret', () => {
  test('OUT-08 is hidden in blocks, and the lines after them too', () => {
    const data = 'stringData:\n  conf: |\n    pin=hunter22x\n\n    b=2\n  b: zz9zz9\n'
    expect(redact(manifest(data)).text).toBe(
      manifest(`stringData:\n  conf: |\n    ${mark}\n  b: ${mark}\n`),
    )
  })

  test('OUT-08 is hidden in compact JSON, with any keys', () => {
    const json = (p1: string, p2: string) =>
      `{"apiVersion":"v1","data":{"p1":"${p1}","p2":"${p2}"},"kind":"Secret"}`
    expect(redact(json('aHVudGVyMjI=', 'c2VjcmV0MTIz')).text).toBe(json(mark, mark))
    expect(redact(JSON.stringify({ a: json('aHVudGVyMjI=', 'c2VjcmV0MTIz') })).text).toBe(
      JSON.stringify({ a: json(mark, mark) }),
    )
  })

  test('OUT-08 is hidden if apiVersion follows kind', () => {
    const yaml = (value: string) => `kind: Secret\napiVersion: v1\ndata:\n  p1: ${value}\n`
    expect(redact(yaml('aHVudGVyMjI=')).text).toBe(yaml(mark))
    const json = (value: string) => `{"kind":"Secret","apiVersion":"v1","data":{"p1":"${value}"}}`
    expect(redact(json('aHVudGVyMjI=')).text).toBe(json(mark))
  })

  test('OUT-08 does not extend to the next manifest', () => {
    const next = '---\napiVersion: v1\nkind: ConfigMap\ndata:\n  region: eu-west-1\n'
    expect(redact(`${manifest('data:\n  p: aHVudGVyMjI=\n')}${next}`).text).toBe(
      `${manifest(`data:\n  p: ${mark}\n`)}${next}`,
    )
    const map = '{"kind":"ConfigMap","apiVersion":"v1","data":{"region":"eu-west-1"}}'
    expect(redact(map).text).toBe(map)
  })

  test('OUT-08 no line of a value is shown, in any notation', () => {
    const line = fc.string({ unit: fc.constantFrom(...'abcXYZ019=:|>-" '), minLength: 6 })
    const value = fc.array(line, { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(value, fc.constantFrom('|', '>-', '|2'), (lines, sign) => {
        const block = lines.map((one) => `    q7${one.trim()}\n`).join('')
        const { text } = redact(manifest(`stringData:\n  conf: ${sign}\n${block}  z: zz9zz9\n`))
        expect(text).toBe(manifest(`stringData:\n  conf: ${sign}\n    ${mark}\n  z: ${mark}\n`))
      }),
    )
  })
})
