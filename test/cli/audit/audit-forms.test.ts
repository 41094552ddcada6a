import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createAuditTable, fieldText, joinEntry } from '../../../src/cli/audit/audit-table.ts'
import type { AuditEntry, AuditLine } from '../../../src/cli/audit/find-audited.ts'
import { csvHeader, csvLine, jsonLine } from '../../../src/cli/audit/print-audit.ts'
import { plainText } from '../../../src/cli/print.ts'
import { auditColumns } from '../../../src/core/audit/record.ts'
import type { AuditRow } from '../../../src/db/schema.ts'
import { anyCharacter } from '../../support/run/any-character.ts'

const at = new Date('2026-11-21T10:00:00.123Z')

function toLine(id: number, kind: string, fields: Record<string, unknown>): AuditLine {
  const body = JSON.stringify(fields)
  const row: AuditRow = {
    ...auditColumns({}),
    id,
    chain: 'c',
    seq: id,
    previous_hash: '',
    hash: '',
    at,
    kind,
    body,
  }
  return { id, at, kind, fields, row }
}

const anyFields = fc.dictionary(
  fc.constantFrom('tool', 'caller_id', 'arguments', 'note', 'result', 'exit_code', 'decided_by'),
  fc.jsonValue(),
)
const anyEntry: fc.Arbitrary<AuditEntry> = fc
  .tuple(anyFields, anyFields)
  .map(([one, two]) => ({ lines: [toLine(1, 'decided', one), toLine(2, 'settled', two)] }))

describe('plain text', () => {
  test('AUD-04 no text keeps a control character or a line end', () => {
    const anyText = fc.string({ unit: anyCharacter })
    fc.assert(
      fc.property(anyText, (text) => {
        expect(isPlain(plainText(text))).toBe(true)
      }),
    )
  })
})

describe('CSV', () => {
  test('AUD-04 any field is read back as plain text from its own column', () => {
    fc.assert(
      fc.property(anyEntry, (entry) => {
        const names = parseCsv(csvHeader)
        const cells = parseCsv(csvLine(entry))
        expect(cells).toHaveLength(names.length)
        const joined = joinEntry(entry)
        for (const [index, name] of names.entries()) {
          const cell = cells[index] ?? ''
          expect(isPlain(cell)).toBe(true)
          const expected = plainText(fieldText(joined, name))
          expect([expected, `'${expected}`]).toContain(cell)
          expect(cell).not.toMatch(/^[=+@]/)
        }
      }),
    )
  })
})

describe('JSON lines', () => {
  test('AUD-01 any row is read back unchanged, without its null fields', () => {
    fc.assert(
      fc.property(anyFields, (fields) => {
        const line = jsonLine(toLine(1, 'decided', { ...fields, kind: 'decided' }))
        expect(isPlain(line)).toBe(true)
        const known = Object.entries(fields).filter(([, value]) => value !== null)
        const expected = { ...Object.fromEntries(known), kind: 'decided' }
        expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify(expected)))
      }),
    )
  })

  test('AUD-04 a row whose text is not JSON is shown as unreadable', () => {
    const line = toLine(7, 'decided', {})
    const broken = { ...line, row: { ...line.row, body: '{\u0007half' } }
    expect(JSON.parse(jsonLine(broken))).toEqual({ id: 7, chain: 'c', unreadable: '{\u0007half' })
  })
})

describe('the table', () => {
  test('AUD-04 each call is one line under the headings, whatever its rows contain', () => {
    fc.assert(
      fc.property(fc.array(anyEntry, { minLength: 1, maxLength: 5 }), (entries) => {
        const lines = createAuditTable()({ lines: [], entries })
        expect(lines).toHaveLength(entries.length + 1)
        for (const line of lines) expect(isPlain(line)).toBe(true)
        for (const line of lines.slice(1)) expect(line).toMatch(/^2026-11-21T10:00:00Z/)
      }),
    )
  })

  test('AUD-04 long text is cut to fit the line', () => {
    const entry = { lines: [toLine(1, 'decided', { tool: 'x'.repeat(1000) })] }
    const [, line = ''] = createAuditTable()({ lines: [], entries: [entry] })
    expect(line).toMatch(/x{59}…$/)
  })

  test('AUD-04 later lines keep the columns and repeat no headings', () => {
    const table = createAuditTable()
    const entry = (tool: string) => ({ lines: [toLine(1, 'decided', { tool, verdict: 'allow' })] })
    const [, first = ''] = table({ lines: [], entries: [entry('list_directory')] })
    const [second = '', ...more] = table({ lines: [], entries: [entry('bash')] })
    expect(more).toEqual([])
    expect(second.indexOf('allow')).toBe(first.indexOf('allow'))
  })
})

function isPlain(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
  return !/[\0-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/.test(text)
}

/** Parses one line of RFC 4180. */
function parseCsv(line: string): readonly string[] {
  const cells = line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))(?=,|$)/g)
  return [...cells].map(([, quoted, bare]) => quoted?.replaceAll('""', '"') ?? bare ?? '')
}
