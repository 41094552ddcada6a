import { defineConfig } from 'vitest/config'
import type { Vite } from 'vitest/node'
import { seedOfRun, seedVariable } from './test/support/run/chosen-seed.ts'
import { findKinds, type Kind } from './test/support/run/kinds.ts'
import { LongestFirst } from './test/support/run/longest-first.ts'
import { executorFolder } from './test/support/run/programs.ts'

const kinds = findKinds()

const seed = String(seedOfRun())

const each = {
  env: { [seedVariable]: seed, TZ: 'UTC' },
  setupFiles: 'test/support/run/fuzz-seed.ts',
  pool: 'forks',
  // A small machine has two processors, and many files start processes of their own: with four nothing is done sooner.
  maxWorkers: 3,
  maxConcurrency: 12,
  // To start a process and import the product again takes longer than most files.
  isolate: false,
  // Against what never ends: a test that waits for something says itself how long that may take.
  testTimeout: 120_000,
  hookTimeout: 240_000,
  // What is awaited comes when it comes, also on a machine that does much else.
  expect: { poll: { timeout: 20_000 } },
  retry: 0,
} as const

const withDatabase = { globalSetup: 'test/support/run/global-setup.ts' } as const
const withPrograms = {
  globalSetup: ['test/support/run/build-setup.ts', 'test/support/run/global-setup.ts'],
} as const

/** Boxes run the bundle's program, also where the product runs in the process of a test. */
const boxesOfBundle = {
  name: 'boxes-of-bundle',
  transform: (code: string, id: string) =>
    id.endsWith('/src/app/processes/start-worker.ts')
      ? code.replace(
          "new URL('../../executor', import.meta.url)",
          () => `new URL('file://${executorFolder}')`,
        )
      : undefined,
}

interface Resolving {
  readonly resolve?: { conditions?: string[] }
}

/** Packages are loaded in the form that the product loads, not in the slower one that their own developers debug. */
const packagesAsInProduction = {
  name: 'packages-as-in-production',
  configResolved: ({ ssr, environments }: Vite.ResolvedConfig) => {
    for (const { resolve } of [ssr, ...Object.values(environments)] as readonly Resolving[])
      if (resolve?.conditions !== undefined)
        resolve.conditions = resolve.conditions.filter((name) => !name.startsWith('development'))
  },
}

function project(name: Kind, more: object) {
  const test = { ...each, name, include: [...kinds[name]], ...more }
  return { plugins: [packagesAsInProduction], test }
}

function projectOfPrograms(name: Kind, more: object = {}) {
  const plugins = [packagesAsInProduction, boxesOfBundle]
  return { ...project(name, { ...withPrograms, ...more }), plugins }
}

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    teardownTimeout: 60_000,
    reporters: ['default'],
    projects: [
      project('unit', {}),
      project('db', withDatabase),
      projectOfPrograms('flow'),
      projectOfPrograms('system'),
      // Whole stacks of containers: beside other tests, a machine of two processors takes minutes to start one.
      projectOfPrograms('nightly', {
        maxWorkers: 2,
        testTimeout: 400_000,
        sequence: { groupOrder: 1 },
      }),
    ],
  },
})
