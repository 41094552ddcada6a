import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { RealProgram } from '../support/real-product.ts'
import type { ChannelHandle } from '../support/slack/people/channel-handle.ts'
import { createSlack } from '../support/slack/slack.ts'
import { expectWhole } from './support/invariants.ts'
import { createPlace } from './support/place.ts'
import { untilAllDone } from './telegram/until-all-done.ts'

const patience = { timeoutMs: 90_000 }
/** Slack's own 3 s are over when a busy machine has held up either side. */
const ackTimeoutMs = 15_000
/** After a click, before the program is killed. */
const momentsMs = [0, 10, 60]

describe('countersign start serves Slack, killed and started again', () => {
  test('REL-01 LOOP-04 INT-16 INT-17 SLACK-01 CHAT-06 while a card waits, and just after it was answered: the command runs once, it gets one answer, and the card tells the outcome', async () => {
    await using at = await createSlackPlace()
    const { slack, place, ada, dm } = at
    const answered: string[] = []
    for (const [index, moment] of momentsMs.entries()) {
      const first = await at.start()
      const words = `run: echo ${index} >> counter`
      dm.say(ada, words)
      const card = await cardOf(dm, index + 1)
      place.killAll()
      await first.ended
      expect(await dm.click(ada, card.ts, 'Approve').outcome).toMatchObject({ kind: 'failed' })
      const second = await at.start()
      expect(await dm.click(ada, card.ts, 'Approve').outcome).toMatchObject({ kind: 'acked' })
      await delay(moment)
      place.killAll()
      await second.ended
      await using third = await at.start()
      await untilAllDone(place, index + 1, 90_000)
      expect(third.stderr).toBe('')
      const told = await dm.waitForMessage(
        ({ ts, text }) => ts === card.ts && /→ exit 0/.test(text),
        patience,
      )
      expect(told.buttons).toEqual([])
      answered.push(`finished: ${words}`)
      await expectWhole(place, index + 1)
      place.killAll()
      await third.ended
    }
    expect(place.counter()).toEqual(momentsMs.map((_, index) => String(index)))
    const said = dm.botMessages().map(({ text }) => text)
    // What was sent and not recorded is sent again.
    expect([...new Set(said.filter((text) => text.startsWith('finished:')))]).toEqual(answered)
    expect(slack.calls.filter(({ outcome }) => outcome.kind === 'refused')).toEqual([])
  }, 300_000)
})

/** A data directory beside Slack's stand-in, which outlives every process that runs over the directory. */
async function createSlackPlace() {
  const resources = new AsyncDisposableStack()
  const slack = resources.use(
    await createSlack({ ackTimeoutMs, retryDelaysMs: Array(40).fill(1_000) }),
  )
  const ada = slack.user('ada', { id: 'U0ADA00001' })
  const settings = {
    SLACK_BOT_TOKEN: slack.botToken,
    SLACK_APP_TOKEN: slack.appToken,
    SLACK_API_URL: slack.apiUrl,
    COUNTERSIGN_SLACK_ALLOWED_USERS: ada.id,
  }
  const place = resources.use(await createPlace({ settings }))
  const start = async (): Promise<RealProgram> => {
    const { environment, dataDir: cwd } = place
    const program = new RealProgram(['start'], { cwd, environment })
    await slack.waitFor(() => / is ready in /.test(program.stdout), {
      ...patience,
      what: 'the program serves Slack',
    })
    return program
  }
  return {
    ...{ slack, ada, place, start },
    dm: slack.dm(ada),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

function cardOf(dm: ChannelHandle, number: number) {
  return dm.waitForMessage(
    ({ fallback, buttons }) => fallback.startsWith(`Approval ${number}: `) && buttons.length > 0,
    { ...patience, what: `the card of question ${number}` },
  )
}
