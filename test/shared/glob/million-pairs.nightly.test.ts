import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFileAccess } from '../../../src/executor/files/file-access.ts'
import { pathPatternProblem } from '../../../src/shared/glob/path-glob.ts'
import { toPathForms } from '../../../src/shared/paths/path-forms.ts'
import { createPathRule, matchesPath } from '../../../src/shared/paths/path-rule.ts'
import { oddToPicomatch, path, pattern, picomatches } from './like-picomatch.ts'

const workspace = '/no/workspace'
const patterns = 50_000
const pathsEach = 20

test('GATE-08 THREAT-34 gate and box say the same of a million pairs of pattern and path, and read each pattern as picomatch does', async () => {
  let compared = 0
  await fc.assert(
    fc.asyncProperty(
      pattern.filter((one) => !oddToPicomatch.test(one) && pathPatternProblem(one) === undefined),
      fc.array(path, { minLength: pathsEach, maxLength: pathsEach }),
      async (glob, paths) => {
        const rule = createPathRule(glob, 'deny', false)
        const rules = { workspace, allowed: [], denyRead: [], allowRead: [], masked: [] }
        const access = await createFileAccess({ ...rules, denyByRule: [glob] })
        for (const one of paths) {
          const at = `${workspace}/${one}`
          const isDenied = matchesPath(rule, toPathForms(at, workspace))
          const same = rule.glob(one) === picomatches(glob, one)
          if (!same || access.mayTouch(at) === isDenied) throw new Error(`${glob} and ${one}`)
          compared += 1
        }
      },
    ),
    { numRuns: patterns },
  )
  expect(compared).toBe(patterns * pathsEach)
}, 1_200_000)
