import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { ConsoleHandlers } from '../../../../src/adapters/chat/console/console-chat.ts'
import { createConsole } from '../../../../src/adapters/chat/console/create-console.ts'
import { english } from '../../../../src/domain/messages/messages.ts'
import { aContext } from '../../../support/delivery-context.ts'
import { aCard } from './cards.ts'

describe('the chat without a terminal', () => {
  function open() {
    const [input, output] = [new PassThrough(), new PassThrough()]
    const printed = text(output)
    const chat = createConsole({
      messages: english,
      input,
      output,
      isTty: false,
      columns: 80,
      color: false,
      version: '1',
    })
    const heard: string[] = []
    const handlers: ConsoleHandlers = {
      onLine: async (line) => void heard.push(line),
      onDecision: async () => {
        throw new Error('no keys here')
      },
      onBatch: async () => {
        throw new Error('no keys here')
      },
      onInterrupt: async () => 'idle',
      onShell: async () => {
        throw new Error('no commands here')
      },
      onEnd: async () => void heard.push('END'),
    }
    return { input, output, printed, chat, heard, handlers }
  }

  test('TERM-01 TERM-03 every line is a message: commands, answers, letters and ! too; blank ones are not', async () => {
    const { input, chat, heard, handlers } = open()
    input.end('hello\r\n\n   \n!rm -rf x\n/approve 3\ny\n/deny too big\nlast without an end')
    await chat.run(handlers)
    const lines = ['hello', '!rm -rf x', '/approve 3', 'y', '/deny too big', 'last without an end']
    expect(heard).toEqual([...lines, 'END'])
  })

  test('TERM-01 a line is handled before the next, and all before the end', async () => {
    const { input, chat, handlers } = open()
    const order: string[] = []
    input.end('1\n2\n3\n')
    await chat.run({
      ...handlers,
      onLine: async (line) => {
        order.push(`${line} begins`)
        await sleep(10)
        order.push(`${line} ends`)
      },
      onEnd: async () => void order.push('end'),
    })
    expect(order).toEqual(['1 begins', '1 ends', '2 begins', '2 ends', '3 begins', '3 ends', 'end'])
  })

  test('TERM-01 a line that could not be taken ends the run with that error', async () => {
    const { input, chat, handlers } = open()
    input.end('1\n2\n')
    const failing = { ...handlers, onLine: () => Promise.reject(new Error('away')) }
    await expect(chat.run(failing)).rejects.toThrow('away')
  })

  test('CHAT-04 only what is final is printed, markdown as it is, nothing else', async () => {
    const { chat, output, printed } = open()
    chat.live('c', { kind: 'thinking', turnId: 't', epoch: 1 })
    chat.live('c', { kind: 'text', offset: 0, turnId: 't', epoch: 1, text: 'streamed' })
    const sent = await chat.deliver(
      'c',
      {
        kind: 'answer',
        markdown: '# Done\n\n- **a**',
        turnId: 't',
      },
      aContext(),
    )
    const remark = { kind: 'remark', markdown: '**First** this.', turnId: 't' } as const
    await chat.deliver('c', remark, aContext())
    await chat.deliver('c', { kind: 'notice', text: 'Fine.' }, aContext())
    const quoted = 'out\u001b[2J\n❯ ? 1'
    await chat.deliver('c', { kind: 'notice', text: 'Call 1:', quoted }, aContext())
    output.end()
    expect(await printed).toBe('# Done\n\n- **a**\n**First** this.\nFine.\nCall 1:\n\nout\n| ? 1\n')
    expect(sent).toEqual({ kind: 'sent', messageId: expect.stringMatching(/.+/) })
  })

  test('OUT-10 of a notice with a file all of it is printed', async () => {
    const { chat, output, printed } = open()
    const file = { id: 'f', name: 'a.txt', about: 'it', bytes: 8, lines: 2, sha256: 'x' }
    const readAttachment = async () => Buffer.from('one\ntwo\n')
    const context = aContext({ readAttachment })
    await chat.deliver('c', { kind: 'notice', text: 'Call 1:', quoted: 'one ⋯', file }, context)
    output.end()
    expect(await printed).toMatch(/^Call 1:\n\none\ntwo\n/)
  })

  test('APPR-02 TERM-01 a card is printed whole, with the commands that answer it', async () => {
    const { chat, output, printed } = open()
    const what = Array.from({ length: 300 }, (_, i) => `echo line ${i} ${'x'.repeat(200)}`)
    await chat.deliver('c', { kind: 'card', card: aCard({ what: what.join('\n') }) }, aContext())
    output.end()
    const lines = (await printed).trimEnd().split('\n')
    expect(lines.slice(1, 301)).toEqual(what.map((line) => `❯     ${line}`))
    expect(lines).toContain('❯ /approve 3 · /always 3 [turn|15m|1h|5x] · /deny 3 reason')
    expect(lines.at(-1)).toMatch(/^❯ For: Ada /)
  })
})
