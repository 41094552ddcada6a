import { saveWorkerChoice } from '../../../db/turn/conversations.ts'
import { findLiveTurn } from '../../../db/turn/turns.ts'
import { findKnownReplicas, findLiveReplicas, findWorkerNames } from '../../../db/worker/workers.ts'
import { may } from '../../../domain/caller.ts'
import { type CommandTransaction, noteCommand, reply, replyAlone } from './command.ts'

const operatorsOnly =
  'Only an operator chooses the worker: each has files and rules of its own. /worker tells which there are.'
const underWay =
  'A turn is under way here: /stop it, or let it end, before another worker is chosen.'
/** Name that resets to the configured one. */
const backWord = 'default'

/** CHAT-03: shows this conversation's worker and the available ones; an operator may select one. */
export async function worker(
  tx: CommandTransaction,
  _text: string,
  words: readonly string[],
): Promise<void> {
  const { ctx, db, session, caller } = tx
  const [name, ...more] = words
  if (name === undefined) return reply(tx, await describe(tx))
  if (!may(caller, 'choose_worker')) return replyAlone(tx, operatorsOnly)
  const isBack = name === backWord && more.length === 0
  const chosen = isBack ? ctx.settings.worker : name
  const isKnown = isBack || (await findWorkerNames(db)).includes(name)
  if (!isKnown || more.length > 0) {
    return replyAlone(tx, `There is no such worker.\n${await describe(tx)}`)
  }
  if (chosen === session.worker) return reply(tx, `This is at worker ${chosen} already.`)
  if ((await findLiveTurn(db, session.id)) !== undefined) return replyAlone(tx, underWay)
  await choose(tx, chosen)
}

async function choose(tx: CommandTransaction, chosen: string): Promise<void> {
  const { ctx, db, conversation } = tx
  const isConfigured = chosen === ctx.settings.worker
  await saveWorkerChoice(db, conversation.id, isConfigured ? null : chosen)
  await noteCommand(tx, `/worker ${chosen}`)
  await reply(
    tx,
    `Tools run at worker ${chosen} from now on. Transcript, files, rules and grants are those of that worker; the others stay where they are.`,
  )
}

async function describe(tx: CommandTransaction): Promise<string> {
  const { db, session } = tx

  const names = (await findWorkerNames(db)).filter((name) => name !== session.worker)
  const others = await Promise.all(
    names.map(async (name) => `${name} (${await stateOf(db, name)})`),
  )
  const present = `Worker: ${session.worker} (${await stateOf(db, session.worker)})`
  if (others.length === 0) return `${present}. There is no other one.`
  return `${present}\nOthers: ${others.join(', ')}\n/worker and a name moves this conversation there, for operators.`
}

async function stateOf(db: CommandTransaction['db'], name: string): Promise<string> {
  const live = await findLiveReplicas(db, name)
  if (live.length === 0) return 'away'
  const [replica] = await findKnownReplicas(db, name)
  return `sandbox ${replica?.driver ?? 'unknown'}`
}
