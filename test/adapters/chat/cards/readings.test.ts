import { expect, test } from 'vitest'
import type { EffectKind } from '../../../../src/domain/effect.ts'
import { cardOf } from './kinds.ts'
import { firstView, readings, tellings } from './readings.ts'

test('CARD-09 there are at least twenty cards, of different kinds', () => {
  expect(new Set(readings.map(({ kind }) => kind.name)).size).toBeGreaterThanOrEqual(20)
  const told = readings.flatMap(({ kind }) => cardOf(kind).effects?.map((one) => one.kind) ?? [])
  expect(new Set(told).size).toBeGreaterThanOrEqual(Object.keys(tellings).length)
})

test.each(readings)(
  'CARD-09 $kind.name: what a newcomer answers is what the gate found that the call does',
  ({ kind, answer }) => {
    const effects = new Set((cardOf(kind).effects ?? []).map((one) => one.kind))
    const told = (Object.keys(tellings) as EffectKind[]).filter((one) =>
      tellings[one]?.test(answer),
    )
    expect(told.toSorted()).toEqual([...effects].toSorted())
  },
)

test.each(readings)(
  'CARD-09 CARD-02 $kind.name: the answer needs nothing but the first view',
  ({ kind, answer }) => {
    const view = firstView(kind).join(' ')
    const named = [...answer.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
    for (const name of named) expect(view).toContain(name)
    expect(view).not.toMatch(/rule of|sha-256|Approval \d/)
  },
)
