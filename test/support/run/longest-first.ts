import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Those that take longest, by their measured times; what mostly computes and what mostly waits take turns. */
const longest: readonly string[] = [
  'chaos/apart-',
  'chaos/telegram-lost-database',
  'chaos/kill-anywhen',
  'chaos/lost-postgres',
  'chaos/',
  'flow/apart/',
  'adapters/queue/',
  'cli/people/pair',
  'executor/search/grep',
  'worker/worker',
  'adapters/chat/telegram/outgoing/live',
  'cli/',
  'db/embedded/',
  'adapters/chat/telegram/incoming/poll',
  'flow/',
  'adapters/sandbox/',
  'executor/',
]

/** So that the files that are left at the end are short, and no worker waits for another. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => rankOf(a) - rankOf(b))
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = longest.findIndex((start) => moduleId.includes(`/test/${start}`))
  return rank === -1 ? longest.length : rank
}
