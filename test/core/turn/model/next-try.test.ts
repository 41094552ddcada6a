import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nextTry } from '../../../../src/core/turn/model/settle-failure.ts'
import { ModelError } from '../../../../src/ports/model.ts'

const busy = new ModelError('rate_limited', 'Slow down.')
const first = { error: busy, failures: 0, failingMs: 100, budgetMs: 60_000, hasFallback: false }

test('MODEL-04 the wait has full jitter: anything up to a bound that doubles, and never above half a minute', () => {
  const longest = [0, 1, 2, 3, 4, 5, 6, 60].map((failures) =>
    nextTry({ ...first, failures, budgetMs: 1e9 }, () => 1),
  )
  expect(longest.map((next) => next.kind === 'again' && next.afterMs)).toEqual([
    1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000,
  ])
  expect(nextTry(first, () => 0)).toEqual({ kind: 'again', afterMs: 0 })
})

test('MODEL-04 Retry-After is honoured; longer than the budget lasts, nobody waits for it', () => {
  const named = (retryAfterMs: number) => new ModelError('unreachable', 'Down.', { retryAfterMs })
  expect(nextTry({ ...first, error: named(20_000) })).toEqual({ kind: 'again', afterMs: 20_000 })
  expect(nextTry({ ...first, error: named(59_901) })).toEqual({ kind: 'never' })
})

test('MODEL-04 what was refused is not tried again; a connection that broke in the middle is', () => {
  const error = new ModelError('refused', 'The key was refused.')
  expect(nextTry({ ...first, error })).toEqual({ kind: 'never' })
  expect(nextTry({ ...first, error, hasFallback: true })).toEqual({ kind: 'fallback' })
  const broken = new ModelError('broken', 'Cut off.', { isRetryable: true })
  expect(nextTry({ ...first, error: broken }).kind).toBe('again')
  expect(nextTry({ ...first, error: new ModelError('broken', 'Nonsense.') }).kind).toBe('never')
})

test('MODEL-04 no try begins after the budget, whatever happened before', () => {
  const ms = fc.nat(200_000)
  fc.assert(
    fc.property(
      fc.record({
        failures: fc.nat(1_000),
        failingMs: ms,
        budgetMs: ms,
        hasFallback: fc.boolean(),
        retryAfterMs: fc.option(ms, { nil: undefined }),
        chance: fc.double({ min: 0, max: 1, noNaN: true }),
      }),
      ({ retryAfterMs, chance, ...rest }) => {
        const error = new ModelError('unreachable', 'Down.', {
          ...(retryAfterMs !== undefined && { retryAfterMs }),
        })
        const next = nextTry({ ...rest, error }, () => chance)
        if (next.kind !== 'again') return
        expect(rest.failingMs + next.afterMs).toBeLessThanOrEqual(rest.budgetMs)
        expect(next.afterMs).toBeGreaterThanOrEqual(retryAfterMs ?? 0)
      },
    ),
  )
})
