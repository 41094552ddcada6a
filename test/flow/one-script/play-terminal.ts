import { PassThrough } from 'node:stream'
import { serveTerminal } from '../../../src/app/processes/serve-terminal.ts'
import { Environment } from '../../../src/config/env.ts'
import { createFlow, until } from '../../support/flow.ts'
import { createScenes } from '../telegram/scenes.ts'
import { type Player, personName } from './player.ts'
import type { Answer } from './script.ts'

/** The terminal, line by line: cards are answered by commands, and what is too long for others is printed. */
export async function openTerminal(settings: Readonly<Record<string, string>>): Promise<Player> {
  const scenes = createScenes()
  const resources = new AsyncDisposableStack()
  const flow = resources.use(await createFlow({ model: scenes, settings }))
  const { product, config } = flow
  const [input, output] = [new PassThrough(), new PassThrough()]
  let printed = ''
  output.on('data', (text: Buffer) => {
    printed += text.toString()
  })
  const environment = new Environment({ USER: personName })
  const { signal } = new AbortController()
  const streams = { input, output, version: '1' }
  const ended = serveTerminal({ product, config, environment, signal, ...streams })
  resources.defer(async () => {
    input.end()
    const code = await ended
    if (code !== 0) throw new Error(`the terminal ended with ${code}`)
  })
  await Promise.race([ended, until('it greets', () => printed.includes('/help'))])
  let from = printed.length
  const say = (text: string): void => void input.write(`${text}\n`)
  const read = (): string => printed.slice(from)
  return {
    platform: 'console',
    ...{ flow, scenes, say, read },
    callerId: `console:${personName}`,
    place: 'local',
    standsForTap: (text) =>
      /^(?:Approval \d+: Changed\. .*|\d+–\d+: (?:Approved|Denied)\.)$/.test(text),
    lookAway: () => {
      from = printed.length
    },
    answer: async (number, answer) => say(commandOf(number, answer)),
    answerAll: async (how) => say(`/${how} all`),
    card: (number) => lastCard(read(), number),
    file: read,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

function commandOf(number: number, answer: Answer): string {
  switch (answer.kind) {
    case 'edit':
      return `/edit ${number} ${answer.written}`
    case 'deny':
      return `/deny ${number} ${answer.reason ?? ''}`.trim()
    default:
      return `/${answer.kind} ${number}`
  }
}

/** Lines of cards begin with a marker: the card as it was asked, and what was told of it since. */
function lastCard(printed: string, number: number): string | undefined {
  const lines = printed.split('\n').filter((line) => line.startsWith('❯'))
  const named = lines.findLastIndex((line) => line.includes(`Approval: ${number} · `))
  const head = lines.slice(0, named).findLastIndex((line) => line.includes(' wants to '))
  return named === -1 ? undefined : lines.slice(head).join('\n')
}
