import { plainText } from '../plain-text.ts'
import type { AuditEntry } from './find-audited.ts'
import { fieldText, joinEntry } from './join-entry.ts'

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

/** The first line. */
export const csvHeader = columns.join(',')

/** A call as one line of RFC 4180, its line end left out. */
export function csvLine(entry: AuditEntry): string {
  const joined = joinEntry(entry)
  return columns.map((name) => cell(fieldText(joined, name))).join(',')
}

function cell(text: string): string {
  const plain = harmless(plainText(text))
  return /[",]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}

/** A spreadsheet would run a text that begins like a formula; numbers may be negative. */
function harmless(text: string): string {
  return /^[=+@-]/.test(text) && !/^-?\d+$/.test(text) ? `'${text}` : text
}
