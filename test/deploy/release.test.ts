import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import manifest from '../../package.json' with { type: 'json' }

const root = fileURLToPath(new URL('../..', import.meta.url))
const workflows = join(root, '.github/workflows')

const Workflow = z.looseObject({
  permissions: z.object({ contents: z.literal('read') }),
  jobs: z.record(
    z.string(),
    z.looseObject({
      steps: z.array(z.looseObject({ run: z.string().optional(), uses: z.string().optional() })),
    }),
  ),
})

test.each(await readdir(workflows))(
  'SHIP-05 the workflow %s may only read unless a job says more, and calls scripts that exist',
  async (name) => {
    const text = await readFile(join(workflows, name), 'utf8')
    const { jobs } = Workflow.parse(parse(text))
    const steps = Object.values(jobs).flatMap((job) => job.steps)
    const scripts = steps.flatMap(({ run = '' }) => [...run.matchAll(/npm run ([\w:-]+)/g)])
    for (const [, script = ''] of scripts) expect(Object.keys(manifest.scripts)).toContain(script)
    for (const { uses } of steps) if (uses !== undefined) expect(uses).toMatch(/@v\d+$/)
  },
)

test('SHIP-05 the changelog begins with what is not released, and knows the version of a release', async () => {
  const changelog = await readFile(join(root, 'CHANGELOG.md'), 'utf8')
  const headings = changelog.match(/^## .+$/gm) ?? []
  expect(headings[0]).toBe('## Unreleased')
  const released = headings
    .slice(1)
    .map((heading) => /^## \[(.+)\] - \d{4}-\d\d-\d\d$/.exec(heading)?.[1])
  // 0.1.0 is what is being made.
  if (manifest.version !== '0.1.0') expect(released[0]).toBe(manifest.version)
  expect(released).not.toContain(undefined)
  // An upgrade from each release is tried on a data directory that it filled.
  const kept = await readdir(join(root, 'test/app/upgrades/kept'))
  const earlier = released.filter((version) => version !== manifest.version)
  expect(earlier.filter((version) => !kept.includes(`v${version}.sql`))).toEqual([])
})
