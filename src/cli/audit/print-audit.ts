import type { CommandInput } from '../../app/with-database.ts'
import { interruption } from '../interruption.ts'
import { oneLineJson, plainText, print } from '../print.ts'
import { createAuditTable, fieldText, joinEntry } from './audit-table.ts'
import type { AuditEntry, AuditLine } from './find-audited.ts'
import { type AuditBatch, listAudit } from './list-audit.ts'

const columns = [
  'at',
  'caller_id',
  'tool',
  'verdict',
  'result',
  'exit_code',
  'duration_ms',
  'decided_by',
  'approval_state',
  'error_category',
  'truncated',
  'cached',
  'worker',
  'sandbox',
  'attempt',
  'tries',
  'policy_match',
  'session_id',
  'turn_id',
  'call_id',
  'approval_id',
  'kind',
  'arguments',
  'note',
]

/** Header line. */
export const csvHeader = columns.join(',')

/** Options of the command line. */
export interface AuditOptions {
  readonly caller?: string
  readonly tool?: string
  readonly verdict?: string
  readonly session?: string
  readonly since?: Date
  readonly limit?: number
  readonly json?: true
  readonly csv?: true
  readonly follow?: true
}

/** Default number of calls in the table. */
const fewCalls = 100

/** AUD-04: prints the audit in the requested format. JSON and CSV include everything unless a limit is given. */
export async function printAudit(input: CommandInput, options: AuditOptions): Promise<void> {
  const { json, csv, follow, limit: most, ...filter } = options
  const isExport = (json === true || csv === true) && follow === undefined
  const limit = most ?? (isExport ? undefined : fewCalls)
  const format = createFormat(json === true, csv === true)
  const signal = interruption()
  const how = {
    ...(limit !== undefined && { limit }),
    ...(follow !== undefined && { follow: signal }),
  }
  for await (const batch of listAudit({ ...input, filter, ...how })) {
    if (follow === undefined) signal.throwIfAborted()
    const lines = format(batch)
    if (lines.length > 0) await print(`${lines.join('\n')}\n`)
  }
  if (follow === undefined) signal.throwIfAborted()
}

type Format = (batch: AuditBatch) => readonly string[]

function createFormat(json: boolean, csv: boolean): Format {
  if (json) return ({ lines }) => lines.map(jsonLine)
  if (csv) {
    let header = [csvHeader]
    return ({ entries }) => {
      const lines = [...header, ...entries.map(csvLine)]
      header = []
      return lines
    }
  }
  return createAuditTable()
}

/** Formats a stored row as one line of JSON, without null fields. */
export function jsonLine({ id, fields, row }: AuditLine): string {
  const known = Object.entries(fields).filter(([, value]) => value !== null)
  const shown =
    known.length > 0 ? Object.fromEntries(known) : { id, chain: row.chain, unreadable: row.body }
  return oneLineJson(shown)
}

/** Formats a call as one line of CSV (RFC 4180), without the line end. */
export function csvLine(entry: AuditEntry): string {
  const joined = joinEntry(entry)
  return columns.map((name) => cell(fieldText(joined, name))).join(',')
}

function cell(text: string): string {
  const plain = harmless(plainText(text))
  return /[",]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}

/** Quotes text that a spreadsheet would execute as a formula; negative numbers stay. */
function harmless(text: string): string {
  return /^[=+@-]/.test(text) && !/^-?\d+$/.test(text) ? `'${text}` : text
}
