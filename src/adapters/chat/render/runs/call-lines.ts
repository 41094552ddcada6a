import type { Card } from '../../../../domain/approval.ts'
import { type CardRoom, putBlock, putLine } from './card-room.ts'
import { codeBlock } from './code-block.ts'
import { code, type Run, run } from './run.ts'

/** Title of a call that changes a file, followed by the diff. */
const diff = /^([^\n]+)\n\n((?:--- |@@ )[\s\S]*)$/

/**
 * The call itself, as a block of code, so that its text cannot pass for a line of the card (APPR-02, THREAT-23). It is not
 * folded while the approval is pending.
 */
export function callLines(
  { language = '', what, file, status }: Card,
  room: CardRoom,
): (readonly Run[])[] {
  const warning =
    status.kind === 'waiting'
      ? `: ${file === undefined ? 'do not approve this' : 'the file has all of it'}`
      : ''
  const how = { folds: status.kind !== 'waiting' }
  const [, title, change] = diff.exec(what) ?? []
  if (title !== undefined && change !== undefined) {
    return [
      [run(putLine(title, Math.min(room.what, room.line)), code)],
      [codeBlock(putBlock(change, room.what, warning), 'diff', how)],
    ]
  }
  const whole = putBlock(what, room.what, warning)
  const shown = whole.trim() === '' ? '⟨empty⟩' : whole
  return [[codeBlock(shown, language, how)]]
}
