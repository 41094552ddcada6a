import { saveWorkerChoice } from '../../../db/turn/conversations.ts'
import { findLiveTurn } from '../../../db/turn/turns.ts'
import { findKnownReplicas, findLiveReplicas, findWorkerNames } from '../../../db/worker/workers.ts'
import { may } from '../../../domain/caller.ts'
import { type CommandTransaction, noteCommand, reply, replyAlone } from './command.ts'

/** Name that resets to the configured one. */
const backWord = 'default'

/** CHAT-03: shows this conversation's worker and the available ones; an operator may select one. */
export async function worker(
  tx: CommandTransaction,
  _text: string,
  words: readonly string[],
): Promise<void> {
  const { ctx, db, session, caller } = tx
  const messages = ctx.messages.commands.worker
  const [name, ...more] = words
  if (name === undefined) return reply(tx, await describe(tx))
  if (!may(caller, 'choose_worker')) return replyAlone(tx, messages.operatorsOnly)
  const isBack = name === backWord && more.length === 0
  const chosen = isBack ? ctx.settings.worker : name
  const isKnown = isBack || (await findWorkerNames(db)).includes(name)
  if (!isKnown || more.length > 0) {
    return replyAlone(tx, `${messages.none}\n${await describe(tx)}`)
  }
  if (chosen === session.worker) return reply(tx, messages.already({ worker: chosen }))
  if ((await findLiveTurn(db, session.id)) !== undefined) return replyAlone(tx, messages.turnRuns)
  await choose(tx, chosen)
}

async function choose(tx: CommandTransaction, chosen: string): Promise<void> {
  const { ctx, db, conversation } = tx
  const isConfigured = chosen === ctx.settings.worker
  await saveWorkerChoice(db, conversation.id, isConfigured ? null : chosen)
  await noteCommand(tx, `/worker ${chosen}`)
  await reply(tx, ctx.messages.commands.worker.chosen({ worker: chosen }))
}

async function describe(tx: CommandTransaction): Promise<string> {
  const { ctx, db, session } = tx
  const messages = ctx.messages.commands.worker
  const names = (await findWorkerNames(db)).filter((name) => name !== session.worker)
  const others = await Promise.all(
    names.map(async (name) => `${name} (${await stateOf(tx, name)})`),
  )
  const { worker } = session
  const present = messages.present({ worker, state: await stateOf(tx, worker) })
  if (others.length === 0) return messages.only({ present })
  return `${present}\n${messages.others({ workers: others.join(', ') })}`
}

/** Whether a worker is there, and its sandbox. */
export async function stateOf({ ctx, db }: CommandTransaction, name: string): Promise<string> {
  const messages = ctx.messages.commands.worker
  if ((await findLiveReplicas(db, name)).length === 0) return messages.away
  const [replica] = await findKnownReplicas(db, name)
  return messages.sandbox({ driver: replica?.driver ?? messages.unknownDriver })
}
