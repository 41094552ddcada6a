import type { User } from 'grammy/types'
import { expect } from 'vitest'
import type { ChatHandle } from '../../support/telegram/chat-handle.ts'
import type { Load } from './load.ts'

const patience = { timeoutMs: 90_000 }

/** A command that goes on for longer than most of what happens around it. */
export async function beginLong(load: Load, person: User, ms: number): Promise<ChatHandle> {
  const chat = load.apart.telegram.privateChat(person)
  chat.send(
    person,
    `run: echo long-begin >> counter; sleep ${ms / 1_000}; echo long-end >> counter`,
  )
  load.extraOrders += 1
  const card = await chat.waitForMessage(({ text }) => text.startsWith('❯'), patience)
  chat.tap(person, card.id, 'Approve')
  await load.apart.telegram.waitFor(() => load.apart.place.counter().includes('long-begin'), {
    ...patience,
    what: 'the long command has begun',
  })
  return chat
}

/** It ended by itself, and was told as such once. */
export async function expectFinished(chat: ChatHandle): Promise<void> {
  const told = await chat.waitForMessage(
    ({ text }) => /^(?:finished|interrupted): /u.test(text),
    patience,
  )
  expect(told.text).toMatch(/^finished: /u)
  expect(
    chat.botMessages().filter(({ text }) => /^(?:finished|interrupted): /u.test(text)),
  ).toHaveLength(1)
}
