import type { Card } from '../../../../domain/approval.ts'
import { type CardRoom, putBlock, putLine } from './card-room.ts'
import { code, type Run, run } from './run.ts'

/** The title of a call that changes a file, then the diff of the change. */
const diff = /^([^\n]+)\n\n((?:--- |@@ )[\s\S]*)$/

/** APPR-02: what will happen, as a block of code, so that nothing in it can pose as a line of the card (THREAT-23). */
export function whatLines({ tool, what, file, status }: Card, room: CardRoom): (readonly Run[])[] {
  const warning =
    status.kind === 'waiting'
      ? `: ${file === undefined ? 'do not approve this' : 'the file has all of it'}`
      : ''
  const [, title, change] = diff.exec(what) ?? []
  if (title !== undefined && change !== undefined) {
    return [
      [run(putLine(title, Math.min(room.what, room.line)), code)],
      block(putBlock(change, room.what, warning), 'diff'),
    ]
  }
  return [block(putBlock(what, room.what, warning), tool === 'bash' ? 'bash' : '')]
}

function block(text: string, language: string): Run[] {
  return [run(text.trim() === '' ? '⟨empty⟩' : text, { pre: language })]
}
