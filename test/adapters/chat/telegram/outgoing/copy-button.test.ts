import { describe, expect, test } from 'vitest'
import type { Card, Copyable } from '../../../../../src/domain/approval.ts'
import type { Outgoing } from '../../../../../src/ports/chat.ts'
import { aCard } from '../../console/cards.ts'
import { aContext, openOutgoing } from './outgoing-place.ts'

function cardWith(copyable: Copyable, changes: Partial<Card> = {}): Outgoing {
  return { kind: 'card', card: aCard({ copyable, ...changes }) }
}

function command(text: string): Copyable {
  return { kind: 'command', text }
}

type Out = Awaited<ReturnType<typeof openOutgoing>>

function rowsOf(out: Out) {
  const buttons = out.chat.messages().at(-1)?.buttons ?? []
  return buttons.map((row) => row.map(({ text }) => text))
}

const old = { telegram: { lacks: ['copy_text'] } } as const

describe('TG-06 copy_text', () => {
  test('CARD-03 a card has a button that copies its command, in the second row', async () => {
    await using out = await openOutgoing()
    await out.platform.deliver('42', cardWith(command('rm -rf build')), aContext())
    expect(out.chat.messages()[0]?.buttons[1]?.[1]).toEqual({
      text: 'Copy',
      copy_text: { text: 'rm -rf build' },
    })
    expect(rowsOf(out)).toEqual([
      ['Approve', 'Always: rm -rf build', 'Deny'],
      ['Edit', 'Copy', '⋯'],
    ])
  })

  test('a path has a copy button too', async () => {
    await using out = await openOutgoing()
    const copyable = { kind: 'path', text: 'src/main.ts' } as const
    await out.platform.deliver('42', cardWith(copyable, { tool: 'read_file' }), aContext())
    expect(rowsOf(out).at(-1)).toEqual(['Edit', 'Copy', '⋯'])
  })

  test('it stays while the approval is pending, also after edits', async () => {
    await using out = await openOutgoing()
    const waiting = aCard({ copyable: command('ls'), messagesKept: 1 })
    await out.platform.deliver('42', cardWith(command('ls')), aContext())
    const edit = aContext({ editOf: '1' })
    await out.platform.deliver('42', { kind: 'card_update', card: waiting }, edit)
    expect(rowsOf(out).at(-1)).toEqual(['Edit', 'Copy', '⋯'])
    const granted: Card = { ...waiting, status: { kind: 'granted' } }
    await out.platform.deliver('42', { kind: 'card_update', card: granted }, edit)
    expect(rowsOf(out)).toEqual([])
  })

  test('up to 256 characters can be copied; longer text has no button', async () => {
    await using out = await openOutgoing()
    await out.platform.deliver('42', cardWith(command('x'.repeat(256))), aContext())
    expect(rowsOf(out).at(-1)).toEqual(['Edit', 'Copy', '⋯'])
    await out.platform.deliver('42', cardWith(command('x'.repeat(257))), aContext())
    expect(rowsOf(out).at(-1)).toEqual(['Edit', '⋯'])
    expect(out.telegram.callsOf('sendMessage')).toHaveLength(2)
  })

  test('a server without support gets the card without the button, and is not asked again', async () => {
    await using out = await openOutgoing(old)
    const sent = await out.platform.deliver('42', cardWith(command('ls')), aContext())
    expect(sent).toMatchObject({ kind: 'sent' })
    expect(rowsOf(out)).toEqual([
      ['Approve', 'Always: rm -rf build', 'Deny'],
      ['Edit', '⋯'],
    ])
    expect(out.telegram.callsOf('sendMessage')).toHaveLength(2)
    await out.platform.deliver('42', cardWith(command('ls')), aContext())
    expect(out.telegram.callsOf('sendMessage')).toHaveLength(3)
  })

  test('a text that the server refuses is sent without the button, and others keep theirs', async () => {
    await using out = await openOutgoing()
    const description = 'Bad Request: BUTTON_COPY_TEXT_INVALID'
    out.telegram.failNext('sendMessage', { kind: 'status', code: 400, description })
    await out.platform.deliver('42', cardWith(command('odd')), aContext())
    expect(rowsOf(out).at(-1)).toEqual(['Edit', '⋯'])
    await out.platform.deliver('42', cardWith(command('ls')), aContext())
    expect(rowsOf(out).at(-1)).toEqual(['Edit', 'Copy', '⋯'])
  })

  test('a card refused for another reason is not sent again', async () => {
    await using out = await openOutgoing()
    const sent = await out.platform.deliver('77', cardWith(command('ls')), aContext())
    expect(sent).toMatchObject({ kind: 'refused' })
    expect(out.telegram.callsOf('sendMessage')).toHaveLength(1)
  })
})
