import type { ChannelHandle } from '../../test/support/slack/people/channel-handle.ts'
import type { SeenMessage } from '../../test/support/slack/people/seen.ts'
import type { SlackStandIn } from '../../test/support/slack/slack.ts'
import type { SlackUser } from '../../test/support/slack/users.ts'
import { openSlackBench } from '../support/open-slack-bench.ts'

/** A message of the app as the stand-in of Slack received it, with a title for the picture. */
export interface SlackShot {
  readonly title: string
  readonly message: SeenMessage
}

/** A card in each of its states, from real calls in a real box. */
export async function shootSlackCards(): Promise<readonly SlackShot[]> {
  await using bench = await openSlackBench(['ada', 'bea', 'cleo', 'dan', 'eli'])
  const { slack, people } = bench
  const shots: SlackShot[] = []
  for (const [index, { command, shoot }] of scenes.entries()) {
    const who = people[index]
    if (who === undefined) throw new Error('a person is missing')
    const dm = slack.dm(who)
    dm.say(who, `run ${command}`)
    const card = await dm.waitForMessage(({ buttons }) => buttons.length > 0)
    shots.push(...(await shoot({ slack, who, dm }, card)))
  }
  return shots
}

interface Place {
  readonly slack: SlackStandIn
  readonly who: SlackUser
  readonly dm: ChannelHandle
}

interface Scene {
  readonly command: string
  shoot(place: Place, card: SeenMessage): Promise<readonly SlackShot[]>
}

const ending: Scene = {
  command: 'touch report.txt; echo counting; sleep 4; wc -c report.txt',
  shoot: async ({ who, dm }, card) => {
    await dm.click(who, card.ts, 'Approve').outcome
    const running = await dm.waitForMessage(
      ({ ts, buttons }) => ts === card.ts && buttons[0]?.label === 'Stop',
    )
    return [
      { title: 'waiting', message: card },
      { title: 'running', message: running },
      { title: 'ended', message: await dm.waitForText('→ exit 0') },
    ]
  },
}

const failing: Scene = {
  command: 'wc -l missing.txt',
  shoot: async ({ who, dm }, card) => {
    await dm.click(who, card.ts, 'Approve').outcome
    return [{ title: 'failed', message: await dm.waitForText('→ failed: exit 1') }]
  },
}

const denied: Scene = {
  command: 'git merge --ff-only origin/main && npm run migrate',
  shoot: async ({ slack, who, dm }, card) => {
    await dm.click(who, card.ts, 'Deny').outcome
    const form = await slack.waitForModal(who)
    await form.submit({ [form.fields[0]?.label ?? '']: 'not on a Friday' })
    return [{ title: 'denied, with the reason', message: await dm.waitForText('not on a Friday') }]
  },
}

const stopped: Scene = {
  command: 'rm -rf build',
  shoot: async ({ who, dm }, card) => {
    dm.say(who, '/stop')
    const isStopped = ({ ts, edits }: SeenMessage) => ts === card.ts && edits > 0
    return [{ title: 'stopped', message: await dm.waitForMessage(isStopped) }]
  },
}

const tooLong: Scene = {
  command: [...steps(), 'rm -rf build'].join('\n'),
  shoot: async ({ dm }, card) => {
    const file = await dm.waitForMessage(({ files }) => files.length > 0)
    return [
      { title: 'too long for a message: the file', message: file },
      { title: 'and its card', message: card },
    ]
  },
}

const scenes: readonly Scene[] = [ending, failing, denied, stopped, tooLong]

function steps(): readonly string[] {
  return Array.from({ length: 500 }, (_, index) => `echo "step ${index + 1} of 500"`)
}
