import { relative } from 'node:path'
import type { ExecutorOutcome } from '../../../domain/tool/executor-protocol.ts'
import { flagArgument, textArgument } from '../../arguments.ts'
import type { Call } from '../../call.ts'
import { fail } from '../../refusal.ts'
import { showName } from '../../show-text.ts'
import { assertNoRedaction } from '../assert-no-redaction.ts'
import { readCurrent } from '../current-text.ts'
import { assertAccess } from '../file-access.ts'
import { locate } from '../locate.ts'
import { leftBehind } from '../other-names.ts'
import { replaceFile } from '../replace-file.ts'
import { replaceText } from '../replace-text.ts'
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
