import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/longest-first.ts'

/** Whole stacks of containers: beside other tests, a machine of two processors takes minutes to start one. */
const containers = ['test/docker/**/*.test.ts']

/** Each file has a process of its own: it ends others by force, or puts a module in the place of one of Node's. */
const alone = ['test/chaos/**/*.test.ts', 'test/edges/chat/incoming/pace.test.ts']

const each = {
  setupFiles: 'test/support/fuzz-seed.ts',
  pool: 'forks',
  // A small machine has two processors, and many files start processes of their own: with four nothing is done sooner.
  maxWorkers: 3,
  maxConcurrency: 12,
  // Against what never ends: a test that waits for something says itself how long that may take.
  testTimeout: 120_000,
  hookTimeout: 240_000,
  // What is awaited comes when it comes, also on a machine that does much else.
  expect: { poll: { timeout: 20_000 } },
  retry: 0,
} as const

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export
export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    sequence: { sequencer: LongestFirst },
    teardownTimeout: 60_000,
    reporters: ['default'],
    projects: [
      {
        test: {
          ...each,
          name: 'containers',
          include: containers,
          maxWorkers: 2,
          testTimeout: 400_000,
          sequence: { groupOrder: 0 },
        },
      },
      { test: { ...each, name: 'alone', include: alone, sequence: { groupOrder: 1 } } },
      {
        test: {
          ...each,
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: [...containers, ...alone],
          sequence: { groupOrder: 1 },
          // To start a process and import the product again takes longer than most of these files.
          isolate: false,
        },
      },
    ],
  },
})
