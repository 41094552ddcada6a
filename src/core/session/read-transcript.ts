import { findCallResults, findTranscript } from '../../db/messages.ts'
import type { Db } from '../../db/schema.ts'
import type { TranscriptMessage } from '../../domain/message.ts'

type StoredMessage = Awaited<ReturnType<typeof findTranscript>>[number]
type CallResult = Awaited<ReturnType<typeof findCallResults>>[number]

/** The session as a model reads it: every tool call is followed by its result, in the order of the calls (LOOP-06). */
export async function readTranscript(db: Db, sessionId: string): Promise<TranscriptMessage[]> {
  const messages = await findTranscript(db, sessionId)
  const results = Map.groupBy(await findCallResults(db, sessionId), (call) => call.message_id)
  return messages.flatMap((message) => [
    toTranscript(message),
    ...(results.get(message.id) ?? []).map(toResult),
  ])
}

/** The body of an assistant's message as it was stored by us; its parts were checked when it came from the model. */
function toTranscript(message: StoredMessage): TranscriptMessage {
  if (message.role === 'user') {
    return { role: 'user', author: message.author_name ?? message.author, text: message.body }
  }
  return JSON.parse(message.body)
}

function toResult(call: CallResult): TranscriptMessage {
  return {
    role: 'tool',
    callId: call.model_call_id,
    tool: call.tool,
    text: `${changeOf(call)}${call.compacted ?? call.summary ?? call.result ?? '[no result: the turn was stopped before this call ended]'}`,
    isError: call.is_error ?? true,
  }
}

/** APPR-14: the model is told that what it asked for was changed, and what became of it. */
function changeOf(call: CallResult): string {
  if (call.edited_by === null) return ''
  return `[A person changed this call before approving it. Its arguments were: ${call.arguments}]\n`
}
