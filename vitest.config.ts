import { defineConfig } from 'vitest/config'
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

function project(name: Kind, more: object) {
  return { test: { ...each, name, include: [...kinds[name]], ...more } }
}

function projectOfPrograms(name: Kind, more: object = {}) {
  return { ...project(name, { ...withPrograms, ...more }), plugins: [boxesOfBundle] }
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
