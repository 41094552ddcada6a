import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, say } from '../../support/scripted-model.ts'
import { writeRules } from '../../support/write-rules.ts'
import { cardOf, labels, openStage, type Stage, untilReads } from './stage.ts'

const what = 'What should it be? It is evaluated, and asked about again.'

describe('changing by a form what a card asks about', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
    const rules = '{ "*": "ask", "bash": { "*": "ask", "rm *": "deny" } }\n'
    await writeRules(stage.flow.dataDir, rules)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  async function asked(opening: string, tool: string, args: Record<string, string>) {
    const ada = stage.guest()
    const dm = stage.flow.slack.dm(ada)
    const scene = stage.scenes.on(opening, call(tool, args), say('Said.'))
    dm.say(ada, opening)
    const card = await cardOf(dm)
    const edit = async () => {
      expect(await dm.click(ada, card.ts, 'Edit').outcome).toMatchObject({ kind: 'acked' })
      return stage.flow.slack.waitForModal(ada)
    }
    return { ada, dm, scene, card, edit }
  }

  test('APPR-14 SLACK-02 the form holds the command; what is written there is judged and asked anew, and runs', async () => {
    const { dm, scene, card, edit } = await asked('say hi', 'bash', { command: 'printf hi' })
    const form = await edit()
    expect(form.title).toBe('Change approval 1')
    expect(form.fields).toMatchObject([{ label: what, optional: false, initial: 'printf hi' }])
    expect(labels(dm.message(card.ts))).toContain('Approve')
    await form.submit({ [what]: '/usr/bin/printf "good day"' })
    await dm.waitForText('Said.')
    await stage.flow.settled(dm.id)
    expect(dm.message(card.ts).text).toContain('changed by ada')
    expect(labels(dm.message(card.ts))).toEqual([])
    const next = await dm.waitForText('Approval 2 ·')
    await untilReads(dm, next.ts, /exit 0/)
    const told = dm.history.map(({ message }) => message.text).join('\n')
    expect(told).toContain('✏️ was changed by: ada')
    expect(scene.lastHeard()).toContain('A person changed this call')
    expect(scene.lastHeard()).toContain('good day')
  })

  test('APPR-14 GATE-01 what a person writes passes the gate too: what the rules deny does not run', async () => {
    const { dm, scene, edit } = await asked('to worse', 'bash', { command: 'printf mild' })
    await (await edit()).submit({ [what]: 'rm -rf important' })
    await dm.waitForText('Said.')
    await stage.flow.settled(dm.id)
    expect(scene.lastHeard()).toMatch(/denied|policy/i)
    expect(scene.lastHeard()).not.toContain('mild')
  })

  test('APPR-14 of other tools the form holds all arguments; what is no JSON is told, and the question waits on', async () => {
    const { ada, dm, card, edit } = await asked('note it', 'write', {
      path: 'note.txt',
      content: 'one\n',
    })
    const form = await edit()
    expect(JSON.parse(form.fields[0]?.initial ?? '')).toEqual({
      path: 'note.txt',
      content: 'one\n',
    })
    await form.submit({ [what]: 'just other words' })
    await dm.waitForEphemeral(ada, 'write the arguments to change as a JSON object')
    expect(labels(dm.message(card.ts))).toContain('Approve')
    await (await edit()).submit({ [what]: '{"content": "two\\n"}' })
    await dm.waitForText('Said.')
    await stage.flow.settled(dm.id)
    await dm.waitForText('Approval 2 ·')
    const told = dm.history.map(({ message }) => message.text).join('\n')
    expect(told).toMatch(/note\.txt[\s\S]*two/)
  })

  test('APPR-14 THREAT-25 a command with a secret is not shown in the form, and a mark in its place becomes no command', async () => {
    // Put together here, so that no scanner takes this file for a leak.
    const token = `ghp_${'aB3dE5gH7jK9mN1pQ'.repeat(3).slice(0, 36)}`
    const { dm, card, edit } = await asked('use it', 'bash', { command: `echo ${token}` })
    const form = await edit()
    expect(form.fields[0]?.initial).toBeUndefined()
    expect(JSON.stringify(form.view)).not.toContain(token)
    expect(JSON.stringify(form.view)).toContain('It cannot be shown here: write all of it.')
    await form.close()
    expect(labels(dm.message(card.ts))).toContain('Approve')
  })

  test('APPR-14 a command that a form has no room for is not cut: it is written anew', async () => {
    const command = `echo ${'x'.repeat(3_100)}`
    const { dm, scene, edit } = await asked('long one', 'bash', { command })
    const form = await edit()
    expect(form.fields[0]?.initial).toBeUndefined()
    await form.submit({ [what]: 'echo short' })
    await dm.waitForText('Said.')
    expect(scene.lastHeard()).toContain('short')
  })

  test('APPR-14 SLACK-02 where Slack opens no form, Edit says so and changes nothing', async () => {
    const { ada, dm, card } = await asked('no form', 'bash', { command: 'printf hi' })
    stage.flow.slack.failNext('views.open', { kind: 'error', error: 'expired_trigger_id' })
    await dm.click(ada, card.ts, 'Edit').outcome
    await dm.waitForEphemeral(ada, 'Slack did not open the form: please tap again.')
    expect(labels(dm.message(card.ts))).toContain('Edit')
  })
})
