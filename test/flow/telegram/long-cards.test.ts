import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, say } from '../../support/scripted-model.ts'
import type { ChatHandle } from '../../support/telegram/chat-handle.ts'
import type { SeenMessage } from '../../support/telegram/seen.ts'
import { writeRules } from '../../support/write-rules.ts'
import {
  cardOf,
  copiesOf,
  labels,
  openStage,
  type Stage,
  shown,
  storyOf,
  untilReads,
} from './stage.ts'

describe('cards that a message has no room for', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
    const rules = '{ "*": "ask", "read": "allow", "write": "allow", "edit": "ask" }\n'
    await writeRules(stage.flow.dataDir, rules)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  function documentsIn(chat: ChatHandle): SeenMessage[] {
    return chat.botMessages().filter(({ document }) => document !== undefined)
  }

  function textOf({ document }: SeenMessage): string {
    return Buffer.from(document?.bytes ?? []).toString()
  }

  function sha256Of({ document }: SeenMessage): string {
    return createHash('sha256')
      .update(document?.bytes ?? '')
      .digest('hex')
  }

  /** More than 12,000 characters in lines that all differ. */
  function longCommand(last: string): string {
    const lines = Array.from({ length: 12 }, (_, index) => `: ${String(index).padStart(999, '0')};`)
    return `${lines.join('\n')}\n${last}`
  }

  test('APPR-16 APPR-02 of a command of 12,000 characters the file comes first and whole, the card names its digest and lines, and only then there are buttons', async () => {
    const command = longCommand('echo the-end')
    expect(command.length).toBeGreaterThan(12_000)
    const scene = stage.scenes.on('long one', call('bash', { command }), say('Done.'))
    const ada = stage.guest()
    ada.say('long one')
    const card = await cardOf(ada.chat)
    const [file, ...others] = documentsIn(ada.chat)
    if (file === undefined) throw new Error('no file')
    expect(others).toEqual([])
    expect(file.id).toBeLessThan(card.id)
    expect(labels(file)).toEqual([])
    expect(textOf(file)).toContain(`what, to the end of the file:\n${command}\n`)
    const digest = sha256Of(file)
    expect(file.text).toContain(`SHA-256 ${digest}`)
    expect(card.text).toContain(`sha-256 ${digest.slice(0, 16)}`)
    expect(card.text).toContain(`${textOf(file).split('\n').length - 1} lines`)
    expect(card.text).toContain('echo the-end')
    expect(card.text).toMatch(/⋯ (?:\d+ lines, )?[\d,]+ characters more in the file ⋯/)
    expect(labels(card)).toContain('Approve')
    ada.tap(card, 'Approve')
    await ada.chat.waitForText('Done.')
    await stage.flow.settled(ada.id)
    expect(scene.lastHeard()).toContain('the-end')
    expect(storyOf(ada.chat, card).at(-1)).toBe('finished')
  })

  test('APPR-16 APPR-02 a big diff goes as a file that is the diff, before the card', async () => {
    const before = Array.from({ length: 400 }, (_, index) => `old ${index}`).join('\n')
    const after = Array.from({ length: 400 }, (_, index) => `new ${index}`).join('\n')
    stage.scenes.on(
      'big edit',
      call('write', { path: 'list.txt', content: `${before}\n` }),
      call('edit', { path: 'list.txt', old_string: before, new_string: after }),
      say('Edited.'),
    )
    const ada = stage.guest()
    ada.say('big edit')
    const card = await cardOf(ada.chat)
    const [file] = documentsIn(ada.chat)
    if (file === undefined) throw new Error('no file')
    expect(file.id).toBeLessThan(card.id)
    expect(file.document?.name).toMatch(/\.diff$/)
    const lines = textOf(file).split('\n')
    expect(lines.filter((line) => /^-old \d+$/.test(line))).toHaveLength(400)
    expect(lines.filter((line) => /^\+new \d+$/.test(line))).toHaveLength(400)
    expect(card.text).toContain(`sha-256 ${sha256Of(file).slice(0, 16)}`)
    expect(card.text).toContain('list.txt')
    ada.tap(card, 'Approve')
    await ada.chat.waitForText('Edited.')
    await untilReads(ada.chat, card, /→ done/)
  })

  test('APPR-02 a small diff stands on the card itself, opened', async () => {
    stage.scenes.on(
      'small edit',
      call('write', { path: 'greeting.txt', content: 'hello\nworld\n' }),
      call('edit', { path: 'greeting.txt', old_string: 'hello', new_string: 'good <b>day</b>' }),
      say('Edited.'),
    )
    const ada = stage.guest()
    ada.say('small edit')
    const card = await cardOf(ada.chat)
    expect(card.text).toContain('greeting.txt')
    expect(card.text).toMatch(/\n-hello\n\+good <b>day<\/b>\n/)
    expect(documentsIn(ada.chat)).toEqual([])
    ada.tap(card, 'Deny')
    ada.tap(await untilReads(ada.chat, card, /Just deny/), 'Just deny')
    await ada.chat.waitForText('Edited.')
  })

  test('APPR-16 THREAT-23 invisible and right-to-left characters and long blanks are visible on the card and in its file', async () => {
    const sly = `echo a\u202eb\u200bc\u00a0d${' '.repeat(60)}; echo e${'\n'.repeat(30)}echo hidden`
    stage.scenes.on('sly short', call('bash', { command: sly }), say('Left.'))
    stage.scenes.on('sly long', call('bash', { command: longCommand(sly) }), say('Left.'))
    const ada = stage.guest()
    ada.say('sly short')
    const card = await cardOf(ada.chat)
    const marked = 'echo a⟨U+202E⟩b⟨U+200B⟩c⟨U+00A0⟩d⟨␠×60⟩; echo e⟨⏎×30⟩echo hidden'
    expect(card.text).toContain(marked)
    ada.say('/deny')
    await ada.chat.waitForText('Left.')
    await stage.flow.settled(ada.id)
    ada.say('sly long')
    await cardOf(ada.chat, 2)
    const [file] = documentsIn(ada.chat)
    if (file === undefined) throw new Error('no file')
    expect(textOf(file)).toContain('echo a⟨U+202E⟩b⟨U+200B⟩c⟨U+00A0⟩d')
    expect(textOf(file)).not.toMatch(/[\u202e\u200b\u00a0]/)
    expect(textOf(file)).toMatch(/; echo e\n{30}echo hidden\n$/)
  })

  test('APPR-16 CHAT-06 when the platform refuses the file nothing is approvable until it was shown', async () => {
    const { telegram } = stage.flow
    const refusal = { kind: 'status', code: 400, description: 'Bad Request: FILE_REFUSED' } as const
    telegram.failNext('sendDocument', refusal)
    stage.scenes.on('no file', call('bash', { command: longCommand('echo shown') }), say('Done.'))
    const ada = stage.guest()
    ada.say('no file')
    await ada.chat.waitForText('Approval 1 (bash) could not be shown here')
    expect(copiesOf(ada.chat)).toEqual([])
    for (const words of ['/approve 1', '/always 1']) ada.say(words)
    await ada.chat.waitForText('it must be shown first')
    await stage.flow.settled(ada.id)
    ada.say('/approvals')
    const card = await cardOf(ada.chat)
    const [file] = documentsIn(ada.chat)
    expect(textOf(file ?? card)).toContain('echo shown')
    expect(file?.id).toBeLessThan(card.id)
    ada.tap(card, 'Approve')
    await ada.chat.waitForText('Done.')
    expect((await untilReads(ada.chat, card, /→ exit 0/)).buttons).toEqual([])
  })

  test('APPR-16 CHAT-06 a card whose file went before the connection was lost follows it, and the file does not come again', async () => {
    const { telegram } = stage.flow
    telegram.failNext('sendDocument', { kind: 'drop-before' }, undefined)
    telegram.failNext('sendMessage', { kind: 'status', code: 502 })
    stage.scenes.on('bad line', call('bash', { command: longCommand('echo once') }), say('Done.'))
    const ada = stage.guest()
    ada.say('bad line')
    const card = await cardOf(ada.chat)
    expect(documentsIn(ada.chat)).toHaveLength(1)
    expect(copiesOf(ada.chat)).toHaveLength(1)
    ada.tap(card, 'Approve')
    await ada.chat.waitForText('Done.')
    expect(shown(ada.chat, card)).toBeDefined()
  })
})
