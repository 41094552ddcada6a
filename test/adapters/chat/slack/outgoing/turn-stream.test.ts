import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RunningTurn } from '../../../../../src/adapters/chat/render/draw-live.ts'
import {
  type Chunk,
  settledLength,
  TurnStream,
} from '../../../../../src/adapters/chat/slack/outgoing/turn-stream.ts'
import { toInertMarkdown } from '../../../../../src/adapters/chat/slack/render/to-inert-markdown.ts'
import '../../../../support/run/fuzz-seed.ts'
import { nastyMarkdown } from '../../telegram/render/nasty-markdown.ts'

function writing(text: string, epoch = 1): RunningTurn {
  return { text, epoch, steps: [], doing: 'writing' }
}

function running(text: string, lastLine: string, elapsedMs: number, isOver = false): RunningTurn {
  const step = { id: 'c1', tool: 'bash', lastLine, elapsedMs, isOver }
  return { text, epoch: 1, steps: [step], doing: isOver ? 'thinking' : 'bash' }
}

function wordsOf(chunks: readonly Chunk[] | undefined): string {
  return (chunks ?? []).map((chunk) => ('text' in chunk ? chunk.text : '')).join('')
}

test('SLACK-03 words are sent when complete, and the last one when its step ends', () => {
  const stream = new TurnStream(writing('I lo'))
  expect(stream.mode).toBe('timeline')
  expect(stream.next(writing('I lo'))).toEqual([{ type: 'markdown_text', text: 'I ' }])
  expect(stream.next(writing('I look at'))).toEqual([{ type: 'markdown_text', text: 'look ' }])
  expect(stream.next(writing('I look at'))).toEqual([])
  const chunks = stream.next(running('I look at', 'one', 1_000)) ?? []
  expect(chunks).toMatchObject([
    { type: 'markdown_text', text: 'at\n\n' },
    { type: 'task_update', id: 'c1', status: 'in_progress', title: 'bash · 1 s · one' },
  ])
  expect(wordsOf(stream.next(writing('It is', 2)))).toBe('It ')
})

test('SLACK-05 a step shows its tool, duration and last line until it ends', () => {
  const stream = new TurnStream(running('', 'one', 1_000))
  expect(stream.mode).toBe('plan')
  expect(stream.next(running('', 'one', 1_000))).toEqual([
    { type: 'plan_update', title: 'Working…' },
    { type: 'task_update', id: 'c1', status: 'in_progress', title: 'bash · 1 s · one' },
  ])
  expect(stream.next(running('', 'one', 1_400))).toEqual([])
  expect(stream.next(running('', 'two', 7_000))).toMatchObject([{ title: 'bash · 7 s · two' }])
  expect(stream.last()).toMatchObject([{ id: 'c1', status: 'complete' }])
  expect(stream.next(running('', 'two', 8_000, true))).toMatchObject([{ status: 'complete' }])
  expect(stream.last()).toEqual([])
})

test('SLACK-03 text that cannot be appended, or exceeds a message, is not sent', () => {
  const stream = new TurnStream(writing('one two three'))
  stream.next(writing('one two three'))
  expect(stream.next(writing('something else'))).toBeUndefined()
  const long = new TurnStream(writing('x'))
  expect(long.next(writing('word '.repeat(1_000)))).toBeDefined()
  expect(long.next(writing('word '.repeat(2_000)))).toBeUndefined()
})

test('SLACK-03 in any division into pieces, the sent text is a prefix of the whole, and no piece starts with a blank', () => {
  fc.assert(
    fc.property(nastyMarkdown, fc.array(fc.nat(400), { maxLength: 20 }), (markdown, cuts) => {
      const stream = new TurnStream(writing(''))
      let said = ''
      for (const cut of [...cuts.sort((one, other) => one - other), markdown.length]) {
        const chunks = stream.next(writing(markdown.slice(0, cut).toWellFormed()))
        if (chunks === undefined) return
        const words = wordsOf(chunks)
        if (said !== '') expect(words).not.toMatch(/^\s/)
        said += words
      }
      expect(toInertMarkdown(markdown).startsWith(said)).toBe(true)
    }),
    { numRuns: 500 },
  )
})

test('SLACK-03 text without blanks is cut between characters', () => {
  expect(settledLength('日本語の文章')).toBe(0)
  const long = '日'.repeat(200)
  expect(settledLength(long)).toBe(199)
  const faces = '😀'.repeat(100)
  expect(faces.slice(0, settledLength(faces)).isWellFormed()).toBe(true)
  expect(settledLength(`${'x'.repeat(80)}   `)).toBeLessThan(81)
})
