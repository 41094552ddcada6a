import { saveModel } from '../../../db/turn/sessions.ts'
import { may } from '../../../domain/rights.ts'
import { type CommandTransaction, noteCommand, reply, replyAlone } from './command.ts'
import { describeChoice, findModelChoices, type ModelChoices } from './model-choice.ts'

const away = 'The agent is away: which models there are shows when it is back.'
/** Goes back to the configured one. */
const backWord = 'default'

/** CHAT-03: which model answers here, and which others could; a name chooses one of them for this session. */
export async function model(
  tx: CommandTransaction,
  _text: string,
  words: readonly string[],
): Promise<void> {
  const choices = await findModelChoices(tx.db, tx.session)
  if (choices.configured === undefined) return replyAlone(tx, away)
  const [name, ...more] = words
  if (name === undefined) return reply(tx, describe(choices))
  if (name === backWord && more.length === 0) return choose(tx, null, choices.configured)
  const chosen = choices.others.find((one) => one.name === name)
  if (chosen === undefined || more.length > 0) {
    return replyAlone(tx, `There is no such model.\n${describe(choices)}`)
  }
  return choose(tx, chosen.name, describeChoice(chosen))
}

async function choose(tx: CommandTransaction, name: string | null, about: string): Promise<void> {
  if (!may(tx.caller, 'choose_model')) return replyAlone(tx, 'You may not choose a model.')
  await saveModel(tx.db, tx.session.id, name)
  await noteCommand(tx, `/model ${name ?? backWord}`)
  await reply(tx, `From its next step on ${about} answers here, until /clear.`)
}

function describe({ configured, others, chosen }: ModelChoices): string {
  const present = chosen === undefined ? configured : `${describeChoice(chosen)}, chosen by /model`
  const left = others.filter((one) => one !== chosen).map(describeChoice)
  const names = chosen === undefined ? left : [...left, `${backWord} (${configured})`]
  if (names.length === 0) return `Model: ${present}. There is no other one.`
  return `Model: ${present}\nOthers: ${names.join(', ')}\n/model and a name chooses one for this session.`
}
