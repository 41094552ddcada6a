import { expect, test } from 'vitest'
import { Secret } from '../../../src/config/secrets.ts'
import { serveTelegram } from '../../../src/gateway/serve-telegram.ts'
import { createTelegramWebhook } from '../../../src/gateway/telegram-webhook.ts'
import { silentLog } from '../../../src/util/log.ts'
import { call, say } from '../../support/scripted-model.ts'
import { createTelegram } from '../../support/telegram/telegram.ts'
import * as telegramStage from '../telegram/stage.ts'
import { counting, runs } from '../workspace-commands.ts'
import { cardOf, claimOf, copiesOf, openStage, untilReads } from './stage.ts'

test('CHAT-02 APPR-04 APPR-18 with Slack and Telegram at once a question is asked of approvers on both, the first answer wins, and every copy tells it', async () => {
  await using telegram = await createTelegram()
  const token = new Secret(telegram.token)
  await using stage = await openStage({
    settings: {
      TELEGRAM_BOT_TOKEN: telegram.token,
      TELEGRAM_API_ROOT: telegram.url,
      COUNTERSIGN_TELEGRAM_APPROVERS: '44',
      COUNTERSIGN_APPROVAL_ROUTE: 'approver',
    },
  })
  const { flow, scenes } = stage
  const { slack, config } = flow
  const telegramWebhook = createTelegramWebhook()
  await using _served = await serveTelegram({
    gateway: flow.product,
    telegramWebhook,
    config,
    token,
    log: silentLog,
  })
  const tess = telegram.addUser({ id: 44, first_name: 'Tess' })
  const chat = telegram.privateChat(tess)
  scenes.on('good morning', say('Good morning.'))
  chat.send(tess, 'good morning')
  await chat.waitForText('Good morning.')
  const hers = slack.dm(stage.eve)
  hers.say(stage.eve, 'good morning')
  await hers.waitForText('Good morning.')

  const ada = stage.guest()
  const dm = slack.dm(ada)
  scenes.on('first job', call('bash', { command: counting }), say('First is done.'))
  dm.say(ada, 'first job')
  const onSlack = await cardOf(hers)
  const onTelegram = await telegramStage.cardOf(chat)
  expect((await dm.waitForText('asked in private')).text).toContain('eve')
  expect(copiesOf(dm)).toEqual([])
  expect(await chat.tap(tess, onTelegram.id, 'Approve').answered).toMatchObject({
    text: 'Approved.',
  })
  await dm.waitForText('First is done.')
  const told = await untilReads(hers, onSlack.ts, /Approved by Tess.* → exit 0/)
  expect(told.buttons).toEqual([])
  await telegramStage.untilReads(chat, onTelegram, /Approved by Tess.* → exit 0/)
  await hers.claimClick(stage.eve, claimOf(onSlack, 'Deny')).outcome
  await hers.waitForEphemeral(stage.eve, 'Already approved by Tess')
  expect(slack.modals(stage.eve)).toEqual([])
  expect(await runs(stage, dm.id)).toBe(1)

  const scene = scenes.on('second job', call('bash', { command: 'touch no' }), say('Then not.'))
  dm.say(ada, 'second job')
  const second = await cardOf(hers, 2)
  const theirs = await telegramStage.cardOf(chat, 2)
  await hers.click(stage.eve, second.ts, 'Deny').outcome
  await (await slack.waitForModal(stage.eve)).submit({ written: 'not on a Friday' })
  await dm.waitForText('Then not.')
  expect(scene.lastHeard()).toContain('rejected by user: not on a Friday')
  const end = await telegramStage.untilReads(chat, theirs, /Denied by eve.*: not on a Friday$/)
  expect(end.buttons).toEqual([])
  await untilReads(hers, second.ts, /Denied by eve.*: not on a Friday$/)
})
