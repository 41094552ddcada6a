import type { SeenMessage } from '../../test/support/telegram/seen.ts'
import type { BenchPerson } from '../support/bench-person.ts'
import { openTelegramBench } from '../support/open-telegram-bench.ts'

/** A message of the bot as the stand-in of Telegram received it, with a title for the picture. */
export interface Shot {
  readonly title: string
  readonly message: SeenMessage
}

/** A card in each of its states, from real calls in a real box. */
export async function shootTelegramCards(): Promise<readonly Shot[]> {
  await using bench = await openTelegramBench(scenes.length, ['Ada', 'Bea', 'Cleo', 'Dan', 'Eli'])
  const shots: Shot[] = []
  for (const [index, { command, shoot }] of scenes.entries()) {
    const person = bench.person(index)
    const { message } = await person.ask(`run ${command}`, ({ buttons }) => buttons.length > 0)
    shots.push(...(await shoot(person, message)))
  }
  return shots
}

interface Scene {
  readonly command: string
  shoot(person: BenchPerson, card: SeenMessage): Promise<readonly Shot[]>
}

const ending: Scene = {
  command: 'touch report.txt; echo counting; sleep 4; wc -c report.txt',
  shoot: async ({ user, chat }, card) => {
    chat.tap(user, card.id, 'Approve')
    const running = await chat.waitForMessage(
      ({ id, buttons }) => id === card.id && buttons[0]?.[0]?.text === 'Stop',
    )
    return [
      { title: 'waiting', message: card },
      { title: 'running', message: running },
      { title: 'ended', message: await chat.waitForText('→ exit 0') },
    ]
  },
}

const failing: Scene = {
  command: 'wc -l missing.txt',
  shoot: async ({ user, chat }, card) => {
    chat.tap(user, card.id, 'Approve')
    return [{ title: 'failed', message: await chat.waitForText('→ failed: exit 1') }]
  },
}

const denied: Scene = {
  command: 'git merge --ff-only origin/main && npm run migrate',
  shoot: async ({ user, chat }, card) => {
    chat.tap(user, card.id, 'Deny')
    const asked = await chat.waitForText('Just deny')
    chat.send(user, 'not on a Friday', { replyTo: card.id })
    return [
      { title: 'denied, and asked why', message: asked },
      { title: 'denied, with the reason', message: await chat.waitForText('not on a Friday') },
    ]
  },
}

const stopped: Scene = {
  command: 'rm -rf build',
  shoot: async ({ user, chat }, card) => {
    chat.send(user, '/stop')
    const isStopped = ({ id, edits }: SeenMessage) => id === card.id && edits > 0
    return [{ title: 'stopped', message: await chat.waitForMessage(isStopped) }]
  },
}

const tooLong: Scene = {
  command: ['set -e', ...steps(), 'rm -rf build'].join('\n'),
  shoot: async ({ chat }, card) => {
    const file = await chat.waitForMessage(({ document }) => document !== undefined)
    return [
      { title: 'too long for a message: the file', message: file },
      { title: 'and its card', message: card },
    ]
  },
}

const scenes: readonly Scene[] = [ending, failing, denied, stopped, tooLong]

function steps(): readonly string[] {
  return Array.from({ length: 90 }, (_, index) => `echo "step ${index + 1} of 90"`)
}
