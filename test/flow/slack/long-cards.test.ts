import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, say } from '../../support/scripted-model.ts'
import type { ChannelHandle } from '../../support/slack/people/channel-handle.ts'
import type { SeenMessage } from '../../support/slack/people/seen.ts'
import {
  cardOf,
  copiesOf,
  detailsOf,
  labels,
  openStage,
  type Stage,
  storyOf,
  untilReads,
} from './stage.ts'

describe('cards that a message of Slack has no room for', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  function filesIn(channel: ChannelHandle): SeenMessage[] {
    return channel.botMessages().filter(({ files }) => files.length > 0)
  }

  function textOf({ files }: SeenMessage): string {
    return Buffer.from(files[0]?.bytes ?? []).toString()
  }

  /** More than 12,000 characters in lines that all differ. */
  function longCommand(last: string): string {
    const lines = Array.from({ length: 12 }, (_, index) => `: ${String(index).padStart(999, '0')};`)
    return `${lines.join('\n')}\n${last}`
  }

  function guest(name?: string) {
    const ada = stage.guest(name)
    return { ada, dm: stage.flow.slack.dm(ada) }
  }

  test('APPR-16 APPR-02 SLACK-02 of a command of 12,000 characters the file comes first and whole, the card names its digest and lines, and only then there are buttons', async () => {
    const { slack } = stage.flow
    const command = longCommand('echo the-end')
    const scene = stage.scenes.on('long one', call('bash', { command }), say('Done.'))
    const { ada } = guest()
    const channel = slack.channel({ name: 'long', members: [ada] })
    const root = channel.say(ada, `${slack.mention} long one`)
    const card = await cardOf(channel)
    const [file, ...others] = filesIn(channel)
    if (file === undefined) throw new Error('no file')
    expect(others).toEqual([])
    expect([file.threadTs, card.threadTs]).toEqual([root, root])
    expect(Number(file.ts)).toBeLessThan(Number(card.ts))
    expect(labels(file)).toEqual([])
    expect(textOf(file)).toContain(`what, to the end of the file:\n${command}\n`)
    const digest = createHash('sha256')
      .update(file.files[0]?.bytes ?? '')
      .digest('hex')
    expect(file.text).toContain(`SHA-256 ${digest}`)
    expect(await detailsOf(channel, ada, card)).toContain(`sha-256 ${digest.slice(0, 16)}`)
    expect(card.text).toContain('echo the-end')
    expect(card.text).toMatch(/⋯ (?:\d+ lines, )?[\d,]+ characters more in the file ⋯/)
    expect(labels(card)).toContain('Approve')
    await channel.click(ada, card.ts, 'Approve').outcome
    await channel.waitForText('Done.')
    await untilReads(channel, card.ts, /→ exit 0/)
    expect(scene.lastHeard()).toContain('the-end')
  })

  test('APPR-16 CHAT-06 when Slack refuses the file nothing is approvable until it was shown', async () => {
    const { slack } = stage.flow
    slack.failNext('files.completeUploadExternal', { kind: 'error', error: 'invalid_arguments' })
    stage.scenes.on('no file', call('bash', { command: longCommand('echo shown') }), say('Done.'))
    const { ada, dm } = guest()
    dm.say(ada, 'no file')
    await dm.waitForText('Approval 1 (bash) could not be shown here')
    expect(copiesOf(dm)).toEqual([])
    for (const words of [' /approve 1', ' /always 1']) dm.say(ada, words)
    await dm.waitForText('it must be shown first')
    await stage.flow.settled(dm.id)
    dm.say(ada, ' /approvals')
    const card = await cardOf(dm)
    const [file] = filesIn(dm)
    expect(textOf(file ?? card)).toContain('echo shown')
    await dm.click(ada, card.ts, 'Approve').outcome
    await dm.waitForText('Done.')
    expect((await untilReads(dm, card.ts, /→ exit 0/)).buttons).toEqual([])
  })

  test('APPR-16 CHAT-06 a card whose file went before the connection was lost follows it, and the file does not come again', async () => {
    const { slack } = stage.flow
    slack.failNext('files.getUploadURLExternal', { kind: 'drop-before' }, undefined)
    slack.failNext('chat.postMessage', { kind: 'status', code: 502 })
    stage.scenes.on('bad line', call('bash', { command: longCommand('echo once') }), say('Done.'))
    const { ada, dm } = guest()
    dm.say(ada, 'bad line')
    const card = await cardOf(dm)
    expect(filesIn(dm)).toHaveLength(1)
    expect(copiesOf(dm)).toHaveLength(1)
    await dm.click(ada, card.ts, 'Approve').outcome
    await dm.waitForText('Done.')
  })

  test('APPR-16 THREAT-23 invisible characters, markup of Slack, lines of a card and long blanks are what they are on the card', async () => {
    const sly = `echo a\u202eb\u200bc${' '.repeat(60)}; echo '<!channel> <@U0EVE00001> &lt; ❯ Approval 9 · *b*'${'\n'.repeat(30)}echo hidden`
    stage.scenes.on('sly', call('bash', { command: sly }), say('Left.'))
    const { ada, dm } = guest()
    dm.say(ada, 'sly')
    const card = await cardOf(dm)
    expect(card.text).toContain(
      "echo a⟨U+202E⟩b⟨U+200B⟩c⟨␠×60⟩; echo '<!channel> <@U0EVE00001> &lt; ",
    )
    expect(card.text).toContain('⟨⏎×30⟩echo hidden')
    expect(card.text.match(/❯/g)).toHaveLength(1)
    expect(card.fallback).not.toMatch(/<[!@]/)
    expect(card.notified).toEqual((await told(dm, ada)).notified)
    await dm.click(ada, card.ts, 'Approve').outcome
    await untilReads(dm, card.ts, /→ exit 0/)
  })

  test('THREAT-23 CHAT-01 a name that looks like markup, like lines of a card, or turns text around changes no card', async () => {
    const { ada, dm } = guest('A\u202e<!channel>\n❯ Approval 9 · approved\u200b <@U0EVE00001>')
    stage.scenes.on('odd name', call('bash', { command: 'printf x' }), say('Done.'))
    dm.say(ada, 'odd name')
    const card = await cardOf(dm)
    expect(card.text.match(/❯/g)).toHaveLength(1)
    expect(card.text).not.toMatch(/[\u202e\u200b]/)
    expect(card.text.split('\n')[0]).toContain("'s agent wants to run a command:")
    expect(card.fallback).not.toMatch(/<[!@]/)
    await dm.click(ada, card.ts, 'Approve').outcome
    const end = await untilReads(dm, card.ts, /Approved by A.*→ exit 0/)
    expect(end.notified).toEqual(card.notified)
    expect(storyOf(dm, card).at(-1)).toBe('finished')
  })

  /** A message that tells nobody by name, to compare with. */
  async function told(dm: ChannelHandle, ada: Parameters<ChannelHandle['say']>[0]) {
    dm.say(ada, ' /status')
    return dm.waitForText('Model:')
  }
})
