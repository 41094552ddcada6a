import { relative } from 'node:path'
import type { ExecutorOutcome } from '../../../domain/tool/executor-protocol.ts'
import { flagArgument, textArgument } from '../../arguments.ts'
import type { Call } from '../../call.ts'
import { fail } from '../../refusal.ts'
import { showName, toStorableText } from '../../show-text.ts'
import { assertNoRedaction } from '../assert-no-redaction.ts'
import { type Current, readCurrent } from '../current-text.ts'
import { assertAccess } from '../file-access.ts'
import { type LocatedPath, locate } from '../locate.ts'
import { replaceFile } from '../replace-file.ts'
import { leftBehind } from '../tally.ts'
import { unifiedDiff } from '../unified-diff.ts'

/** Implements the tool `write`: replaces the text of a file in one step; `append` adds to it. */
export async function writeFile(call: Call): Promise<ExecutorOutcome> {
  const { request } = call
  const added = textArgument(request, 'content')
  const appends = flagArgument(request, 'append') ?? false
  assertNoRedaction(added)
  const place = await locate(call, 'path', 'write')
  const current = await readCurrent(place, request.baseSha256)
  const content = appends ? `${presentText(place, current)}${added}` : added
  if (request.preview === true) {
    // A diff shows content of the file.
    if (current.expected !== undefined) {
      assertAccess(place.access, place.canonical, 'read', place.given)
    }
    const diff = describeChange(place, current, content)
    return { kind: 'preview', diff, baseSha256: current.sha256 }
  }
  const bytes = Buffer.from(toStorableSurrogates(content))
  await replaceFile(place, bytes, current.expected)
  const note = leftBehind(current.expected?.links ?? 0)
  const shown = showName(place.given)
  const did = appends
    ? `Added ${Buffer.byteLength(toStorableSurrogates(added))} bytes to ${shown}, which has ${bytes.length} now`
    : `Wrote ${bytes.length} bytes to ${shown}`
  return { kind: 'ok', output: `${did}${note}` }
}

function presentText({ given }: LocatedPath, { expected, text }: Current): string {
  if (expected === undefined) return ''
  if (text === undefined) {
    fail('permanent_failure', `${showName(given)} is binary, not UTF-8, or larger than 10 MiB`)
  }
  return text
}

/** Replaces lone surrogates, which UTF-8 cannot encode, and keeps NUL. */
function toStorableSurrogates(content: string): string {
  return content.split('\0').map(toStorableText).join('\0')
}

function describeChange(place: LocatedPath, current: Current, content: string): string {
  const path = showName(relative(place.access.workspace, place.canonical))
  if (current.expected === undefined) {
    return unifiedDiff(path, undefined, content)
  }
  if (current.text !== undefined) return unifiedDiff(path, current.text, content)
  const whole = unifiedDiff(path, undefined, content)
  return `The present file is binary, not UTF-8, or larger than 10 MiB, and is replaced as a whole.\n${whole}`
}
