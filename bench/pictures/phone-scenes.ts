import type { Card } from '../../src/domain/approval.ts'
import { cardOf, kinds } from '../../test/adapters/chat/cards/kinds.ts'
import type { PhoneShot } from './phone-page.ts'

function kindOf(name: string): Card {
  const kind = kinds.find((each) => each.name === name)
  if (kind === undefined) throw new Error(`no kind of card ${name}`)
  return cardOf(kind)
}

const by = { by: 'Ada', at: '2026-11-21T12:03:00Z' } as const

/** Cards of calls that the gate judged, waiting, open and decided. */
export const phoneShots: readonly PhoneShot[] = [
  { title: 'an ordinary command', card: kindOf('an ordinary command') },
  {
    title: 'Always shows what it would allow',
    card: { ...kindOf('several commands'), open: 'choice' },
  },
  { title: 'deletes: Always is behind ⋯', card: kindOf('a deletion') },
  {
    title: 'failed',
    card: {
      ...kindOf('an ordinary command'),
      what: 'ls x',
      status: {
        ...{ kind: 'finished', ...by, outcome: 'failed: exit 1, no such file' },
        ...{ isSuccess: false, durationMs: 120, lastLine: 'ls: x: No such file or directory' },
      },
    },
  },
]
