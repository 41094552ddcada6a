import type { TestProject } from 'vitest/node'
import { buildPrograms } from './programs.ts'

/** Each project loads this module anew, in one process: they share what is being built by this. */
const shared = globalThis as { countersignPrograms?: Promise<void> | undefined }

/** Before tests that start processes, and before each further run of a watching vitest: no test runs a bundle of other sources. */
export async function setup(project: TestProject): Promise<void> {
  shared.countersignPrograms ??= buildPrograms()
  await shared.countersignPrograms
  project.onTestsRerun(buildPrograms)
}
