import { expect, test } from 'vitest'
import { type EndedCall, outcomeOf } from '../../../src/domain/tool/tool-outcome.ts'

const fetched: EndedCall = { state: 'failed', category: null, hasEnvelope: false, runsIn: 'worker' }
const inBox: EndedCall = { ...fetched, runsIn: 'box' }

test.each<[string, EndedCall, 'worked' | 'failed' | undefined]>([
  ['what succeeded', { ...fetched, state: 'succeeded' }, 'worked'],
  ['a command with an exit code', { ...inBox, state: 'succeeded', hasEnvelope: true }, 'worked'],
  ['a server that fails', { ...fetched, category: 'server_error' }, 'failed'],
  ['a network that fails', { ...fetched, category: 'network_error' }, 'failed'],
  ['a rate limit', { ...fetched, category: 'rate_limited' }, 'failed'],
  ['a time limit', { ...inBox, category: 'timeout' }, 'failed'],
  ['what will not work again either', { ...inBox, category: 'permanent_failure' }, 'failed'],
  ['a command over its time limit', { ...inBox, category: 'timeout', hasEnvelope: true }, 'worked'],
  [
    'a program that is not there',
    { ...inBox, category: 'permanent_failure', hasEnvelope: true },
    'worked',
  ],
  ['a box that broke', { ...inBox, category: 'server_error' }, undefined],
  ['wrong parameters', { ...fetched, category: 'invalid_parameters' }, undefined],
  ['a wrong type', { ...fetched, category: 'type_mismatch' }, undefined],
  ['an unknown tool', { ...fetched, category: 'tool_not_found' }, undefined],
  ['what is forbidden', { ...fetched, category: 'policy_blocked' }, undefined],
  ['what a person denied', { ...fetched, state: 'denied', category: 'policy_blocked' }, undefined],
  ['what was stopped', { ...fetched, state: 'cancelled', category: 'cancelled' }, undefined],
  [
    'what was interrupted',
    { ...inBox, state: 'interrupted', category: 'permanent_failure' },
    undefined,
  ],
])('POL-04 %s', (_, call, outcome) => {
  expect(outcomeOf(call)).toBe(outcome)
})
