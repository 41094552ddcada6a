import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { english } from '../../../src/domain/messages/messages.ts'
import { call, say } from '../../support/scripted-model.ts'
import {
  cardOf,
  copiesOf,
  dataOf,
  labels,
  openStage,
  type Stage,
  storyOf,
  untilReads,
  wordsOf,
} from './stage.ts'

/** Moves a moment of every question that waits into the past. */
async function isOver(stage: Stage, column: 'expires_at' | 'remind_at'): Promise<void> {
  await stage.flow.db
    .updateTable('approval')
    .set({ [column]: sql`now() - interval '1 second'` })
    .where('state', '=', 'pending')
    .execute()
}

function questionOf({ flow }: Stage) {
  return flow.db
    .selectFrom('approval')
    .select(['card', 'expires_at'])
    .where('state', '=', 'pending')
    .executeTakeFirstOrThrow()
}

/** As if the question had been asked long ago: its card names the end from its next edit on. */
async function endsSoon(stage: Stage): Promise<string> {
  const end = new Date(Date.now() + 20 * 60_000)
  const { card } = await questionOf(stage)
  await stage.flow.db
    .updateTable('approval')
    .set({
      expires_at: end,
      card: JSON.stringify({ ...JSON.parse(card), expiresAt: end.toISOString() }),
    })
    .where('state', '=', 'pending')
    .execute()
  return english.clock.day(end, new Date())
}

describe('questions that nobody answers in time', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('APPR-08 APPR-19 by default they end as a denial that says so, on the card and to the model', async () => {
    const scene = stage.scenes.on('too late', call('bash', { command: 'touch x' }), say('Pity.'))
    const ada = stage.guest()
    ada.say('too late')
    const card = await cardOf(ada.chat)
    await isOver(stage, 'expires_at')
    await ada.chat.waitForText('Pity.')
    const expired = await untilReads(
      ada.chat,
      card,
      /⌛ Expired, (?:\d+ [A-Z][a-z]{2} )?\d\d:\d\d UTC: nobody answered in time$/,
    )
    expect(expired.buttons).toEqual([])
    expect(scene.lastHeard()).toContain('nobody approved it in time; the question expired')
    const late = await ada.chat.tapRaw(ada.user, card.id, dataOf(card, 'Approve')).answered
    expect(late).toMatchObject({ show_alert: true })
    expect(late.text).toMatch(/expired/)
    await stage.flow.settled(ada.id)
    expect(storyOf(ada.chat, card)).toEqual(['waiting', 'expired'])
    expect(wordsOf(ada.chat)).toEqual(['Pity.'])
  })

  test('APPR-08 APPR-19 a reminder comes once, and the card still works', async () => {
    stage.scenes.on('remind me', call('bash', { command: 'touch x' }), say('Made.'))
    const ada = stage.guest()
    ada.say('remind me')
    const card = await cardOf(ada.chat)
    await isOver(stage, 'remind_at')
    const reminder = await ada.chat.waitForText('Approval 1 (bash) is still waiting for an answer')
    expect(reminder.text).toMatch(/until \d+ [A-Z][a-z]{2} (?:\d{4} )?\d\d:\d\d UTC/)
    ada.tap(card, 'Approve')
    await ada.chat.waitForText('Made.')
    await stage.flow.settled(ada.id)
    expect(wordsOf(ada.chat)).toEqual([reminder.text, 'Made.'])
  })
})

test('APPR-19 with on_expiry = wait the card goes on with a new end, a reminder says so, and it can be answered', async () => {
  const settings = { COUNTERSIGN_APPROVAL_ON_EXPIRY: 'wait', COUNTERSIGN_APPROVAL_TTL: '1h' }
  await using stage = await openStage({ settings })
  stage.scenes.on('no hurry', call('bash', { command: 'touch x' }), say('Made at last.'))
  const ada = stage.guest()
  ada.say('no hurry')
  const card = await cardOf(ada.chat)
  const soon = await endsSoon(stage)
  ada.say('take your time')
  await untilReads(ada.chat, card, new RegExp(`\nUntil ${soon}, then it waits again\n`))
  await isOver(stage, 'expires_at')
  await ada.chat.waitForText('Approval 1 (bash) is still waiting for an answer')
  await stage.flow.settled(ada.id)
  const { expires_at } = await questionOf(stage)
  expect(expires_at.getTime() - Date.now()).toBeGreaterThan(50 * 60_000)
  const later = english.clock.day(expires_at, new Date())
  expect(later).not.toBe(soon)
  const live = await untilReads(
    ada.chat,
    card,
    new RegExp(`\nUntil ${later}, then it waits again\n`),
  )
  expect(labels(live)).toEqual(labels(card))
  ada.tap(card, 'Approve')
  await ada.chat.waitForText('Made at last.')
  await stage.flow.settled(ada.id)
  expect(new Set(storyOf(ada.chat, card))).not.toContain('expired')
  expect(copiesOf(ada.chat)).toHaveLength(1)
})

test('APPR-19 with on_expiry = stop the turn ends, and the card and a notice say why', async () => {
  await using stage = await openStage({ settings: { COUNTERSIGN_APPROVAL_ON_EXPIRY: 'stop' } })
  const scene = stage.scenes.on('stop then', call('bash', { command: 'touch x' }), say('never'))
  stage.scenes.on('go on', say('Going on.'))
  const ada = stage.guest()
  ada.say('stop then')
  const card = await cardOf(ada.chat)
  await isOver(stage, 'expires_at')
  await ada.chat.waitForText('Approval 1 (bash) expired unanswered, so the turn was stopped.')
  expect((await untilReads(ada.chat, card, /⌛ Expired/)).buttons).toEqual([])
  ada.say('go on')
  await ada.chat.waitForText('Going on.')
  expect(scene.requests).toHaveLength(1)
})

test('BOX-08 APPR-23 APPR-02 where nothing confines commands the card warns of it, and Always is not offered', async () => {
  // As for somebody who did not start it as root.
  const getuid = vi.spyOn(process, 'getuid').mockReturnValue(1_000)
  try {
    await using stage = await openStage({ settings: { COUNTERSIGN_SANDBOX_DRIVER: 'process' } })
    stage.scenes.on('unconfined', call('bash', { command: 'touch x' }), say('Made.'))
    const ada = stage.guest()
    ada.say('unconfined')
    const card = await cardOf(ada.chat)
    expect(card.text).toContain(
      "⚠️ commands can read and change everything you can, Countersign's own keys included",
    )
    expect(card.text).toContain('Always is not offered here.')
    expect(labels(card)).toEqual(['Approve', 'Deny', 'Edit', 'Copy'])
    ada.say('/status')
    const status = await ada.chat.waitForText('Model:')
    expect(status.text).toContain('Warning: commands can read and change everything you can')
    ada.tap(card, 'Approve')
    await ada.chat.waitForText('Made.')
  } finally {
    getuid.mockRestore()
  }
})
