import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createRedactor } from '../../../src/rules/output/create-redactor.ts'
import { forms } from './corpus/forms.ts'
import { lookAlikes } from './corpus/look-alikes.ts'
import { corpusSeed, hardFamily, secretCases } from './corpus/secret-cases.ts'
import { isFound, secretsTable } from './corpus/secrets-table.ts'
import { tokenSamples } from './corpus/token-samples.ts'

const redactor = createRedactor([])
const cases = secretCases(corpusSeed)
const tokens = tokenSamples(corpusSeed)
const marks = /\[redacted:[a-z0-9-]+\]/g

describe('the corpus', () => {
  test('OUT-08 covers credentials of more than 150 services and formats, and 200 look-alikes', () => {
    expect(new Set(cases.map(({ secret }) => secret)).size).toBeGreaterThanOrEqual(280)
    expect(cases.length).toBeGreaterThanOrEqual(300)
    expect(tokens.length).toBeGreaterThanOrEqual(150)
    expect(lookAlikes.length).toBeGreaterThanOrEqual(200)
    expect(forms.length).toBeGreaterThanOrEqual(12)
  })

  test('OUT-08 no secret is missed except those that are indistinguishable from other text', () => {
    const missed = cases.filter((one) => !isFound(redactor, one))
    expect(missed.filter(({ family }) => family !== hardFamily)).toEqual([])
  })

  test('OUT-08 no look-alike is redacted', () => {
    const alarmed = lookAlikes.filter(({ text }) => redactor.redact(text).text !== text)
    expect(alarmed.map(({ text }) => redactor.redact(text).text)).toEqual([])
  })

  test.each(forms)('OUT-08 only the value of a token is redacted: $name', ({ make }) => {
    for (const { value, service } of tokens) {
      const { text, found } = redactor.redact(make(value))
      expect(text.replace(marks, value), service).toBe(make(value))
      expect(found, service).toHaveLength(1)
    }
  })

  const lines = (mark: (line: string, number: number) => string) => (text: string) =>
    text
      .split('\n')
      .map((line, index) => mark(line, index + 1))
      .join('\n')

  test.each([
    ['numbered by read', lines((line, number) => `${String(number).padStart(6)}\t${line}`)],
    ['added in a diff', lines((line) => `+${line}`)],
    ['removed in a diff', lines((line) => `-${line}`)],
    ['escaped in JSON', (text: string) => JSON.stringify({ content: text })],
  ])('OUT-08 no secret is missed in lines %s', (_how, mark) => {
    const told = cases.filter(({ family }) => family !== hardFamily)
    const missed = told.filter((one) => !isFound(redactor, { ...one, text: mark(one.text) }))
    expect(missed).toEqual([])
  })

  test('OUT-08 the figures in docs/reference/secrets.md are correct', async () => {
    const docs = join(import.meta.dirname, '../../../docs/reference/secrets.md')
    expect(await readFile(docs, 'utf8')).toContain(secretsTable(redactor))
  })

  test('OUT-08 kinds are lower case with hyphens, as in redaction marks', () => {
    for (const one of cases) {
      for (const { kind } of redactor.redact(one.text).found) expect(kind).toMatch(/^[a-z0-9-]+$/)
    }
  })
})
