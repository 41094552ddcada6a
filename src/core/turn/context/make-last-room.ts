import type { Db, TurnRow } from '../../../db/schema.ts'
import { leaveOut, shortenMessage } from '../../../db/turn/compaction.ts'
import { shortenedMessage } from '../../session/left-out-words.ts'
import type { TranscriptEntry } from '../../session/transcript-entry.ts'
import { bytesOfMessages } from './prompt-size.ts'

const longMessage = 1_500
/** Steps of the present turn that stay, so that the model knows what it is doing. */
const keptSteps = 3

/** LOOP-12: long messages of earlier turns keep their beginning alone, oldest first, until so many bytes are gone. Answers how many are. */
export async function shortenMessages(
  db: Db,
  turn: TurnRow,
  entries: readonly TranscriptEntry[],
  bytes: number,
): Promise<number> {
  let gone = 0
  for (const { id, turnId, isLeftOut, messages } of entries) {
    const [message] = messages
    if (gone >= bytes || isLeftOut || turnId === turn.id) continue
    if (message === undefined || message.role === 'tool' || message.text.length <= longMessage)
      continue
    const shorter = shortenedMessage(message.text, id)
    await shortenMessage(db, id, shorter)
    gone += Buffer.byteLength(message.text) - Buffer.byteLength(shorter)
  }
  return gone
}

/** LOOP-12: older steps with tools are left out with their results, oldest first, until so many bytes are gone. Answers how many are. */
export async function leaveOutSteps(
  db: Db,
  entries: readonly TranscriptEntry[],
  bytes: number,
): Promise<number> {
  const steps = entries.filter(({ messages: [message] }) => isStep(message))
  const older = steps.slice(0, -keptSteps).filter(({ isLeftOut }) => !isLeftOut)
  let gone = 0
  const left: string[] = []
  for (const { id, messages } of older) {
    if (gone >= bytes) break
    left.push(id)
    gone += bytesOfMessages(messages)
  }
  await leaveOut(db, left)
  return gone
}

function isStep(message: TranscriptEntry['messages'][number] | undefined): boolean {
  return message?.role === 'assistant' && message.calls.length > 0
}
