import { saveModel } from '../../../db/turn/sessions.ts'
import { may } from '../../../domain/rights.ts'
import { type CommandContext, noteCommand, reply, replyAlone } from './command.ts'
import { describeChoice, findModelChoices, type ModelChoices } from './model-choice.ts'

const away = 'The agent is away: which models there are shows when it is back.'
/** Goes back to the configured one. */
const backWord = 'default'

/** CHAT-03: which model answers here, and which others could; a name chooses one of them for this session. */
export async function model(
  context: CommandContext,
  _text: string,
  words: readonly string[],
): Promise<void> {
  const choices = await findModelChoices(context.db, context.session)
  if (choices.configured === undefined) return replyAlone(context, away)
  const [name, ...more] = words
  if (name === undefined) return reply(context, describe(choices))
  if (name === backWord && more.length === 0) return choose(context, null, choices.configured)
  const chosen = choices.others.find((one) => one.name === name)
  if (chosen === undefined || more.length > 0) {
    return replyAlone(context, `There is no such model.\n${describe(choices)}`)
  }
  return choose(context, chosen.name, describeChoice(chosen))
}

async function choose(context: CommandContext, name: string | null, about: string): Promise<void> {
  if (!may(context.caller, 'choose_model'))
    return replyAlone(context, 'You may not choose a model.')
  await saveModel(context.db, context.session.id, name)
  await noteCommand(context, `/model ${name ?? backWord}`)
  await reply(context, `From its next step on ${about} answers here, until /clear.`)
}

function describe({ configured, others, chosen }: ModelChoices): string {
  const present = chosen === undefined ? configured : `${describeChoice(chosen)}, chosen by /model`
  const left = others.filter((one) => one !== chosen).map(describeChoice)
  const names = chosen === undefined ? left : [...left, `${backWord} (${configured})`]
  if (names.length === 0) return `Model: ${present}. There is no other one.`
  return `Model: ${present}\nOthers: ${names.join(', ')}\n/model and a name chooses one for this session.`
}
