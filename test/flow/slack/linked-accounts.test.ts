import { expect, test } from 'vitest'
import { Secret } from '../../../src/config/secrets.ts'
import { unlinkAccount } from '../../../src/db/people/caller-links.ts'
import { serveTelegram } from '../../../src/gateway/serve-telegram.ts'
import { createTelegramWebhook } from '../../../src/gateway/telegram-webhook.ts'
import { silentLog } from '../../../src/util/log.ts'
import { auditRows, firstAuditRow } from '../../support/audit-rows.ts'
import { call, say } from '../../support/scripted-model.ts'
import { createTelegram } from '../../support/telegram/telegram.ts'
import * as telegramStage from '../telegram/stage.ts'
import { counting, runs } from '../workspace-commands.ts'
import { cardOf, claimOf, openStage, type Stage, untilReads } from './stage.ts'

/** Slack and Telegram at once; Tess may talk in both, and has written in both. */
async function openBoth(settings: Readonly<Record<string, string>> = {}) {
  const resources = new AsyncDisposableStack()
  const telegram = resources.use(await createTelegram())
  const stage = resources.use(
    await openStage({
      settings: {
        TELEGRAM_BOT_TOKEN: telegram.token,
        TELEGRAM_API_ROOT: telegram.url,
        COUNTERSIGN_TELEGRAM_ALLOWED_USERS: '51',
        ...settings,
      },
    }),
  )
  const { flow, scenes } = stage
  const token = new Secret(telegram.token)
  const telegramWebhook = createTelegramWebhook()
  const serving = {
    gateway: flow.product,
    telegramWebhook,
    config: flow.config,
    token,
    log: silentLog,
  }
  resources.use(await serveTelegram(serving))
  const tess = telegram.addUser({ id: 51, first_name: 'Tess' })
  const chat = telegram.privateChat(tess)
  const tessToo = stage.guest('tess-too')
  const dm = flow.slack.dm(tessToo)
  scenes.on('good morning', say('Good morning.'))
  chat.send(tess, 'good morning')
  await chat.waitForText('Good morning.')
  dm.say(tessToo, 'good morning')
  await dm.waitForText('Good morning.')
  const ids = { telegram: 'telegram:51', slack: `slack:${tessToo.teamId}:${tessToo.id}` }
  const dispose = () => resources.disposeAsync()
  return { stage, chat, tess, dm, tessToo, ids, [Symbol.asyncDispose]: dispose }
}

type Both = Awaited<ReturnType<typeof openBoth>>

/** `/link` in Telegram, and its code in Slack. */
async function link({ stage, chat, tess, dm, tessToo }: Both): Promise<void> {
  chat.send(tess, '/link')
  const { text } = await chat.waitForText('Send this code to me from your other account')
  const code = text.split('\n')[0] ?? ''
  dm.say(tessToo, code)
  await dm.waitForText('Nothing is linked yet.')
  dm.say(tessToo, ` /link ${code}`)
  await dm.waitForText('made by Tess on Telegram (telegram:51)')
  dm.say(tessToo, ` /link ${code} yes`)
  await dm.waitForText('Linked.')
  await chat.waitForText('Your code was used.')
  expect(await everythingSaid(stage)).not.toContain(code)
}

/** What is kept of messages, both ways, and of the audit. */
async function everythingSaid({ flow: { db } }: Stage): Promise<string> {
  const said = await db.selectFrom('outbox').select('body').execute()
  const heard = await db.selectFrom('inbound_event').select('body').execute()
  const noted = await auditRows(db)
  return [...said, ...heard, ...noted].map(({ body }) => body).join('\n')
}

test('CHAT-01 APPR-18 whoever is linked on two platforms answers on either; the other copy tells it, and the audit names the account', async () => {
  await using both = await openBoth()
  const { stage, chat, tess, dm, tessToo, ids } = both
  const { flow, scenes } = stage
  scenes.on('run it', call('bash', { command: counting }), say('It ran.'))
  dm.command(tessToo, '/countersign', 'approvals')
  await dm.waitForText('Nothing is waiting')
  chat.send(tess, 'run it')
  const asked = await telegramStage.cardOf(chat)
  await link(both)
  dm.command(tessToo, '/countersign', 'approvals')
  await dm.waitForText('requested by Tess in another chat')
  const copy = await cardOf(dm)
  await dm.click(tessToo, copy.ts, 'Approve').outcome
  await chat.waitForText('It ran.')
  const told = await telegramStage.untilReads(chat, asked, /Approved by tess-too.* → exit 0/)
  expect(told.buttons).toEqual([])
  await untilReads(dm, copy.ts, /Approved by tess-too.* → exit 0/)
  await flow.settled(dm.id)
  const { caller_id, decided_by } = await firstAuditRow(flow.db, 'decided')
  expect([caller_id, decided_by]).toEqual([ids.telegram, ids.slack])
})

test('CHAT-01 APPR-18 a link that is ended ends at once: the copy of the card that is shown already answers nothing', async () => {
  await using both = await openBoth()
  const { stage, chat, tess, dm, tessToo, ids } = both
  await link(both)
  stage.scenes.on('run it', call('bash', { command: 'touch never' }), say('It ran.'))
  chat.send(tess, 'run it')
  await telegramStage.cardOf(chat)
  dm.command(tessToo, '/countersign', 'approvals')
  const copy = await cardOf(dm)
  await unlinkAccount(stage.flow.db, ids.slack)
  await dm.claimClick(tessToo, claimOf(copy, 'Approve')).outcome
  await dm.waitForEphemeral(tessToo, 'You may not answer this')
  const { state } = await stage.flow.db
    .selectFrom('approval')
    .select('state')
    .executeTakeFirstOrThrow()
  expect(state).toBe('pending')
})

test('CHAT-01 APPR-12 two accounts of one person, both approvers, are one of two who must approve', async () => {
  await using both = await openBoth({
    COUNTERSIGN_TELEGRAM_APPROVERS: '51',
    COUNTERSIGN_SLACK_APPROVERS: 'U0EVE00001,U0GUEST100',
    COUNTERSIGN_APPROVAL_ROUTE: 'approver',
    COUNTERSIGN_APPROVAL_PEOPLE_MEDIUM: '2',
  })
  const { stage, chat, tess, dm, tessToo } = both
  const { flow, scenes } = stage
  await link(both)
  const eves = flow.slack.dm(stage.eve)
  eves.say(stage.eve, 'good morning')
  await eves.waitForText('Good morning.')
  const ada = stage.guest()
  const hers = flow.slack.dm(ada)
  scenes.on('second job', call('bash', { command: counting }), say('Done by two.'))
  hers.say(ada, 'second job')
  const card = await telegramStage.cardOf(chat)
  expect(await chat.tap(tess, card.id, 'Approve').answered).toMatchObject({
    text: 'Counted: 1 of 2 approved.',
  })
  const own = await cardOf(dm)
  await dm.click(tessToo, own.ts, 'Approve').outcome
  await dm.waitForEphemeral(tessToo, 'Your approval already counts: 1 of 2 approved.')
  const onSlack = await cardOf(eves)
  await eves.click(stage.eve, onSlack.ts, 'Approve').outcome
  await hers.waitForText('Done by two.')
  expect(await runs(stage, hers.id)).toBe(1)
})

test('CHAT-01 a code in a channel links nobody, and /link gives none where others read', async () => {
  await using both = await openBoth()
  const { stage, chat, tess, dm, tessToo, ids } = both
  const { slack, db } = stage.flow
  const general = slack.channel({ name: 'general', members: [tessToo] })
  general.command(tessToo, '/countersign', 'link')
  await general.waitForText('Write /link to me in a private chat')
  chat.send(tess, '/link')
  const { text } = await chat.waitForText('Send this code to me from your other account')
  const code = text.split('\n')[0] ?? ''
  general.say(tessToo, `${slack.mention} ${code}`)
  await general.waitForText('it is void')
  dm.say(tessToo, ` /link ${code}`)
  await dm.waitForText('That code is not valid.')
  expect(await db.selectFrom('caller_link').selectAll().execute()).toEqual([])
  expect(ids.slack).toContain(tessToo.id)
})
