import type { Redactor } from '../../rules/output/create-redactor.ts'
import { redactSpans } from '../../rules/output/redact-spans.ts'
import type { SecretSpan } from '../../rules/output/secret-shapes.ts'

export interface ScannedOutput {
  /** Redacted. */
  readonly text: string
  /** A line for each secret: kind, line and column; then their number. Empty where there are none. */
  readonly report: string
}

/** OUT-08: what would be shown of a text, and what was found where; both count from 1, columns in UTF-16 units. */
export function scanOutput(text: string, redactor: Redactor): ScannedOutput {
  const spans = redactor.find(text)
  const { text: clean, found } = redactSpans(text, spans)
  const lines = found.map(({ kind, line }, index) => {
    return `${kind} line ${line} column ${columnOf(text, spans[index])}\n`
  })
  const total =
    lines.length === 1 ? '1 secret was redacted\n' : `${lines.length} secrets were redacted\n`
  return { text: clean, report: `${lines.join('')}${lines.length === 0 ? '' : total}` }
}

function columnOf(text: string, span: SecretSpan | undefined): number {
  const start = span?.start ?? 0
  return start - (start === 0 ? -1 : text.lastIndexOf('\n', start - 1))
}
