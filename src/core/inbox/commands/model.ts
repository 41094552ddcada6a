import { z } from 'zod'
import type { Db, SessionRow } from '../../../db/schema.ts'
import { saveModel } from '../../../db/turn/sessions.ts'
import { findLiveAgents, type ModelChoice } from '../../../db/worker/agents.ts'
import { may } from '../../../domain/caller.ts'
import type { Messages } from '../../../domain/messages/messages.ts'
import { type CommandTransaction, noteCommand, reply, replyAlone } from './command.ts'

const offered = z.array(z.strictObject({ name: z.string(), about: z.string() }))

/** Name that resets to the configured one. */
const backWord = 'default'

/** CHAT-03: shows the current and the available models; a name selects one for this session. */
export async function model(
  tx: CommandTransaction,
  _text: string,
  words: readonly string[],
): Promise<void> {
  const messages = tx.ctx.messages.commands.model
  const choices = await findModelChoices(tx.db, tx.session)
  if (choices.configured === undefined) return replyAlone(tx, messages.agentAway)
  const [name, ...more] = words
  if (name === undefined) return reply(tx, describe(messages, choices))
  if (name === backWord && more.length === 0) return choose(tx, null, choices.configured)
  const chosen = choices.others.find((one) => one.name === name)
  if (chosen === undefined || more.length > 0) {
    return replyAlone(tx, `${messages.none}\n${describe(messages, choices)}`)
  }
  return choose(tx, chosen.name, describeChoice(chosen))
}

async function choose(tx: CommandTransaction, name: string | null, about: string): Promise<void> {
  const messages = tx.ctx.messages.commands.model
  if (!may(tx.caller, 'choose_model')) return replyAlone(tx, messages.notYours)
  await saveModel(tx.db, tx.session.id, name)
  await noteCommand(tx, `/model ${name ?? backWord}`)
  await reply(tx, messages.chosen({ model: about }))
}

function describe(
  messages: Messages['commands']['model'],
  { configured = '', others, chosen }: ModelChoices,
): string {
  const model =
    chosen === undefined ? configured : messages.byCommand({ model: describeChoice(chosen) })
  const left = others.filter((one) => one !== chosen).map(describeChoice)
  const names = chosen === undefined ? left : [...left, `${backWord} (${configured})`]
  if (names.length === 0) return messages.only({ model })
  return `${messages.present({ model })}
${messages.others({ models: names.join(', ') })}`
}

/** Models a session can use, as reported by the live agents. */
interface ModelChoices {
  /** Configured model; undefined: no live agent. */
  readonly configured: string | undefined
  /** Models that every agent has, so that none answers with another one than chosen. */
  readonly others: readonly ModelChoice[]
  /** undefined: none was chosen, or it is no longer configured. */
  readonly chosen: ModelChoice | undefined
}

export async function findModelChoices(db: Db, session: SessionRow): Promise<ModelChoices> {
  const agents = await findLiveAgents(db)
  const [first, ...rest] = agents.map(({ models }) => offered.parse(JSON.parse(models)))
  const others = (first ?? []).filter(({ name }) =>
    rest.every((models) => models.some((model) => model.name === name)),
  )
  return {
    configured: agents[0]?.model,
    others,
    chosen: others.find(({ name }) => name === session.model),
  }
}

/** Formats `fast (openai gpt-4o-mini)`. */
export function describeChoice({ name, about }: ModelChoice): string {
  return `${name} (${about})`
}
