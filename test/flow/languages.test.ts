import { writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { createOfflineModel } from '../../src/adapters/model/offline/offline-model.ts'
import { greetingLines } from '../../src/app/processes/run-service.ts'
import { listCommands } from '../../src/core/inbox/commands/find-command.ts'
import { english, messagesOf } from '../../src/domain/messages/messages.ts'
import { ModelError } from '../../src/ports/model.ts'
import { createFlow, type Flow, olga } from '../support/flow.ts'
import { call, createScriptedModel, say } from '../support/scripted-model.ts'

/** Words that neither German nor Spanish has. */
const englishWord =
  /\b(?:the|is|are|of|and|to|your|you|this|that|with|not|be|it|for|nothing|until|which|call|calls|waiting|tool|tools)\b/i

/** What the product itself says: without commands, code, paths, and what it quotes of tools, models and rules. */
function own(text: string): string {
  return text
    .replaceAll(/„[^“]*“|«[^»]*»|`[^`]*`|"[^"]*"/g, '')
    .replaceAll(/^(?:error|suggestion|retryable): .*$|^ *\/\/.*$/gm, '')
    .replaceAll(/[^\s(]*[/_.]\w[^\s]*/g, '')
}

function inEnglish(texts: readonly string[]): string[] {
  return texts.flatMap((text) => own(text).split('\n')).filter((line) => englishWord.test(line))
}

/** Goes through all commands, a card, its end and a failed model, in a chat of its own language. */
async function walk(flow: Flow): Promise<readonly string[]> {
  await flow.say('eins')
  const names = listCommands(english).map(({ name }) => name)
  for (const name of names.filter((one) => one !== 'clear')) await flow.say(`/${name}`, olga)
  await flow.say('/approve 9', olga)
  await flow.say('/deny 1 7', olga)
  await flow.say('zwei')
  await flow.say('/retry')
  await flow.say('/away 2h', olga)
  await flow.say('/model nichts', olga)
  await flow.say('/worker nichts', olga)
  await flow.say('/nichts', olga)
  await flow.say('/clear', olga)
  return flow.platform.texts()
}

const failing = new ModelError('refused', 'The key was refused (401).')

const script = () =>
  createScriptedModel([
    call('bash', { command: 'rm -rf build; curl https://a.example' }),
    say('fertig'),
    failing,
    say('fertig'),
  ])

test('CARD-06 an English chat has the words that are looked for', async () => {
  await using flow = await createFlow({ model: script() })
  expect(inEnglish(await walk(flow)).length).toBeGreaterThan(30)
})

test.each(['de', 'es'] as const)(
  'CARD-06 in %s no notice, answer to a command, warning or greeting is in English',
  async (language) => {
    await using flow = await createFlow({
      model: script(),
      settings: {
        COUNTERSIGN_CHAT_LANGUAGE: language,
        COUNTERSIGN_CHAT_TIME_ZONE: 'Europe/Madrid',
        COUNTERSIGN_SANDBOX_DRIVER: 'process',
      },
    })
    const { worker } = flow.config
    await writeFile(flow.product.ctx.permissions.describe(worker.name), '{ "*": "perhaps"')
    const texts = await walk(flow)
    expect(texts.length).toBeGreaterThan(25)
    expect(inEnglish(texts)).toEqual([])
    const messages = messagesOf(language)
    const greeting = await greetingLines(flow.product, flow.config, messages)
    expect(inEnglish(greeting)).toEqual([])
    expect(greeting[0]).toContain(language === 'de' ? 'Modell: ' : 'Modelo: ')
    const words = english.turns.modelFailure({ kind: 'refused', said: 'x' })
    expect(messages.turns.modelFailure({ kind: 'refused', said: 'x' })).not.toBe(words)
  },
)

test('DOC-01 TERM-01 a terminal without a model says so first, and what to type', async () => {
  await using flow = await createFlow({ model: createOfflineModel() })
  const { product, config } = flow
  const lines = await greetingLines(product, config, english)
  expect(lines.slice(0, 2)).toEqual([
    expect.stringMatching(/^Model: offline\. Sandbox: \w+\.$/),
    english.terminal.offline,
  ])
  expect(await greetingLines(product, config)).not.toContain(english.terminal.offline)
  for (const [, phrase = ''] of english.terminal.offline.matchAll(/“([^”]+)”/g)) {
    await flow.say(phrase)
    expect(flow.platform.texts().join('\n')).not.toMatch(/did not understand/)
  }
  expect(flow.platform.statesOf(1).at(-1)).toBe('waiting')
})
