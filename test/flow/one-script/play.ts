import { findConversation } from '../../../src/db/turn/conversations.ts'
import { until } from '../../support/flow.ts'
import type { Player } from './player.ts'
import { type Rows, rowsOf } from './rows-of.ts'
import type { Script, Step } from './script.ts'

/** Plays a script in a fresh session of the person's conversation; answers the rows that are there at its end. */
export async function play(player: Player, script: Script): Promise<Rows> {
  const { platform, scenes } = player
  for (const [opening, ...steps] of script.scenes) scenes.on(opening, ...steps)
  await act(player, () => player.say('/clear'))
  const begun = await markOf(player)
  player.lookAway()
  for (const [index, step] of script.steps.entries()) {
    try {
      await take(player, meant(step, begun.questions))
    } catch (cause) {
      const where = `${platform}, step ${index + 1}, ${JSON.stringify(step)}`
      throw new Error(`${where}: ${cause}\n${player.read()}`, { cause })
    }
  }
  return rowsOf(player, begun)
}

/** Questions are numbered in a conversation, whatever was cleared: `#1` is the first one of a script. */
function meant(step: Step, before: number): Step {
  const named = (text: string): string =>
    text.replaceAll(/#(\d+)/g, (_, number: string) => String(before + Number(number)))
  const known = JSON.parse(JSON.stringify(step), (key, value: unknown) => {
    if (key === 'number') return before + Number(value)
    return typeof value === 'string' ? named(value) : value
  })
  return known as Step
}

function take(player: Player, step: Step): Promise<unknown> {
  switch (step.kind) {
    case 'says':
      return act(player, () => player.say(step.text))
    case 'answers':
      return act(player, () => player.answer(step.number, step.answer))
    case 'answers_all':
      return act(player, () => player.answerAll(step.how))
    case 'sees':
      return untilIn(step.words, () => player.read())
    case 'sees_card':
      return untilIn(step.words, () => player.card(step.number))
    case 'sees_file':
      return untilIn(step.words, () => player.file(step.name))
  }
}

/** In this order, one behind the other; platforms begin lines in their own way. */
async function untilIn(words: readonly string[], text: () => string | undefined): Promise<void> {
  await until(`it reads ${words.join(' … ')}`, () => {
    const read = text()?.toLowerCase() ?? ''
    let at = 0
    return words.every((each) => {
      const found = read.indexOf(each.toLowerCase(), at)
      at = found + each.length
      return found !== -1
    })
  })
}

/** Does something, and waits until all of it was taken and nothing but questions is under way. */
async function act(player: Player, does: () => unknown): Promise<void> {
  const before = await countHandled(player)
  await does()
  await until('it was heard', async () => (await countHandled(player)) > before)
  const id = await conversationOf(player)
  if (id !== undefined) await player.flow.quietOf(id)
}

async function conversationOf({ flow, platform, place }: Player): Promise<string | undefined> {
  return (await findConversation(flow.db, platform, place))?.id
}

async function countHandled(player: Player): Promise<number> {
  const { count } = await player.flow.db
    .selectFrom('inbound_event')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('caller_id', '=', player.callerId)
    .where('handled_at', 'is not', null)
    .executeTakeFirstOrThrow()
  return count
}

/** Where a script began: what is newer is its own. */
export interface Mark {
  readonly conversationId: string
  readonly sessionId: string
  readonly outboxId: number
  /** How many questions were asked in the conversation before. */
  readonly questions: number
}

async function markOf(player: Player): Promise<Mark> {
  const { db } = player.flow
  const conversationId = (await conversationOf(player)) ?? ''
  const session = await db
    .selectFrom('session')
    .select('id')
    .where('conversation_id', '=', conversationId)
    .where('state', '=', 'open')
    .executeTakeFirstOrThrow()
  const { last } = await db
    .selectFrom('outbox')
    .select((eb) => eb.fn.max('id').as('last'))
    .where('conversation_id', '=', conversationId)
    .executeTakeFirstOrThrow()
  const { asked } = await db
    .selectFrom('approval')
    .select((eb) => eb.fn.max('number').as('asked'))
    .where('conversation_id', '=', conversationId)
    .executeTakeFirstOrThrow()
  const before = { outboxId: last, questions: asked ?? 0 }
  return { conversationId, sessionId: session.id, ...before }
}
