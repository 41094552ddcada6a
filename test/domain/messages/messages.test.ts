import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Language, languages } from '../../../src/domain/messages/language.ts'
import { messagesOf } from '../../../src/domain/messages/messages.ts'
import { type Parameter, readParameters } from './parameters.ts'
import '../../support/run/fuzz-seed.ts'
import { anyCharacter } from '../../support/run/any-character.ts'

type Arguments = Readonly<Record<string, unknown>>
type Message = string | ((args: Arguments) => string)

const parameters = readParameters()

/** Text next to a name or pattern that is drawn in a style of its own. */
const pieces = /^display\.(?:inPlace|approvedBy|deniedBy|byName|canReply|canAddReason|untilClear)$/

/** All messages of a language by their paths. */
function messagesIn(language: Language): ReadonlyMap<string, Message> {
  const { language: _, format: _format, clock: _clock, ...areas } = messagesOf(language)
  const found = new Map<string, Message>()
  const walk = (path: string, value: unknown): void => {
    if (typeof value === 'string') found.set(path, value)
    else if (typeof value === 'function') found.set(path, value as (args: Arguments) => string)
    else for (const [key, inner] of Object.entries(value as object)) walk(`${path}.${key}`, inner)
  }
  for (const [area, value] of Object.entries(areas)) walk(area, value)
  return found
}

/** Beyond the numbers that are written as words. */
const number = fc.integer({ min: 11, max: 999 })

function valuesFor({ type }: Parameter): fc.Arbitrary<unknown> {
  if (type === 'string')
    return fc.string({ unit: anyCharacter, minLength: 1 }).map((text) => `⟦${text}⟧`)
  if (type === 'number') return number
  if (type === 'boolean') return fc.boolean()
  if (type === 'strings') return fc.constant(['⟦one⟧', '⟦two⟧'])
  return fc.constantFrom(...type)
}

function argumentsOf(path: string): fc.Arbitrary<Arguments> {
  const wanted = parameters.get(path) ?? []
  return fc.record(Object.fromEntries(wanted.map((one) => [one.name, valuesFor(one)])))
}

/** What of an argument must stand in the text as it is. */
function partsOf(value: unknown): readonly string[] {
  if (typeof value === 'number') return [String(value)]
  if (typeof value === 'string') return value.startsWith('⟦') ? [value] : []
  return Array.isArray(value) ? value.map(String) : []
}

/** Text for sizes: numbers of five digits, names of the usual length. */
function sizedText(path: string, message: Message, option = 0): string {
  if (typeof message === 'string') return message
  const args = (parameters.get(path) ?? []).map(({ name, type }) => {
    const values = {
      string: 'a name of 24 characters',
      number: 99_999,
      boolean: true,
      strings: ['a'],
    }
    return [name, typeof type === 'string' ? values[type] : type[option % type.length]]
  })
  return message(Object.fromEntries(args))
}

describe.each(languages)('CARD-06 in %s', (language) => {
  const messages = messagesIn(language)

  test('CARD-06 there are the messages that there are in English', () => {
    expect([...messages.keys()].sort()).toEqual([...messagesIn('en').keys()].sort())
    for (const [path, message] of messages) {
      expect(typeof message === 'function', path).toBe(parameters.has(path))
      if (typeof message === 'string' && !pieces.test(path))
        expect(message.trim(), path).toBe(message)
      if (typeof message === 'string') expect(message, path).not.toBe('')
    }
  })

  test('CARD-06 no variable is missing, and each stands there as it was given', () => {
    for (const [path, message] of messages) {
      if (typeof message === 'string') continue
      const check = (args: Arguments) => {
        const text = message(args)
        for (const part of Object.values(args).flatMap(partsOf)) expect(text, path).toContain(part)
        expect(text, path).not.toMatch(/undefined|\[object|NaN/)
      }
      fc.assert(fc.property(argumentsOf(path), check), { numRuns: 10 })
    }
  })

  test('CARD-06 what may be left out leaves no gap', () => {
    for (const [path, message] of messages) {
      const all = parameters.get(path) ?? []
      if (typeof message === 'string' || all.every(({ isOptional }) => !isOptional)) continue
      const [args = {}] = fc.sample(argumentsOf(path), 1)
      const needed = all
        .filter(({ isOptional }) => !isOptional)
        .map(({ name }) => [name, args[name]])
      const text = message(Object.fromEntries(needed))
      expect(text, path).not.toMatch(/undefined| {2}| [.,:;]/)
    }
  })

  test('CARD-06 TG-02 SLACK-02 what has little room fits', () => {
    const longest = (pattern: RegExp): number =>
      Math.max(
        ...[...messages]
          .filter(([path]) => pattern.test(path))
          .map(([path, message]) => sizedText(path, message).length),
      )
    expect(longest(/^commands\.summaries\./)).toBeLessThanOrEqual(80)
    // Telegram shows up to 200 characters as the answer to a tap.
    const answers =
      /^approvals\.(?!digest|reminder|not|waits|tooFew|expiredStopped)|^inbox\.(?:may|button|ended|stopped|thanks|answer|tooManyR)|^chat\.tap|^grants\.(?:none|ended|revoked|owner|approvers|ruleBeing)/
    expect(longest(answers)).toBeLessThanOrEqual(200)
    expect(longest(/^chat\.(?:deny|askAgain|cancel)$/)).toBeLessThanOrEqual(24)
    expect(longest(/^chat\.(?:deny|edit)Title$/)).toBeLessThanOrEqual(24)
    expect(longest(/^cards\.excerptGap$/)).toBeLessThanOrEqual(64)
    // Three in a row of a phone; all of them in half of one.
    expect(
      longest(/^display\.labels\.(?:approve|always|choice|deny|edit|back|turn|15m|1h|copy)$/),
    ).toBeLessThanOrEqual(13)
    expect(longest(/^display\.labels\./)).toBeLessThanOrEqual(16)
  })
})

/** Words that are the same in several languages. */
const alike: Readonly<Record<Exclude<Language, 'en'>, readonly string[]>> = {
  de: [
    'approvals.aboutMany',
    'commands.permissions.worker',
    'commands.worker.present',
    'inbox.megabytes',
    'mcp.server',
    'terminal.inTime',
  ],
  es: [
    'approvals.aboutMany',
    'commands.permissions.worker',
    'commands.worker.present',
    'commands.worker.sandbox',
    'inbox.megabytes',
    'mcp.server',
  ],
}

test.each(['de', 'es'] as const)('CARD-06 no English is left in %s', (language) => {
  const english = messagesIn('en')
  const same = [...messagesIn(language)].filter(([path, message]) => {
    const other = english.get(path)
    if (other === undefined) return true
    return sizedText(path, message) === sizedText(path, other)
  })
  expect(same.map(([path]) => path).sort()).toEqual(alike[language])
})
