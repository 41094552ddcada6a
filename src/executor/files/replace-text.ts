import type { ToolErrorCategory } from '../../domain/tool/tool-error.ts'

export type Replaced =
  | { readonly kind: 'replaced'; readonly text: string; readonly count: number }
  | { readonly kind: 'refused'; readonly category: ToolErrorCategory; readonly why: string }

const maxLinesNamed = 20
/** Maximum length of an edited text in characters; a longer one could not be edited again. */
const maxCharacters = 20 * 1024 * 1024

/**
 * FILE-06: replaces `from` by `to`, once or everywhere with `replaceAll`. If all lines of the text end in CRLF, so do
 * those of both, since models write LF.
 */
export function replaceText(text: string, from: string, to: string, replaceAll: boolean): Replaced {
  if (from === '') return refuse('invalid_parameters', 'old_string must not be empty')
  if (from === to) return refuse('invalid_parameters', 'old_string and new_string are equal')
  const adapt = isCrlf(text) ? toCrlf : (part: string) => part
  const wanted = adapt(from)
  const replacement = adapt(to)
  if (wanted === replacement)
    return refuse('invalid_parameters', 'old_string and new_string are equal')
  const parts = text.split(wanted)
  const count = parts.length - 1
  if (count === 0)
    return refuse('permanent_failure', 'old_string was not found; the file is unchanged')
  if (count > 1 && !replaceAll) {
    return refuse(
      'permanent_failure',
      `old_string occurs ${count} times, on ${showLines(parts, wanted)}; give more of the text around it or set replace_all`,
    )
  }
  const characters = text.length + count * (replacement.length - wanted.length)
  if (characters > maxCharacters)
    return refuse('permanent_failure', `the text would grow to ${characters} characters, too many`)
  return { kind: 'replaced', text: parts.join(replacement), count }
}

function refuse(category: ToolErrorCategory, why: string): Replaced {
  return { kind: 'refused', category, why }
}

function isCrlf(text: string): boolean {
  return text.includes('\r\n') && !/(^|[^\r])\n/.test(text)
}

function toCrlf(text: string): string {
  return text.replace(/\r?\n/g, '\r\n')
}

/** Lists the lines on which the matches between `parts` begin. */
function showLines(parts: readonly string[], wanted: string): string {
  const inMatch = wanted.split('\n').length - 1
  const lines: number[] = []
  let line = 1
  for (const part of parts.slice(0, Math.min(parts.length - 1, maxLinesNamed))) {
    line += part.split('\n').length - 1
    lines.push(line)
    line += inMatch
  }
  const more = parts.length - 1 > maxLinesNamed ? ' and more' : ''
  return `lines ${lines.join(', ')}${more}`
}
