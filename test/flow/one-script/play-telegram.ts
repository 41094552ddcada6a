import type { SeenMessage } from '../../support/telegram/seen.ts'
import { createTelegramFlow } from '../../support/telegram-flow.ts'
import { createScenes } from '../telegram/scenes.ts'
import { tapAlways, toGuest } from '../telegram/stage.ts'
import { type Player, personName } from './player.ts'

const person = 45

/** A private chat in Telegram: cards are answered by buttons, what Deny and Edit want by a reply to the card. */
export async function openTelegram(settings: Readonly<Record<string, string>>): Promise<Player> {
  const scenes = createScenes()
  const flow = await createTelegramFlow({ model: scenes, settings })
  const { telegram } = flow
  const user = telegram.addUser({ id: person, first_name: personName, username: personName })
  const chat = telegram.privateChat(user)
  let from = 0
  const shown = () => chat.botMessages().filter(({ id }) => id > from)
  const cardOf = (head: string): SeenMessage | undefined =>
    shown().findLast(({ text }) => text.startsWith('❯') && text.includes(head))
  const questionOf = (number: number) => cardOf(`Approval ${number} ·`)
  const tap = async (card: SeenMessage | undefined, label: string): Promise<SeenMessage> => {
    if (card === undefined) throw new Error(`there is no card to tap ${label} on`)
    await chat.tap(user, card.id, label).answered
    return card
  }
  return {
    platform: 'telegram',
    ...{ flow, scenes },
    callerId: `telegram:${person}`,
    place: String(chat.id),
    standsForTap: () => false,
    lookAway: () => {
      from = chat.messages().at(-1)?.id ?? 0
    },
    say: (text) => void chat.send(user, text),
    answer: async (number, answer) => {
      const card = questionOf(number)
      if (answer.kind === 'approve') await tap(card, 'Approve')
      if (answer.kind === 'always' && card !== undefined) await tapAlways(toGuest(user, chat), card)
      if (answer.kind === 'edit') {
        chat.send(user, answer.written, { replyTo: (await tap(card, 'Edit')).id })
      }
      if (answer.kind !== 'deny') return
      const { id } = await tap(card, 'Deny')
      if (answer.reason !== undefined) chat.send(user, answer.reason, { replyTo: id })
      else await tap(await chat.waitForMessage(offersJustDeny(id)), 'Just deny')
    },
    answerAll: async (how) => {
      await tap(cardOf('Approvals '), how === 'approve' ? 'Approve all' : 'Deny all')
    },
    read: () =>
      shown()
        .map(({ text }) => text)
        .join('\n'),
    card: (number) => questionOf(number)?.text,
    file: (name) => {
      const found = shown().findLast(({ document }) => document?.name === name)?.document
      return found === undefined ? undefined : new TextDecoder().decode(found.bytes)
    },
    [Symbol.asyncDispose]: () => flow[Symbol.asyncDispose](),
  }
}

function offersJustDeny(id: number): (message: SeenMessage) => boolean {
  return (message) =>
    message.id === id && message.buttons.flat().some(({ text }) => text === 'Just deny')
}
