import type { Redactor } from '../../rules/output/create-redactor.ts'
import { redactSpans } from '../../rules/output/redact-spans.ts'
import type { SecretSpan } from '../../rules/output/secret-shapes.ts'

export interface ScannedOutput {
  /** Redacted text. */
  readonly text: string
  /** One line for each secret with kind, line and column, then their number; empty if there are none. */
  readonly report: string
}

/** OUT-08: redacts a text and reports what was found where. Lines and columns count from 1, columns in UTF-16 code units. */
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
