import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ModelAnswer, ModelError, type ModelRequest } from '../../../src/ports/model.ts'
import { call, say } from '../../support/scripted-model.ts'
import type { ChatHandle } from '../../support/telegram/chat-handle.ts'
import { letGo, printing } from '../workspace-commands.ts'
import { cardOf, labels, openStage, type Stage, wordsOf } from './stage.ts'

const words = Array.from({ length: 40 }, (_, index) => `word${index}`)
const written = words.join(' ')

/** Writes word by word for some four seconds. */
async function slowly({ onText, signal }: ModelRequest): Promise<ModelAnswer> {
  for (const word of words) {
    onText?.(word === words[0] ? word : ` ${word}`)
    await delay(100, undefined, { signal })
  }
  return say(written)
}

/** What the bot's messages ever read, in order. */
function textsOver(chat: ChatHandle, bot: string): string[] {
  return chat.history
    .filter(({ kind, message }) => kind !== 'delete' && message.from.name === bot)
    .map(({ message }) => message.text)
}

describe('answers', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('CHAT-04 an answer appears as it is written, by edits of one message, and stands there once and whole', async () => {
    stage.scenes.on('slowly', slowly)
    const ada = stage.guest()
    ada.say('slowly')
    await ada.chat.waitForMessage(({ text }) => text === written)
    await stage.flow.settled(ada.id)
    expect(wordsOf(ada.chat)).toEqual([written])
    const [first, ...others] = textsOver(ada.chat, 'Countersign')
    expect(others.length).toBeGreaterThanOrEqual(2)
    expect(first).toContain('word0')
    expect(first).not.toContain('word39')
    expect(ada.chat.botMessages()[0]?.edits).toBeGreaterThanOrEqual(2)
    expect(ada.chat.actions.map(({ action }) => action)).toContain('typing')
    expect(stage.flow.telegram.callsOf('sendMessageDraft').length).toBeGreaterThan(0)
  })

  test('CHAT-04 TG-05 a request to wait in the middle of streaming is obeyed, and the answer comes whole', async () => {
    const { telegram } = stage.flow
    stage.scenes.on('with a pause', slowly)
    const ada = stage.guest()
    const early = telegram.tooEarly
    telegram.failNext('editMessageText', { kind: '429', retryAfter: 2 })
    ada.say('with a pause')
    await ada.chat.waitForMessage(({ text }) => text === written)
    await stage.flow.settled(ada.id)
    expect(telegram.faultsLeft).toBe(0)
    expect(wordsOf(ada.chat)).toEqual([written])
    expect(telegram.tooEarly).toBe(early)
  })

  test('CHAT-04 BASH-09 while a command runs its card tells for how long, and the last line that was printed', async () => {
    stage.scenes.on('progress', call('bash', { command: printing }), say('Ran.'))
    const ada = stage.guest()
    ada.say('progress')
    const card = await cardOf(ada.chat)
    ada.tap(card, 'Approve')
    await ada.chat.waitForMessage(
      ({ id, text }) => id === card.id && /→ running \(\d+ s\)\nline-\d+$/.test(text),
    )
    await letGo(stage, ada.id)
    await ada.chat.waitForText('Ran.')
    await stage.flow.settled(ada.id)
    expect(wordsOf(ada.chat)).toEqual(['Ran.'])
  })

  test('CHAT-05 CHAT-06 TG-05 an answer of 11,000 characters comes in order in several messages, none of which breaks a fence', async () => {
    const lines = Array.from(
      { length: 200 },
      (_, index) => `const value${index} = "<&>" // 😀 ${index}`,
    )
    const block = `\`\`\`ts\n${lines.join('\n')}\n\`\`\``
    const text = `# Long\n\nBefore.\n\n${block}\n\nAfter **all** of it.\n\n${'More. '.repeat(700)}`
    expect(text.length).toBeGreaterThan(10_000)
    stage.scenes.on('long answer', say(text))
    const ada = stage.guest()
    ada.say('long answer')
    await stage.flow.telegram.waitFor(() => ada.chat.botMessages().length > 0)
    await stage.flow.settled(ada.id)
    const messages = ada.chat.botMessages()
    expect(messages.length).toBeGreaterThanOrEqual(3)
    const whole = messages.map((message) => message.text).join('\n')
    const found = [...whole.matchAll(/value(\d+) = "<&>" \/\/ 😀 (\d+)/gu)].map(([, at]) =>
      Number(at),
    )
    expect(found).toEqual(lines.map((_, index) => index))
    expect(whole.match(/More\./g)).toHaveLength(700)
    for (const message of messages) {
      expect(message.text.length).toBeLessThanOrEqual(4_096)
      expect(message.text.isWellFormed()).toBe(true)
      const isCode = message.text.includes('const value')
      expect(message.entities.some(({ type }) => type === 'pre')).toBe(isCode)
      expect(message.text).not.toContain('```')
    }
    const outside = messages.flatMap((message) => {
      const [pre] = message.entities.filter(({ type }) => type === 'pre')
      if (pre === undefined) return []
      const { offset, length } = pre
      return [message.text.slice(0, offset), message.text.slice(offset + length)]
    })
    expect(outside.join('\n')).not.toContain('const value')
  })

  test('CHAT-05 THREAT-23 nothing that a model or a tool prints is markup, a mention, a command or a card', async () => {
    const card = '❯ Approval 1 · bash for Ada\n\n<b>Waiting for an answer.</b>'
    const hostile = [
      card,
      '<a href="https://evil.example/">click</a> <script>x</script> &lt;b&gt;',
      '[you](tg://user?id=44) [inner](tg://resolve?domain=evil) [ok](https://example.org/)',
      '@eve @channel /approve 1 /always',
      '</pre></code> **bold** `</code>`',
    ].join('\n\n')
    stage.scenes.on('be evil', say(hostile))
    stage.scenes.on(
      'echo evil',
      call('bash', { command: `echo '${card}' '</pre><b>x'` }),
      (request) => say(request.messages.at(-1)?.text ?? ''),
    )
    const ada = stage.guest()
    ada.say('be evil')
    const answer = await ada.chat.waitForText('Waiting for an answer.')
    expect(answer.buttons).toEqual([])
    expect(answer.text.startsWith('❯')).toBe(false)
    expect(answer.text).not.toContain('❯')
    expect(answer.text).toContain('<script>x</script>')
    const kinds = new Set(answer.entities.map(({ type }) => type))
    for (const kind of ['mention', 'text_mention', 'bot_command', 'hashtag'] as const) {
      expect(kinds).not.toContain(kind)
    }
    const links = answer.entities.flatMap((entity) =>
      entity.type === 'text_link' ? [entity.url] : [],
    )
    expect(links).toEqual(['https://example.org/'])
    ada.say('echo evil')
    const real = await cardOf(ada.chat)
    expect(real.text.match(/❯/g)).toHaveLength(1)
    expect(real.text).toContain('</pre><b>x')
    expect(real.text.split('\n').filter((line) => line === 'Waiting for an answer.')).toHaveLength(
      1,
    )
    expect(labels(real)).toContain('Deny')
    ada.tap(real, 'Approve')
    const output = await ada.chat.waitForMessage(
      ({ from, text, id }) => from.kind === 'bot' && id > real.id && text.includes('Approval 1'),
    )
    expect(output.text).not.toContain('❯')
    expect(output.buttons).toEqual([])
  })

  test('CHAT-05 LOOP-04 an answer without words is still one answer', async () => {
    stage.scenes.on('say nothing', say('  \n '))
    const ada = stage.guest()
    ada.say('say nothing')
    await ada.chat.waitForMessage(({ from }) => from.kind === 'bot')
    await stage.flow.settled(ada.id)
    expect(wordsOf(ada.chat)).toHaveLength(1)
  })

  test('MODEL-04 a provider that fails is told in plain words', async () => {
    stage.scenes.on('break', new ModelError('refused', 'The key was refused.'))
    const ada = stage.guest()
    ada.say('break')
    const told = await ada.chat.waitForMessage(({ from }) => from.kind === 'bot')
    expect(told.text).toContain('The key was refused.')
  })
})

test('CHAT-04 TG-05 TG-06 where the server has drafts the answer appears in one, and is sent once', async () => {
  await using stage = await openStage({ telegram: { drafts: true } })
  stage.scenes.on('slowly', slowly)
  const ada = stage.guest()
  ada.say('slowly')
  await ada.chat.waitForMessage(({ text }) => text === written)
  await stage.flow.settled(ada.id)
  expect(ada.chat.history.filter(({ message }) => message.from.kind === 'bot')).toHaveLength(1)
  expect(ada.chat.drafts.length).toBeGreaterThanOrEqual(2)
  expect(new Set(ada.chat.drafts.map(({ draftId }) => draftId)).size).toBe(1)
  expect(ada.chat.draft).toBeUndefined()
})
