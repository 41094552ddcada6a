import { test } from 'vitest'
import { bubblewrapFailure } from './bubblewrap-failure.ts'
import { inCi } from './in-ci.ts'

/** Tried once a test file. */
let bubblewrap: { readonly failure: string | undefined } | undefined

/** Tests that need a part of the system: skipped by name where it is missing, failed where it is missing in CI. */
export const requirement = {
  bubblewrap: (title: string, body: () => Promise<void> | void): void => {
    const failure = whyNoBubblewrap()
    testIf(failure === undefined ? undefined : `bubblewrap does not work: ${failure}`, title, body)
  },
} as const

function testIf(
  missing: string | undefined,
  title: string,
  body: () => Promise<void> | void,
): void {
  if (missing === undefined) {
    test(title, body)
  } else if (inCi()) {
    test(title, () => {
      throw new Error(missing)
    })
  } else {
    process.stderr.write(`skipped: ${title} (${missing})\n`)
    test.skip(title, body)
  }
}

function whyNoBubblewrap(): string | undefined {
  bubblewrap ??= { failure: bubblewrapFailure() }
  return bubblewrap.failure
}
