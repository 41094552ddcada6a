import { relative } from 'node:path'
import type { ExecutorOutcome } from '../../../domain/tool/executor-protocol.ts'
import type { ToolErrorCategory } from '../../../domain/tool/tool-error.ts'
import { flagArgument, textArgument } from '../../arguments.ts'
import type { Call } from '../../call.ts'
import { fail } from '../../refusal.ts'
import { showName } from '../../show-text.ts'
import { assertNoRedaction } from '../assert-no-redaction.ts'
import { readCurrent } from '../current-text.ts'
import { assertAccess } from '../file-access.ts'
import { locate } from '../locate.ts'
import { replaceFile } from '../replace-file.ts'
import { leftBehind } from '../tally.ts'
import { unifiedDiff } from '../unified-diff.ts'

/** Implements the tool `edit` (FILE-06). */
export async function editFile(call: Call): Promise<ExecutorOutcome> {
  const { request } = call
  const from = textArgument(request, 'old_string')
  const to = textArgument(request, 'new_string')
  const replaceAll = flagArgument(request, 'replace_all') ?? false
  assertNoRedaction(from, to)
  const place = await locate(call, 'path', 'write')
  // The diff shows content of the file.
  assertAccess(place.access, place.canonical, 'read', place.given)
  const current = await readCurrent(place, request.baseSha256)
  const shown = showName(place.given)
  if (current.expected === undefined)
    fail('permanent_failure', `${shown}: no such file or directory`)
  if (current.text === undefined) {
    fail('permanent_failure', `${shown} is binary, not UTF-8, or larger than 10 MiB`)
  }
  const edited = replaceText(current.text, from, to, replaceAll)
  if (edited.kind === 'refused') fail(edited.category, `${shown}: ${edited.why}`)
  const path = showName(relative(place.access.workspace, place.canonical))
  const diff = unifiedDiff(path, current.text, edited.text)
  if (request.preview === true) return { kind: 'preview', diff, baseSha256: current.sha256 }
  await replaceFile(place, Buffer.from(edited.text), current.expected)
  const count = `${edited.count} ${edited.count === 1 ? 'replacement' : 'replacements'}`
  const note = leftBehind(current.expected.links)
  return { kind: 'ok', output: `Edited ${shown} (${count})${note}\n${diff}` }
}

type Replaced =
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
