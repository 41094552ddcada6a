import { findCommand } from '../../../src/core/inbox/commands/find-command.ts'
import type { SeenMessage } from '../../support/slack/people/seen.ts'
import { createSlackFlow } from '../../support/slack-flow.ts'
import { clickAlways, isCard } from '../slack/stage.ts'
import { createScenes } from '../telegram/scenes.ts'
import { type Player, personName } from './player.ts'
import type { Answer } from './script.ts'

const person = 'U0ROSA0001'

/**
 * A direct message in Slack: cards are answered by buttons, what Deny and Edit want by forms. Commands are Slack's own; what is
 * none can only be written with a blank before it.
 */
export async function openSlack(settings: Readonly<Record<string, string>>): Promise<Player> {
  const scenes = createScenes()
  const flow = await createSlackFlow({ model: scenes, settings })
  const { slack } = flow
  const user = slack.user(personName, { id: person, realName: personName })
  const dm = slack.dm(user)
  let from = ''
  const shown = () => dm.botMessages().filter(({ ts }) => ts > from)
  const cardOf = (number: number): SeenMessage | undefined =>
    shown().findLast((message) => isCard(message, number))
  const batchOf = () =>
    shown().findLast(({ buttons }) => buttons.some(({ label }) => label === 'Deny all'))
  const click = async (card: SeenMessage | undefined, label: string): Promise<void> => {
    if (card === undefined) throw new Error(`there is no card to click ${label} on`)
    await dm.click(user, card.ts, label).outcome
  }
  const submit = async (written: string): Promise<void> => {
    await (await slack.waitForModal(user)).submit(written === '' ? {} : { written })
  }
  return {
    platform: 'slack',
    ...{ flow, scenes },
    callerId: `slack:${user.teamId}:${person}`,
    place: dm.id,
    standsForTap: () => false,
    lookAway: () => {
      from = dm.messages().at(-1)?.ts ?? ''
    },
    say: (text) => {
      const isCommand = text.startsWith('/') && findCommand(text.slice(1).split(' ')[0] ?? '')
      if (isCommand) dm.command(user, '/countersign', text.slice(1))
      else dm.say(user, text.replace(/^\//, ' /'))
    },
    answer: async (number, answer) => {
      const card = cardOf(number)
      if (answer.kind === 'always' && card !== undefined) await clickAlways(dm, user, card)
      else await click(card, labels[answer.kind])
      if (answer.kind === 'edit') await submit(answer.written)
      if (answer.kind === 'deny') await submit(answer.reason ?? '')
    },
    answerAll: (how) => click(batchOf(), how === 'approve' ? 'Approve all' : 'Deny all'),
    read: () =>
      shown()
        .map(({ text }) => text)
        .join('\n'),
    card: (number) => cardOf(number)?.text,
    file: (name) => {
      const files = shown().flatMap((message) => message.files)
      const found = files.findLast((file) => file.name === name)
      return found === undefined ? undefined : new TextDecoder().decode(found.bytes)
    },
    [Symbol.asyncDispose]: () => flow[Symbol.asyncDispose](),
  }
}

const labels: Readonly<Record<Answer['kind'], string>> = {
  approve: 'Approve',
  always: 'Always',
  deny: 'Deny',
  edit: 'Edit',
}
