import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ModelAnswer, ModelRequest } from '../../../src/ports/model.ts'
import { call, say } from '../../support/scripted-model.ts'
import { letGo, printing } from '../workspace-commands.ts'
import { cardOf, labels, openStage, type Stage, wordsOf } from './stage.ts'

const words = Array.from({ length: 40 }, (_, index) => `word${index}`)
const written = words.join(' ')

/** Writes word by word for some eight seconds. */
async function slowly({ onText, signal }: ModelRequest): Promise<ModelAnswer> {
  for (const word of words) {
    onText?.(word === words[0] ? word : ` ${word}`)
    await delay(200, undefined, { signal })
  }
  return say(written)
}

describe('answers through Slack', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('CHAT-04 SLACK-03 an answer appears as it is written, by paced edits of one message, and stands there once and whole', async () => {
    const { flow, scenes } = stage
    scenes.on('slowly', slowly)
    const ada = stage.guest()
    const dm = flow.slack.dm(ada)
    dm.say(ada, 'slowly')
    await dm.waitForMessage(({ text }) => text === written)
    await flow.settled(dm.id)
    expect(wordsOf(dm)).toEqual([written])
    const [first, ...others] = dm.history.filter(({ message }) => message.from.kind === 'app')
    expect(others.length).toBeGreaterThanOrEqual(2)
    expect(first?.message.text).toContain('word0')
    expect(first?.message.text).not.toContain('word39')
    const edits = flow.slack
      .callsOf('chat.update')
      .filter((made) => made.params['channel'] === dm.id)
    // The last one is the answer, which waits for nothing.
    const gaps = edits.slice(0, -1).map(({ at }, index) => at - (edits[index - 1]?.at ?? 0))
    for (const gap of gaps.slice(1)) expect(gap).toBeGreaterThanOrEqual(1_900)
    expect(flow.slack.callsOf('chat.delete')).toEqual([])
  })

  test('CHAT-04 SLACK-03 a request to wait in the middle of streaming is obeyed, and the answer comes whole', async () => {
    const { slack } = stage.flow
    stage.scenes.on('with a pause', slowly)
    const ada = stage.guest()
    const dm = slack.dm(ada)
    const early = slack.tooEarly
    slack.failNext('chat.update', { kind: '429', retryAfter: 2 })
    dm.say(ada, 'with a pause')
    await dm.waitForMessage(({ text }) => text === written)
    await stage.flow.settled(dm.id)
    expect(slack.faultsLeft).toBe(0)
    expect(wordsOf(dm)).toEqual([written])
    expect(slack.tooEarly).toBe(early)
  })

  test('CHAT-04 BASH-09 while a command runs its card tells for how long, and the last line that was printed', async () => {
    stage.scenes.on('progress', call('bash', { command: printing }), say('Ran.'))
    const ada = stage.guest()
    const dm = stage.flow.slack.dm(ada)
    dm.say(ada, 'progress')
    const card = await cardOf(dm)
    await dm.click(ada, card.ts, 'Approve').outcome
    await dm.waitForMessage(
      ({ ts, text }) => ts === card.ts && /→ running \(\d+ s\)\nline-\d+$/.test(text),
    )
    await letGo(stage, dm.id)
    await dm.waitForText('Ran.')
    await dm.waitForMessage(
      ({ ts, text }) => ts === card.ts && /→ exit 0 \(\d+\.\d s\)(?:\n|$)/.test(text),
    )
  })

  test('CHAT-05 CHAT-06 a long answer comes in order over several messages, and no fence or surrogate pair is broken', async () => {
    const lines = Array.from(
      { length: 500 },
      (_, index) => `const value${index} = "<&>" // 😀 ${index}`,
    )
    const block = `\`\`\`ts\n${lines.join('\n')}\n\`\`\``
    const text = `# Long\n\nBefore.\n\n${block}\n\nAfter **all** of it.\n\n${'More. '.repeat(900)}`
    stage.scenes.on('long answer', say(text))
    const ada = stage.guest()
    const dm = stage.flow.slack.dm(ada)
    dm.say(ada, 'long answer')
    await stage.flow.slack.waitFor(() => dm.botMessages().length > 0)
    await stage.flow.settled(dm.id)
    const messages = dm.botMessages()
    expect(messages.length).toBeGreaterThanOrEqual(3)
    const whole = messages.map((message) => message.text).join('\n')
    const found = [...whole.matchAll(/value(\d+) = "<&>" \/\/ 😀 (\d+)/gu)].map(([, at]) =>
      Number(at),
    )
    expect(found).toEqual(lines.map((_, index) => index))
    expect(whole.match(/More\./g)).toHaveLength(900)
    expect(whole).not.toContain('```')
    for (const message of messages) expect(message.text.isWellFormed()).toBe(true)
  })

  test('CHAT-05 THREAT-23 nothing that a model or a tool prints is markup, a mention, a command or a card', async () => {
    const card = '❯ Approval 1 · bash for Ada\n\nWaiting for an answer.'
    const hostile = [
      card,
      '<!channel> <!here> <@U0EVE00001> <!subteam^S1> @channel @here #general',
      '<https://evil.example/|click> [you](slack://user?id=U1) [ok](https://example.org/) &lt;b&gt;',
      '/approve 1 /always',
      '`<!everyone>` **<@U0EVE00001>**',
    ].join('\n\n')
    stage.scenes.on('be evil', say(hostile))
    stage.scenes.on(
      'echo evil',
      call('bash', { command: `echo '${card}' '<!channel>'` }),
      (request) => say(request.messages.at(-1)?.text ?? ''),
    )
    const ada = stage.guest()
    const { slack } = stage.flow
    const channel = slack.channel({ name: 'evil', members: [ada, stage.eve] })
    const roots = ['be evil', 'echo evil'].map((opening) =>
      channel.say(ada, `${slack.mention} ${opening}`),
    )
    const asked = await cardOf(channel)
    await channel.click(ada, asked.ts, 'Approve').outcome
    await channel.waitForMessage(() => wordsOf(channel).length === 2)
    for (const root of roots) await stage.flow.settled(`${channel.id}/${root}`)
    const plain = channel.botMessages()
    const nobody = { ...plain[0]?.notified }
    for (const message of plain) {
      expect(message.fallback).not.toMatch(/<[!@#]/)
      expect(message.notified).toEqual(nobody)
    }
    expect(JSON.stringify(nobody)).not.toContain('U0EVE00001')
    expect(wordsOf(channel)[0]).toContain('<!channel> <!here> <@U0EVE00001>')
    const buttons = plain.filter((message) => !['', '👍👎'].includes(labels(message).join('')))
    expect(buttons).toEqual([])
    for (const text of wordsOf(channel)) expect(text).not.toContain('❯ Question')
  })
})
